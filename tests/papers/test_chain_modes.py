"""Equilibria, modes and rods of chains of particles: an oracle of the thesis' tetrahedra, molecules
that can be solved by hand, a rod.

The numbers in data/chain_freq_n1.json come from another program and are good to 1e-8.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import hamiltree as ht
from hamiltree.analysis.statics.pair_energy import PairEnergy
from hamiltree.analysis.statics.rod import exponential, logarithm
from hamiltree.analysis.statics.sparse import Factor, lowest, sp

ORACLE = json.loads(
    (Path(__file__).parents[1] / "data" / "chain_freq_n1.json").read_text(encoding="utf-8")
)
TETRAHEDRON = ht.Particles(ORACLE["particles"])
THIRDS = 2 * np.pi / 3 * np.arange(3)
PRISM = ht.Particles(
    [
        (x, 0.6 * np.cos(t + s), 0.6 * np.sin(t + s))
        for x, s in ((-0.25, 0.0), (0.25, np.pi / 3))
        for t in THIRDS
    ]
)


def chain(cloud, frames, held=(), epsilon=1.0, **more):
    """Neighbours act by Lennard-Jones; the bodies whose numbers are in `held` are welded."""
    count = len(frames)
    bodies = [ht.Body.of_particles(f"b{k}", cloud) for k in range(count)]
    joints = [
        ht.Weld(f"j{k}", "ground", f"b{k}", on_parent=at)
        if k in held
        else ht.Free(f"j{k}", "ground", f"b{k}", q=(*at.position, *at.rotation))
        for k, at in enumerate(frames)
    ]
    return ht.Model(
        bodies,
        joints,
        [ht.PairForce(ht.LennardJones(epsilon, 1.0), "neighbours"), *more.pop("forces", ())],
        gravity=(0, 0, 0),
    )


def line(count, spacing, first=0.0):
    return [ht.Frame((first + spacing * k, 0.0, 0.0)) for k in range(count)]


def oracle_chain():
    return chain(TETRAHEDRON, line(3, ORACLE["clamp_spacing_per_link"]), (0, 2), ORACLE["eps"])


def thesis_chain(held, *forces):
    return chain(TETRAHEDRON, line(8, 2.0, 2.0), held, 5.0, forces=forces)


# ---- equilibria ----------------------------------------------------------------------------------
def test_the_equilibrium_of_the_oracle_is_found_from_the_aligned_start():
    found = ht.equilibrium(oracle_chain())
    assert found.is_stable
    assert found.energy == pytest.approx(ORACLE["V_eq"], rel=1e-13)
    assert found.poses.positions[1] == pytest.approx(ORACLE["equilibrium_r"][1], abs=1e-11)
    assert found.poses.rotations[1] == pytest.approx(
        ht.Frame(rotation=ORACLE["equilibrium_q"][1]).matrix, abs=1e-11
    )
    again = PairEnergy(found.model)
    assert abs(again.free_gradient(again.start)).max() < 1e-9


def test_the_aligned_chain_is_a_saddle_that_is_returned_only_when_asked_for():
    """ERRATA 2-35: aligned tetrahedra are no minimum."""
    aligned = ht.equilibrium(oracle_chain(), kind="any")
    assert aligned.iterations == 0
    assert aligned.unstable == 4
    assert aligned.lowest < 0.0


@pytest.mark.parametrize(
    ("model", "reach"),
    [
        (thesis_chain((0, 7)), 7.0),
        (thesis_chain((0,), ht.BodyLoad("b7", force=(3.0, 0.0, 0.0))), 2.0),
        (thesis_chain(()), 2.0),
    ],
    ids=["clamped", "pulled", "free"],
)
def test_chains_of_the_thesis_come_to_rest_in_a_minimum_from_their_start(model, reach):
    """Its start is far from rest: 110 N a link (ERRATA 2-35). Pulled at once, the chain would be
    torn; it is shorter than its clamps are apart, so that there one link opens.
    """
    found = ht.equilibrium(model)
    energy = PairEnergy(found.model)
    forces, stiffness = (
        energy.gradient(energy.start)[energy.freedoms.bodies],
        energy.free_hessian(energy.start).toarray(),
    )
    assert abs(forces).max() < 1e-8
    assert np.linalg.eigvalsh(stiffness)[0] > -1e-9
    assert found.energy < energy.energy(PairEnergy(model).start)
    assert np.linalg.norm(np.diff(energy.start.positions, axis=0), axis=1).max() < reach


def test_a_load_that_nothing_bears_is_an_error_that_names_the_body():
    with pytest.raises(ht.StepError, match="no equilibrium.*on body 'b"):
        ht.equilibrium(
            chain(PRISM, line(2, 1.4), (0,), forces=[ht.BodyLoad("b1", force=(100.0, 0, 0))])
        )


def test_a_body_that_is_moved_is_held_where_it_is_at_that_time():
    """The end of a chain of two links is pulled to x(t): each link takes half of it."""
    spacing = ht.rod(chain(PRISM, line(2, 1.4))).spacing
    model = chain(PRISM, line(3, spacing), (0,))
    moved = model.with_(
        constraints=[
            ht.Motion(
                "b2",
                position=(f"{2 * spacing} + v*t", 0, 0),
                rotation=(0, 0, 0),
                parameters={"v": 0.01},
            )
        ]
    )
    found = ht.equilibrium(moved, t=2.0)
    assert found.poses.positions[:, 0] == pytest.approx(
        [0.0, spacing + 0.01, 2 * spacing + 0.02], abs=1e-12
    )
    assert found.energy > ht.equilibrium(moved).energy


def test_a_chain_between_held_centres_turns_until_no_torque_is_left():
    """c3 of the thesis: the last body's position is held, its rotation free."""
    free = chain(TETRAHEDRON, line(3, 1.8), (0,), 5.0)
    held = free.with_(joints={"j2": ht.Ball("j2", "ground", "b2", on_parent=(3.6, 0.0, 0.0))})
    found = ht.equilibrium(held)
    gradient = PairEnergy(found.model).gradient(found.poses)
    assert found.is_stable
    assert found.poses.positions[2] == pytest.approx([3.6, 0.0, 0.0])
    assert abs(gradient[2, 3:]).max() < 1e-9 < 1e-3 < abs(gradient[2, :3]).max()


