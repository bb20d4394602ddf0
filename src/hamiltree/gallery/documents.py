"""The five documents that hamiltree grew from, and the experiments that redraw their figures."""

from __future__ import annotations

from dataclasses import dataclass

from hamiltree.catalogue import find


@dataclass(frozen=True)
class Document:
    """`name` is what `hamiltree gallery --document` takes, and the page docs/documents/<name>.md.

    `prefix` begins the numbers of its items in docs/documents/audit.md; `author` is empty where
    the document names none.
    """

    name: str
    prefix: str
    title: str
    author: str
    what: str


ALL = (
    Document(
        "hamiltons-equations",
        "000",
        "EOM with Hamilton's Equations",
        "Concurrent Dynamics International, June 2017",
        "Hamilton's equations of a tree of bodies on hinges, in O(N)",
    ),
    Document(
        "spatial-dynamics",
        "001",
        "Spatial Dynamics",
        "",
        "bodies in absolute coordinates with Euler parameters and Lagrange multipliers",
    ),
    Document(
        "chain-of-rigid-bodies",
        "002",
        "On Hamiltonian Dynamics of a Chain of Rigid Bodies",
        "Vikash Chaurasia, thesis, Indian Institute of Technology Kanpur, 2012",
        "symplectic integrators, experiments, chains of bodies with pair potentials",
    ),
    Document(
        "kane-relative",
        "003",
        "Multibody Dynamics: Equations of Motion for Unconstrained Systems Using Relative "
        "Coordinates with Euler Parameters",
        "",
        "Kane's equations in relative coordinates, with an example of eight bodies",
    ),
    Document(
        "kane-absolute",
        "004",
        "Multibody Dynamics: Equations of Motion for an Unconstrained Multibody – Example",
        "",
        "Kane's equations with absolute orientations, an example of six bodies",
    ),
)
DOCUMENTS: dict[str, Document] = {document.name: document for document in ALL}


def find_document(name: str) -> Document:
    return find(DOCUMENTS, name, "document", command="hamiltree gallery --document")
