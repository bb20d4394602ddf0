"""Explicit pairs as exact data: a step, an estimate of its error, and a polynomial between its
ends.

K_i = f(t + c_i h, y + h Σ_j a_ij K_j), y⁺ = y + h Σ b_i K_i, error ≈ h Σ e_i K_i,
y(t + θh) = y + h Σ_i K_i Σ_k P_ik θ^(k+1).
Published decimals are scaled so that rows sum to c and weights to one exactly; Fractions are what
they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction as F
from functools import cached_property

from hamiltree.errors import OptionError
from hamiltree.integrators import dop853_table
from hamiltree.integrators.tableau import DIGITS, PUBLISHED_ACCURACY, Tableau, decimal, scale_to_sum


@dataclass(frozen=True)
class EmbeddedPair:
    """All stages in one square a: those of the step, f(y⁺) if its row is there, those that only the
    dense output needs.

    b, error and second_error may be shorter than c: what is missing is zero. dense[i][k] is P_ik.
    """

    name: str
    order: int
    error_order: int  # the error estimate falls as h^(error_order + 1)
    dense_order: int
    a: tuple
    b: tuple
    c: tuple
    error: tuple  # b − b̂
    dense: tuple
    reference: str
    # DOP853 alone: of a formula of low order, against an estimate that is small by chance
    second_error: tuple = ()

    def __post_init__(self):
        """Pad short rows with zeros and scale rows to c, weights to one, in 60 digits."""
        with localcontext(prec=DIGITS):
            for field in ("b", "error", "second_error"):
                object.__setattr__(self, field, pad_with_zeros(getattr(self, field), len(self.c)))
            c = tuple(map(decimal, self.c))
            rows = tuple(
                scale_to_sum(pad_with_zeros(row, len(c)), x, f"{self.name}, stage {i}")
                for i, (row, x) in enumerate(zip(self.a, c, strict=True))
            )
            exact_fields = {
                "a": rows,
                "b": scale_to_sum(self.b, 1, f"{self.name}, weights"),
                "c": c,
            }
            exact_fields["dense"] = tuple(tuple(map(decimal, row)) for row in self.dense)
        for field, value in exact_fields.items():
            object.__setattr__(self, field, value)
        self.check()

    def check(self) -> None:
        """Error weights sum to zero, a is explicit, dense output has one row per stage."""
        for field in ("error", "second_error"):
            if abs(sum(getattr(self, field))) > PUBLISHED_ACCURACY:
                raise OptionError(
                    f"{self.name}: the weights of {field} do not sum to zero; look for a wrong "
                    "digit"
                )
        if any(x for i, row in enumerate(self.a) for x in row[i:]):
            raise OptionError(
                f"{self.name}: a stage uses itself or a later one; a pair is explicit, its a zero "
                "on and above the diagonal"
            )
        if len(self.dense) != len(self.c):
            raise OptionError(
                f"{self.name}: {len(self.dense)} rows of dense output for {len(self.c)} stages; "
                "give one per stage"
            )

    @cached_property
    def stages(self) -> int:
        """How many slopes y⁺ takes."""
        return nonzero_length(self.b)

    @cached_property
    def error_stages(self) -> int:
        """How many slopes the error estimate takes."""
        return max(self.stages, nonzero_length(self.error), nonzero_length(self.second_error))

    @property
    def dense_stages(self) -> int:
        """How many slopes the dense output takes."""
        return len(self.c)

    @cached_property
    def is_fsal(self) -> bool:
        """The stage after those of the step is f(y⁺), the first slope of the next step."""
        return (
            self.stages < len(self.c) and self.c[self.stages] == 1 and self.a[self.stages] == self.b
        )

    @cached_property
    def tableau(self) -> Tableau:
        """The main formula alone, for steps of fixed size."""
        s = self.stages
        return Tableau(
            self.name,
            self.order,
            tuple(row[:s] for row in self.a[:s]),
            self.b[:s],
            self.c[:s],
            self.reference,
        )


def pad_with_zeros(values: Sequence, length: int) -> tuple:
    return (*map(decimal, values), *[Decimal(0)] * (length - len(values)))


def nonzero_length(values: Sequence) -> int:
    """One more than the place of the last value that is not zero."""
    return max((i + 1 for i, x in enumerate(values) if x), default=0)


# ---- Dormand–Prince 5(4) -------------------------------------------------------------------------
DORMAND_PRINCE_WEIGHTS = (F(35, 384), 0, F(500, 1113), F(125, 192), F(-2187, 6784), F(11, 84))
DORMAND_PRINCE_5 = EmbeddedPair(
    "dormand_prince5",
    order=5,
    error_order=4,
    dense_order=4,
    a=(
        (),
        (F(1, 5),),
        (F(3, 40), F(9, 40)),
        (F(44, 45), F(-56, 15), F(32, 9)),
        (F(19372, 6561), F(-25360, 2187), F(64448, 6561), F(-212, 729)),
        (F(9017, 3168), F(-355, 33), F(46732, 5247), F(49, 176), F(-5103, 18656)),
        DORMAND_PRINCE_WEIGHTS,
    ),
    b=DORMAND_PRINCE_WEIGHTS,
    c=(0, F(1, 5), F(3, 10), F(4, 5), F(8, 9), 1, 1),
    error=(F(71, 57600), 0, F(-71, 16695), F(71, 1920), F(-17253, 339200), F(22, 525), F(-1, 40)),
    dense=(
        (1, F(-8048581381, 2820520608), F(8663915743, 2820520608), F(-12715105075, 11282082432)),
        (0, 0, 0, 0),
        (
            0,
            F(131558114200, 32700410799),
            F(-68118460800, 10900136933),
            F(87487479700, 32700410799),
        ),
        (0, F(-1754552775, 470086768), F(14199869525, 1410260304), F(-10690763975, 1880347072)),
        (
            0,
            F(127303824393, 49829197408),
            F(-318862633887, 49829197408),
            F(701980252875, 199316789632),
        ),
        (0, F(-282668133, 205662961), F(2019193451, 616988883), F(-1453857185, 822651844)),
        (0, F(40617522, 29380423), F(-110615467, 29380423), F(69997945, 29380423)),
    ),
    reference="Dormand, Prince 1980; dense output: Shampine 1986",
)


# ---- Tsitouras 5(4) ------------------------------------------------------------------------------
def dense_output_row(second, weight: Decimal, slopes: tuple[int, int]) -> tuple:
    """Σ_k P_k θ^(k+1) of degree four from its coefficient of θ²: Σ P_k = b, and the derivatives at
    both ends are given.

    y(t + h) = y⁺, and the pieces join with their slopes.
    """
    first, second = Decimal(slopes[0]), decimal(second)
    rest, rest_slope = weight - first - second, slopes[1] - first - 2 * second
    return first, second, 4 * rest - rest_slope, rest_slope - 3 * rest


def parse_table(text: str) -> list[list[str]]:
    """Words of each line: one row per line."""
    return [line.split() for line in text.strip().splitlines()]


TSITOURAS_ROWS = parse_table("""
    0.161
    -0.008480655492356989 0.335480655492357
    2.8971530571054935 -6.359448489975075 4.3622954328695815
    5.325864828439257 -11.748883564062828 7.4955393428898365 -0.09249506636175525
    5.86145544294642 -12.92096931784711 8.159367898576159 -0.071584973281401 -0.028269050394068383
    0.09646076681806523 0.01 0.4798896504144996 1.379008574103742 -3.290069515436081 \
        2.324710524099774
