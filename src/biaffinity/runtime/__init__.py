"""A model folder run without PyTorch: its exported graphs in onnxruntime, the rest looked up in numpy."""
