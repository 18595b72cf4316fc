"""``python -m biaffinity``: the same as the command ``biaffinity``."""

from biaffinity.cli import main

main()
