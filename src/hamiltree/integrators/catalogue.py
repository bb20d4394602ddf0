"""All integrators.

A new tableau is a constant in tableaus.py; a new family is a file and a line here.

Names with numbers or parentheses are made when asked for: gauss20, radau_iia9, lobatto_pair8, avf6,
sun(lobatto_iiic6), yoshida6(implicit_midpoint), triple_jump(gauss4), fixed(dop853),
reversible(stormer_verlet), and a user's own: own_methods.py.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from hamiltree.catalogue import find, normalise_name
from hamiltree.errors import OptionError
from hamiltree.integrators import (
    adaptive,
    discrete_gradient,
    energy_momentum,
    generalised_alpha,
    implicit,
    radau,
    reversible,
    runge_kutta,
    spark,
    splitting,
    tao,
)
from hamiltree.integrators import rigid_body_splitting as rigid_splitting
from hamiltree.integrators.adaptive_steps import with_fixed_step
from hamiltree.integrators.compositions import (
    COMPOSITIONS,
    Composition,
    raise_order_by_suzuki,
    raise_order_by_triple_jump,
)
from hamiltree.integrators.integrator import Integrator
from hamiltree.integrators.own_methods import composition_of, parse_composition, parse_tableau
from hamiltree.integrators.separable_rattle import add_separable_variant
from hamiltree.integrators.splittings import Splitting, compose
from hamiltree.integrators.tableaus import (
    gauss,
    lobatto_iiia,
    lobatto_iiib,
    lobatto_iiic,
    lobatto_pair,
    radau_iia,
    sun,
)

MAX_STAGES, MAX_SUBSTEPS = 64, 1000
MIDPOINT = next(
    integrator for integrator in implicit.INTEGRATORS if integrator.name == "implicit_midpoint"
)
# Where H is separable these need no iteration; RATTLE, whose form is in separable_rattle.py, needs
# one force per step.
SPLITTING_VARIANTS = {
    "euler_a": Splitting("euler_a", 1, (1,), (1,), "de Vogelaere 1956"),
    "euler_b": Splitting("euler_b", 1, (0, 1), (1, 0), "de Vogelaere 1956"),
    **{
        made.coefficients.name: made.coefficients
        for made in splitting.INTEGRATORS
        if made.name == "stormer_verlet"
    },
}


def add_splitting_variant(pair: Integrator) -> Integrator:
    made = SPLITTING_VARIANTS.get(pair.name)
    return (
        pair
        if made is None
        else replace(pair, separable_variant=splitting.splitting_integrator(made))
    )


# Composed with all that a step of theirs does.
WHOLE_STEP_COMPOSERS = {
    "rattle": lambda made: add_separable_variant(spark.compose_rattle(made)),
    "splitting2": rigid_splitting.compose_splitting,
}
SPARKS = tuple(
    add_separable_variant(one) if "rattle" in one.name else one for one in spark.INTEGRATORS
)
PAIRS = {pair.name: add_splitting_variant(pair) for pair in implicit.PAIRS}


# ---- names that are made when asked for ----------------------------------------------------------
COMPOSITION_OF_NAME = {composition.name: composition for composition in COMPOSITIONS}
COMPOSITION_ALIASES = {"yoshida4": "triple_jump4", "forestruth": "triple_jump4"}
ORDER_RAISERS = {"triplejump": raise_order_by_triple_jump, "suzuki": raise_order_by_suzuki}


def compose_named(name: str, base: Integrator) -> Integrator:
    """A composition of a symmetric method that has stages or is a pair of them."""
    if base.name in WHOLE_STEP_COMPOSERS:
        return compose_whole_step(name, base)
    check_composable(name, base)
    return compose_with(composition_for(name, base), base)


def check_composable(name: str, base: Integrator) -> None:
    if not base.is_symmetric or base.method.__class__ is not implicit.StageMethod:
        raise OptionError(
            f"{name}({base.name}): compositions are of symmetric methods with stages, such as "
            "implicit_midpoint or stormer_verlet"
        )


def compose_with(made: Composition, base: Integrator) -> Integrator:
    """A composition of such a method."""
    if len(made.factors) * len(base.substeps) > MAX_SUBSTEPS:
        raise OptionError(
            f"{made.name}({base.name}) would take more than {MAX_SUBSTEPS} substeps per step"
        )
    explicit = base.separable_variant
    if explicit is not None:
        explicit = splitting.splitting_integrator(
            compose(made, explicit.coefficients, f"{made.name}({base.name})")
        )
    return replace(implicit.compose(made, base), separable_variant=explicit)


def composition_for(name: str, base: Integrator) -> Composition:
    """The composition of a name for a method of this order; triple_jump and suzuki raise any."""
    name = COMPOSITION_ALIASES.get(normalise_name(name), name)
    rule = normalise_name(name)
    if base.order > 2:
        rule = rule.removesuffix(str(base.order + 2))  # triple_jump6(gauss4) is triple_jump(gauss4)
    if rule in ORDER_RAISERS:
        return ORDER_RAISERS[rule](base.order)
    made = find(COMPOSITION_OF_NAME, name, "composition")
    if base.order != 2:
        raise OptionError(
            f"{name}({base.name}): {made.name} composes methods of order 2; take triple_jump or "
            f"suzuki for order {base.order}"
        )
    return made


def compose_whole_step(name: str, base: Integrator) -> Integrator:
    """Of orders 4, 6 and 8, of a method of order two that is no StageMethod."""
    meant = {**COMPOSITION_ALIASES, "triplejump": "triple_jump4", "suzuki": "suzuki4"}
    name = meant.get(normalise_name(name), name)
    return WHOLE_STEP_COMPOSERS[base.name](find(COMPOSITION_OF_NAME, name, "composition"))


def own_tableau(inside: str) -> Integrator:
    """The method of a user's tableau: own_methods.py."""
    tableau = parse_tableau(inside)
    make = runge_kutta.explicit_integrator if tableau.is_explicit else implicit.stage_integrator
    return make(tableau)


