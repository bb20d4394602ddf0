"""Reference digits of published problems, by mpmath alone: nothing of hamiltree is used.

`python tools/published_references.py [NAME …]` prints what stands in
src/hamiltree/published/problems/NAME.toml where the digits are no source's: elliptic functions,
Kepler's equation, and equations of motion in few coordinates, integrated by extrapolation with 40
digits at two step sizes. What two ways or two step sizes do not share is not printed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from mpmath import mp, mpf

mp.dps = 40
COLUMNS = 14  # of an extrapolation: its order is twice as high
Vector = list
Rates = Callable[[mpf, Vector], Vector]


def print_digits(title: str, values: dict[str, mpf], others: dict[str, mpf] | None = None) -> None:
    """Twenty digits of each value, or as many as the second computation confirms."""
    print(f"[{title}]")
    for name, value in values.items():
        digits = 20
        if others is not None:
            gap = abs(value - others[name]) / max(abs(value), mpf(10) ** -10)
            digits = min(digits, int(-mp.log10(gap)) if gap else digits)
        print(f'{name} = "{mp.nstr(value, digits)}"')


# ---- extrapolation -------------------------------------------------------------------------------
def extrapolate(f: Rates, t: mpf, y: Vector, h: mpf) -> Vector:
    """One step of Gragg's method with 2, 4, 6, … parts, extrapolated to parts of no length."""
    rows: list[list[Vector]] = []
    for k in range(1, COLUMNS + 1):
        row = [modified_midpoint(f, t, y, h, 2 * k)]
        for j in range(1, k):
            weight = 1 / ((mpf(k) / (k - j)) ** 2 - 1)
            row.append(
                [a + weight * (a - b) for a, b in zip(row[-1], rows[-1][j - 1], strict=True)]
            )
        rows.append(row)
    return rows[-1][-1]


def modified_midpoint(f: Rates, t: mpf, y: Vector, h: mpf, parts: int) -> Vector:
    """Gragg's method with its smoothing step: an error of even powers of the part alone."""
    part = h / parts
    before, now = y, add(y, f(t, y), part)
    for k in range(1, parts):
        before, now = now, add(before, f(t + k * part, now), 2 * part)
    return [(a + b) / 2 for a, b in zip(now, add(before, f(t + h, now), part), strict=True)]


def add(y: Vector, rate: Vector, h: mpf) -> Vector:
    return [a + h * b for a, b in zip(y, rate, strict=True)]


def integrate(f: Rates, y: Sequence, end: float, steps: int) -> Vector:
    """y at the end."""
    h, state = mpf(end) / steps, [mpf(value) for value in y]
    for k in range(steps):
        state = extrapolate(f, k * h, state, h)
    return state


# ---- pendulums -----------------------------------------------------------------------------------
def iftomm_pendulum() -> None:
    """sin(α/2) = k sn(K − ω t), k = sin 45°: from the horizontal at rest, at t = 10."""
    m, omega, t = mpf(1) / 2, mp.sqrt(mpf("9.81")), mpf(10)
    half = mp.asin(mp.sqrt(m) * mp.ellipfun("sn", mp.ellipk(m) - omega * t, m=m))
    found = {"x": -mp.sin(2 * half), "y": -mp.cos(2 * half), "angle": 2 * half}
    print_digits("iftomm_pendulum", found)


def double_four_bar() -> None:
    """α = π + θ of 3 θ̈ = 7/2 g sin θ turns over: α/2 = am(K + Ω t/2), Ω² = 1 + 14 g/3, m = (14
    g/3)/Ω².
    """
    g = mpf("9.81")
    fast = 1 + 14 * g / 3
    m = 14 * g / 3 / fast
    for t in (1, 10):
        u = mp.ellipk(m) + mp.sqrt(fast) * t / 2
        sn, cn = mp.ellipfun("sn", u, m=m), mp.ellipfun("cn", u, m=m)
        found = {"x": -2 * sn * cn, "y": sn**2 - cn**2, "angle": 2 * amplitude(u, m) - mp.pi}
        print_digits(f"double_four_bar, t = {t}", found)


def amplitude(u: mpf, m: mpf) -> mpf:
    """am(u), which grows with u."""
    half = mp.ellipk(m)
    turns = mp.nint(u / (2 * half))
    v = u - 2 * half * turns
    return mp.atan2(mp.ellipfun("sn", v, m=m), mp.ellipfun("cn", v, m=m)) + turns * mp.pi


