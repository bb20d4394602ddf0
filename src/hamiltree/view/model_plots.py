"""Drawings of a model, by name on the Model: `model.plot.tree()`, `model.plot.frames("b2")`.

Each returns a Matplotlib figure of its own, or draws on Axes that are given (`ax=`) and returns
them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hamiltree.errors import unknown_attribute
from hamiltree.view.notation_panel import draw_frames
from hamiltree.view.tree_panel import draw_tree
from hamiltree.view.tree_text import tree_text

if TYPE_CHECKING:
    from hamiltree.model import Model


class ModelPlots:
    """Drawings of one model."""

    def __init__(self, model: Model):
        self.model = model

    def __getattr__(self, name: str) -> Any:
        raise unknown_attribute("model.plot", name, dir(type(self)))

    def tree(self, ax: Any = None) -> Any:
        """The topology: bodies with their numbers from the ground outward, the joints between them,
        dashed those that close loops. Bodies are numbered as they are declared.
        """
        return draw_tree(self.model, ax)

    def tree_text(self) -> str:
        """The same as text, as `hamiltree info --tree` prints it."""
        return tree_text(self.model)

    def frames(
        self,
        body: str | None = None,
        q: Any = None,
        qdot: Any = None,
        direction: tuple[float, float] | None = None,
        ax: Any = None,
    ) -> Any:
        """A body b_i and its parent b_ip at a state, with the inertial frame and the vectors η, r,
        d, s, y, ω, f̄, τ̄. Without a name, the first body that another one carries.

        f̄ and τ̄ are the body load on it, of several their sum at the centre of mass, of none the
        weight. `direction` is (elevation, azimuth) of the observer in degrees.
        """
        return draw_frames(self.model, body, q, qdot, direction, ax)
