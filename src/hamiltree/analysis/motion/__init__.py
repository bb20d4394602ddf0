"""How points, bodies and particles move at the samples of a run; spectra."""
