# Every target works from a fresh clone with Python, pip and make alone; the environment is made once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CODE := src tests benchmarks examples recipes results
# One thread per process: threads that share a busy machine run slower than one.
export OMP_NUM_THREADS := 1

DATA ?= ../shared/data/conll04
VECTORS ?= ../shared/vectors/glove.6B.100d.words.txt

.PHONY: help setup demo lint test bench model clean

help:  ## what each command does
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

setup: $(READY)  ## make .venv with everything a developer needs

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

demo: $(READY)  ## train a small model on our own sentences and show what it finds in new ones
	$(BIN)/python examples/demo.py

lint: $(READY)  ## ruff, mypy (strict), direction of imports
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint  ## lint, then every test and doctest
	$(BIN)/pytest

bench: $(READY)  ## speed and memory: text, scoring, training, prediction, extraction
	$(BIN)/python benchmarks/tokenisers.py
	$(BIN)/python benchmarks/scoring.py
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/extraction.py

model: $(READY)  ## make the embedded news model anew, from DATA (CoNLL04) and VECTORS
	$(BIN)/python recipes/news_model.py --data $(DATA) --vectors $(VECTORS) --work build/news \
		--out src/biaffinity/models/news

clean:  ## remove what make made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