# ---- tops ----------------------------------------------------------------------------------------
def free_top(inertia: Sequence, omega: Sequence, t: float) -> Vector:
    """ω of a free body by Jacobi's elliptic functions, I₁ < I₂ < I₃.

    Where 2 T I₂ > L² the first axis and the third change places.
    """
    one, two, three = inertia
    T2 = sum(i * w**2 for i, w in zip(inertia, omega, strict=True))
    L2 = sum((i * w) ** 2 for i, w in zip(inertia, omega, strict=True))
    if L2 < T2 * two < T2 * three:
        return free_top(inertia[::-1], omega[::-1], t)[::-1]
    tops = (
        mp.sqrt((T2 * three - L2) / (one * (three - one))),
        mp.sqrt((T2 * three - L2) / (two * (three - two))),
        mp.sqrt((L2 - T2 * one) / (three * (three - one))),
    )
    rate = mp.sqrt((three - two) * (L2 - T2 * one) / (one * two * three))
    m = (two - one) * (T2 * three - L2) / ((three - two) * (L2 - T2 * one))
    # ω₁ = A cn, ω₂ = s B sn, ω₃ = s C dn with s = ±1; the phase from the start
    side = mp.sign(omega[2])
    phase = mp.ellipf(mp.atan2(side * omega[1] / tops[1], omega[0] / tops[0]), m)
    u = rate * t + phase
    sn, cn, dn = (mp.ellipfun(name, u, m=m) for name in ("sn", "cn", "dn"))
    return [tops[0] * cn, side * tops[1] * sn, side * tops[2] * dn]


def euler_rates(inertia: Sequence) -> Rates:
    one, two, three = inertia

    def f(t: mpf, w: Vector) -> Vector:
        return [
            (two - three) / one * w[1] * w[2],
            (three - one) / two * w[2] * w[0],
            (one - two) / three * w[0] * w[1],
        ]

    return f


def check_free_top(title: str, inertia: Vector, omega: Vector, t: float, unit: Vector) -> None:
    """By elliptic functions, confirmed by extrapolation."""
    exact = free_top(inertia, omega, t)
    other = integrate(euler_rates(inertia), omega, t, 40)
    names = ("x", "y", "z")
    values = [
        {name: a * u for name, a, u in zip(names, found, unit, strict=True)}
        for found in (exact, other)
    ]
    print_digits(title, *values)


def discrete_moser_veselov() -> None:
    """Body momenta of the free body of Hairer and Vilmart at t = 10."""
    inertia = [mpf("0.6"), mpf("0.8"), mpf(1)]
    momenta = [mpf("1.8"), mpf("0.4"), mpf("-0.9")]
    omega = [m / i for m, i in zip(momenta, inertia, strict=True)]
    check_free_top("discrete_moser_veselov", inertia, omega, 10, inertia)


def nesc_brick() -> None:
    """Body rates of the tumbling brick at t = 30 s, deg/s."""
    inertia = [mpf("0.001894220"), mpf("0.006211019"), mpf("0.007194665")]
    degree = mp.pi / 180
    check_free_top(
        "nesc_brick", inertia, [10 * degree, 20 * degree, 30 * degree], 30, [1 / degree] * 3
    )


def euler_top() -> None:
    """I = (1, 2, 3), ω = (0.01, 2, 0.01) near its unstable axis, at t = 20."""
    inertia, omega = [mpf(1), mpf(2), mpf(3)], [mpf("0.01"), mpf(2), mpf("0.02")]
    check_free_top("euler_top", inertia, omega, 20, [1, 1, 1])


def heavy_top() -> None:
    """The top of Brüls, Cardona and Arnold: u = cos θ by elliptic functions, its azimuth by
    elliptic integrals; confirmed by extrapolation of Euler's equations.
    """
    for t in (1, 2):
        print_digits(f"heavy_top, t = {t}", lagrange_top(mpf(t)), integrated_top(mpf(t)))


TOP = {"one": mpf("15.234375"), "three": mpf("0.46875"), "weight": mpf(15) * mpf("9.81")}
SPIN, TURN = mpf(150), mpf("-4.61538")


