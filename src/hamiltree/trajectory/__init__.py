"""What a run returns, and its file."""