""")
TSITOURAS_ERROR = parse_table("""
    0.00178001105222577714 0.0008164344596567469 -0.007880878010261995 0.1447110071732629 \
    -0.5823571654525552 0.45808210592918697
""")[0]
TSITOURAS_SECOND = parse_table("""
    -2.763706197274826 0.1317 3.9302962368947516 -12.411077166933676 37.50931341651104 \
    -27.896526289197286 1.5
""")[0]


def tsitouras() -> EmbeddedPair:
    """Sixteen digits, as published: order conditions hold to 1e-14.

    The row of f(y⁺) is that of the weights.

    Of the dense output only the coefficients of θ² are free.
    """
    b = scale_to_sum((*TSITOURAS_ROWS[-1], 0), 1, "tsitouras5, weights")
    with localcontext(prec=DIGITS):
        pairs = zip(TSITOURAS_SECOND, b, strict=True)
        dense = tuple(
            dense_output_row(second, weight, (int(i == 0), int(i == 6)))
            for i, (second, weight) in enumerate(pairs)
        )
    return EmbeddedPair(
        "tsitouras5",
        order=5,
        error_order=4,
        dense_order=4,
        a=((), *TSITOURAS_ROWS[:-1], b),
        b=b,
        c=(0, "0.161", "0.327", "0.9", "0.9800255409045097", 1, 1),
        error=(*TSITOURAS_ERROR, F(-1, 66)),
        dense=dense,
        reference="Tsitouras 2011",
    )


# ---- DOP853 --------------------------------------------------------------------------------------
STEP_STAGES = 12


def expand_row(row: Mapping[int, str], length: int) -> tuple:
    return tuple(Decimal(row.get(j, 0)) for j in range(length))


def nested_polynomials(count: int) -> list[list[int]]:
    """θ, θ(1 − θ), θ²(1 − θ), θ²(1 − θ)², …: the coefficients of θ, θ², …, θ^count."""
    polynomials, last = [], [0, 1]
    for m in range(count):
        polynomials.append([*last[1:], *[0] * (count + 1 - len(last))])
        last = [0, *last] if m % 2 else [x - y for x, y in zip([*last, 0], [0, *last], strict=True)]
    return polynomials


def nested_contributions(b: Sequence, count: int) -> list:
    """What the slopes contribute to F_0 … F_6 of y + θ(F_0 + (1 − θ)(F_1 + θ(F_2 + …))): Hairer,
    Nørsett, Wanner, (6.13) and (6.14).
    """
    first, last = ([Decimal(i == place) for i in range(count)] for place in (0, STEP_STAGES))
    rise = b
    begin = [k - x for k, x in zip(first, b, strict=True)]
    end = [2 * x - k - other for x, k, other in zip(b, first, last, strict=True)]
    return [rise, begin, end, *(expand_row(row, count) for row in dop853_table.DENSE)]


def dormand_prince_8() -> EmbeddedPair:
    """Twelve stages; two error estimates, whose norms n5 and n3 are to be combined as
    h n5² / √(n5² + 0.01 n3²) = O(h⁸).
    """
    count = len(dop853_table.C)
    with localcontext(prec=DIGITS):
        a = tuple(expand_row(row, count) for row in dop853_table.A)
        b = scale_to_sum(a[STEP_STAGES], 1, "dop853, weights")
        contributions, polynomials = nested_contributions(b, count), nested_polynomials(7)
        dense = tuple(
            tuple(
                sum(part[i] * g[k] for part, g in zip(contributions, polynomials, strict=True))
                for k in range(7)
            )
            for i in range(count)
        )
        third = scale_to_sum(
            expand_row(dop853_table.WEIGHTS_3, count), 1, "dop853, weights of order three"
        )
        return EmbeddedPair(
            "dop853",
            order=8,
            error_order=7,
            dense_order=7,
            a=a,
            b=b,
            c=dop853_table.C,
            error=expand_row(dop853_table.ERROR_5, count),
            dense=dense,
            reference="Dormand, Prince 1981; Hairer, Nørsett, Wanner, II.5 and II.6",
            second_error=tuple(x - y for x, y in zip(b, third, strict=True)),
        )


TSITOURAS_5, DOP853 = tsitouras(), dormand_prince_8()
PAIRS = (DORMAND_PRINCE_5, TSITOURAS_5, DOP853)
