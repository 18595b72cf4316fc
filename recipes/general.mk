# The general model (docs/general.md): data of SHARED, transformers as teachers, a student of the size of news.
GENERAL := build/general
GENERAL_TEACHERS := $(addprefix $(GENERAL)/teacher-,1 2 3)
GENERAL_PHRASES := $(foreach times,6 20 60,$(GENERAL)/phrases-$(times).jsonl)
GENERAL_DEV := --dev $(GENERAL)/dev.jsonl --resume
GENERAL_SET := --set training.precision=half --set training.selection=micro --set calibration.negative_sentences=0 \
	--set calibration.no_relation_bias=fitted

.PHONY: general-data general-teachers general
general-data: $(GENERAL)/data.done  ## the data of the general model, from SHARED, into build/general

general-teachers: $(GENERAL_TEACHERS:=.done)  ## its three teachers, transformers; a GPU is needed
	for part in dev test; do \
		$(RUN) recipes/general_score.py $(GENERAL)/teacher-1 $(GENERAL) $$part --device $(DEVICE) \
			--json results/general-large-$$part.json || exit 1; \
	done

general: general-teachers $(GENERAL)/model.done  ## the general model: the teachers label SHARED's text, a student learns
	$(RUN) recipes/general_score.py $(GENERAL)/model $(GENERAL) dev --json results/general-dev.json

$(GENERAL)/data.done: | $(READY)
	$(RUN) recipes/general_data.py $(SHARED)/data $(GENERAL)
	touch $@

$(GENERAL_PHRASES): $(GENERAL)/phrases-%.jsonl: $(GENERAL)/data.done
	$(RUN) recipes/phrases.py general $(GENERAL)/train.jsonl $@ --times $*

$(GENERAL)/teachers.jsonl: $(GENERAL)/data.done $(GENERAL)/phrases-20.jsonl
	cat $(GENERAL)/train.jsonl $(GENERAL)/phrases-20.jsonl > $@.part
	mv $@.part $@

$(GENERAL_TEACHERS:=.done): $(GENERAL)/teacher-%.done: $(GENERAL)/teachers.jsonl $(MPNET)/model.safetensors
	mkdir -p $(GENERAL)/teacher-$* && cp $(GENERAL)/about.json $(GENERAL)/teacher-$*
	$(BIAFFINITY) train transformer --train $< $(GENERAL_DEV) --seed $* $(TEACHER) --set training.epochs=8 \
		--set training.batch_size=64 --set training.pretrained_learning_rate=8e-5 \
		--set training.selection=micro --out $(GENERAL)/teacher-$*
	touch $@

$(GENERAL)/labels.done: $(GENERAL_TEACHERS:=.done)
	zcat $(SHARED)/text/wikipedia.jsonl.gz | $(BIAFFINITY) distil $(GENERAL_TEACHERS) --text - --from jsonl \
		--labels $(GENERAL)/labels --only-labels --device $(DEVICE) --workers $(WORKERS) \
		--train $(GENERAL)/train.jsonl $(GENERAL_DEV) --out $(GENERAL)/student
	touch $@

$(GENERAL)/renamed.jsonl: $(GENERAL)/labels.done
	$(RUN) recipes/renamed.py $(GENERAL)/labels/labelled.jsonl $(GENERAL)/train.jsonl $@

$(GENERAL)/student.done: $(GENERAL)/labels.done $(GENERAL)/phrases-60.jsonl $(GENERAL)/renamed.jsonl
	$(BIAFFINITY) distil --labels $(GENERAL)/labels --also $(GENERAL)/phrases-60.jsonl \
		--also $(GENERAL)/renamed.jsonl --train $(GENERAL)/train.jsonl $(GENERAL_DEV) --gold-times 4 \
		--vectors $(VECTORS) --device $(DEVICE) $(GENERAL_SET) --set training.epochs=5 --set model.dropout=0.5 \
		--set encoder.keep_unseen=13500 --no-export --out $(GENERAL)/student
	touch $@

$(GENERAL)/last.jsonl: $(GENERAL)/labels.done $(GENERAL)/phrases-6.jsonl
	$(RUN) recipes/last_epochs.py $(GENERAL)/train.jsonl $@ --labelled $(GENERAL)/labels/labelled.jsonl \
		--also $(GENERAL)/phrases-6.jsonl

$(GENERAL)/model.done: $(GENERAL)/student.done $(GENERAL)/last.jsonl
	mkdir -p $(GENERAL)/model && cp $(GENERAL)/about.json $(GENERAL)/model
	cp recipes/general_examples.json $(GENERAL)/model/examples.json
	$(BIAFFINITY) train distilled --start $(GENERAL)/student --train $(GENERAL)/last.jsonl $(GENERAL_DEV) \
		$(LAST_EPOCHS) $(GENERAL_SET) --out $(GENERAL)/model
	touch $@
