# Each target creates .venv and installs what it needs. PYTHON chooses the interpreter of a new environment.
PYTHON ?= python3
BIN := .venv/bin
NODE := $(if $(shell command -v npm),,.venv/bin/npm)
NPM := $(if $(NODE),PATH=$(CURDIR)/.venv/bin:$$PATH npm,npm)

.PHONY: demo test lint web web-check bench wheel wheel-test clean

demo: .venv/run.stamp
	$(BIN)/hamiltree demo

# files in the order of tests/conftest.py; a worker that crashes is not replaced: xdist may wait for ever
test: .venv/test.stamp
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder --max-worker-restart=0

lint: .venv/lint.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/pyright

# the page of `run.view()`: checked, tested and bundled into the package
web: web/node_modules/.stamp
	cd web && $(NPM) run --silent check
	cd web && $(NPM) run --silent lint
	cd web && $(NPM) run --silent test
	cd web && $(NPM) run --silent build

# the same, but the bundle must be the one that the package has
web-check: web/node_modules/.stamp
	cd web && $(NPM) run --silent check
	cd web && $(NPM) run --silent lint
	cd web && $(NPM) run --silent test
	cd web && $(NPM) run --silent build -- ../build/web
	diff -r build/web src/hamiltree/view/page/bundle

web/node_modules/.stamp: web/package-lock.json | $(NODE)
	cd web && $(NPM) ci --ignore-scripts
	touch $@

# Node of PyPI where none is installed
.venv/bin/npm: | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[web]"

bench: .venv/bench.stamp
	$(BIN)/python -m benchmarks

# WHEEL=--small: only what `hamiltree demo` needs
wheel: .venv/run.stamp
	$(BIN)/python tools/build_wheel.py $(WHEEL)

wheel-test: | .venv/bin/python
	$(BIN)/python tools/test_wheel.py $(WHEEL)

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

.venv/run.stamp: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

# brax and gymnasium for their model files alone; of all that is installed tests import a part, and only that is compiled to bytecode
.venv/test.stamp: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --no-compile --editable ".[test,browser]"
	$(BIN)/python -m pip install --quiet --no-compile --no-deps brax gymnasium
	touch $@

.venv/%.stamp: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[$*]"
	touch $@

clean:
	rm -rf .venv build dist web/node_modules
