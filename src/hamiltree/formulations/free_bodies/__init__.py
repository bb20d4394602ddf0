"""Bodies without joints between them: quaternions or rotation matrices."""
