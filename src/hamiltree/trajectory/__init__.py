"""What a run returns (Trajectory), how it is recorded, and its netCDF file."""
