"""The joint model: its config, its parts, and the folder it is kept in."""
