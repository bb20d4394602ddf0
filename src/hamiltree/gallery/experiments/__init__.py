"""The experiments, a file for each source."""
