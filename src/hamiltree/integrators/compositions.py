"""Compositions of a symmetric method, as exact data.

A composition Φ_{γ_s h} ∘ … ∘ Φ_{γ_1 h} of a symmetric method of order two has a higher order; it is
symplectic if the method is.
Published values have 15 to 26 digits. Here they have sixty: Newton's method on the order conditions
leads from the printed values to the nearest solution and moves none by more than 3e-13. What
follows from symmetry and from the sums is computed, not written down.
"""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property, reduce
from typing import NamedTuple

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.integrators.tableau import DIGITS, scale_to_sum


class Substeps(NamedTuple):
    """The parts of a step that a composition takes one after the other."""

    factors: np.ndarray  # γ
    starts: np.ndarray  # where each begins, in parts of the step
    ratios: np.ndarray  # length of the next in parts of this one


def substeps_of(factors=(1,)) -> Substeps:
    with localcontext(prec=DIGITS):
        gamma = [Decimal(factor) for factor in factors]
        starts = [sum(gamma[:k]) for k in range(len(gamma))]
    return Substeps(*(np.array(row, dtype=float) for row in (gamma, starts, ratios_of(factors))))


def ratios_of(factors) -> list[Decimal]:
    """The length of the next substep in parts of each; after the last comes the first."""
    with localcontext(prec=DIGITS):
        return [
            Decimal(after) / Decimal(this)
            for this, after in zip(factors, (*factors[1:], factors[0]), strict=True)
        ]


# ---- compositions --------------------------------------------------------------------------------
@dataclass(frozen=True)
class Composition:
    """Steps γ_1 h, γ_2 h, … of a symmetric method of order two, in the order in which they are
    taken.
    """

    name: str
    order: int
    factors: tuple
    reference: str

    def __post_init__(self):
        object.__setattr__(self, "factors", scale_to_sum(self.factors, 1, self.name))

    @property
    def stages(self) -> int:
        return len(self.factors)

    @cached_property
    def is_symmetric(self) -> bool:
        """γ palindromic: a step back undoes a step forth, and the order is even."""
        return self.factors == self.factors[::-1]


def palindrome(name: str, order: int, half: str, reference: str) -> Composition:
    """γ_1 … γ_k typed, the middle 1 − 2 Σ γ, and back."""
    with localcontext(prec=DIGITS):
        factors = tuple(map(Decimal, half.split()))
        return Composition(name, order, (*factors, 1 - 2 * sum(factors), *factors[::-1]), reference)


def check_even(name: str, order: int) -> None:
    if order < 2 or order % 2:
        raise OptionError(
            f"{name}: order {order} asked for; a composition of symmetric methods has an even "
            "order, 2 or more"
        )


def nest_composition(name: str, order: int, factors_of, reference: str) -> Composition:
    """The rule that raises the order p to p + 2, applied from two on: each step becomes a
    composition itself.
    """
    check_even(name, order)
    with localcontext(prec=DIGITS):
        rules = [factors_of(p) for p in range(2, order, 2)]
        factors = reduce(
            lambda inner, outer: tuple(x * y for x in outer for y in inner), rules, (Decimal(1),)
        )
    return Composition(name, order, factors, reference)


def triple_jump_factors(p: int) -> tuple[Decimal, ...]:
    """γ, 1 − 2γ, γ with 2γ^(p+1) + (1 − 2γ)^(p+1) = 0"""
    gamma = 1 / (2 - Decimal(2) ** (1 / Decimal(p + 1)))
    return gamma, 1 - 2 * gamma, gamma


def suzuki_factors(p: int) -> tuple[Decimal, ...]:
    """γ, γ, 1 − 4γ, γ, γ with 4γ^(p+1) + (1 − 4γ)^(p+1) = 0"""
    gamma = 1 / (4 - Decimal(4) ** (1 / Decimal(p + 1)))
    return gamma, gamma, 1 - 4 * gamma, gamma, gamma


def triple_jump(order: int) -> Composition:
    """3^(order/2 − 1) steps, some long and backward: simple, and the least accurate."""
    return nest_composition(
        f"triple_jump{order}",
        order,
        triple_jump_factors,
        "Creutz, Gocksch 1989; Suzuki 1990; Yoshida 1990",
    )


def suzuki(order: int) -> Composition:
    """5^(order/2 − 1) steps, none longer than h: more work, far smaller errors."""
    return nest_composition(f"suzuki{order}", order, suzuki_factors, "Suzuki 1990")


def raise_order_by_triple_jump(p: int) -> Composition:
    """Three steps of any symmetric method of order p: order p + 2."""
    with localcontext(prec=DIGITS):
        return Composition(
            f"triple_jump{p + 2}",
            p + 2,
            triple_jump_factors(p),
            "Creutz, Gocksch 1989; Suzuki 1990; Yoshida 1990",
        )


