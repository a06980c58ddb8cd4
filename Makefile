# Everything a newcomer types. Each target sets up what it needs in .venv, once; a second call does nothing slow.
#
#   make holmes-style [TRAIN=DIR SOURCE=DIR] [NAME=holmes-style] [WORKERS=2] [OUT=artifacts] [ARGS="--seed 2"]
#   make scs-style    [TRAIN=DIR SOURCE=DIR] [NAME=scs-style] ...          and so on for every style in pipelines/*_style.py
#   make holmes-style SOURCE=DIR             the source books as their own background, also of scs-style: docs/few-books.md
#   make lambada-style [BOOKS=DIR] [NAME=lambada-style] ...                of one folder of novels, and so make scde-style
#   make test | lint | types | kenlm | setup | lock | clean
#   make pins [AGAINST=REV] | pins-update    compare what runs and commands give with what is pinned, or with another revision
#   make data SHARED=DIR        unpack the real corpora into data/; what lies there already stays
#   make tagger TREEBANK=DIR    train the tagger anew

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
PIP := $(BIN)/python -m pip --disable-pip-version-check

# Every locked package has files for KNOWN; a newer Python is tried where none of these is found, with a word, and builds what it must.
# A pyenv shim exists for versions that do not run, so each is tried. A PYTHON that was named is taken or refused, never replaced.
KNOWN := (3, 11) <= sys.version_info[:2] <= (3, 15)
FIND_PYTHON = is() { "$$1" -c "import sys; sys.exit(not ($$2))" 2>/dev/null; }; found=; \
	if [ -n "$$PYTHON" ]; then set -- "$$PYTHON"; else set -- python3 python3.15 python3.14 python3.13 python3.12 python3.11; fi; \
	for wanted in '$(KNOWN)' 'sys.version_info >= (3, 11)'; do for python in "$$@"; do \
		[ -n "$$found" ] || ! is "$$python" "$$wanted" || found=$$python; done; done; \
	[ -n "$$found" ] || { echo "cloze-gen needs Python 3.11 or newer; found none among: $$*. Install one (Debian, Ubuntu:" \
	"sudo apt-get install python3 python3-venv python3-dev) or name it: make PYTHON=/path/to/python3.12" >&2; exit 1; }; \
	is "$$found" '$(KNOWN)' || echo "$$("$$found" --version) is newer than 3.15, the newest that every locked package has files for:" \
	"trying it; what has no file is built, which may fail." >&2

# A user's values reach the shell as environment variables and are never expanded by make, so spaces, quotes and $ are safe. Only
# values given on the command line count: a NAME or OUT that happens to be in the environment means something else. An empty one is given too,
# and the program refuses it.
literal = $(if $(filter command,$(origin $(1))),$(eval override $(1) := $$(value $(1)))$(eval export $(1)),$(eval unexport $(1)))
$(foreach variable,TRAIN SOURCE BOOKS NAME WORKERS OUT SHARED TREEBANK AGAINST ARGS,$(call literal,$(variable)))
export PYTHON
# ARGS is split into words as a shell does it, and nothing in it is expanded.
WITH_ARGS = $(BIN)/python scripts/with_args.py

RUN_OPTIONS = $${TRAIN+"--train=$$TRAIN"} $${SOURCE+"--source=$$SOURCE"} $${BOOKS+"--books=$$BOOKS"} \
	"--name=$${NAME-$@}" "--workers=$${WORKERS-2}" "--out=$${OUT-artifacts}"

STYLES := $(subst _,-,$(patsubst pipelines/%.py,%,$(wildcard pipelines/*_style.py)))

.PHONY: help setup $(STYLES) test pins pins-update lint types kenlm data tagger lock clean

help:
	@sed -n 's/^#   //p' Makefile

$(STYLES): setup
	@$(WITH_ARGS) $(BIN)/cloze-gen run $@ $(RUN_OPTIONS)

test: setup
	$(WITH_ARGS) $(BIN)/python -m pytest

pins: setup
	@$(BIN)/python scripts/pins.py $${AGAINST:+against} "$${AGAINST:-check}"

pins-update: setup
	@$(BIN)/python scripts/pins.py update

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

# ---- set-up, each step with a stamp

setup: $(STAMPS)/project $(STAMPS)/kenlm
kenlm: $(STAMPS)/kenlm

SYSTEM_TOOLS := src/cloze_gen/adapters/system_tools.py
$(STAMPS)/venv: $(SYSTEM_TOOLS)
	@$(FIND_PYTHON); "$$found" $(SYSTEM_TOOLS) && "$$found" -m venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

# Builders first and without isolation, so that kenlm, the one package that comes as sources, is built by locked tools too. Where Python is
# newer than the lock, whatever has no file is built, each package by the tools that it names.
FROM_FILES = $$($(BIN)/python -c "import sys; print('--only-binary :all: --no-binary kenlm --no-build-isolation' if $(KNOWN) else '')")
$(STAMPS)/requirements: requirements.lock requirements-build.lock $(STAMPS)/venv
	@echo "Installing the locked dependencies into $(VENV) ..." >&2
	@$(PIP) install --quiet --require-hashes -r requirements-build.lock
	@$(PIP) install --quiet --require-hashes $(FROM_FILES) -r requirements.lock
	@touch $@

$(STAMPS)/project: pyproject.toml $(STAMPS)/requirements
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(STAMPS)/kenlm: src/cloze_gen/adapters/kenlm_build.py $(STAMPS)/project
	@$(BIN)/python -m cloze_gen.adapters.kenlm_build
	@touch $@

# ---- data, tagger, lock

data:
	@[ -d "$$SHARED/corpora" ] || { echo "make data SHARED=DIR: DIR holds corpora/*.tar.xz" >&2; exit 2; }
	@mkdir -p data
	@keep=--skip-old-files; tar --version | grep -q GNU || keep=-k; \
	for archive in "$$SHARED"/corpora/*.tar.xz; do echo "$$archive" >&2; tar -xJf "$$archive" -C data --no-same-owner $$keep || exit 1; done
	@for folder in published treebank stoplists; do \
		if [ -d "$$SHARED/$$folder" ]; then cp -R -n "$$SHARED/$$folder" data/; chmod -R u+w "data/$$folder" || exit 1; fi; done

tagger: setup
	@[ -n "$$TREEBANK" ] || { echo "make tagger TREEBANK=DIR: DIR holds en_ewt-ud-{train,dev,test}.conllu.xz" >&2; exit 2; }
	$(BIN)/python training/tagger/train.py --treebank "$$TREEBANK" --out src/cloze_gen/adapters/tagger_model

# For all supported Pythons at once. Packages move only as far as they must: make LOCK_ARGS=--upgrade lock
LOCK_ARGS :=
lock: $(STAMPS)/venv
	@[ -x $(VENV)/lock/bin/uv ] || { $(BIN)/python -m venv $(VENV)/lock && $(VENV)/lock/bin/pip install --quiet 'uv>=0.9' 'packaging>=24.2'; }
	@$(VENV)/lock/bin/python scripts/lock.py $(LOCK_ARGS)

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src pipelines configs corpora scripts tests -name '__pycache__' -prune -exec rm -rf {} +
	rm -rf *.egg-info src/*.egg-info
