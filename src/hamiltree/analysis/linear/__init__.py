"""Where any model rests, and its motion near there: equilibria, linear equations, vibrations."""