def lagrange_top(t: mpf) -> dict[str, mpf]:
    """Place of the centre of mass, 1 m from the pivot, from rest of θ at u = cos θ = 0.

    u̇² = (2 W/I)(u − u₁) … with the roots of (1 − u²)(c − b u) − (ψ̇₀ − a u)².
    """
    one, three, weight = TOP["one"], TOP["three"], TOP["weight"]
    a, b = three * SPIN / one, 2 * weight / one
    # u̇² = −b u (1 − u²) + ψ̇₀² (1 − u²) − (ψ̇₀ − a u)² = u (b u² − (ψ̇₀² + a²) u + 2 a ψ̇₀ − b)
    middle, low = TURN**2 + a**2, 2 * a * TURN - b
    spread = mp.sqrt(middle**2 - 4 * b * low)
    roots = sorted([mpf(0), (middle - spread) / (2 * b), (middle + spread) / (2 * b)])
    m = (roots[1] - roots[0]) / (roots[2] - roots[0])
    rate = mp.sqrt(b * (roots[2] - roots[0])) / 2
    start = mpf(0) if roots[0] == 0 else mp.ellipk(m)

    end = rate * t + start
    u = roots[0] + (roots[1] - roots[0]) * mp.ellipfun("sn", end, m=m) ** 2
    # ψ̇ = ½ (ψ̇₀ − a)/(1 − u) + ½ (ψ̇₀ + a)/(1 + u): elliptic integrals of the third kind
    azimuth = mpf(0)
    for sign in (-1, 1):
        pole = 1 + sign * roots[0]
        n = -sign * (roots[1] - roots[0]) / pole
        passed = third_kind(n, end, m) - third_kind(n, start, m)
        azimuth += (TURN + sign * a) / (2 * pole * rate) * passed
    aside = mp.sqrt(1 - u**2)
    return {"x": -aside * mp.sin(azimuth), "y": aside * mp.cos(azimuth), "z": u}


def third_kind(n: mpf, u: mpf, m: mpf) -> mpf:
    """∫₀ᵘ dv / (1 − n sn² v)"""
    angle = amplitude(u, m)
    turns = mp.nint(angle / mp.pi)
    return mp.ellippi(n, angle - turns * mp.pi, m) + 2 * turns * mp.ellippi(n, m)


def integrated_top(t: mpf) -> dict[str, mpf]:
    """The same from the axis e and the velocity of its end: I e × ë + I₃ ω₃ ė = −W e × ẑ."""
    one, three, weight = TOP["one"], TOP["three"], TOP["weight"]

    def f(_: mpf, y: Vector) -> Vector:
        e, v = y[:3], y[3:]
        turned = cross(e, v)
        square = sum(a * a for a in v)
        down = [-weight * (k == 2) for k in range(3)]
        along = sum(a * b for a, b in zip(down, e, strict=True))
        across = [a - along * b for a, b in zip(down, e, strict=True)]
        pull = [(a + three * SPIN * b) / one for a, b in zip(across, turned, strict=True)]
        return [*v, *(a - square * b for a, b in zip(pull, e, strict=True))]

    start = [0, 1, 0, -TURN, 0, 0]
    return dict(zip("xyz", integrate(f, start, t, int(60 * t))[:3], strict=True))


def cross(a: Vector, b: Vector) -> Vector:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


# ---- Hamiltonians --------------------------------------------------------------------------------
def kepler() -> None:
    """e = 0.6 from perihelion at t = 20: E − e sin E = t."""
    e, t = mpf("0.6"), mpf(20)
    E = mp.findroot(lambda E: E - e * mp.sin(E) - t, t)
    rate, width = 1 / (1 - e * mp.cos(E)), mp.sqrt(1 - e**2)
    found = {
        "x": mp.cos(E) - e,
        "y": width * mp.sin(E),
        "px": -mp.sin(E) * rate,
        "py": width * mp.cos(E) * rate,
    }
    print_digits("kepler", found)


def henon_heiles() -> None:
    """A regular orbit, (x, y, px, py) = (0.1, 0.1, 0.2, 0.3) at t = 100."""

    def f(_: mpf, z: Vector) -> Vector:
        x, y, px, py = z
        return [px, py, -x - 2 * x * y, -y - x * x + y * y]

    start = [mpf("0.1"), mpf("0.1"), mpf("0.2"), mpf("0.3")]
    coarse, fine = (integrate(f, start, 100, steps) for steps in (100, 140))
    names = ("x", "y", "px", "py")
    print_digits(
        "henon_heiles",
        dict(zip(names, fine, strict=True)),
        dict(zip(names, coarse, strict=True)),
    )


