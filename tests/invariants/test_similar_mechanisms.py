"""Similar models give similar answers: lengths, masses and times by powers of two change no digit
of a run, of reactions, of a comparison, of an equilibrium.
"""

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.analysis.compare.starts import start_of
from hamiltree.analysis.statics.equilibrium import equilibrium
from hamiltree.analysis.statics.modes import modes
from hamiltree.analysis.statics.rod import rod
from hamiltree.assembly.assembly import Assembly
from hamiltree.assembly.joint_rows import rows_of_joint
from hamiltree.errors import FitError, ModelError, OptionError
from hamiltree.formulations import FORMULATIONS
from hamiltree.model import library
from hamiltree.model.constraints import Drive
from hamiltree.model.units import Units, nondimensionalise
from hamiltree.rotations import quaternion_from_matrix

STEP, STEPS = 2.0**-10, 60


class Scale(NamedTuple):
    """Factors as powers of two."""

    length: int
    mass: int
    time: int

    def enlarge(self, model):
        units = Units(*(2.0**power for power in self))
        return nondimensionalise(model, units, back=True)

    def size(self, length, mass, time):
        """Of a quantity with these powers of length, mass and time."""
        return 2.0 ** (length * self.length + mass * self.mass + time * self.time)


ONE = Scale(0, 0, 0)
ATOMS = Scale(-33, -88, -40)
PLANETS = Scale(37, 100, 25)
THOUSAND_KILOMETRES = Scale(20, 0, 0)
SCALES = {"atoms": ATOMS, "planets": PLANETS, "thousand km": THOUSAND_KILOMETRES}
at_every_scale = pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)


# ---- runs ----------------------------------------------------------------------------------------
def run_of(model, scale, formulation):
    step = STEP * scale.size(0, 0, 1)
    return ht.simulate(
        model,
        STEPS * step,
        step,
        formulation,
        "rk4",
        STEPS // 4,
        progress=False,
    )


def numbers_of(run, scale):
    """Poses, twists, coordinates and energies without units."""
    pose, twist = run.poses.values.copy(), run.twists.values * scale.size(0, 0, 1)
    pose[..., :3] /= scale.size(1, 0, 0)
    twist[..., 3:] /= scale.size(1, 0, 0)
    return pose, twist, run.energy.values / scale.size(2, 1, -2)


MECHANISMS = ("four_bar", "spatial_slider_crank")
PROJECTED = ("cartesian_1", "cartesian_2", "cartesian_3", "kane_absolute")


@at_every_scale
@pytest.mark.parametrize("formulation", PROJECTED)
@pytest.mark.parametrize("name", MECHANISMS)
def test_a_similar_mechanism_runs_with_the_same_bits(name, formulation, scale):
    model = library.build(name)
    expected = numbers_of(run_of(model, ONE, formulation), ONE)
    found = numbers_of(run_of(scale.enlarge(model), scale, formulation), scale)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


@at_every_scale
def test_a_similar_tree_runs_with_the_same_bits_by_relative_speeds(scale):
    model = library.chain(3)
    expected = numbers_of(run_of(model, ONE, "kane_relative"), ONE)
    found = numbers_of(run_of(scale.enlarge(model), scale, "kane_relative"), scale)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


# ---- reactions -----------------------------------------------------------------------------------
def driven_four_bar(scale):
    model = scale.enlarge(library.four_bar())
    speed = model.joint("crank_pivot").qdot
    drive = Drive("crank_pivot", speed="w", parameters={"w": speed})
    return model.with_(constraints=[drive])


@at_every_scale
def test_a_driven_four_bar_has_similar_reactions_and_torques(scale):
    found, expected = (run_of(driven_four_bar(s), s, "cartesian_3") for s in (scale, ONE))
    torque, reference = (run.drive_force("crank_pivot").values for run in (found, expected))
    np.testing.assert_allclose(torque / scale.size(2, 1, -2), reference, rtol=1e-12)
    check_reactions(found, expected, scale)


