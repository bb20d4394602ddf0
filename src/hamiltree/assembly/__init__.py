"""A model before it runs: its spanning tree, the rows of its constraints, and a start that fits."""
