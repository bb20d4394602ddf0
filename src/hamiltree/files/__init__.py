"""Readers and writers of models."""
from hamiltree.files.toml import model_from_toml, model_to_toml, read_model, write_model

__all__ = ["model_from_toml", "model_to_toml", "read_model", "write_model"]
