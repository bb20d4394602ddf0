"""Splittings of a separable H = T(p) + V(q), as exact data.

A splitting is a sequence of drifts q += a h T_p(p) and kicks p −= b h V_q(q), each exact, explicit
and symplectic. Coefficients have sixty digits, as those of compositions.py.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from itertools import cycle, groupby

from hamiltree.errors import OptionError
from hamiltree.integrators.compositions import (
    COMPOSITIONS,
    KAHAN_LI_6,
    YOSHIDA_6,
    Composition,
    suzuki,
    triple_jump,
)
from hamiltree.integrators.tableau import DIGITS, decimal, scale_to_sum

DRIFT, KICK = "drift", "kick"


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
        """Check that drifts and kicks pair up, and scale each to the sum one."""
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
