"""ONNX graphs judged before anything runs them: what is in the file, and how much it may ever ask for."""
