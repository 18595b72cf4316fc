# The embedded news model (docs/results.md, "On other text"): transformers as teachers, SHARED's text, a fast student.
NEWS := src/biaffinity/models/news
MAKING := build/news
OUTSIDE := build/outside
NEWS_WRITER := build/encoders/news-writer
WRITER := build/encoders/writer
NEWS_TEACHERS := $(addprefix $(MAKING)/teacher-,1 2 3 4 5)
NEWS_TWINS := $(addprefix $(MAKING)/twin-,1 2 3)
NEWS_ENDS := $(addprefix $(MAKING)/last-,1 2 3)
NEWS_STUDENTS := $(addprefix $(MAKING)/student-,1 2 3 4 5 6 7 8)
# Of eight, by what its last epochs have on dev and on the held-out sentences.
NEWS_SEED := 6
# Of what the language model writes and of the newswire one sentence in twenty is kept from the students, to tell
# how far they agree with their teachers there.
UNREAD := $(MAKING)/unread
# Of Wikipedia: a third of the sentences that teachers label; the rest is near the corpus.
PARAGRAPHS := 45000
UNCALIBRATED := --set calibration.temperatures=false --set calibration.no_relation_bias=learnt \
	--set calibration.entity_threshold=false
NEWS_PHRASES := $(foreach times,20 60,$(MAKING)/phrases-$(times).jsonl)
NEWS_DATA := --dev $(MAKING)/dev.jsonl --test $(DATA)/test.jsonl --resume

.PHONY: model news-students
model: $(MAKING)/model.done  ## make the embedded news model anew, from SHARED; a GPU and npm are needed
	cp $(addprefix $(MAKING)/model/,config.json vocabulary.json model.safetensors *.onnx) $(NEWS)
	$(BIAFFINITY) verify --seal $(NEWS)  # its README.md, examples.json and about.json are ours
	$(BIAFFINITY) evaluate $(MAKING)/held_out.jsonl --model $(NEWS)
	$(BIAFFINITY) evaluate $(OUTSIDE)/dev.jsonl --model $(NEWS)

news-students: $(NEWS_STUDENTS:=.done) $(UNREAD)/labelled.jsonl  ## eight students of its teachers, as a table has them, and their scores
	$(foreach student,$(NEWS_STUDENTS),$(BIAFFINITY) evaluate $(UNREAD)/labelled.jsonl --model $(student) &&) true
	$(RUN) results/bias_and_spurious.py $(MAKING)/dev.jsonl $(MAKING)/held_out.jsonl $(NEWS_STUDENTS) \
		--test $(DATA)/test.jsonl > $(MAKING)/students-bias.json

$(MAKING)/data.done: | $(READY)
	$(RUN) recipes/news_data.py $(DATA) $(MAKING)
	touch $@

$(OUTSIDE)/data.done: $(MAKING)/data.done
	$(RUN) recipes/outside_data.py $(SHARED)/data $(OUTSIDE) --gold $(MAKING)/train.jsonl
	touch $@

$(NEWS_PHRASES): $(MAKING)/phrases-%.jsonl: $(OUTSIDE)/data.done
	$(RUN) recipes/phrases.py news $(OUTSIDE)/teachers.jsonl $@ --times $*

$(MAKING)/teachers.jsonl: $(OUTSIDE)/data.done $(MAKING)/phrases-20.jsonl
	cat $(OUTSIDE)/teachers.jsonl $(MAKING)/phrases-20.jsonl > $@.part
	mv $@.part $@

$(NEWS_TEACHERS:=.done): $(MAKING)/teacher-%.done: $(MAKING)/teachers.jsonl $(MPNET)/model.safetensors
	$(BIAFFINITY) train transformer --train $< $(NEWS_DATA) --no-export --seed $* --device $(DEVICE) \
		--set encoder.name=$(MPNET) --set training.keep=best \
		--set training.epochs=4 --set training.negative_ratio=0.25 \
		--set training.pretrained_learning_rate=6e-5 --out $(MAKING)/teacher-$*
	touch $@

$(MAKING)/variants.jsonl: $(OUTSIDE)/data.done
	$(RUN) recipes/variants.py $(MAKING)/train.jsonl $(OUTSIDE)/teachers.jsonl $(VECTORS) $@

$(MAKING)/newswire.jsonl: | $(READY)
	mkdir -p $(MAKING)
	$(RUN) recipes/newswire.py $@

$(NEWS_WRITER)/model.safetensors: | $(READY)
	$(RUN) recipes/news_writer.py $(dir $@)

$(MAKING)/continued.jsonl: $(OUTSIDE)/data.done $(NEWS_WRITER)/model.safetensors
	$(RUN) recipes/continued.py $(MAKING)/train.jsonl $(OUTSIDE)/teachers.jsonl $(NEWS_WRITER) $@ --device $(DEVICE)

$(WRITER)/model.safetensors: | $(READY)
	$(RUN) recipes/writer.py $(dir $@)