def test_particles_in_one_place_are_named():
    with pytest.raises(
        ht.OptionError, match="particle 0 of body 'b0' and particle 0 of body 'b1' are in one place"
    ):
        ht.equilibrium(chain(PRISM, line(2, 0.0), (0,)))


# ---- modes ---------------------------------------------------------------------------------------
def test_frequencies_are_those_of_the_oracle():
    found = ht.modes(ht.equilibrium(oracle_chain()))
    assert found.frequencies == pytest.approx(ORACLE["omega"], rel=1e-8)
    assert found.unstable == 0


def test_modes_are_orthonormal_by_mass_and_solve_the_eigenproblem():
    found = ht.modes(ht.equilibrium(chain(PRISM, line(4, 1.4), (0,))))
    v = found.shapes.values.reshape(len(found.squares), -1)
    assert v @ (found.mass @ v.T) == pytest.approx(np.eye(len(v)), abs=1e-12)
    assert v @ (found.stiffness @ v.T) == pytest.approx(
        np.diag(found.squares), abs=1e-10 * found.largest
    )


def test_three_atoms_vibrate_as_a_triangle_of_springs():
    """Equal masses and springs k: ω² = 3k/2m twice, 3k/m once, and six motions that cost
    nothing.
    """
    atoms = [ht.Body.of_particles(f"a{k}", ht.Particles([(0, 0, 0)], 2.0)) for k in range(3)]
    starts = ((0, 0, 0), (1.1, 0, 0), (0.4, 0.9, 0.1))
    joints = [
        ht.Free(f"j{k}", "ground", f"a{k}", q=(*at, 1, 0, 0, 0)) for k, at in enumerate(starts)
    ]
    found = ht.modes(
        ht.equilibrium(
            ht.Model(atoms, joints, [ht.PairForce(ht.LennardJones(1.0, 1.0))], gravity=(0, 0, 0))
        )
    )
    k = 72 / 2 ** (1 / 3)
    assert found.rigid == 6
    assert list(found.frequencies[:6]) == [0.0] * 6
    assert found.frequencies[6:] ** 2 == pytest.approx(
        [1.5 * k / 2, 1.5 * k / 2, 3 * k / 2], rel=1e-9
    )


