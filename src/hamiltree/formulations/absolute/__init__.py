"""Absolute coordinates: centres of mass and Euler parameters, with constraint rows."""
