"""A pretrained transformer, a vector for each word from its pieces, and the character encoder beside it."""
