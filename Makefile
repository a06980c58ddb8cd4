# The commands of a checkout. Each target first installs what it needs into .venv; later calls skip that.
#
#   make holmes-style [TRAIN=DIR SOURCE=DIR] [NAME=holmes-style] [WORKERS=2] [OUT=artifacts] [ARGS="--seed 2"]
#   make scs-style    [TRAIN=DIR SOURCE=DIR] [NAME=scs-style] ...          the same for every style in pipelines/*_style.py
#   make holmes-style SOURCE=DIR             use the source books as background too, also for scs-style (docs/how-to/few-books.md)
#   make lambada-style [BOOKS=DIR] [NAME=lambada-style] ...                needs one folder of novels; the same for scde-style
#   make test | test-all | lint | types | kenlm | setup | lock | clean
#   make docs                   build the documentation with search into site/
#   make pins [AGAINST=REV] | pins-update    compare the results of runs and commands with the pinned ones, or with another revision
#   make data SHARED=DIR        unpack the real corpora into data/; existing files are kept
#   make tagger TREEBANK=DIR    retrain the tagger

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
PIP := $(BIN)/python -m pip --disable-pip-version-check

# Every locked package has wheels for the versions in KNOWN. If none of them is installed, a newer Python is used with a warning, and
# packages without a wheel are built. Each candidate is started, since pyenv has shims for versions that do not run. If the user sets
# PYTHON, only that one is tried.
KNOWN := (3, 11) <= sys.version_info[:2] <= (3, 15)
FIND_PYTHON = is() { "$$1" -c "import sys; sys.exit(not ($$2))" 2>/dev/null; }; found=; \
	if [ -n "$$PYTHON" ]; then set -- "$$PYTHON"; else set -- python3 python3.15 python3.14 python3.13 python3.12 python3.11; fi; \
	for wanted in '$(KNOWN)' 'sys.version_info >= (3, 11)'; do for python in "$$@"; do \
		[ -n "$$found" ] || ! is "$$python" "$$wanted" || found=$$python; done; done; \
	[ -n "$$found" ] || { echo "cloze-gen needs Python 3.11 or newer; none found among: $$*. Install one (Debian, Ubuntu:" \
	"sudo apt-get install python3 python3-venv python3-dev) or give its path: make PYTHON=/path/to/python3.12" >&2; exit 1; }; \
	is "$$found" '$(KNOWN)' || echo "$$("$$found" --version) is newer than 3.15, the newest version with wheels of every locked package." \
	"It is used anyway; packages without a wheel are built, which may fail." >&2

# The user's values reach the shell as environment variables. make does not expand them, so spaces, quotes and $ are safe. Only values
# given on the command line count: a NAME or OUT in the environment is ignored. An empty value is passed on, and cloze-gen refuses it.
literal = $(if $(filter command,$(origin $(1))),$(eval override $(1) := $$(value $(1)))$(eval export $(1)),$(eval unexport $(1)))
$(foreach variable,TRAIN SOURCE BOOKS NAME WORKERS OUT SHARED TREEBANK AGAINST ARGS,$(call literal,$(variable)))
export PYTHON
# ARGS is split into words as in a shell, without expansion.
WITH_ARGS = $(BIN)/python scripts/with_args.py

RUN_OPTIONS = $${TRAIN+"--train=$$TRAIN"} $${SOURCE+"--source=$$SOURCE"} $${BOOKS+"--books=$$BOOKS"} \
	"--name=$${NAME-$@}" "--workers=$${WORKERS-2}" "--out=$${OUT-artifacts}"

STYLES := $(subst _,-,$(patsubst pipelines/%.py,%,$(wildcard pipelines/*_style.py)))

.PHONY: help setup $(STYLES) test test-all pins pins-update lint types docs kenlm data tagger lock clean

help:
	@sed -n 's/^#   //p' Makefile

$(STYLES): setup
	@$(WITH_ARGS) $(BIN)/cloze-gen run $@ $(RUN_OPTIONS)

# test skips the slow tests that rarely fail (marker `thorough`).
test: setup
	$(WITH_ARGS) $(BIN)/python -m pytest -m "not thorough"

test-all: setup
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

# A dead link, a page that is missing and a page outside the navigation are errors.
docs: setup
	@$(BIN)/python scripts/build_site.py

# ---- setup: one stamp file for each step

setup: $(STAMPS)/project $(STAMPS)/kenlm
kenlm: $(STAMPS)/kenlm

SYSTEM_TOOLS := src/cloze_gen/adapters/system_tools.py
$(STAMPS)/venv: $(SYSTEM_TOOLS)
	@$(FIND_PYTHON); "$$found" $(SYSTEM_TOOLS) && "$$found" -m venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

# Build tools come first, without isolation: kenlm, the only package without wheels, is then built by locked tools. If Python is newer than
# the lock, packages without a wheel are built by the tools that they require.
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
	@[ -d "$$SHARED/corpora" ] || { echo "make data: DIR/corpora not found. Give SHARED=DIR, a folder with corpora/*.tar.xz" >&2; exit 2; }
	@mkdir -p data
	@keep=--skip-old-files; tar --version | grep -q GNU || keep=-k; \
	for archive in "$$SHARED"/corpora/*.tar.xz; do echo "$$archive" >&2; tar -xJf "$$archive" -C data --no-same-owner $$keep || exit 1; done
	@for folder in published treebank stoplists; do \
		if [ -d "$$SHARED/$$folder" ]; then cp -R -n "$$SHARED/$$folder" data/; chmod -R u+w "data/$$folder" || exit 1; fi; done

tagger: setup
	@[ -n "$$TREEBANK" ] || { echo "make tagger: TREEBANK is missing. Give TREEBANK=DIR, a folder with en_ewt-ud-{train,dev,test}.conllu.xz" >&2; exit 2; }
	$(BIN)/python training/tagger/train.py --treebank "$$TREEBANK" --out src/cloze_gen/adapters/tagger_model

# One lock for all supported Pythons. It changes packages only if necessary; to upgrade all: make LOCK_ARGS=--upgrade lock
LOCK_ARGS :=
lock: $(STAMPS)/venv
	@[ -x $(VENV)/lock/bin/uv ] || { $(BIN)/python -m venv $(VENV)/lock && $(VENV)/lock/bin/pip install --quiet 'uv>=0.9' 'packaging>=24.2'; }
	@$(VENV)/lock/bin/python scripts/lock.py $(LOCK_ARGS)

clean:
	rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src pipelines configs corpora scripts tests -name '__pycache__' -prune -exec rm -rf {} +
	rm -rf *.egg-info src/*.egg-info
