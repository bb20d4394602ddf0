"""The quantities of the notes at one configuration: `ht.influence(model, q)`.

The notes have one-axis joints. A ball is written as three hinges through its centre along the axes
in which its speeds are given, with massless links between them; a free joint is three slides and a
ball, so that its six columns of G are an orthogonal matrix: e of Prop. 4, in the order and the axes
of `model.speeds` (ERRATA 0-1).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hamiltree.analysis.influence.operators import Influence
from hamiltree.assembly.links import Links, build_links
from hamiltree.errors import FitError, OptionError
from hamiltree.formulations.tree.articulated_inertias_numpy import (
    link_frames,
    link_inertias_and_shifts,
)
from hamiltree.model.model import Model


def influence(model: Model, q: Any = None) -> Influence:
    """The quantities of "EOM with Hamilton's Equations" at q: an array in the order of
    `model.coordinates`, a mapping of names, or None for the start.

    d_i turns with the parent, g_i, s_i and I_i with the link itself (ERRATA 0-4).
    """
    if not isinstance(model, Model):
        raise OptionError(
            f"influence takes a Model, not {type(model).__name__}; read a file with "
            "hamiltree.load(path)"
        )
    q = model.q_from(q)
    links = build_links(model, "influence")
    check_joints(model, links)
    rotation, d = link_frames(links, q)
    M, D = link_inertias_and_shifts(links, rotation, d)
    axes = expand_balls(links)
    G = screws(links, axes, rotation)
    moment = np.einsum("nij,nj->ni", rotation, links.moment)
    mass = links.mass[:, None]
    s = np.divide(moment, mass, out=np.zeros_like(moment), where=mass > 0.0)
    is_first, is_last = axes.is_first, axes.is_last
    d = np.where(is_first[:, None], d[axes.link], 0.0)
    D = np.where(is_first[:, None, None], D[axes.link], np.eye(6))
    return Influence(
        model,
        q,
        tuple(model.speeds[row] for row in axes.row),
        axes.row,
        axes.link,
        axes.parent,
        axes.turns_with,
        sum_along_chains(axes.parent, d),
        d,
        np.where(is_last[:, None], s[axes.link], 0.0),
        np.where(is_last, links.mass[axes.link], 0.0),
        D * (axes.parent >= 0)[:, None, None],
        G,
        np.where(is_last[:, None, None], M[axes.link], 0.0),
    )


def check_joints(model: Model, links: Links) -> None:
    """Refuse what the notes do not have and what is no extension of them: couplings, armature."""
    if model.followers:
        name = next(iter(model.followers))
        raise FitError(
            f"coordinate '{name}' follows another one; influence matrices know no couplings: "
            "remove it, or ask ht.dynamics(model)",
            ("coupling", name),
        )
    if links.armature.any():
        joint = model.joints[links.joint[links.armature.argmax()]]
        raise FitError(
            f"joint '{joint.name}' has an armature; influence matrices know none: "
            "remove it, or ask ht.dynamics(model)",
            ("joint", joint.name),
            "armature",
        )


class Axes(NamedTuple):
    """One-axis links: those of the tree, each ball as three of them."""

    link: np.ndarray  # (axes,) the link of the tree
    number: np.ndarray  # (axes,) 0, or 0, 1, 2 of a ball
    row: np.ndarray  # (axes,) in model.speeds
    parent: np.ndarray  # (axes,) −1 for the ground
    turns_with: np.ndarray  # (axes,) the one whose ω turns the axis; −1 for the ground
    is_first: np.ndarray  # (axes,) of its link
    is_last: np.ndarray


def expand_balls(links: Links) -> Axes:
    """Three one-axis links for each ball, its body on the last one.

    The axes of a ball are fixed to the child of its joint; where that is the inner body, to the
    parent.
    """
    n = len(links.parent)
    count = np.where(links.is_ball, 3, 1)
    end = np.cumsum(count)
    link = np.repeat(np.arange(n), count)
    number = np.arange(len(link)) - (end - count)[link]
    last = np.append(end - 1, -1)  # of each link; the ground's is −1
    parent = np.where(number == 0, last[links.parent[link]], np.arange(len(link)) - 1)
    backwards = (links.is_ball & links.is_backwards)[link]
    turns_with = np.where(backwards, last[links.parent[link]], last[link])
    return Axes(
        link,
        number,
        links.speed[link] + number,
        parent,
        turns_with,
        number == 0,
        number == count[link] - 1,
    )


def screws(links: Links, axes: Axes, rotation: np.ndarray) -> np.ndarray:
    """G_i = [spin g; slide g], (axes, 6); along the three axes of a ball [g; 0]."""
    inner = np.concatenate([rotation, np.eye(3)[None]])[links.parent] @ links.rotation
    backwards = links.is_backwards[:, None, None]
    ball_axes = np.where(backwards, -inner, rotation)  # by columns
    is_ball = links.is_ball[axes.link]
    own = ball_axes[axes.link, :, axes.number]
    g = np.where(is_ball[:, None], own, rotation[axes.link, :, 2])
    spin = np.where(is_ball, 1.0, links.spin[axes.link])[:, None]
    slide = np.where(is_ball, 0.0, links.slide[axes.link])[:, None]
    return np.concatenate([spin * g, slide * g], axis=1)


def sum_along_chains(parent: np.ndarray, d: np.ndarray) -> np.ndarray:
    """η_i = η_parent + d_i."""
    eta = d.copy()
    for i, above in enumerate(parent):
        if above >= 0:
            eta[i] += eta[above]
    return eta
