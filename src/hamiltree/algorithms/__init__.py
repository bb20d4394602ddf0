"""Questions about one state: Hamilton's equations, inverse and forward dynamics, Jacobians."""