def test_a_diatomic_rod_has_no_spin_about_its_axis():
    """Two particles on a line: five motions, and about the axis there is neither inertia nor
    stiffness.
    """
    dimer = ht.Particles([(0.0, 0.0, -0.5), (0.0, 0.0, 0.5)])
    model = chain(dimer, [ht.Frame((0, 0, 0)), ht.Frame((1.2, 0, 0.1))], (0,))
    assert len(ht.modes(ht.equilibrium(model)).squares) == 5


def test_modes_away_from_rest_are_refused():
    with pytest.raises(ht.FitError, match="does not rest there: .* N on body 'b2'"):
        ht.modes(chain(PRISM, line(3, 1.3), (0,)))


def test_a_small_push_along_a_mode_swings_with_its_frequency():
    """Newton and Euler from the forces alone, by SciPy: after one period the motion is back, and
    after half of it at its mirror.
    """
    rest = ht.equilibrium(oracle_chain())
    found, energy = ht.modes(rest), PairEnergy(rest.model)
    mass, inertia = energy.model.bodies[1].mass, np.array(energy.model.bodies[1].inertia)
    shape, size = found.shapes.values[2], 1e-5

    def rates(t, y):
        motion = np.zeros((3, 6))
        motion[1] = y[:6]
        g = energy.gradient(rest.poses.moved(motion))[1]
        # to first order in the motion
        return np.concatenate([y[6:], -g[:3] / mass, np.linalg.solve(inertia, -g[3:])])

    start = np.concatenate([size * shape[1], np.zeros(6)])
    end = solve_ivp(rates, (0, np.pi / found.frequencies[2]), start, rtol=1e-10, atol=1e-14).y[
        :, -1
    ]
    assert end[:6] == pytest.approx(-start[:6], abs=1e-3 * size)


def test_lanczos_finds_every_one_of_equal_eigenvalues():
    """A chain of 300 prisms bends alike in two directions: pairs of equal ω²; LAPACK knows all of
    them.
    """
    model = chain(PRISM, line(200, ht.rod(chain(PRISM, line(2, 1.4))).spacing), (0, 199))
    found = ht.modes(model, 11)
    energy = PairEnergy(model)
    scale = energy.freedoms.inertias**-0.5
    dense = scale[:, None] * energy.free_hessian(energy.start).toarray() * scale
    expected = np.linalg.eigvalsh(dense)[:11]
    assert found.squares == pytest.approx(expected, rel=1e-8, abs=1e-13 * found.largest)


def test_pivots_count_negative_eigenvalues():
    rng = np.random.default_rng(3)
    sparse = sp.random_array((60, 60), density=0.08, rng=rng)
    matrix = (sparse + sparse.T + sp.diags_array(rng.normal(size=60))).tocsc()
    values = np.linalg.eigvalsh(matrix.toarray())
    assert Factor(matrix).negative == np.count_nonzero(values < 0)
    assert lowest(matrix, 3, -1.0)[0] == pytest.approx(values[:3])


# ---- rods ----------------------------------------------------------------------------------------
def orders(errors):
    return np.log2(errors[:-1] / errors[1:])


@pytest.mark.parametrize("cloud", [PRISM, TETRAHEDRON], ids=["straight", "helix"])
def test_waves_of_the_chain_approach_those_of_the_rod_in_second_order(cloud):
    rod = ht.rod(chain(cloud, line(2, 1.9), epsilon=5.0))
    k = 0.4 / 2.0 ** np.arange(2, 6) / rod.spacing
    errors = abs(rod.chain_dispersion(k) / rod.dispersion(k) - 1.0)
    assert errors[-1].max() < 3e-4
    assert orders(errors)[-1] == pytest.approx(np.full(6, 2.0), abs=0.1)