def own_composition(inside: str) -> Integrator:
    """That of a user's composition."""
    base = find_listed(parse_composition(inside)[1])
    made = composition_of(inside, base.order)
    if base.name in WHOLE_STEP_COMPOSERS:
        found = WHOLE_STEP_COMPOSERS[base.name](made)
    else:
        check_composable("composition", base)
        found = compose_with(made, base)
    return replace(found, name=made.name)


OWN_METHODS = {"tableau": own_tableau, "composition": own_composition}


def sun_of(name: str, base: Integrator) -> Integrator:
    """The method that Sun's construction makes of a Runge–Kutta tableau: symplectic."""
    tableau = base.coefficients
    if (
        base.method.__class__ is not implicit.StageMethod
        or hasattr(tableau, "q")
        or len(base.substeps) > 1
    ):
        raise OptionError(
            f"sun({base.name}): Sun's construction takes an implicit Runge–Kutta tableau, such as "
            "radau_iia7"
        )
    return implicit.stage_integrator(sun(tableau, f"sun({base.name})"))


def reversible_of(name: str, base: Integrator) -> Integrator:
    return reversible.reversible(base)


def fixed_of(name: str, base: Integrator) -> Integrator:
    if not base.is_adaptive:
        raise OptionError(f"fixed({base.name}): {base.name} has fixed steps already")
    return with_fixed_step(base)


WRAPPERS: dict[str, Callable[[str, Integrator], Integrator]] = {
    "sun": sun_of,
    "reversible": reversible_of,
    "fixed": fixed_of,
}


def make_by_order(
    make: Callable[[int], Integrator], stages: Callable[[int], float]
) -> Callable[[int], Integrator]:
    """From the number in a name to the stages that it takes."""

    def made(number: int) -> Integrator:
        count = stages(number)
        if count != int(count) or not 1 <= count <= MAX_STAGES:
            raise ValueError
        return make(int(count))

    return made


def stage_family(tableau: Callable) -> Callable[[int], Integrator]:
    return lambda stages: implicit.stage_integrator(tableau(stages))


