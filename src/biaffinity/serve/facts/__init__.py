"""A store of facts over HTTP: its questions as addresses, and what a person decides about its entities."""