def test_a_straight_rod_is_that_of_timoshenko():
    """Long waves: √(EA/ρ) k, √(GJ/ρJ) k and twice √(EI/ρ) k²; at k = 0 the section rocks with
    √(GA/ρI).
    """
    rod = ht.rod(chain(PRISM, line(2, 1.4)))
    ea, ga, _, gj, ei, _ = np.diag(rod.stiffness)
    density, _, _, polar, across, _ = np.diag(rod.inertia)
    assert rod.is_straight
    assert rod.stiffness == pytest.approx(np.diag(np.diag(rod.stiffness)), abs=1e-9 * ea)
    k = 1e-2
    expected = sorted(
        [k**2 * np.sqrt(ei / density)] * 2 + [k * np.sqrt(ea / density), k * np.sqrt(gj / polar)]
    )
    assert rod.dispersion(k)[:4] == pytest.approx(expected, rel=3e-4)
    assert rod.dispersion(0.0)[4:] == pytest.approx([np.sqrt(ga / across)] * 2, rel=1e-12)
    assert rod.clamped(9.0, 40)[[4, 7]] == pytest.approx(
        np.pi / 9.0 * np.sqrt([gj / polar, ea / density]), rel=1e-9
    )


def test_stiffness_is_the_second_derivative_of_the_link_by_its_strain():
    """V(exp(X)) by differences along X, of a helix of tetrahedra."""
    rod = ht.rod(chain(TETRAHEDRON, line(2, 2.1), epsilon=5.0))
    energy = PairEnergy(chain(TETRAHEDRON, line(2, 1.0), (0,), 5.0))

    def link(strain):
        turn, shift = exponential(rod.spacing * strain)
        start = energy.start
        return (
            energy.energy(type(start)(np.array([np.zeros(3), shift]), np.array([np.eye(3), turn])))
            / rod.spacing
        )

    h = 2e-4
    for i, e in enumerate(h * np.eye(6)):
        for j, f in enumerate(h * np.eye(6)):
            ends = [
                link(rod.strain + a * e + b * f) for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1))
            ]
            assert (ends[0] - ends[1] - ends[2] + ends[3]) / (4 * h * h) == pytest.approx(
                rod.stiffness[i, j], abs=0.02
            )


def test_frequencies_of_a_clamped_chain_approach_those_of_the_rod_in_second_order():
    rod = ht.rod(chain(PRISM, line(2, 1.4)))
    errors = []
    for count in (20, 40, 80):
        model = chain(PRISM, line(count + 1, rod.spacing), (0, count))
        errors.append(
            abs(ht.modes(model, 4).frequencies / rod.clamped(count * rod.spacing, 4) - 1.0)
        )
    assert orders(np.array(errors)) == pytest.approx(np.full((2, 4), 2.0), abs=0.2)


def test_a_clamped_helix_differs_from_its_rod_by_what_waves_along_its_turns_differ():
    """Bending of the whole has k near |κ| in body axes, where chain and rod do not approach each
    other: 9 % for 82 degrees a link.
    """
    rod = ht.rod(chain(TETRAHEDRON, line(2, 2.1), epsilon=5.0))
    k = np.linalg.norm(rod.strain[3:]) + 1e-3
    expected = rod.chain_dispersion(k)[0] / rod.dispersion(k)[0]
    model = chain(TETRAHEDRON, [rod.place(n) for n in range(41)], (0, 40), 5.0)
    found = ht.modes(model, 5).frequencies / rod.clamped(40 * rod.spacing, 5)
    assert found[:4] == pytest.approx([expected] * 4, abs=0.005)
    assert found[4] == pytest.approx(1.0, abs=0.003), "along the axis and about it the two agree"


def test_aligned_tetrahedra_are_no_rod():
    with pytest.raises(ht.FitError, match="aligned link does not rest"):
        ht.rod(chain(TETRAHEDRON, line(2, 2.1), epsilon=5.0), relaxed=False)


def test_the_logarithm_of_a_screw_is_the_screw():
    x = np.array([0.3, -1.2, 0.7, 0.9, 0.4, -1.1])
    assert logarithm(*exponential(x)) == pytest.approx(x, rel=1e-13)
    slow = np.concatenate([x[:3], 1e-12 * x[3:]])
    assert logarithm(*exponential(slow)) == pytest.approx(slow, rel=1e-9)
