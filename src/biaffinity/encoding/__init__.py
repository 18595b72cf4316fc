"""Annotation to arrays and back: vocabulary, word vectors, batches; numpy only."""
