"""One run: what is chosen, planned, made once, advanced, observed, and said about failures."""
