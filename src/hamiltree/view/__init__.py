"""Pictures of a Trajectory; nothing here knows formulations or integrators."""
