"""More text than one machine reads: the input in parts, each read and written by whoever is free, once."""
