"""Compositions of a symmetric method, and splittings of a separable H, as exact data.

A composition Φ_{γ_s h} ∘ … ∘ Φ_{γ_1 h} of a symmetric method of order two has a higher order. A
splitting of H = T(p) + V(q) is a sequence of drifts q += a h T_p(p) and kicks p −= b h V_q(q), each
exact and explicit. Both are symplectic if their parts are.
Published values have 15 to 26 digits. Here they have sixty: Newton's method on the order conditions
leads from the printed values to the nearest solution and moves none by more than 3e-13. What
follows from symmetry and from the sums is computed, not written down.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property, reduce
from itertools import cycle, groupby
from typing import NamedTuple

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.integrators.tableaus import DIGITS, decimal, scale_to_sum

DRIFT, KICK = "drift", "kick"


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


# ---- splittings ----------------------------------------------------------------------------------
@dataclass(frozen=True)
class Splitting:
    """Taken in this order: drift a_1, kick b_1, drift a_2, kick b_2, …; a zero drift first or a
    zero kick last is left out.
    """

    name: str
    order: int
    drifts: tuple
    kicks: tuple
    reference: str
    # the order holds only where T is quadratic in p with a constant matrix
    is_nystrom: bool = False

    def __post_init__(self):
        if len(self.drifts) != len(self.kicks):
            raise OptionError(
                f"{self.name}: {len(self.drifts)} drifts and {len(self.kicks)} kicks; pad with a "
                "zero drift first or kick last"
            )
        for field in ("drifts", "kicks"):
            object.__setattr__(
                self, field, scale_to_sum(getattr(self, field), 1, f"{self.name}.{field}")
            )

    @cached_property
    def flows(self) -> tuple:
        """(DRIFT or KICK, its share of h) in the order in which they are taken, without the
        zeros.
        """
        pairs = zip(self.drifts, self.kicks, strict=True)
        return tuple(
            (kind, share)
            for pair in pairs
            for kind, share in zip((DRIFT, KICK), pair, strict=True)
            if share
        )

    @property
    def is_first_same_as_last(self) -> bool:
        """The last flow of a step and the first of the next are of one kind: a force can be used
        twice.
        """
        return self.flows[0][0] == self.flows[-1][0]

    @property
    def stages(self) -> int:
        """Forces computed in a step that follows another."""
        kicks = sum(kind == KICK for kind, _ in self.flows)
        return kicks - (self.is_first_same_as_last and self.flows[0][0] == KICK)

    @cached_property
    def is_symmetric(self) -> bool:
        """The flows are a palindrome: a step back undoes a step forth, and the order is even."""
        return self.flows == self.flows[::-1]


def alternate_flows(kinds: Sequence[str], shares: Sequence) -> list:
    return list(zip(cycle(kinds), shares, strict=False))


def merge_flows(flows: Iterable) -> list:
    """Neighbours of one kind are one flow."""
    return [
        (kind, sum(decimal(share) for _, share in group))
        for kind, group in groupby(flows, key=lambda flow: flow[0])
    ]


def splitting_from_flows(
    name: str, order: int, flows: Iterable, reference: str, is_nystrom: bool = False
) -> Splitting:
    """Any sequence of drifts and kicks as a splitting, padded with zeros to begin with a drift and
    end with a kick.
    """
    with localcontext(prec=DIGITS):
        sequence = merge_flows(flows)
    first = [(DRIFT, 0)] if sequence[0][0] == KICK else []
    last = [(KICK, 0)] if sequence[-1][0] == DRIFT else []
    shares = [share for _, share in (*first, *sequence, *last)]
    return Splitting(name, order, tuple(shares[0::2]), tuple(shares[1::2]), reference, is_nystrom)


def symmetric_splitting(
    name: str,
    order: int,
    kinds: Sequence[str],
    half: Sequence,
    reference: str,
    is_nystrom: bool = False,
) -> Splitting:
    """Shares of alternating kinds, two more that close the sums, and back: ½ − Σ of its kind, then
    in the middle 1 − 2 Σ of its kind.
    """
    with localcontext(prec=DIGITS):
        shares = list(half)
        shares.append(Decimal("0.5") - sum(shares[len(shares) % 2 :: 2]))
        shares.append(1 - 2 * sum(shares[len(shares) % 2 :: 2]))
    return splitting_from_flows(
        name, order, alternate_flows(kinds, (*shares, *shares[-2::-1])), reference, is_nystrom
    )


def compose(composition: Composition, base: Splitting, name: str = "") -> Splitting:
    """The composition of a symmetric splitting, written out: where two steps meet, their flows
    merge.
    """
    if not base.is_symmetric:
        raise OptionError(
            f"{composition.name} composes a symmetric splitting; {base.name} is none: take "
            "stormer_verlet"
        )
    with localcontext(prec=DIGITS):
        flows = [
            (kind, factor * share) for factor in composition.factors for kind, share in base.flows
        ]
    reference = f"{composition.reference}; of {base.name}"
    return splitting_from_flows(
        name or f"{composition.name}_{base.name}", composition.order, flows, reference
    )


def parse_decimals(shares: str) -> list[Decimal]:
    return [Decimal(share) for share in shares.split()]


DRIFT_FIRST, KICK_FIRST = (DRIFT, KICK), (KICK, DRIFT)
STORMER_VERLET = symmetric_splitting(
    "stormer_verlet",
    2,
    KICK_FIRST,
    (),
    "Störmer 1907; Verlet 1967 (velocity form: kick, drift, kick)",
)
LEAPFROG_DKD = symmetric_splitting(
    "leapfrog_dkd",
    2,
    DRIFT_FIRST,
    (),
    "Störmer 1907; Verlet 1967 (position form: drift, kick, drift)",
)
RUTH_3 = splitting_from_flows(
    "ruth3",
    3,
    alternate_flows(
        KICK_FIRST,
        [
            Fraction(7, 24),
            Fraction(2, 3),
            Fraction(3, 4),
            Fraction(-2, 3),
            Fraction(-1, 24),
            Fraction(1),
        ],
    ),
    "Ruth 1983",
)
FOREST_RUTH = compose(triple_jump(4), LEAPFROG_DKD, "forest_ruth")
PEFRL = symmetric_splitting(
    "pefrl",
    4,
    DRIFT_FIRST,
    parse_decimals("""0.17861789584480906705990376708119293678430792135267778478515962
    0.71234183106260540383189045806884039278371416400835056440404144
    -0.066264582669818496278015621764602842537874120205888642906019127"""),
    "Omelyan, Mryglod, Folk 2002",
)


def mclachlan4() -> Splitting:
    """a_1 = (14 − √19)/108, a_2 = (20 − 7√19)/108, b_1 = 2/5, b_2 = −1/10."""
    with localcontext(prec=DIGITS):
        root = Decimal(19).sqrt()
        half = ((14 - root) / 108, Decimal("0.4"), (20 - 7 * root) / 108, Decimal("-0.1"))
    return symmetric_splitting(
        "mclachlan4", 4, DRIFT_FIRST, half, "McLachlan 1995; Hairer, Lubich, Wanner, V.3.1"
    )


MCLACHLAN_4 = mclachlan4()
MCLACHLAN_ATELA_4 = splitting_from_flows(
    "mclachlan_atela4",
    4,
    alternate_flows(
        KICK_FIRST,
        parse_decimals("""0.13449619927743108920548094318528557047041408121852698949131307
        0.51535283743112293640035529843512510876275624221306101913494216
        -0.22481980307942080581654684732036583575581608260849943402322382
        -0.085782019412973646070268733773593839824506828831250245271725086
        0.75632000051566829111174584595831654663898349162841588844913812
        0.4415830236164665242530754763585267213787032997759330375926328
        0.33400360328632142549932005817676371864641850976155655608277263
        0.12884615836538418541683795897994200968304728684225618854415012"""),
    ),
    "McLachlan, Atela 1992",
    is_nystrom=True,
)
BLANES_MOAN_4 = symmetric_splitting(
    "blanes_moan4",
    4,
    DRIFT_FIRST,
    parse_decimals("""0.079203696431195669433663495888268873308019557451909410360783704
    0.2095151066133620212740726400295010169021382161697796616748814
    0.35317290604977398848106131157312105653037087315417544910466519
    -0.14385177317981800827511505785652772564823847105965673087851632
    -0.042065080357719535368110298302517038720409716381964985822173292"""),
    "Blanes, Moan 2002, S6 of order 4",
)
BLANES_MOAN_6 = symmetric_splitting(
    "blanes_moan6",
    6,
    DRIFT_FIRST,
    parse_decimals("""0.050262764400392686021221654402074109406012748832587512611818999
    0.148816447901043231920901005535577588877396719265256810125968
    0.41351430042834381506306372013388443897526941644878845677637014
    -0.13238586576778364744884542659893992157448930942413036337226759
    0.045079889794398062968897052124513471161718022189374027939730746
    0.06730760469218445815025789659260104689936314419934614689945854
    -0.18805485381956891479912848891887054248781887201110769884559634
    0.43266640257817359752766797088354529805818394141430398888360848
    0.54196067845078013483141474093307249634817276333578997573740497"""),
    "Blanes, Moan 2002, S10 of order 6",
)
BLANES_MOAN_NYSTROM_4 = symmetric_splitting(
    # of order four for any T, since symmetric; its small errors are for a quadratic one
    "blanes_moan_nystrom4",
    4,
    KICK_FIRST,
    parse_decimals("""0.082984406417405018838347478942250112494746421542974531665311975
    0.24529895718427116260393242600140088040715523862476733418758704
    0.3963098014983680770949115282636867393960772569564879563049024
    0.60487266571107997496089269764307624522096882552058403069228229
    -0.039056304922348435170865290765379242287610106247893358480175668"""),
    "Blanes, Moan 2002, SRKN6 of order 4 (b)",
)
BLANES_MOAN_NYSTROM_6 = symmetric_splitting(
    "blanes_moan_nystrom6",
    6,
    KICK_FIRST,
    parse_decimals("""0.041464998518262843298778133914704936723936175943344961077765568
    0.12322977594627115156108638033336675259052493506632400217285179
    0.19812867191806654113672647318149696061253521636787924762910514
    0.2905537977995582703664141693279161833302101254937649368428092
    -0.040006192104152686888828363535944839375694177760994167327244939
    -0.12704921262541691566250505382748593447301974790937436416947842
    0.075253984301580341127878878527042755541751208428237835642543548
    -0.24633176106207540419497348910406286259601062828773676158865315
    -0.01151138742068777006244320150128919955259263781007820318689825
    0.35720887279592775261986034961931046283688937146325047064823602"""),
    "Blanes, Moan 2002, SRKN11 of order 6 (b)",
    is_nystrom=True,
)
SPLITTINGS = (
    STORMER_VERLET,
    LEAPFROG_DKD,
    RUTH_3,
    FOREST_RUTH,
    compose(triple_jump(4), STORMER_VERLET, "yoshida4"),
    compose(suzuki(4), STORMER_VERLET, "suzuki4"),
    PEFRL,
    MCLACHLAN_4,
    MCLACHLAN_ATELA_4,
    BLANES_MOAN_4,
    BLANES_MOAN_NYSTROM_4,
    *(
        compose(composition, STORMER_VERLET, composition.name)
        for composition in (YOSHIDA_6, KAHAN_LI_6)
    ),
    BLANES_MOAN_6,
    BLANES_MOAN_NYSTROM_6,
    *(
        compose(composition, STORMER_VERLET, composition.name)
        for composition in COMPOSITIONS
        if composition.order >= 8
    ),
)