# ---- mechanisms ----------------------------------------------------------------------------------
def car_axis() -> None:
    """Positions, velocities and multipliers of the Test Set's equations at t = 3."""
    found = []
    for steps in (240, 320):
        y = integrate(car_axis_rates, car_axis_start(), 3, steps)
        found.append(dict(zip(CAR_NAMES, [*y, *car_axis_multipliers(mpf(3), y)], strict=True)))
    print_digits("car_axis", found[1], found[0])


CAR_NAMES = ("xl", "yl", "xr", "yr", "vxl", "vyl", "vxr", "vyr", "lambda1", "lambda2")
CAR_MASS, RADIUS, TURNS = mpf("5e-4"), mpf("0.1"), mpf(10)


def car_axis_start() -> Vector:
    return [mpf(0), mpf("0.5"), mpf(1), mpf("0.5"), mpf("-0.5"), mpf(0), mpf("-0.5"), mpf(0)]


def road(t: mpf) -> Vector:
    """(xb, yb) and two derivatives by time."""
    s, c = RADIUS * mp.sin(TURNS * t), RADIUS * TURNS * mp.cos(TURNS * t)
    x = mp.sqrt(1 - s**2)
    rate = -s * c / x
    bend = -(c**2 - s**2 * TURNS**2 + rate**2) / x
    return [x, s, rate, c, bend, -s * TURNS**2]


def car_axis_forces(t: mpf, y: Vector) -> Vector:
    """Springs and gravity on the two ends."""
    xl, yl, xr, yr = y[:4]
    xb, yb = road(t)[:2]
    left, right = mp.hypot(xl, yl), mp.hypot(xr - xb, yr - yb)
    half = mpf(1) / 2
    return [
        (half - left) * xl / left,
        (half - left) * yl / left - CAR_MASS,
        (half - right) * (xr - xb) / right,
        (half - right) * (yr - yb) / right - CAR_MASS,
    ]


def car_axis_multipliers(t: mpf, y: Vector) -> Vector:
    """λ from the second derivatives of both constraints."""
    xl, yl, xr, yr, ul, vl, ur, vr = y
    xb, yb, xd, yd, xdd, ydd = road(t)
    F = car_axis_forces(t, y)
    dx, dy, du, dv = xl - xr, yl - yr, ul - ur, vl - vr
    first = -(2 * (xd * ul + yd * vl) + xdd * xl + ydd * yl) * CAR_MASS - (xb * F[0] + yb * F[1])
    second = -(du**2 + dv**2) * CAR_MASS - (dx * (F[0] - F[2]) + dy * (F[1] - F[3]))
    mixed = xb * dx + yb * dy
    matrix = mp.matrix([[xb**2 + yb**2, 2 * mixed], [mixed, 4 * (dx**2 + dy**2)]])
    found = mp.lu_solve(matrix, mp.matrix([first, second]))
    return [found[0], found[1]]


def car_axis_rates(t: mpf, y: Vector) -> Vector:
    """(q̇, v̇)"""
    one, two = car_axis_multipliers(t, y)
    xb, yb = road(t)[:2]
    F = car_axis_forces(t, y)
    dx, dy = 2 * two * (y[0] - y[2]), 2 * two * (y[1] - y[3])
    total = [F[0] + one * xb + dx, F[1] + one * yb + dy, F[2] - dx, F[3] - dy]
    return [*y[4:], *(force / CAR_MASS for force in total)]


# ---- Bricard's linkage ---------------------------------------------------------------------------
def bricard() -> None:
    """One coordinate, the polar angle τ of (θ, φ) on cos(θ/2) cos(φ/2) = 1/2: the place of the
    hinge between the second rod and the third at t = 1.
    """
    found = []
    for steps in (16, 24):
        tau = integrate(bricard_rates, [mp.pi / 4, mpf(0)], 1, steps)[0]
        found.append(dict(zip("xyz", bricard_frames(tau)[3][0], strict=True)))
    print_digits("bricard", found[1], found[0])