FAMILIES = {
    "gauss": make_by_order(stage_family(gauss), lambda order: order / 2),
    "radauiia": make_by_order(stage_family(radau_iia), lambda order: (order + 1) / 2),
    "lobattoiiia": make_by_order(stage_family(lobatto_iiia), lambda order: order / 2 + 1),
    "lobattoiiib": make_by_order(stage_family(lobatto_iiib), lambda order: order / 2 + 1),
    "lobattoiiic": make_by_order(stage_family(lobatto_iiic), lambda order: order / 2 + 1),
    "lobattopair": make_by_order(stage_family(lobatto_pair), lambda order: order / 2 + 1),
    "avf": make_by_order(implicit.average_vector_field_integrator, lambda stages: stages),
}


@lru_cache(maxsize=256)
def integrator_from_name(name: str) -> Integrator | None:
    """The integrator that a name with parentheses or with the number of a family stands for; None
    if it is no such name.
    """
    wrapped = re.fullmatch(r"\s*([\w\s-]+?)\s*\((.*)\)\s*", name)
    if wrapped and normalise_name(wrapped[1]) in OWN_METHODS:
        return OWN_METHODS[normalise_name(wrapped[1])](wrapped[2])
    if wrapped:
        make = WRAPPERS.get(normalise_name(wrapped[1]), compose_named)
        return make(wrapped[1], find_listed(wrapped[2]))
    numbered = re.fullmatch(r"([a-z]+)(\d{1,3})", normalise_name(name))
    if numbered and numbered[1] in FAMILIES:
        try:
            return FAMILIES[numbered[1]](int(numbered[2]))
        except ValueError:
            numbers = (
                "a number is its order, of which only every second one exists"
                if numbered[1] != "avf"
                else "a number is its stages"
            )
            raise OptionError(
                f"{name}: there is no such method ({numbers}; at most {MAX_STAGES} stages)"
            ) from None
    return None


# ---- the catalogue -------------------------------------------------------------------------------
LISTED = (
    *runge_kutta.INTEGRATORS,
    *implicit.INTEGRATORS,
    *PAIRS.values(),
    *(made for made in splitting.INTEGRATORS if made.name not in PAIRS),
    *(
        compose_named(name, MIDPOINT)
        for name in ("triple_jump4", "suzuki4", "yoshida6", "yoshida8")
    ),
    *(
        compose_named(name, PAIRS["stormer_verlet"])
        for name in ("triple_jump4", "suzuki4", "yoshida6", "yoshida8")
    ),
    *rigid_splitting.INTEGRATORS,
    *tao.INTEGRATORS,
    *discrete_gradient.INTEGRATORS,
    *adaptive.INTEGRATORS,
    *radau.INTEGRATORS,
    *SPARKS,
    *energy_momentum.INTEGRATORS,
    *generalised_alpha.INTEGRATORS,
    *(reversible.reversible(base) for base in (PAIRS["stormer_verlet"], MIDPOINT)),
)
BY_NAME = {integrator.name: integrator for integrator in LISTED}
ALIASES = {
    "euler": "explicit_euler",
    "backward_euler": "implicit_euler",
    "symplectic_euler": "euler_b",
    "midpoint": "implicit_midpoint",
    "gauss2": "implicit_midpoint",
    "rungekutta4": "rk4",
    "verlet": "stormer_verlet",
    "leapfrog": "stormer_verlet",
    "lobatto_pair2": "stormer_verlet",
    "sun5": "sun_geng5",
    "radau3": "radau_iia3",
    "rk45": "dormand_prince5",
    "dopri5": "dormand_prince5",
    "tsit5": "tsitouras5",
    "radau_adaptive": "radau5",
    "avf": "avf2",
    "gonzalez": "discrete_gradient",
    "strang": "splitting2",
    "director_em": "quat_em",
    "spark2": "rattle",
    "generalized_alpha": "generalised_alpha",
    "gen_alpha": "generalised_alpha",
    "chung_hulbert": "generalised_alpha",
}


def find_listed(name: str) -> Integrator:
    """An integrator by its name or alias, or made of its name."""
    known = {normalise_name(key) for key in (*BY_NAME, *ALIASES)}
    if "(" not in str(name) and normalise_name(name) in known:
        return find(BY_NAME, name, "integrator", ALIASES)
    if str(name) in BY_NAME:
        return BY_NAME[str(name)]
    made = integrator_from_name(str(name))
    return find(BY_NAME, name, "integrator", ALIASES) if made is None else made
