"""Many documents: where they come from, what becomes of them, and how a run survives a kill."""
