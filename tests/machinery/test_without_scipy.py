"""What works where SciPy is not installed, as after `pip install hamiltree`: all but statics of
particles, rods and MATLAB files, which say what they need.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from hamiltree.cli import gallery
from hamiltree.errors import MissingPackage
from hamiltree.gallery.experiments.kane_figures import convex_hull

PROGRAM = """
import sys
class NoSciPy:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "scipy":
            raise ImportError(name)
sys.meta_path.insert(0, NoSciPy())

import hamiltree as ht
from hamiltree.errors import MissingPackage
from hamiltree.gallery import EXPERIMENTS
from hamiltree.published.problem import published_problems

asked = [system.content for problem in published_problems().values()
         for system in problem.systems.values() if system.kind == "experiment"]
print(asked and set(asked) <= set(EXPERIMENTS) - {"rod"})
pendulum = ht.library.n_pendulum(2)
print(ht.equilibrium(pendulum).is_stable, len(ht.linearise(pendulum).eigenvalues))
try:
    ht.equilibrium(ht.library.particle_chain(3))
except MissingPackage as error:
    print(error)
"""


def test_pendulums_rest_and_the_gallery_opens_without_scipy(python):
    done = python("-c", PROGRAM)
    assert done.stdout.splitlines() == [
        "True",
        "True 4",
        "equilibria and modes of particles, and rods, are found with SciPy, which is not "
        "installed; pip install 'hamiltree[modes]'",
    ], done.stderr


def test_experiments_that_need_a_package_are_left_out_of_several_by_name(monkeypatch, capsys):
    def perform(experiment, *_):
        if experiment.name == "rod":
            raise MissingPackage("SciPy is not installed")
        print(experiment.name)

    monkeypatch.setattr(gallery, "perform_and_print", perform)
    rod, top = (SimpleNamespace(name=name) for name in ("rod", "top"))
    gallery.perform_all([rod, top], None, False, False)
    assert capsys.readouterr().out == "top\nleft out: rod: SciPy is not installed\n"
    with pytest.raises(MissingPackage):
        gallery.perform_all([rod], None, False, False)


def test_the_hull_of_points_is_that_of_scipy():
    spatial = pytest.importorskip("scipy.spatial")
    for count in (3, 5, 20):
        points = np.random.default_rng(count).standard_normal((count, 2))
        hull, theirs = convex_hull(points), points[spatial.ConvexHull(points).vertices]
        first = int(np.flatnonzero((hull == theirs[0]).all(axis=1))[0])
        np.testing.assert_array_equal(np.roll(hull, -first, axis=0), theirs)
    np.testing.assert_array_equal(convex_hull(np.eye(2)), np.eye(2)[::-1])
