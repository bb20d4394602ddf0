"""A start that is singular is refused at every size of the mechanism."""

import pytest

import hamiltree as ht

Z = (0.0, 0.0, 1.0)


def flat_parallelogram(length, speed=6.0):
    """Crank and rocker 0.2, coupler and ground 0.5 of the length, all along one line."""
    crank, coupler = 0.2 * length, 0.5 * length

    def bar(name, size):
        square = size * size
        return ht.Body(name, 1.0, (size / 2, 0, 0), (1e-3 * square, square / 12, square / 12))

    bodies = [bar("crank", crank), bar("coupler", coupler), bar("rocker", crank)]
    pin, end = (crank, 0, 0), (coupler, 0, 0)
    joints = [
        ht.Revolute("A", "ground", "crank", axis=Z, qdot=speed),
        ht.Revolute("B", "crank", "coupler", axis=Z, on_parent=pin, qdot=-speed),
        ht.Revolute("D", "ground", "rocker", axis=Z, on_parent=end, qdot=speed),
        ht.Revolute("C", "rocker", "coupler", axis=Z, on_parent=pin, on_child=end),
    ]
    return ht.Model(bodies, joints, gravity=(0, 0, 0), name="parallelogram")


@pytest.mark.parametrize("length", [1e6, 1.0, 1e-3, 8e-6, 2.0**-33])
def test_a_flat_parallelogram_is_a_singular_start_at_every_size(length):
    with pytest.raises(ht.ModelError, match="singular"):
        ht.simulate(flat_parallelogram(length), 1.0, 1e-3, progress=False)
