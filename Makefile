# Every target works from a fresh clone with Python, pip and make alone; the environment is made once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help setup demo lint test bench clean

help:  ## what each command does
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

setup: $(READY)  ## make .venv with everything a developer needs

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

lint: $(READY)  ## ruff, mypy (strict), direction of imports
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint  ## lint, then every test and doctest
	OMP_NUM_THREADS=1 $(BIN)/pytest

clean:  ## remove what make made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
