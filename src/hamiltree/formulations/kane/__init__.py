"""Kane's equations: relative coordinates of joints, or absolute orientations."""
