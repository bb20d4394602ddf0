"""The sample that tests of the front end read: a run and a model as pages hold them, with the
poses that they must give.

    python -m tests.view.front_end_sample     writes web/test/data/sample.json again
"""

import json
from pathlib import Path

import numpy as np

import hamiltree as ht
from hamiltree.view.page.document import model_document, run_document
from hamiltree.view.scene.scene import start_poses

PLACE = Path(__file__).resolve().parents[2] / "web" / "test" / "data" / "sample.json"


def make_sample() -> dict:
    """A double pendulum that was run, and a tree of many kinds of joints with other positions."""
    model = ht.library.n_pendulum(2, angles=(2.0, 1.0))
    run = ht.simulate(model, until=2.0, step=2e-3, progress=False)
    document, arrays = run_document(run, False, 10**7)
    kinds = ("revolute", "prismatic", "screw", "universal", "ball", "free")
    tree = ht.library.tree(7, seed=3, joints=kinds)
    q = tree.start()[0]
    rows = [k for k, name in enumerate(tree.coordinates) if ".q" not in name]
    q[rows] += np.linspace(-0.8, 0.9, len(rows))
    return {
        "run": {
            "document": document,
            "arrays": arrays,
            "t": run.t.values[::5].tolist(),
            "poses": run.poses.values[::5].round(9).tolist(),
        },
        "tree": {
            "document": model_document(tree)[0],
            "q": q.tolist(),
            "poses": start_poses(tree, q).tolist(),
        },
    }


if __name__ == "__main__":
    PLACE.write_text(json.dumps(make_sample(), ensure_ascii=False, separators=(",", ":")) + "\n")
