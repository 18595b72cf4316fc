"""What a model is and how it is trained, as data: settings, recipes, the description in a model's folder."""
