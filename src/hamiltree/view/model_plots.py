"""Drawings of a model, by name on the Model: `model.plot.tree()`, `model.plot.frames("b2")`.

Each returns a Matplotlib figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hamiltree.view.tree_panel import draw_tree
from hamiltree.view.tree_text import tree_text

if TYPE_CHECKING:
    from hamiltree.model import Model


class ModelPlots:
    """Drawings of one model."""

    def __init__(self, model: Model):
        self.model = model

    def tree(self) -> Any:
        """The topology: bodies with their numbers from the ground outward, the joints between them,
        dashed those that close loops. Bodies are numbered as they are declared.
        """
        return draw_tree(self.model)

    def tree_text(self) -> str:
        """The same as text, as `hamiltree info --tree` prints it."""
        return tree_text(self.model)
