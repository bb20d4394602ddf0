"""Recorded runs of mechanisms with loops, constraints and drives."""

import numpy as np

import hamiltree as ht
from tests.recorded import models
from tests.recorded.entries import run, words
from tests.recorded.trees import RATES

SPARKS = words("""
    rattle shake spark4 spark6 triple_jump4(rattle) suzuki4(rattle) yoshida6(rattle) energy_momentum
""")
FAST = {"until": 0.02, "step": 1e-3}
SLOPE = ht.PointInPlane("ground", "plate", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.1, 0.0, 1.0))
LINE_OF_PLATE = ht.PointOnLine("ground", "plate", axis=(1.0, 0.2, 0.1))
TURNED = (0.0, 0.0, 0.0, np.cos(0.2), 0.0, 0.0, np.sin(0.2))
CONSTRAINTS = {
    "rod": lambda: models.flyer(ht.Rod("ground", "plate", (0.0, 0.0, 1.0), (0.1, 0.1, 0.0))),
    "point on line": lambda: models.flyer(LINE_OF_PLATE),
    "point in plane": lambda: models.flyer(SLOPE, qdot=(0.0, 0.2, 0.0, 0.3, 0.1, 0.2)),
    "coincident": lambda: models.flyer(
        ht.Coincident("ground", "plate", (0.2, 0.1, 0.1), (0.2, 0.1, 0.1))
    ),
    "parallel axes": lambda: models.flyer(
        SLOPE, ht.ParallelAxes("ground", "plate", (0.0, 0.0, 1.0)), q=TURNED
    ),
    "perpendicular axes": lambda: models.flyer(
        ht.PerpendicularAxes("ground", "plate", (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), q=TURNED
    ),
    "drive position": lambda: models.driven_pendulums(
        ht.Drive("a", "0.3 + w*t**2", parameters={"w": 0.5})
    ),
    "drive speed": lambda: models.driven_pendulums(ht.Drive("b", speed="0.0 + sin(2*t)")),
    "drive function": lambda: models.driven_pendulums(ht.Drive("a", models.ramp)),
    "rod between pendulums": lambda: models.driven_pendulums(
        ht.Rod("left", "right", (0.0, 0.0, -0.8), (0.0, 0.0, -0.8))
    ),
}


def wishbone() -> ht.Model:
    return ht.library.double_wishbone(wheel_speed=8.0)


MECHANISMS = {
    "slider crank": (ht.library.slider_crank, {}),
    "andrews": (ht.library.andrews, {"until": 2e-4, "step": 1e-5}),
    "spatial slider crank": (ht.library.spatial_slider_crank, {}),
    "governor": (lambda: ht.library.governor(arms=3), {}),
    "stewart": (
        lambda: ht.library.stewart(velocity=(0.5, 0.2, 0.4), stiffness=5e3),
        {"until": 0.05, "step": 5e-3},
    ),
    "double wishbone": (wishbone, FAST),
    "strandbeest": (lambda: ht.library.strandbeest(1), FAST),
    "bricard": (lambda: ht.library.bricard(angle=1.2, speed=0.3), FAST),
    "problem 11.7": (ht.library.problem_11_7, {}),
    "geared loop": (models.geared_loop, {"assemble": True, **FAST}),
}
LOOPS = [
    *(run(f"four bar {x}", ht.library.four_bar, integrator=x) for x in SPARKS),
    *(run(name, make, **options) for name, (make, options) in MECHANISMS.items()),
    *(run(f"constraint {name}", make, assemble=True) for name, make in CONSTRAINTS.items()),
    *(
        run(f"{name} cartesian_3", MECHANISMS[name][0], "cartesian_3", **MECHANISMS[name][1])
        for name in ("spatial slider crank", "governor", "double wishbone", "geared loop")
    ),
    *(
        run(f"constraint {name} cartesian_3", make, "cartesian_3", assemble=True)
        for name, make in CONSTRAINTS.items()
    ),
    *(run(f"four bar {x} dop853", ht.library.four_bar, x) for x in RATES),
    *(run(f"four bar {x} rk4", ht.library.four_bar, x, "rk4") for x in RATES),
    *(
        run(f"four bar cartesian_hamiltonian {x}", ht.library.four_bar, "cartesian_hamiltonian", x)
        for x in ("rattle", "spark6", "energy_momentum")
    ),
    *(
        run(f"four bar {x} generalised_alpha", ht.library.four_bar, x, "generalised_alpha")
        for x in ("cartesian_1", "cartesian_2", "cartesian_3")
    ),
    run(
        "four bar generalised_alpha rho",
        ht.library.four_bar,
        integrator="generalised_alpha",
        rho=0.5,
    ),
    run("four bar cartesian_3 radau5", ht.library.four_bar, "cartesian_3", "radau5"),
    run("four bar cartesian_3 tsitouras5", ht.library.four_bar, "cartesian_3", "tsitouras5"),
    run("four bar cartesian_3 gauss4", ht.library.four_bar, "cartesian_3", "gauss4"),
    run("four bar baumgarte", ht.library.four_bar, "cartesian_3", "rk4", baumgarte=10.0),
    run("four bar unprojected", ht.library.four_bar, "cartesian_2", "rk4", projection=False),
    run("four bar between two steps", ht.library.four_bar, until=0.0978),
    run(
        "wishbone generalised_alpha",
        wishbone,
        integrator="generalised_alpha",
        **FAST,
    ),
    run("wishbone kane_absolute", wishbone, "kane_absolute", **FAST),
]
