"""Chains of the thesis, chapter 3: against an independent program, formulations against each other,
momenta and norms.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht

DATA = Path(__file__).parents[1] / "data"


def stored(name):
    return json.loads((DATA / f"{name}.json").read_text())


def chain_of(case):
    """The chain of a reference file, body by body."""
    n = len(case["r0"])
    clamped = {0, n - 1} if case["bc"] == "c1c1" else {0}
    particles = ht.Particles(case["particles"], case["particle_mass"])
    bodies = [ht.Body.of_particles(f"b{i + 1}", particles) for i in range(n)]
    joints = [
        ht.Weld(f"j{i + 1}", "ground", f"b{i + 1}", ht.Frame(case["r0"][i]))
        if i in clamped
        else ht.Free(
            f"j{i + 1}",
            "ground",
            f"b{i + 1}",
            q=(*case["r0"][i], *case["q0"][i]),
            qdot=(*case["v0"][i], *case["omega0"][i]),
        )
        for i in range(n)
    ]
    loads = [] if case["bc"] == "c1c1" else [ht.BodyLoad(f"b{n}", force=case["F"])]
    return ht.Model(
        bodies,
        joints,
        [ht.PairForce(ht.LennardJones(case["eps"], case["sigma"]), "neighbours"), *loads],
        gravity=(0, 0, 0),
    )


def pose_error(run, at, sample):
    """The largest error of a place, or of a quaternion whose sign is free."""
    poses = run.poses.values[at]
    q, theirs = poses[:, 3:], np.array(sample["q"])
    q = q * np.sign((q * theirs).sum(axis=1))[:, None]
    return max(np.abs(poses[:, :3] - sample["r"]).max(), np.abs(q - theirs).max())


@pytest.mark.parametrize("name", ["chain_c1c2_a", "chain_c1c1_a"])
@pytest.mark.parametrize(("integrator", "step"), [("gauss8", 1e-3), ("splitting6", 2.5e-4)])
def test_the_chains_of_the_thesis_move_as_in_another_program(name, integrator, step):
    case = stored(name)
    options = {
        "formulation": "free_bodies_quaternion",
        "integrator": integrator,
        "save_every": round(0.5 / step),
        "progress": False,
    }
    run = ht.simulate(chain_of(case), until=case["t_end"], step=step, **options)
    for sample in case["samples"]:
        assert pose_error(run, round(sample["t"] / 0.5), sample) < 1e-8
    assert pose_error(run, -1, {"r": case["r_end"], "q": case["q_end"]}) < 1e-6
    assert run.energy_error < (1e-13 if integrator == "gauss8" else 1e-9)


def test_matrices_quaternions_trees_and_absolute_coordinates_move_the_same_chain_alike():
    model = chain_of(stored("chain_c1c2_a"))
    ends = {
        (formulation, integrator): ht.simulate(
            model,
            until=0.05,
            step=2.5e-4,
            formulation=formulation,
            integrator=integrator,
            progress=False,
        )
        for formulation, integrator in (
            ("free_bodies_quaternion", "gauss8"),
            ("free_bodies_quaternion", "spark6"),
            ("free_bodies_rotation", "spark6"),
            ("hamiltonian_tree", "gauss8"),
            ("cartesian_3", "dop853"),
        )
    }
    (_, first), *others = ends.items()
    for pair, run in others:
        assert np.abs(run.poses.values[-1] - first.poses.values[-1]).max() < 1e-9, pair
        assert np.abs(run.twists.values[-1] - first.twists.values[-1]).max() < 1e-9, pair


# ---- free bodies: what has to stay ---------------------------------------------------------------
def free_chain(n, seed=3):
    rng = np.random.default_rng(seed)
    bodies = [ht.Body.of_particles(f"b{i}", ht.library.tetrahedron()) for i in range(n)]
    start = [
        (2.2 * i, 0, 0, *q / np.linalg.norm(q))
        for i, q in enumerate(rng.normal(size=(n, 4)) * 0.1 + (1, 0, 0, 0))
    ]
    joints = [
        ht.Free(f"j{i}", "ground", f"b{i}", q=q, qdot=0.3 * rng.normal(size=6))
        for i, q in enumerate(start)
    ]
    return ht.Model(
        bodies, joints, [ht.PairForce(ht.LennardJones(5.0, 1.0), "neighbours")], gravity=(0, 0, 0)
    )


def scales(model, run):
    """Σ|p| and Σ|r × p| + Σ|spin|, the largest of all samples."""
    pose, twist = run.poses.values, run.twists.values
    p = np.array([body.mass for body in model.bodies])[:, None] * twist[:, :, 3:]
    spin = [np.array(body.inertia).max() for body in model.bodies] * np.linalg.norm(
        twist[:, :, :3], axis=2
    )
    turning = np.linalg.norm(np.cross(pose[:, :, :3], p), axis=2) + spin
    return np.linalg.norm(p, axis=2).sum(axis=1).max(), turning.sum(axis=1).max()


def momentum_errors(model, run):
    kept = run.linear_momentum.values, run.angular_momentum.values
    return tuple(
        np.abs(sums - sums[0]).max() / scale
        for sums, scale in zip(kept, scales(model, run), strict=True)
    )


@pytest.mark.parametrize(
    ("formulation", "integrator", "step"),
    [
        ("free_bodies_quaternion", "splitting2", 2e-3),
        ("free_bodies_quaternion", "splitting4", 4e-3),
        ("free_bodies_quaternion", "gauss6", 4e-3),
        ("free_bodies_rotation", "rattle", 2e-3),
        ("free_bodies_rotation", "quat_em", 4e-3),
    ],
)
def test_linear_and_angular_momentum_of_a_free_chain_stay_to_rounding(
    formulation, integrator, step
):
    model = free_chain(4)
    run = ht.simulate(
        model,
        until=1e4 * step,
        step=step,
        formulation=formulation,
        integrator=integrator,
        progress=False,
    )
    linear, angular = momentum_errors(model, run)
    assert linear < 1e-12
    assert angular < 1e-12
    assert run.energy_error < (1e-12 if integrator == "quat_em" else 2e-2)


@pytest.mark.parametrize("integrator", ["gauss6", "implicit_midpoint", "sun_geng5"])
def test_symplectic_runge_kutta_methods_keep_the_norms_of_quaternions_to_rounding(integrator):
    run = ht.simulate(
        free_chain(3),
        until=40.0,
        step=4e-3,
        formulation="free_bodies_quaternion",
        integrator=integrator,
        progress=False,
    )
    assert run.quaternion_error < 1e-13


@pytest.mark.parametrize(
    ("formulation", "integrator", "order", "step"),
    [
        ("free_bodies_quaternion", "splitting2", 2, 2e-3),
        ("free_bodies_quaternion", "splitting4", 4, 8e-3),
        ("free_bodies_quaternion", "gauss6", 6, 2e-2),
        ("free_bodies_quaternion", "spark4", 4, 8e-3),
        ("free_bodies_quaternion", "spark6", 6, 1.6e-2),
        ("free_bodies_rotation", "rattle", 2, 2e-3),
        ("free_bodies_rotation", "spark6", 6, 1.6e-2),
    ],
)
def test_errors_of_a_chain_shrink_with_the_order(formulation, integrator, order, step):
    model, until = free_chain(2), 0.32
    exact = ht.simulate(
        model,
        until=until,
        step=1e-3,
        formulation="free_bodies_quaternion",
        integrator="gauss8",
        progress=False,
    ).poses.values[-1]
    errors = []
    for h in (step, step / 2):
        run = ht.simulate(
            model,
            until=until,
            step=h,
            formulation=formulation,
            integrator=integrator,
            progress=False,
        )
        errors.append(np.abs(run.poses.values[-1] - exact).max())
    assert order - 0.3 < np.log2(errors[0] / errors[1]) < order + 0.7


def test_pair_forces_in_different_boxes_are_noted(capsys):
    bodies = [ht.Body.of_particles(f"b{i}", ht.Particles([(0, 0, 0)])) for i in range(2)]
    joints = [ht.Free(f"j{i}", "ground", f"b{i}", q=(1.2 * i, 0, 0, 1, 0, 0, 0)) for i in range(2)]
    forces = [
        ht.PairForce(ht.LennardJones(1.0, 1.0), cutoff=2.5, box=(6, 6, 6)),
        ht.PairForce(ht.LennardJones(1.0, 1.0)),
    ]
    model = ht.Model(bodies, joints, forces, gravity=(0, 0, 0))
    ht.simulate(
        model, until=0.01, step=1e-3, formulation="free_bodies_quaternion", integrator="splitting4"
    )
    assert "different periodic boxes" in capsys.readouterr().err
