"""Recorded runs of bodies that hang apart: tops, and particles that act on each other."""

import hamiltree as ht
from tests.recorded import models
from tests.recorded.entries import run, words

STEPS = {"until": 0.2, "step": 0.01}
POTENTIALS = {
    "lennard_jones": lambda: models.molecules(
        {"A": ht.LennardJones(0.5, 0.6), "B": ht.LennardJones(0.3, 0.7)}
    ),
    "lennard_jones switched": lambda: models.molecules(
        ht.LennardJones(0.5, 0.6), cutoff=2.0, switch=1.2, skin=0.1
    ),
    "lennard_jones shifted": lambda: models.molecules(
        ht.LennardJones(0.5, 0.6), cutoff=1.8, shift=True
    ),
    "lennard_jones geometric": lambda: models.molecules(
        {"A": ht.LennardJones(0.5, 0.6), "B": ht.LennardJones(0.3, 0.7)}, mixing="geometric"
    ),
    "morse": lambda: models.molecules(ht.Morse(0.8, 2.0, 1.1)),
    "coulomb": lambda: models.molecules(ht.Coulomb({"A": 1.0, "B": -0.7}, constant=0.4)),
    "coulomb screened": lambda: models.molecules(ht.Coulomb({"A": 1.0, "B": -0.7}, screening=0.8)),
    "buckingham": lambda: models.molecules(ht.Buckingham(50.0, 3.0, 0.1)),
    "harmonic bonds": lambda: models.molecules(
        ht.HarmonicBond(4.0, 1.0), between=(("b1:0", "b2:1"), ("b2:0", "b3:1"), ("b3", "b4"))
    ),
    "fene": lambda: models.molecules(ht.Fene(2.0, 3.0), between="neighbours", closed=True),
    "formula": lambda: models.molecules(
        ht.PairFormula("a*exp(-r**2) + 0.1/r", {"a": 0.7}), exclude=(("b1", "b3"),)
    ),
    "formula cut off": lambda: models.molecules(ht.PairFormula("0.3/r**4"), cutoff=1.9, switch=1.0),
    "periodic box": lambda: models.molecules(
        ht.LennardJones(0.5, 0.6), cutoff=1.6, switch=1.2, box=(3.4, 3.4, 0.0)
    ),
}
WAVE = {"position": ("0.0", "0.1*sin(t)", "0.0"), "rotation": ("0.2*t", "0.0", "0.1*sin(t)")}
QUATERNIONS = {
    **dict.fromkeys(
        words("gauss8 implicit_midpoint splitting2 splitting4 splitting6 splitting8"),
        "free_bodies_quaternion",
    ),
    **dict.fromkeys(
        words("tao4 discrete_gradient rk4 dop853 radau5 stormer_verlet"), "free_bodies_quaternion"
    ),
    **dict.fromkeys(
        words("yoshida6(splitting2) reversible(implicit_midpoint)"), "free_bodies_quaternion"
    ),
    **dict.fromkeys(
        words("rattle shake spark4 energy_momentum quat_em"), "free_bodies_quaternion_constrained"
    ),
}
ROTATIONS = words("rattle yoshida6(rattle) shake spark4 energy_momentum quat_em")


def gyros() -> ht.Model:
    """Two tops held at their centres, with a spring between their rims."""
    rims = (0.3, 0.0, 0.1), (-0.3, 0.1, 0.0)
    return models.tops(ht.PointSpring("top1", "top2", *rims, 5.0, 0.4), height=0.0)


PARTICLES = [
    *(run(f"pairs {name}", make, **STEPS) for name, make in POTENTIALS.items()),
    *(run(f"grains {x}", models.grains, of, x, **STEPS) for x, of in QUATERNIONS.items()),
    *(
        run(f"grains free_bodies_rotation {x}", models.grains, "free_bodies_rotation", x, **STEPS)
        for x in ROTATIONS
    ),
    *(
        run(
            f"grains free_bodies_quaternion_thesis {x}",
            models.grains,
            "free_bodies_quaternion_thesis",
            x,
            fictitious_inertia=1.0,
            **STEPS,
        )
        for x in ("gauss4", "rk4")
    ),
    run(
        "grains spare inertia",
        models.grains,
        "free_bodies_quaternion_thesis",
        "gauss4",
        fictitious_inertia=2.0,
        **STEPS,
    ),
    run("grains hamiltonian_tree", models.grains, **STEPS),
    run("grains cartesian_3", models.grains, "cartesian_3", **STEPS),
    run(
        "grains pulled",
        lambda: models.grains(load=(0.3, 0.1, 0.0)),
        "free_bodies_quaternion",
        "splitting4",
        **STEPS,
    ),
    run(
        "grains pinned",
        lambda: models.grains(last="pinned", velocities=None, omegas=None),
        "free_bodies_quaternion",
        **STEPS,
    ),
    run(
        "grains closed",
        lambda: models.grains(closed=True, first="free"),
        "free_bodies_quaternion",
        **STEPS,
    ),
    run("grains moved", lambda: models.grains(first=WAVE), **STEPS),
    run(
        "grains moved splitting4",
        lambda: models.grains(first=WAVE),
        integrator="splitting4",
        **STEPS,
    ),
    run("gyros free_bodies_quaternion", gyros, "free_bodies_quaternion"),
    run("gyros free_bodies_rotation", gyros, "free_bodies_rotation", "rattle"),
    run("box of tetrahedra", lambda: ht.library.particle_box(2, cutoff=2.4, switch=2.0), **STEPS),
    run(
        "box splitting4",
        lambda: ht.library.particle_box(2, cutoff=2.4, switch=2.0),
        integrator="splitting4",
        **STEPS,
    ),
    run("ring of tetrahedra", lambda: ht.library.particle_ring(4), until=0.1, step=0.01),
    run("branched molecule", lambda: ht.library.branched_molecule(1), until=0.1, step=0.01),
]
