"""The version, read from the installed package."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("hamiltree")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+source"
