"""Equilibria of particles, their vibrations, and the elastic rod that a chain approaches."""
