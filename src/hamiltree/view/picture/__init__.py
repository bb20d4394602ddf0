"""Pictures of scenes without a browser: polygons in painter's order, drawn by Matplotlib."""
