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

.PHONY: help setup demo demo-facts demo-train lint docs test pythons bench attack audit constraints model calibration pictures clean
.PHONY: general-data general-teachers general

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

# The news model (docs/experiments.md): transformers as teachers, the text of SHARED, a fast student.
NEWS := src/biaffinity/models/news
MAKING := build/news
NEWS_TEACHERS := $(addprefix $(MAKING)/teacher-,1 2 3 4 5)
NEWS_DATA := --dev $(MAKING)/dev.jsonl --test $(DATA)/test.jsonl --resume
SHARED ?= ../shared
# The shipped models' teachers learnt before the recipe had adversarial training and wide characters.
TEACHER := --device cuda --set encoder.name=build/encoders/all-mpnet-base-v2 --set training.adversarial=0 \
	--set encoder.character_size=25 --set encoder.character_hidden=25

model: $(READY)  ## make the embedded news model anew, from SHARED; a GPU is needed
	$(BIN)/python recipes/news_data.py $(DATA) $(MAKING)
	$(BIN)/python recipes/outside_data.py $(SHARED)/data build/outside --gold $(MAKING)/train.jsonl
	for times in 12 20 60; do \
		$(BIN)/python recipes/phrases.py news build/outside/teachers.jsonl $(MAKING)/phrases-$$times.jsonl \
			--times $$times || exit 1; \
	done
	cat build/outside/teachers.jsonl $(MAKING)/phrases-20.jsonl > $(MAKING)/teachers.jsonl
	$(BIN)/python recipes/encoders.py mpnet build/encoders
	for teacher in 1 2 3 4 5; do \
		$(BIN)/biaffinity train transformer --train $(MAKING)/teachers.jsonl $(NEWS_DATA) --no-export \
			--seed $$teacher $(TEACHER) --set training.epochs=8 --set training.batch_size=32 \
			--set training.negative_ratio=0.25 --set training.pretrained_learning_rate=6e-5 --out $(MAKING)/teacher-$$teacher || exit 1; \
	done
	$(BIN)/python recipes/variants.py $(MAKING)/train.jsonl build/outside/teachers.jsonl $(VECTORS) \
		$(MAKING)/variants.jsonl
	(zcat $(SHARED)/text/wikipedia.jsonl.gz; cat $(MAKING)/variants.jsonl) | \
		$(BIN)/biaffinity distil $(NEWS_TEACHERS) --text - --from jsonl --labels $(MAKING)/labels --only-labels \
		--train $(MAKING)/train.jsonl $(NEWS_DATA) --out $(MAKING)/student
	$(BIN)/python recipes/renamed.py $(MAKING)/labels/labelled.jsonl $(MAKING)/teachers.jsonl $(MAKING)/renamed.jsonl
	$(BIN)/biaffinity distil --labels $(MAKING)/labels --also $(MAKING)/phrases-60.jsonl \
		--also $(MAKING)/renamed.jsonl --train $(MAKING)/train.jsonl $(NEWS_DATA) --vectors $(VECTORS) \
		--set training.epochs=6 --set encoder.keep_unseen=14000 --no-export --out $(MAKING)/student
	$(BIN)/python recipes/last_epochs.py $(MAKING)/train.jsonl $(MAKING)/labels/labelled.jsonl $(MAKING)/last.jsonl \
		--also $(MAKING)/phrases-12.jsonl build/outside/train.jsonl
	for seed in 1 2 3; do \
		$(BIN)/biaffinity train distilled --start $(MAKING)/student --train $(MAKING)/last.jsonl $(NEWS_DATA) \
			--seed $$seed --set training.epochs=3 --set training.batch_size=32 --set training.learning_rate=1e-3 \
			--set training.negative_ratio=1 --no-export --out $(MAKING)/last-$$seed || exit 1; \
	done
	$(BIN)/python recipes/mean_of_models.py $(MAKING)/model $(addprefix $(MAKING)/last-,1 2 3)
	$(BIN)/biaffinity export --model $(MAKING)/model
	cp $(addprefix $(MAKING)/model/,config.json vocabulary.json model.safetensors *.onnx) $(NEWS)
	$(BIN)/biaffinity verify --seal $(NEWS)  # its README.md, examples.json and about.json are ours
	$(BIN)/biaffinity evaluate $(MAKING)/held_out.jsonl --model $(NEWS)
	$(BIN)/biaffinity evaluate build/outside/dev.jsonl --model $(NEWS)

