"""Experiments: variants x setups x seeds of a recipe, run side by side; tables and pictures of them."""