$(MAKING)/written.jsonl: $(MAKING)/data.done $(WRITER)/model.safetensors
	$(RUN) recipes/written.py $(MAKING)/train.jsonl $(MAKING)/dev.jsonl $(WRITER) $@ --device $(DEVICE)

# The teachers read sentences from a pipe, for students that learn from CoNLL04's train.
NEWS_LABELS = $(BIAFFINITY) distil $(NEWS_TEACHERS) --text - --from jsonl --only-labels --device $(DEVICE) \
	--workers $(WORKERS) --train $(MAKING)/train.jsonl $(NEWS_DATA) --out $(MAKING)/student-$(NEWS_SEED)

$(UNREAD)/labelled.jsonl: $(NEWS_TEACHERS:=.done) $(MAKING)/written.jsonl $(MAKING)/newswire.jsonl
	awk 'FNR % 20 == 0' $(filter %.jsonl,$^) | $(NEWS_LABELS) --labels $(UNREAD)

# One after the other: teachers fill a GPU.
$(MAKING)/labels.done: $(NEWS_TEACHERS:=.done) \
		$(addprefix $(MAKING)/,written.jsonl newswire.jsonl variants.jsonl continued.jsonl) | $(UNREAD)/labelled.jsonl
	(zcat $(SHARED)/text/wikipedia.jsonl.gz | sed -n '1,$(PARAGRAPHS)p'; \
		awk 'FNR % 20' $(MAKING)/written.jsonl $(MAKING)/newswire.jsonl; \
		cat $(MAKING)/variants.jsonl $(MAKING)/continued.jsonl) | $(NEWS_LABELS) --labels $(MAKING)/labels
	touch $@

$(MAKING)/renamed.jsonl: $(MAKING)/labels.done $(MAKING)/teachers.jsonl
	$(RUN) recipes/renamed.py $(MAKING)/labels/labelled.jsonl $(MAKING)/teachers.jsonl $@

$(NEWS_STUDENTS:=.done): $(MAKING)/student-%.done: $(MAKING)/labels.done $(MAKING)/phrases-60.jsonl $(MAKING)/renamed.jsonl
	$(BIAFFINITY) distil --labels $(MAKING)/labels --also $(MAKING)/phrases-60.jsonl \
		--also $(MAKING)/renamed.jsonl --train $(MAKING)/train.jsonl $(NEWS_DATA) --vectors $(VECTORS) \
		--gold-times 15 --device $(DEVICE) --seed $* --set training.epochs=4 --set training.keep=last \
		--set training.batch_size=192 --set training.learning_rate=4.5e-3 \
		$(UNCALIBRATED) --no-export --out $(MAKING)/student-$*
	touch $@

# What is annotated outside, three times: with some 60 spurious relations more true ones are found (docs/results.md).
$(MAKING)/last.jsonl: $(MAKING)/labels.done $(MAKING)/phrases-20.jsonl
	$(RUN) recipes/last_epochs.py $(MAKING)/train.jsonl $@ --labelled $(MAKING)/labels/labelled.jsonl \
		--sentences 36000 --unrelated 3 --also $(MAKING)/phrases-20.jsonl \
		$(OUTSIDE)/train.jsonl $(OUTSIDE)/train.jsonl $(OUTSIDE)/train.jsonl

# What is shipped learns from dev too, ten times in each epoch, since the student has read train in all of its own;
# its twins do not, and tell how to calibrate it.
$(MAKING)/last-all.jsonl: $(MAKING)/last.jsonl
	cat $< $(foreach time,1 2 3 4 5 6 7 8 9 10,$(MAKING)/dev.jsonl) > $@.part
	mv $@.part $@

NEWS_END = $(BIAFFINITY) train distilled --start $(MAKING)/student-$(NEWS_SEED) --train $< $(NEWS_DATA) --seed $* \
	$(LAST_EPOCHS) --set training.epochs=2 --set training.batch_size=64 --set training.keep=last $(UNCALIBRATED) --no-export --out $(@:.done=)

$(NEWS_TWINS:=.done): $(MAKING)/twin-%.done: $(MAKING)/last.jsonl $(MAKING)/student-$(NEWS_SEED).done
	$(NEWS_END)
	touch $@

$(NEWS_ENDS:=.done): $(MAKING)/last-%.done: $(MAKING)/last-all.jsonl $(MAKING)/student-$(NEWS_SEED).done
	$(NEWS_END)
	touch $@

$(MAKING)/model.done: $(NEWS_ENDS:=.done) $(NEWS_TWINS:=.done)
	$(RUN) recipes/mean_of_models.py $(MAKING)/model $(NEWS_ENDS) --twins $(NEWS_TWINS) --dev $(MAKING)/dev.jsonl \
		--unrelated $(MAKING)/held_out.jsonl
	$(BIAFFINITY) export --model $(MAKING)/model
	touch $@