# The general model (docs/general.md): data of SHARED, transformers as teachers, a student of the size of news.
GENERAL := build/general
TEACHERS := $(addprefix $(GENERAL)/teacher-,1 2 3)
GENERAL_DEV := --dev $(GENERAL)/dev.jsonl --resume
GENERAL_SET := --set training.selection=micro --set calibration.negative_sentences=0 \
	--set calibration.no_relation_bias=fitted

general-data: $(READY)  ## the data of the general model, from SHARED, into build/general
	$(BIN)/python recipes/general_data.py $(SHARED)/data $(GENERAL)

general-teachers: general-data  ## its three teachers, transformers; a GPU is needed
	for times in 6 20 60; do \
		$(BIN)/python recipes/phrases.py general $(GENERAL)/train.jsonl $(GENERAL)/phrases-$$times.jsonl \
			--times $$times || exit 1; \
	done
	cat $(GENERAL)/train.jsonl $(GENERAL)/phrases-20.jsonl > $(GENERAL)/teachers.jsonl
	$(BIN)/python recipes/encoders.py mpnet build/encoders
	for teacher in 1 2 3; do \
		mkdir -p $(GENERAL)/teacher-$$teacher && cp $(GENERAL)/about.json $(GENERAL)/teacher-$$teacher && \
		$(BIN)/biaffinity train transformer --train $(GENERAL)/teachers.jsonl $(GENERAL_DEV) --seed $$teacher \
			$(TEACHER) --set training.epochs=8 --set training.batch_size=64 \
			--set training.pretrained_learning_rate=8e-5 --set training.selection=micro --out $(GENERAL)/teacher-$$teacher || exit 1; \
	done
	for part in dev test; do \
		$(BIN)/python recipes/general_score.py $(GENERAL)/teacher-1 $(GENERAL) $$part --device cuda \
			--json results/general-large-$$part.json || exit 1; \
	done

general: general-teachers  ## the general model: the teachers label SHARED's text, a student learns from it
	mkdir -p $(GENERAL)/model && cp $(GENERAL)/about.json $(GENERAL)/model
	cp recipes/general_examples.json $(GENERAL)/model/examples.json
	zcat $(SHARED)/text/wikipedia.jsonl.gz | $(BIN)/biaffinity distil $(TEACHERS) --text - --from jsonl \
		--labels $(GENERAL)/labels --only-labels --train $(GENERAL)/train.jsonl $(GENERAL_DEV) --out $(GENERAL)/student
	$(BIN)/python recipes/renamed.py $(GENERAL)/labels/labelled.jsonl $(GENERAL)/train.jsonl $(GENERAL)/renamed.jsonl
	$(BIN)/biaffinity distil --labels $(GENERAL)/labels --also $(GENERAL)/phrases-60.jsonl \
		--also $(GENERAL)/renamed.jsonl --train $(GENERAL)/train.jsonl $(GENERAL_DEV) --gold-times 4 \
		--vectors $(VECTORS) $(GENERAL_SET) --set training.epochs=5 \
		--set encoder.keep_unseen=13500 --no-export --out $(GENERAL)/student
	$(BIN)/python recipes/last_epochs.py $(GENERAL)/train.jsonl $(GENERAL)/labels/labelled.jsonl \
		$(GENERAL)/last.jsonl --also $(GENERAL)/phrases-6.jsonl
	$(BIN)/biaffinity train distilled --start $(GENERAL)/student --train $(GENERAL)/last.jsonl $(GENERAL_DEV) \
		--set training.epochs=3 --set training.batch_size=32 --set training.learning_rate=1e-3 \
		--set training.negative_ratio=1 $(GENERAL_SET) --out $(GENERAL)/model
	$(BIN)/python recipes/general_score.py $(GENERAL)/model $(GENERAL) dev --json results/general-dev.json

calibration: $(READY)  ## how far the news model's scores can be trusted, on DATA's dev: numbers and picture
	$(BIN)/python benchmarks/calibration.py $(DATA)/dev.jsonl --json results/calibration.json \
		--plot docs/images/calibration.svg

pictures: $(READY)  ## make the pictures of README and documentation anew, from the news model's own output
	$(BIN)/python docs/images/make.py

clean:  ## remove what make made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