def raise_order_by_suzuki(p: int) -> Composition:
    """Five steps of any symmetric method of order p: order p + 2."""
    with localcontext(prec=DIGITS):
        return Composition(f"suzuki{p + 2}", p + 2, suzuki_factors(p), "Suzuki 1990")


YOSHIDA_6 = palindrome(
    "yoshida6",
    6,
    """0.7845136104775572638194976338663498757768244174514933845679478
    0.23557321335935813368479318297853460168646808210340111900349313
    -1.1776799841788710069464156809643157346392692526345984844753685""",
    "Yoshida 1990, Table 1, solution A",
)
KAHAN_LI_6 = palindrome(
    "kahan_li6",
    6,
    """0.39216144400731413927925055742267140380493426088797575244198482
    0.33259913678935943859974863750004964688158694434032559980839157
    -0.7062461725576393598099648195492564593955106668261956090045566
    0.082213596293550800231490448102056331103293891270607049210350418""",
    "Kahan, Li 1997; Hairer, Lubich, Wanner, V.3.2",
)
YOSHIDA_8 = palindrome(
    "yoshida8",
    8,
    """0.91484424622979156674879348984750960451811970872885837179725993
    0.2536933365662113541461460206899420760976531647324740966322676
    -1.4448522368606051576947306575373903549559101017955056024889062
    -0.15824063536805017520406677675975424775544511567575156808209837
    1.9381391376225259865791864874436417609535933574476502720727931
    -1.9606102329753108076076333763996636407924328198260053019104148
    0.10279984939179644069811513160122586291101560127844276827170206""",
    "Yoshida 1990, Table 2, solution D",
)
MCLACHLAN_8 = palindrome(
    "mclachlan8",
    8,
    """0.74167036435061295344822780178380631560353651007986059023993175
    -0.40910082580003159399730009589356341730991783023481362129156199
    0.19075471029623837995387625645037166273546053987251027586523341
    -0.57386247111608226665638772663553574215950905433326940855866111
    0.29906418130365592384446354068860298822582288529462398274638553
    0.33462491824529818378495797988218228863369191631046121653744172
    0.31529309239676659663205666381100243099408086471721386344545316""",
    "Suzuki, Umeno 1993; McLachlan 1995; Hairer, Lubich, Wanner, V.3.2",
)
KAHAN_LI_8 = palindrome(
    "kahan_li8",
    8,
    """0.13020248308889008087881763209670052235724723381457407255103248
    0.56116298177510838456196440770015056726615935434099541436224391
    -0.3894749626448472864080785982352483888360680467715762472567424
    0.15884190655515560089621074570715248141214780943123190153096401
    -0.39590389413323757733623153934793893602677148542676501173906906
    0.18453964097831570709183254153337546281898734415031201402608159
    0.25837438768632204729397910999493947181307620895216706382391603
    0.29501172360931029887096624021822811297654323035150521610514794""",
    "Kahan, Li 1997; Hairer, Lubich, Wanner, V.3.2",
)
SOFRONIOU_SPALETTA_10 = palindrome(
    "sofroniou_spaletta10",
    10,
    """0.078795722521686419263907679338289606665525627664044586605892563
    0.31309610341510852776481247192025682146180252205118538537878142
    0.027918383235078066109520273265949447508711510702640125781217011
    -0.22959284159390709415121339680112270483693104314378788170698123
    0.13096206107716486317465685929215836354944768295576953576398865
    -0.2697334056545107143446097322172866236480993484487780383626715
    0.074973343155891435666137105639058713503758924554569776666399074
    0.1119934239998102048895750807372699052772668742758231619699056
    0.36613344954622675119314812353714694600902180723859325004764877
    -0.39910563013603589787862981058401555689608229209271853721880946
    0.10308739852747107731580276999450387228437500763457413901642195
    0.41143087395589023782070411897747778689794029774186052070031914
    -0.0048663605831352617621956593077424091247242613702879814023735205
    -0.39203335370863990644808193642998014162971907595043262864290282
    0.051942502962449647037182904831404243147260832269700483216312977
    0.050665090759924496335874342509694873941040713991406413937919531
    0.049674370639729879054568800666664794601876293212923547111955654""",
    "Sofroniou, Spaletta 2005; Hairer, Lubich, Wanner, V.3.2",
)
COMPOSITIONS = (
    triple_jump(4),
    suzuki(4),
    YOSHIDA_6,
    KAHAN_LI_6,
    YOSHIDA_8,
    MCLACHLAN_8,
    KAHAN_LI_8,
    SOFRONIOU_SPALETTA_10,
)
