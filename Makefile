# Each target creates .venv and installs what it needs. PYTHON chooses the interpreter of a new environment.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint bench wheel wheel-test clean

demo: .venv/run.stamp
	$(BIN)/hamiltree demo

test: .venv/test.stamp
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 --dist loadfile

lint: .venv/lint.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/pyright

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

# brax and gymnasium for their model files alone
.venv/test.stamp: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	$(BIN)/python -m pip install --quiet --no-deps brax gymnasium
	touch $@

.venv/%.stamp: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[$*]"
	touch $@

clean:
	rm -rf .venv build dist
