# Every target works from a fresh clone with Python, pip and make alone; the environment is made once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BASE := $(VENV)/.base
# Bytecode is written when it is needed: that of every module, ahead of need, would be a sixth of the disk and
# most of a minute.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt
# results/ is not in the source distribution.
CODE := src tests benchmarks docs examples recipes $(wildcard results)
# One thread per process: threads that share a busy machine run slower than one.
export OMP_NUM_THREADS := 1
# Many processes import PyTorch: without bytecode each would compile it anew, for most of its time.
export PYTHONDONTWRITEBYTECODE :=

DATA ?= ../shared/data/conll04
STREAM ?= 20000
VECTORS ?= ../shared/vectors/glove.6B.100d.words.txt

.PHONY: help setup demo demo-facts demo-train lint docs test pythons bench attack audit constraints calibration pictures clean

help:  ## what each command does
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

setup: $(READY)  ## make .venv with everything a developer needs

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) -e '.[dev]'
	touch $@

# The base alone, into the environment that `make setup` completes.
$(BASE): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) -e .
	touch $@

demo: $(BASE)  ## install the base and read the paper's sentence and a paragraph with the news model
	@$(BIN)/biaffinity extract --format table \
		"David Foster is the AP's Northwest regional reporter, based in Seattle."
	@echo
	@$(BIN)/biaffinity extract --format table samples/paragraph.txt
	@echo
	@echo 'It is installed in $(VENV). To use it: source $(BIN)/activate'

# The base with what a store of facts and its page need.
FACTS := $(VENV)/.facts
$(FACTS): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) -e '.[facts,serve]'
	touch $@

PORT ?= 8000
OPEN ?= --open
NEWSROOM ?= build/newsroom.db
demo-facts: $(FACTS)  ## read 200 invented news texts into a store, gather their facts, and open the page
	$(BIN)/biaffinity extract samples/newsroom --model general --out $(NEWSROOM)
	$(BIN)/biaffinity facts update --store $(NEWSROOM)
	@echo 'The page: http://127.0.0.1:$(PORT)/facts (Ctrl-C ends it)'
	@$(BIN)/biaffinity serve --store $(NEWSROOM) --port $(PORT) $(OPEN)

demo-train: $(READY)  ## train a small model on our own sentences and show what it finds in new ones
	$(BIN)/python examples/demo.py

lint: $(READY)  ## ruff, mypy (strict), direction of imports
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(READY)  ## the documentation, strictly, into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

# A worker per core, of a gigabyte each; worksteal leaves tests in their order, which shares fixtures best.
test: lint docs  ## lint, the documentation, then every test and doctest
	$(BIN)/pytest --numprocesses auto --maxprocesses 4 --dist worksteal

# Those of the Pythons that we support that are here, by their names or in pyenv's folder.
PYTHONS ?= 3.10 3.11 3.12 3.13 3.14
QUICK := annotation decoding formats/test_jsonl.py formats/test_brat.py graphs/test_wire.py show text test_errors.py
pythons:  ## make demo, and the tests that need no PyTorch, on every Python from 3.10 to 3.14 that is here
	@for version in $(PYTHONS); do \
		python=python$$version; \
		$$python -c '' 2>/dev/null || python=$$(ls -d $$HOME/.pyenv/versions/$$version.*/bin/python 2>/dev/null | tail -n 1); \
		test -n "$$python" || { echo "Python $$version is not here"; continue; }; \
		there=build/python$$version; \
		$(MAKE) --no-print-directory demo PYTHON=$$python VENV=$$there >/dev/null || exit 1; \
		$$there/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
			pytest hypothesis filelock || exit 1; \
		echo "Python $$version"; \
		$$there/bin/pytest -q $(addprefix tests/,$(QUICK)) || exit 1; \
	done

bench: $(READY)  ## speed, memory and disk beside their bars; JSON goes to build/bench
	$(BIN)/python benchmarks/tokenisers.py
	$(BIN)/python benchmarks/scoring.py
	$(BIN)/python benchmarks/speed.py --json build/bench/speed.json
	$(BIN)/python benchmarks/extraction.py --stream $(STREAM) --json build/bench/extraction.json
	$(BIN)/python benchmarks/install.py --json build/bench/install.json
	$(BIN)/python benchmarks/sinks.py --json build/bench/sinks.json
	$(BIN)/python benchmarks/scale.py --json build/bench/scale.json
	$(BIN)/python benchmarks/facts.py --json build/bench/facts.json
	test ! -d $(SHARED)/data/redocred || $(BIN)/python benchmarks/resolution.py --data $(SHARED)/data/redocred
	$(BIN)/python benchmarks/kills.py --json build/bench/kills.json
	$(BIN)/python benchmarks/facts_page.py --json build/bench/facts-page.json

attack: $(READY)  ## the attacks of docs/security.md and docs/reliability.md; some ten minutes
	$(BIN)/python benchmarks/attack.py --json results/attack.json

# Tools of their own, whose dependencies are not ours.
TOOLS := build/tools
$(TOOLS)/bin/uv:
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check uv pip-audit pip-licenses

# An audit that cannot see a package is no audit: --strict.
audit: $(READY) $(TOOLS)/bin/uv  ## known weaknesses of what is pinned, and licences of all that is installed
	$(TOOLS)/bin/pip-audit --strict --no-deps --disable-pip -r constraints-hashed.txt
	$(TOOLS)/bin/pip-licenses --python=$(BIN)/python --order=license --partial-match --fail-on='GPL;GNU'

constraints: $(TOOLS)/bin/uv  ## pin anew what pyproject.toml asks for; UPGRADE=--upgrade takes the newest
	sh recipes/constraints.sh $(TOOLS)/bin/uv $(UPGRADE)

# The embedded models, each by the rules of a file of recipes/. What has been made stays, so that a run that was
# stopped goes on; with `make -j 5 model` teachers learn side by side. After a change of data or settings delete
# what was made of it. Where there is no .venv: make model READY= RUN=python BIAFFINITY='python -m biaffinity'
SHARED ?= ../shared
DEVICE ?= cuda
WORKERS ?= 4
RUN := $(BIN)/python
BIAFFINITY := $(BIN)/biaffinity
MPNET := build/encoders/all-mpnet-base-v2
# The general model's teachers learnt before the recipe had adversarial training, wide characters and case.
TEACHER := --device $(DEVICE) --set encoder.name=$(MPNET) --set training.adversarial=0 \
	--set encoder.case=false --set training.keep=best \
	--set encoder.character_size=25 --set encoder.character_hidden=25
LAST_EPOCHS := --device $(DEVICE) --set training.epochs=3 --set training.batch_size=32 \
	--set training.learning_rate=1e-3 --set training.negative_ratio=1

$(MPNET)/model.safetensors: | $(READY)
	$(RUN) recipes/encoders.py mpnet $(dir $(MPNET))

include recipes/news.mk recipes/general.mk

calibration: $(READY)  ## how far the news model's scores can be trusted, on DATA's test: numbers and picture
	$(BIN)/python benchmarks/calibration.py $(DATA)/test.jsonl --json results/calibration.json \
		--plot docs/images/calibration.svg

pictures: $(READY)  ## make the pictures of README and documentation anew, from the news model's own output
	$(BIN)/python docs/images/make.py

clean:  ## remove what make made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
