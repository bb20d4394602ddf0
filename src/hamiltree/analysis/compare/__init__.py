"""One model by every formulation that fits: who disagrees, and at which body it begins."""
