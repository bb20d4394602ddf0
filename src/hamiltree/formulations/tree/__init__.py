"""Joint coordinates of the spanning tree: Hamilton's equations in O(N)."""
