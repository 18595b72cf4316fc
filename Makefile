# Every target works from a fresh clone with Python, pip and make alone; the environment is made once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BASE := $(VENV)/.base
# results/ is not in the source distribution.
CODE := src tests benchmarks docs examples recipes $(wildcard results)
# One thread per process: threads that share a busy machine run slower than one.
export OMP_NUM_THREADS := 1

DATA ?= ../shared/data/conll04
STREAM ?= 20000
VECTORS ?= ../shared/vectors/glove.6B.100d.words.txt

.PHONY: help setup demo demo-train lint docs test bench attack model calibration pictures clean

help:  ## what each command does
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

setup: $(READY)  ## make .venv with everything a developer needs

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

# The base alone, into the environment that `make setup` completes. Bytecode is written when it is needed:
# that of every module, ahead of need, would be a sixth of the disk.
$(BASE): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e .
	touch $@

demo: $(BASE)  ## install the base and read the paper's sentence and a paragraph with the news model
	@$(BIN)/biaffinity extract --format table \
		"David Foster is the AP's Northwest regional reporter, based in Seattle."
	@echo
	@$(BIN)/biaffinity extract --format table samples/paragraph.txt
	@echo
	@echo 'It is installed in $(VENV). To use it: source $(BIN)/activate'

demo-train: $(READY)  ## train a small model on our own sentences and show what it finds in new ones
	$(BIN)/python examples/demo.py

lint: $(READY)  ## ruff, mypy (strict), direction of imports
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(READY)  ## the documentation, strictly, into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

test: lint docs  ## lint, the documentation, then every test and doctest
	$(BIN)/pytest

bench: $(READY)  ## speed, memory and disk beside their bars; JSON goes to build/bench
	$(BIN)/python benchmarks/tokenisers.py
	$(BIN)/python benchmarks/scoring.py
	$(BIN)/python benchmarks/speed.py --json build/bench/speed.json
	$(BIN)/python benchmarks/extraction.py --stream $(STREAM) --json build/bench/extraction.json
	$(BIN)/python benchmarks/install.py --json build/bench/install.json
	$(BIN)/python benchmarks/sinks.py --json build/bench/sinks.json
	$(BIN)/python benchmarks/scale.py --json build/bench/scale.json
	$(BIN)/python benchmarks/kills.py --json build/bench/kills.json

attack: $(READY)  ## the attacks of docs/security.md and docs/reliability.md; some ten minutes
	$(BIN)/python benchmarks/attack.py --json results/attack.json

NEWS := src/biaffinity/models/news
model: $(READY)  ## make the embedded news model anew, from DATA (CoNLL04) and VECTORS
	$(BIN)/python recipes/news_data.py $(DATA) build/news
	$(BIN)/biaffinity train news --train build/news/train.jsonl --dev build/news/dev.jsonl \
		--test $(DATA)/test.jsonl --vectors $(VECTORS) --seed 2 --out build/news/model --resume
	cp $(addprefix build/news/model/,config.json vocabulary.json model.safetensors *.onnx README.md) $(NEWS)
	$(BIN)/biaffinity evaluate build/news/held_out.jsonl --model $(NEWS)

calibration: $(READY)  ## how far the news model's scores can be trusted, on DATA's dev: numbers and picture
	$(BIN)/python benchmarks/calibration.py $(DATA)/dev.jsonl --json results/calibration.json \
		--plot docs/images/calibration.svg

pictures: $(READY)  ## make the pictures of README and documentation anew, from the news model's own output
	$(BIN)/python docs/images/make.py

clean:  ## remove what make made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
