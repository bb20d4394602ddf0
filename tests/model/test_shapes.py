"""Volumes and inertias of solids."""

import itertools
import math

import numpy as np
import pytest

from hamiltree.errors import ModelError, OptionError
from hamiltree.model import SHAPES, Box, Capsule, Cylinder, Frame, MassProperties, Sphere, composite
from hamiltree.model.shapes import Mesh

EXAMPLES = [Box((0.3, 0.5, 0.8)), Sphere(0.4), Cylinder(0.3, 0.7), Capsule(0.2, 0.9)]
TURNED = Frame.rpy(0.3, -0.7, 1.9, position=(0.1, -0.2, 0.3))


def close(a, b):
    return (
        np.allclose(a.mass, b.mass, rtol=1e-12)
        and np.allclose(a.com, b.com, rtol=0, atol=1e-12)
        and np.allclose(
            a.inertia, b.inertia, rtol=0, atol=1e-12 * max(1.0, np.max(np.abs(a.inertia)))
        )
    )


def slices(shape):
    """(z, area, second moment of the area about x) of the slices of a solid, with Gauss weights
    piece by piece; in the shape's own axes.
    """

    def half_width(z):
        if isinstance(shape, Sphere):
            return math.sqrt(shape.radius**2 - z * z)
        over = max(
            0.0, abs(z) - (shape.length / 2 if isinstance(shape, (Cylinder, Capsule)) else 0)
        )
        return math.sqrt(shape.radius**2 - over**2)

    top = {
        Box: lambda s: s.size[2] / 2,
        Sphere: lambda s: s.radius,
        Cylinder: lambda s: s.length / 2,
        Capsule: lambda s: s.length / 2 + s.radius,
    }[type(shape)](shape)
    ends = (
        [-top, -shape.length / 2, shape.length / 2, top]
        if isinstance(shape, Capsule)
        else [-top, top]
    )
    nodes, weights = np.polynomial.legendre.leggauss(20)
    for a, b in itertools.pairwise(ends):
        for node, weight in zip(nodes, weights, strict=True):
            z = (a + b) / 2 + (b - a) / 2 * node
            if isinstance(shape, Box):
                x, y, _ = shape.size
                moments = x * y, x * y**3 / 12, x**3 * y / 12
            else:
                r = half_width(z)
                moments = math.pi * r**2, math.pi * r**4 / 4, math.pi * r**4 / 4
            yield weight * (b - a) / 2, z, *moments


@pytest.mark.parametrize("shape", EXAMPLES, ids=lambda s: s.kind)
def test_volume_and_inertia_equal_the_integral_over_slices(shape):
    volume = yy = xx = zz = 0.0
    for weight, z, area, along_y, along_x in slices(shape):
        volume, yy, xx, zz = (
            volume + weight * area,
            yy + weight * along_y,
            xx + weight * along_x,
            zz + weight * area * z * z,
        )
    assert shape.volume == pytest.approx(volume, rel=1e-12)
    whole = shape.mass_properties(density=1.0)
    assert np.allclose(whole.inertia, np.diag([yy + zz, xx + zz, xx + yy]), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("shape", EXAMPLES, ids=lambda s: s.kind)
def test_mass_and_density_say_the_same(shape):
    assert close(shape.mass_properties(mass=3.0 * shape.volume), shape.mass_properties(density=3.0))


@pytest.mark.parametrize("shape", EXAMPLES, ids=lambda s: s.kind)
def test_neither_or_both_of_mass_and_density_is_refused(shape):
    for given in ({}, {"mass": 1.0, "density": 1.0}):
        with pytest.raises(OptionError, match="either mass= or density="):
            shape.mass_properties(**given)


def test_two_half_boxes_make_the_box():
    half = (0.3, 0.5, 0.4)
    parts = [
        Box(half, frame=TURNED @ Frame((0, 0, z))).mass_properties(density=2.0) for z in (-0.2, 0.2)
    ]
    assert close(composite(parts), Box((0.3, 0.5, 0.8), frame=TURNED).mass_properties(density=2.0))


def test_a_capsule_is_a_cylinder_and_two_hemispheres():
    r, length, density = 0.2, 0.9, 3.0
    mass = density * 2 / 3 * math.pi * r**3
    hemispheres = [
        MassProperties(
            mass,
            (0, 0, sign * (length / 2 + 3 * r / 8)),
            mass * r**2 * np.array([83 / 320, 83 / 320, 2 / 5]),
        )
        for sign in (-1, 1)
    ]
    whole = composite([*hemispheres, Cylinder(r, length).mass_properties(density=density)])
    assert close(whole, Capsule(r, length).mass_properties(density=density))


def test_moving_there_and_back_changes_nothing():
    solid = Box((0.3, 0.5, 0.8), frame=Frame((1, 2, 3))).mass_properties(mass=2.0)
    assert close(solid.transform(TURNED).transform(TURNED.inverse()), solid)


def test_the_order_of_parts_and_their_grouping_do_not_matter():
    a, b, c = (
        shape.mass_properties(density=1.0).transform(Frame((i, 0.3, -i)))
        for i, shape in enumerate(EXAMPLES[:3])
    )
    assert close(composite([a, b, c]), composite([composite([c, b]), a]))


def test_parts_without_mass_make_nothing():
    assert composite([]) == composite([MassProperties()]) == MassProperties()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Box((1, 0, 1)),
        lambda: Box((1, 1)),
        lambda: Box("abc"),
        lambda: Sphere(-1),
        lambda: Sphere(0.0),
        lambda: Cylinder(1, 0),
        lambda: Capsule(0, 1),
        lambda: Capsule(1, math.nan),
        lambda: Sphere(True),
        lambda: Sphere(1, frame=(1, 2)),
        lambda: Sphere(1, frame="here"),
        lambda: Sphere(1, color="red"),
        lambda: Sphere(1, color="#12345g"),
        lambda: Sphere(1, color=7),
        lambda: Sphere(1).mass_properties(mass=-1),
        lambda: Sphere(1).mass_properties(density=math.inf),
    ],
)
def test_impossible_shapes_are_refused(make):
    with pytest.raises(ModelError, match="box: |sphere: |cylinder: |capsule: "):
        make()


def test_the_registry_knows_each_shape_by_its_kind():
    assert {
        "box": Box,
        "sphere": Sphere,
        "cylinder": Cylinder,
        "capsule": Capsule,
        "mesh": Mesh,
    } == SHAPES