@at_every_scale
@pytest.mark.parametrize("name", ["bricard", "governor"])
def test_redundant_rows_share_similar_reactions(name, scale):
    model = library.build(name)
    found = run_of(scale.enlarge(model), scale, "cartesian_3")
    check_reactions(found, run_of(model, ONE, "cartesian_3"), scale)


def check_reactions(found, expected, scale):
    """Of all joints: the same notes, and numbers to 1e-12 of the largest."""
    names = [joint.name for joint in found.model.joints]
    reactions = [(found.reactions(name), expected.reactions(name)) for name in names]
    for a, b in reactions:
        assert a.attrs == b.attrs
    for what, powers in (("force", (1, 1, -2)), ("moment", (2, 1, -2))):
        ours, theirs = (np.array([pair[k][what].values for pair in reactions]) for k in range(2))
        largest = np.abs(theirs).max()
        np.testing.assert_allclose(ours / scale.size(*powers), theirs, atol=1e-12 * largest, rtol=0)


def test_reactions_that_are_not_known_are_said_not_to_be():
    run = run_of(library.four_bar(), ONE, "cartesian_3")
    run.dataset["pose"].values[2] = np.nan
    note = run.reactions("coupler_pin").attrs["note"]
    assert f"not known (NaN) at t = {float(run.t[2]):g} s" in note


# ---- comparisons ---------------------------------------------------------------------------------
@cache
def comparison_of(name, until=None):
    """Of a model as it is in the library."""
    return ht.compare(library.build(name), until=until, progress=False)


def rows_of(comparison):
    return {row.quantity: row for row in comparison.disagreements}


def double_mass(monkeypatch, formulation, body):
    """The formulation with twice the mass of one body."""
    made = FORMULATIONS[formulation]

    def assemble(assembly):
        mass = 2.0 * assembly.model.body(body).mass
        heavier = assembly.model.with_(bodies={body: {"mass": mass}})
        return made.assemble(replace(assembly, model=heavier))

    monkeypatch.setitem(FORMULATIONS, formulation, replace(made, assemble=assemble))


@at_every_scale
@pytest.mark.parametrize("name", ["spatial_slider_crank", "satellite"])
def test_similar_models_get_the_same_comparison(name, scale):
    found = ht.compare(scale.enlarge(library.build(name)), until=0, progress=False)
    expected = comparison_of(name, 0)
    assert found.agree and expected.agree and found.formulations == expected.formulations
    assert rows_of(found).keys() == rows_of(expected).keys()
    for quantity, row in rows_of(found).items():
        other = rows_of(expected)[quantity]
        assert row.relative == pytest.approx(other.relative, abs=1e-12)
        assert row.allowed / row.scale == pytest.approx(other.allowed / other.scale, rel=1e-12)


@at_every_scale
def test_runs_of_similar_models_take_as_long_and_end_alike(scale):
    found = ht.compare(scale.enlarge(library.four_bar()), progress=False)
    expected = comparison_of("four_bar")
    assert found.agree and expected.agree and not found.undecided
    for quantity, row in rows_of(found).items():
        assert row.relative == pytest.approx(rows_of(expected)[quantity].relative, abs=1e-12)


@at_every_scale
def test_twice_the_mass_is_found_at_any_scale(scale, monkeypatch):
    model = library.build("satellite")
    double_mass(monkeypatch, "cartesian_3", "boom2_3")
    found, expected = (ht.compare(s.enlarge(model), until=0, progress=False) for s in (scale, ONE))
    assert not found.agree and found.culprits == expected.culprits
    assert found.culprits == {"cartesian_3": ("boom2_3",)}
    relative = found.disagreement("acceleration").relative
    assert relative == pytest.approx(expected.disagreement("acceleration").relative, rel=1e-9)


