"""One module per file format; each has ``read`` and ``write``."""
