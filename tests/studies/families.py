"""Five families of studies: how their members run differs, their bits must not."""

import numpy as np

import hamiltree as ht
from hamiltree.studies import uniform
from hamiltree.studies.alone import Stop
from hamiltree.studies.design import make_design
from hamiltree.studies.lane_plan import obstacle
from hamiltree.studies.runner import BlockRunner
from hamiltree.studies.study import define

SPRUNG = ht.library.n_pendulum(2, angles=0.4).with_(
    forces=[ht.JointSpring("hinge1", 3.0, name="spring"), ht.JointDamper("hinge2", 0.1)]
)
DRIVEN = ht.hamiltonian("p**2/2 - k*cos(q) + a*q*sin(2*t)", k=1.0, a=0.1)
KEEP = ["end", "energy_error", "max(q)", "mean(energy)"]
# family → problem, what varies, settings, whether it has lanes
FAMILIES = {
    "tree": (SPRUNG, {"q.hinge1": uniform(-1, 1), "qdot.hinge2": uniform(-1, 1)}, "rk4", True),
    "tables": (
        SPRUNG,
        {
            "bodies.rod1.mass": uniform(1, 2),
            "forces.spring.stiffness": uniform(1, 3),
            "joints.hinge2.on_parent.position.z": uniform(-1.0, -0.8),
            "gravity": uniform(9, 10),
        },
        "rk4",
        True,
    ),
    "typed": (
        DRIVEN,
        {"k": uniform(1, 2), "q.q": uniform(-1, 1), "p.p": [0.1, 0.3]},
        "pefrl",
        True,
    ),
    "free": (ht.library.free_body(), {"gravity": uniform(1, 9), "step": [0.02]}, "rk4", False),
    "loops": (ht.library.build("four_bar"), {"bodies.crank.mass": uniform(1, 2)}, "spark6", False),
}


def study_of(family, members=6, **more):
    problem, vary, integrator, _ = FAMILIES[family]
    settings = {"until": 0.21, "step": 0.02, "integrator": integrator, "progress": False, **more}
    if "step" in vary:
        del settings["step"]
    return ht.study(problem, vary, members=members, keep=KEEP, **settings)


def same(one, other) -> bool:
    """Whether all variables of two data sets are the same to the bit."""
    assert set(one) == set(other)
    return all(np.array_equal(one[x].values, other[x].values) for x in one.data_vars)


def compare(problem, vary, settings, keep=None, members=7):
    """(members that ran alone, results) of lanes, equal to those of runs alone."""
    keep = KEEP if keep is None else keep
    sampled = None if all(isinstance(values, list) for values in vary.values()) else members
    definition = define(problem, make_design(vary, sampled, "random", 0), keep, settings)
    assert not obstacle(definition)
    side_by_side, alone = BlockRunner(definition, Stop()), []
    assert side_by_side.lanes.width == 4
    run = side_by_side.lone
    side_by_side.lone = lambda member: alone.append(member) or run(member)
    count = definition.count
    found = side_by_side(0, count)
    expected = BlockRunner(definition, Stop(), lanes=False)(0, count)
    assert found.status == expected.status
    for name, values in expected.values.items():
        assert np.array_equal(found.values[name], values, equal_nan=True), name
    return alone, found
