"""Word vectors and a character LSTM: the token vectors of Nguyen & Verspoor (2019)."""