def bricard_angles(tau: mpf) -> tuple[mpf, mpf]:
    """(θ, φ) at this polar angle, by Newton's method."""
    c, s, rho = mp.cos(tau), mp.sin(tau), mpf(2)
    for _ in range(60):
        a, b = rho * c / 2, rho * s / 2
        value = mp.cos(a) * mp.cos(b) - mpf(1) / 2
        slope = -(c * mp.sin(a) * mp.cos(b) + s * mp.cos(a) * mp.sin(b)) / 2
        change = value / slope
        rho -= change
        if abs(change) < mpf(10) ** (5 - mp.dps):
            break
    return rho * c, rho * s


def bricard_frames(tau: mpf) -> list[tuple[Vector, Vector, Vector, Vector]]:
    """(P, x along the link from P, z along the hinge at P, y) of the links 0 … 5.

    P are (0, 0, 1), (0, 0, 0), (1, 0, 0), (1, −1, 0), (1, −1, 1), (0, −1, 1) at the start; the
    link from P0 to P1 is fixed, and the axes of a link are at right angles.
    """
    theta, phi = bricard_angles(tau)
    P, x, z = [mpf(0), mpf(0), mpf(1)], [mpf(0), mpf(0), mpf(-1)], [mpf(-1), mpf(0), mpf(0)]
    y = cross(z, x)
    frames = [(P, x, z, y)]
    for k in range(5):
        angle, sign = (theta, -1) if k % 2 == 0 else (phi, 1)
        P = [a + b for a, b in zip(P, x, strict=True)]
        # the next hinge is turned by a right angle about the link, then by its angle
        z = [-sign * a for a in y]
        y = cross(z, x)
        c, s = mp.cos(angle), mp.sin(angle)
        x = [c * a + s * b for a, b in zip(x, y, strict=True)]
        y = cross(z, x)
        frames.append((P, x, z, y))
    return frames


def bricard_energies(tau: mpf) -> tuple[Vector, mpf]:
    """What the kinetic energy is made of, centres and axes of five rods; the potential energy."""
    frames = bricard_frames(tau)[1:]
    places = [[a + b / 2 for a, b in zip(frame[0], frame[1], strict=True)] for frame in frames]
    height = sum(place[1] for place in places) * mpf("9.81")
    return [*(a for place in places for a in place), *directions(frames)], height


def directions(frames: list) -> Vector:
    """Axes of the rods scaled so that the squares of their rates add up to twice the rotational
    energy: Σ over axes of the second moment of mass.
    """
    along, across = mp.sqrt(mpf(1) / 12), mp.sqrt(mpf("0.01") / 12)
    scaled = []
    for _, x, z, y in frames:
        scaled += [along * a for a in x] + [across * a for a in y] + [across * a for a in z]
    return scaled


def bricard_rates(_: mpf, y: Vector) -> Vector:
    """τ̈ = −(½ M′ τ̇² + V′)/M with M = Σ (dx/dτ)², by differences of order six."""
    tau, rate = y
    step = mpf(10) ** -5
    nodes = [(k, bricard_energies(tau + k * step)) for k in range(-3, 4)]
    firsts = {1: mpf(3) / 4, 2: mpf(-3) / 20, 3: mpf(1) / 60}
    seconds = {0: mpf(-49) / 18, 1: mpf(3) / 2, 2: mpf(-3) / 20, 3: mpf(1) / 90}
    first = combine(nodes, lambda k: mp.sign(k) * firsts.get(abs(k), 0) / step)
    second = combine(nodes, lambda k: seconds[abs(k)] / step**2)
    mass = sum(a * a for a in first[0])
    bend = sum(a * b for a, b in zip(first[0], second[0], strict=True))
    return [rate, -(bend * rate**2 + first[1]) / mass]


def combine(nodes: list, weight: Callable[[int], mpf]) -> tuple[Vector, mpf]:
    """Weighted sums over the nodes of a difference."""
    length = len(nodes[0][1][0])
    sums = [sum(weight(k) * values[i] for k, (values, _) in nodes) for i in range(length)]
    return sums, sum(weight(k) * energy for k, (_, energy) in nodes)


PROBLEMS = (
    iftomm_pendulum, double_four_bar, discrete_moser_veselov, nesc_brick, euler_top, heavy_top,
    kepler, henon_heiles, car_axis, bricard,
)  # fmt: skip


def main() -> None:
    names = sys.argv[1:]
    for problem in PROBLEMS:
        if not names or problem.__name__ in names:
            problem()


if __name__ == "__main__":
    main()
