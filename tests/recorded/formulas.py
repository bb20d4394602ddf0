"""Recorded runs of typed-in H: every integrator that fits, options, and events."""

import hamiltree as ht
from tests.recorded import models
from tests.recorded.entries import Run, run, words

# ---- integrators on a formula --------------------------------------------------------------------
FOR_ANY_H = words("""
    explicit_euler explicit_midpoint heun3 rk4 kutta38 implicit_euler implicit_midpoint
    gauss4 gauss6 gauss8 gauss10 gauss12 gauss20 radau_iia3 radau_iia5 radau_iia7 radau_iia9
    sun_geng5 sun(lobatto_iiic6) lobatto_iiia2 lobatto_iiia4 lobatto_iiia6 lobatto_iiib2
    lobatto_iiib4 lobatto_iiib6 lobatto_iiic2 lobatto_iiic4 lobatto_iiic6 avf2 avf3 avf4
    euler_a euler_b stormer_verlet lobatto_pair4 lobatto_pair6 lobatto_pair8
    triple_jump4(implicit_midpoint) suzuki4(implicit_midpoint) yoshida6(implicit_midpoint)
    yoshida8(implicit_midpoint) triple_jump(gauss4) triple_jump4(stormer_verlet)
    suzuki4(stormer_verlet) yoshida6(stormer_verlet) yoshida8(stormer_verlet)
    tao2 tao4 tao6 tao8 discrete_gradient discrete_gradient4 discrete_gradient6
    dormand_prince5 tsitouras5 dop853 radau5 fixed(dop853) fixed(radau5)
    reversible(stormer_verlet) reversible(implicit_midpoint)
""")
FOR_SEPARABLE_H = words("""
    euler_a euler_b stormer_verlet leapfrog_dkd ruth3 forest_ruth yoshida4 suzuki4 pefrl mclachlan4
    blanes_moan4 blanes_moan_nystrom4 yoshida6 kahan_li6 blanes_moan6 yoshida8 mclachlan8 kahan_li8
    sofroniou_spaletta10 yoshida6(stormer_verlet) reversible(stormer_verlet)
""")
SWING = {"until": 2.0, "step": 0.1, "q": [0.7], "p": [0.4]}
HENON = {"until": 2.0, "step": 0.1, "q": [0.2, -0.1], "p": [0.1, 0.3]}
ELLIPSE = {"until": 1.0, "step": 0.05, "q": [1.0, 0.0], "p": [0.1, 0.9]}
SPIN = {"until": 2.0, "step": 0.1, "y": [0.7, 0.4, 0.9]}
FOR_ANY_ODE = words("rk4 gauss8 radau_iia5 dop853 radau5")
NEWTON = ("gauss6", "discrete_gradient", "stormer_verlet", "yoshida6(implicit_midpoint)")

FORMULAS = [
    *(run(f"pendulum {x}", models.coupled_pendulum, integrator=x, **SWING) for x in FOR_ANY_H),
    *(run(f"henon {x}", models.henon_heiles, integrator=x, **HENON) for x in FOR_SEPARABLE_H),
    *(
        run(f"pendulum {x} newton", models.coupled_pendulum, integrator=x, solver="newton", **SWING)
        for x in NEWTON
    ),
    run("pendulum tao4 omega", models.coupled_pendulum, integrator="tao4", omega=7.0, **SWING),
    run("pendulum dop853 rtol", models.coupled_pendulum, integrator="dop853", rtol=1e-6, **SWING),
    run("pendulum radau5 atol", models.coupled_pendulum, integrator="radau5", atol=1e-8, **SWING),
    run("kepler gauss8", models.kepler, **ELLIPSE),
    run("kepler blanes_moan6", models.kepler, integrator="blanes_moan6", **ELLIPSE),
    run("kepler save every third", models.kepler, save_every=3, **ELLIPSE),
    run("kepler other parameter", lambda: models.kepler().with_(k=1.2), **ELLIPSE),
    run(
        "kepler reversible step function",
        models.kepler,
        integrator="reversible(stormer_verlet)",
        step_function="(x**2 + y**2)**0.75",
        **ELLIPSE,
    ),
    run("swing in time gauss8", models.pumped_swing, **SWING),
    run("swing in time pefrl", models.pumped_swing, integrator="pefrl", **SWING),
    run("swing in time dop853", models.pumped_swing, integrator="dop853", **SWING),
    run("swing in time avf3", models.pumped_swing, integrator="avf3", **SWING),
    run("functions gauss8", models.pendulum_of_functions, **SWING),
    run("functions rk4", models.pendulum_of_functions, integrator="rk4", **SWING),
    run("functions radau5", models.pendulum_of_functions, integrator="radau5", **SWING),
    *(run(f"rotor {x}", models.rotor, integrator=x, **SPIN) for x in FOR_ANY_ODE),
    run("rotor between two steps", models.rotor, **{**SPIN, "until": 1.97}),
    run("pendulum between two steps", models.coupled_pendulum, **{**SWING, "until": 1.97}),
]

# ---- events --------------------------------------------------------------------------------------
RISING_SPIN = ht.Event("z - 0.8", direction=1)
RISING = ht.Event("q2", direction=1, where="p2 > 0")
EVENTS = [
    run("section of a rotor", models.rotor, sections=[RISING_SPIN, "x_dot"], **SPIN),
    run("section of henon", models.henon_heiles, sections=[RISING, "q1*p1 - 0.01"], **HENON),
    run("section pefrl", models.henon_heiles, sections=[RISING], integrator="pefrl", **HENON),
    run("section dop853", models.henon_heiles, sections=["q2", "p1"], integrator="dop853", **HENON),
    run(
        "section radau5",
        models.coupled_pendulum,
        events=["q", ht.Event("q_dot", "falling")],
        integrator="radau5",
        **SWING,
    ),
    run(
        "terminal event gauss8",
        models.coupled_pendulum,
        events=[ht.Event("q", terminal=True, name="down"), "p - 0.2"],
        **SWING,
    ),
    run(
        "terminal event dop853",
        models.coupled_pendulum,
        events=[ht.Event("q", terminal=True)],
        integrator="dop853",
        **SWING,
    ),
    run(
        "terminal event of an arm",
        models.arm,
        events=[ht.Event("shoulder - 0.42", terminal=True), "elbow_dot - 0.9"],
    ),
    run("section of a loop", ht.library.four_bar, sections=["crank_pivot - 0.6"]),
    Run(
        "gimbal guard gauss8",
        lambda: models.gimballed((0.0, 1.0, 0.0), 1.45),
        {"until": 0.4, "step": 1e-2},
        fails="gimbal lock of joint 'wrist'",
    ),
    Run(
        "gimbal guard rk4",
        lambda: models.gimballed((0.0, 1.0, 0.0), 1.45),
        {"until": 0.4, "step": 1e-2, "integrator": "rk4"},
        fails="gimbal lock of joint 'wrist'",
    ),
]