@pytest.mark.parametrize("speed", [0.0, 1e-6])
def test_twice_the_mass_is_found_where_accelerations_are_small(speed, monkeypatch):
    """A force of 1e-11 N on a kilogramme."""
    bodies = [ht.Body(name, 1.0, (0, 0, 0), (0.1, 0.1, 0.1)) for name in ("a", "b")]
    joints = [
        ht.Prismatic("first", "ground", "a", axis=(1, 0, 0), qdot=speed),
        ht.Prismatic("second", "a", "b", axis=(0, 1, 0)),
    ]
    load = ht.BodyLoad("b", force=(1e-11, 2e-11, 0.0))
    model = ht.Model(bodies, joints, [load], gravity=(0, 0, 0))
    assert ht.compare(model, until=0, progress=False).agree
    double_mass(monkeypatch, "cartesian_3", "b")
    found = ht.compare(model, until=0, progress=False)
    assert not found.agree and "cartesian_3" in found.disagreement("acceleration").beyond


def test_a_formula_that_is_typed_is_refused_by_name_where_a_model_is_enlarged():
    law = ht.JointLaw("crank_pivot", "-k*q", {"k": 2.0}, name="torsion")
    model = library.four_bar().with_(forces=[law])
    with pytest.raises(ModelError, match="torsion.*is a formula"):
        ATOMS.enlarge(model)


# ---- geometry ------------------------------------------------------------------------------------
def crossed_hinges(scale, apart):
    """Two axes that pass each other at a distance, the first a tenth of a unit from the origin."""
    first, second = ((0.0, 0.0, z * scale.size(1, 0, 0)) for z in (0.1, 0.1 + apart))
    axes = (("turn", (1, 0, 0), first), ("turn", (0, 1, 0), second))
    return ht.Axes("joint", "ground", "body", axes=axes)


@at_every_scale
def test_axes_that_do_not_meet_have_no_rows_at_any_scale(scale):
    for s in (ONE, scale):
        assert len(rows_of_joint(crossed_hinges(s, 0.0))) == 4
        with pytest.raises(FitError, match="about one point"):
            rows_of_joint(crossed_hinges(s, 1e-3))


@at_every_scale
def test_poses_tell_the_coordinates_of_similar_axes(scale):
    """Two turns about axes that pass each other, then a slide: solved by Newton's method."""
    axes = (
        ("turn", (1, 0, 0), (0.0, 0.0, 0.2)),
        ("turn", (0, 1, 0), (0.3, 0.0, 0.0)),
        ("slide", (0.0, 0.6, 0.8)),
    )
    joint = ht.Axes("joint", "ground", "body", axes=axes, q=(0.3, -0.4, 0.2), qdot=(1.0, 2.0, -0.5))
    body = ht.Body("body", 1.0, (0.1, 0.0, 0.2), (0.1, 0.2, 0.2))
    model = scale.enlarge(ht.Model([body], [joint], gravity=(0, 0, -9.81)))
    turn, at, twist = Assembly(model, *model.start()).bodies
    pose = np.concatenate([at, quaternion_from_matrix(turn)], axis=1)
    begin = np.array(model.q_from(None)) * 0.9
    q, speeds = start_of(model, {"q": begin, "pose": pose, "twist": twist})
    np.testing.assert_allclose(q, model.q_from(None), rtol=1e-12)
    np.testing.assert_allclose(speeds, model.qdot_from(None), rtol=1e-12)
    pose[0, 0] += 1e-3 * scale.size(1, 0, 0)
    with pytest.raises(OptionError, match="not one that the joints allow"):
        start_of(model, {"q": begin, "pose": pose, "twist": twist})


# ---- statics -------------------------------------------------------------------------------------
@at_every_scale
def test_a_similar_chain_rests_and_vibrates_alike(scale):
    found, expected = describe_chain(scale), describe_chain(ONE)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-12 * np.abs(b).max())


@cache
def describe_chain(scale):
    """Places, frequencies, how many motions cost nothing, and waves of the rod, without units."""
    model = scale.enlarge(library.particle_chain())
    rest = equilibrium(model)
    waves = modes(rest, 10)
    elastic = rod(model)
    wave_numbers = np.array([0.1, 0.5]) / scale.size(1, 0, 0)
    return (
        rest.poses.positions / scale.size(1, 0, 0),
        waves.frequencies * scale.size(0, 0, 1),
        np.array([1.0, waves.rigid]),
        elastic.dispersion(wave_numbers) * scale.size(0, 0, 1),
        elastic.clamped(20 * elastic.spacing) * scale.size(0, 0, 1),
    )
