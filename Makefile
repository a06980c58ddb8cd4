# The commands of a checkout. Each target first installs what it needs into .venv; later calls skip that.
#
#   make holmes-style [TRAIN=DIR SOURCE=DIR] [NAME=holmes-style] [WORKERS=2] [OUT=artifacts]
#   make scs-style    [TRAIN=DIR SOURCE=DIR] ...     for other options: .venv/bin/cloze-gen run scs-style --help
#   make lambada-style [BOOKS=DIR] ...               needs one folder of novels; the same for scde-style
#   make test | test-all | lint | types              test omits the slow tests that rarely fail (marker `thorough`)
#   make setup | kenlm | lock | clean                delete requirements.lock before `lock` to upgrade every package
#   make data SHARED=DIR        unpack the real corpora into data/; existing files are kept
#   make tagger TREEBANK=DIR    retrain the tagger

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
export PYTHON
BIN := .venv/bin
STAMPS := .venv/.stamps
PIP := $(BIN)/python -m pip --disable-pip-version-check
SYSTEM_TOOLS := src/cloze_gen/adapters/system_tools.py
STYLES := $(subst _,-,$(patsubst pipelines/%.py,%,$(wildcard pipelines/*_style.py)))
.PHONY: help setup $(STYLES) test test-all lint types kenlm data tagger lock clean

help:
	@sed -n 's/^#   //p' Makefile

# make exports the values of its command line, and the shell takes them from there; inherited ones are ignored.
option = $(if $(filter command,$(origin $(1))),"--$(2)=$$$(1)")
$(STYLES): setup
	@$(BIN)/cloze-gen run $@ $(call option,TRAIN,train) $(call option,SOURCE,source) $(call option,BOOKS,books) \
		$(call option,NAME,name) $(call option,WORKERS,workers) $(call option,OUT,out)
test: setup
	$(BIN)/python -m pytest -m "not thorough"
test-all: setup
	$(BIN)/python -m pytest
lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@rm -rf build/contracts && mkdir -p build/contracts && cp -R src/cloze_gen build/contracts/
	@cp -R pipelines configs corpora build/contracts/cloze_gen/ # as installed
	PYTHONPATH=build/contracts $(BIN)/lint-imports
	! $(BIN)/vulture | grep -E "unused (class|function|import|method|property)|unused variable '_?[A-Z]"
types: setup
	$(BIN)/mypy

setup: $(STAMPS)/project $(BIN)/lmplz
# PYTHON or the first that works; each candidate is started, since pyenv has shims for versions that do not run.
$(STAMPS)/venv: $(SYSTEM_TOOLS)
	@if [ -n "$$PYTHON" ]; then set -- "$$PYTHON"; else set -- python3 python3.14 python3.13 python3.12 python3.11; fi; \
	for python in "$$@"; do \
		"$$python" -c "import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))" 2>/dev/null && break; python=; done; \
	[ -n "$$python" ] || { echo "cloze-gen needs Python 3.11 to 3.14; none found among: $$*. Install one (Debian, Ubuntu:" \
		"sudo apt-get install python3 python3-venv) or give its path: make PYTHON=/path/to/python3.12" >&2; exit 1; }; \
	"$$python" $(SYSTEM_TOOLS) && "$$python" -m venv .venv && mkdir -p $(STAMPS) && touch $@
# The locked setuptools comes first: kenlm, the only package without wheels, is then built without isolation.
$(STAMPS)/requirements: requirements.lock $(STAMPS)/venv
	@echo "Installing the locked dependencies into .venv ..." >&2
	@sed -n '/^setuptools==/,/[^\\]$$/p' requirements.lock >$@.first
	@$(PIP) install --quiet --require-hashes -r $@.first
	@$(PIP) install --quiet --require-hashes --only-binary :all: --no-binary kenlm --no-build-isolation -r requirements.lock
	@touch $@
$(STAMPS)/project: pyproject.toml $(STAMPS)/requirements
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable . && touch $@
kenlm $(BIN)/lmplz: | $(STAMPS)/project
	@$(BIN)/python -m cloze_gen.adapters.kenlm_build

data:
	@[ -d "$$SHARED/corpora" ] || { echo "make data: DIR/corpora not found. Give SHARED=DIR, a folder with corpora/*.tar.xz" >&2; exit 2; }
	@mkdir -p data; keep=--skip-old-files; tar --version | grep -q GNU || keep=-k; \
	for archive in "$$SHARED"/corpora/*.tar.xz; do echo "$$archive" >&2; tar -xJf "$$archive" -C data --no-same-owner $$keep || exit 1; done; \
	for folder in published treebank stoplists; do \
		if [ -d "$$SHARED/$$folder" ]; then cp -R -n "$$SHARED/$$folder" data/; chmod -R u+w "data/$$folder" || exit 1; fi; done
tagger: setup
	@[ -n "$$TREEBANK" ] || { echo "make tagger: TREEBANK is missing. Give TREEBANK=DIR, a folder with en_ewt-ud-{train,dev,test}.conllu.xz" >&2; exit 2; }
	$(BIN)/python training/tagger/train.py --treebank "$$TREEBANK" --out src/cloze_gen/adapters/tagger_model
lock: $(STAMPS)/venv
	@$(PIP) install --quiet 'uv>=0.9'
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --extra test -o requirements.lock pyproject.toml
clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src pipelines configs corpora scripts tests -name '__pycache__' -prune -exec rm -rf {} +
