# Doors into the project. Each does its own set-up: nothing but Python 3.11 or newer, with its venv module, is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
SPHINX := $(BIN)/sphinx-build -q --nitpicky --fail-on-warning --keep-going -c docs
WORKERS ?= 2
WITH_KERNELS := $(addprefix tests/,kernels engine decoding shortlist tokenizers training translating test_ensembles.py \
	$(addprefix recipe/,test_train.py test_resume_precisions.py test_on_any_device.py))

.DEFAULT_GOAL := help
.PHONY: help demo test tests test-checked test-other-cpus test-slow test-faults lint format bench bench-quick bench-bleu bench-defaults bench-scaling check-gpu web docs wheel clean

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 21

demo: $(VENV)/.demo-ready ## train a translator on the generated corpus and translate with it (minutes)
	$(BIN)/polyhead demo

test: lint tests ## everything a change must pass: style, types, import layers, tests

tests: $(VENV)/.dev-ready ## the tests alone that take no minutes
	OMP_NUM_THREADS=1 $(BIN)/pytest -n $(WORKERS)

# Kernels are compiled anew for this, once. What the tests of their files compile is compiled for these tests alone.
# Runs of several processes and the other tests of recipes have no other kernels than an undisturbed run of one process.
test-checked: $(VENV)/.dev-ready ## the tests in which kernels run, with every index of theirs compared with its array
	NUMBA_BOUNDSCHECK=1 OMP_NUM_THREADS=1 $(BIN)/pytest -n $(WORKERS) $(addprefix --ignore=tests/,kernels/code training/sharded \
		training/test_process_group.py training/test_rendezvous.py) $(WITH_KERNELS)

test-other-cpus: $(VENV)/.dev-ready ## what common older CPUs compute, and one with AMX, as far as this one can stand in for them (minutes)
	OMP_NUM_THREADS=1 $(BIN)/pytest -n $(WORKERS) -m slow tests/test_other_cpus.py -k "common or matrices"

test-slow: $(VENV)/.dev-ready ## the tests that take minutes
	OMP_NUM_THREADS=1 $(BIN)/pytest -n $(WORKERS) -m slow

test-faults: $(VENV)/.dev-ready ## kills, damage, full disks, two processes: what they cost, as a table (minutes)
	OMP_NUM_THREADS=1 $(BIN)/pytest tests/faults -n $(WORKERS) -m "faults or not slow"

lint: $(VENV)/.dev-ready ## style, types and import layers only
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright
	$(BIN)/lint-imports

format: $(VENV)/.dev-ready ## put the code in form
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(VENV)/.demo-ready ## measure polyhead against every peer (hours; results in benchmarks/results/)
	$(BIN)/python -m benchmarks $(BENCH)

bench-quick: $(VENV)/.demo-ready ## a small part of it, within five minutes once the peers are installed
	$(BIN)/python -m benchmarks --quick $(BENCH)

bench-bleu: $(VENV)/.demo-ready ## the time to a dev BLEU, ours and the fastest two peers' (hours)
	$(BIN)/python -m benchmarks --tasks bleu --sizes tiny $(BENCH)

bench-defaults: $(VENV)/.demo-ready ## measure what the defaults give on corpora of many sizes (hours; --quick: minutes)
	$(BIN)/python -m benchmarks.defaults $(BENCH)

bench-scaling: $(VENV)/.demo-ready ## how training grows with model, batch and processes; what larger runs would take
	$(BIN)/python -m benchmarks.scaling $(BENCH)

check-gpu: $(VENV)/.dev-ready ## what a GPU computes, against the CPU, and how fast, beside the peers (8 minutes; needs a CUDA device)
	$(BIN)/python -m benchmarks.gpu $(GPU)

web: ## check, test and build the page from web/ into the server's package (needs Node.js 20.19 or newer)
	cd web && npm ci && npm run check && npm test && npm run build

docs: $(VENV)/.docs-ready ## build the documentation, English and Korean, into build/docs/
	$(SPHINX) -d build/docs-cache/en docs/en build/docs
	$(SPHINX) -d build/docs-cache/ko -D language=ko docs/ko build/docs/ko
	@echo "open build/docs/index.html (English) or build/docs/ko/index.html (Korean) in a browser"

wheel: $(VENV)/.dev-ready ## build the distribution into dist/
	$(BIN)/python -m build

clean: ## delete what the doors made, the virtual environment too
	rm -rf $(VENV) build dist docs/locale/ko/LC_MESSAGES/sphinx.mo .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# The environment, in three steps that run again only when what they depend on changes. PyTorch comes first and alone:
# pinned it is one download; left to the resolver among all the others it can be several.
$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "polyhead needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.torch-ready: constraints.txt | $(VENV)/bin/python
	$(PIP) install --constraint constraints.txt torch
	@touch $@

$(VENV)/.demo-ready: pyproject.toml constraints.txt $(VENV)/.torch-ready
	$(PIP) install --constraint constraints.txt --editable '.[pictures,serve,train]'
	@touch $@

$(VENV)/.docs-ready: pyproject.toml constraints.txt $(VENV)/.torch-ready
	$(PIP) install --constraint constraints.txt --editable '.[docs,train]'
	@touch $@

$(VENV)/.dev-ready: pyproject.toml constraints.txt $(VENV)/.torch-ready
	$(PIP) install --constraint constraints.txt --editable '.[dev]'
	@touch $@
