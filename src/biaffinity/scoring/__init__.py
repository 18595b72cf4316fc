"""What counts as correct: pure functions on sentences, then the score sheet."""
