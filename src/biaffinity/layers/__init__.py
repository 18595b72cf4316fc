"""Task-free PyTorch layers: BiLSTM, character encoder, CRF, biaffine classifier, dropout."""
