"""Where the program talks: stderr, in colour on a terminal and plainly elsewhere."""

from rich.console import Console

talk = Console(stderr=True)
