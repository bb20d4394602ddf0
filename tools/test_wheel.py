"""Install the compiled wheel of dist/ in a fresh environment and see that nothing is compiled.

Each case runs in a process of its own with an empty cache. `--small`: of a wheel made by
`build_wheel.py --small`, which serves `hamiltree demo` alone.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
HOME = ROOT / "build" / "wheel-test"
RUNNER = ROOT / "tools" / "counted_run.py"
PYTHON = HOME / "venv" / "bin" / "python"
MOST_SECONDS = 5.0  # CPU of `hamiltree demo`

ROBOT = """
import tempfile
from pathlib import Path
import numpy as np
import hamiltree as ht

LINK = '''<link name="{0}"><inertial><origin xyz="0 0 -0.2"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>'''
JOINT = '''<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/>
<origin xyz="0 0 -0.4"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="9" velocity="9"/><dynamics damping="0.1"/></joint>'''
links = "".join(LINK.format(name) for name in ("base", "upper", "fore"))
joints = JOINT.format("shoulder", "base", "upper") + JOINT.format("elbow", "upper", "fore")
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "arm.urdf"
    path.write_text(f'<robot name="arm">{links}{joints}</robot>')
    robots = [ht.load(path), ht.load(path, floating_base=True)]
for robot in robots:
    d = ht.dynamics(robot)
    q, qdot = robot.start()
    zero = np.zeros(len(qdot))
    a = d.forward_dynamics(q, qdot)
    assert np.allclose(d.inverse_dynamics(q, qdot, a), zero)
    assert np.allclose(d.mass_matrix(q) @ d.solve(q, zero + 1.0), 1.0)
    d.bias(q, qdot), d.gravity(q), d.factor(q), d.energies(q, qdot), d.momentum_matrix(q)
    d.jacobian(q, "fore"), d.jacobian_rate(q, qdot, "fore"), d.poses(q), d.twists(q, qdot)
    d.mass_matrix(np.tile(q, (9, 1))), d.forward_dynamics(np.tile(q, (9, 1)), np.tile(qdot, (9, 1)))
    d.inverse_derivatives(q, qdot, a), d.forward_derivatives(q, qdot)
"""
TYPED = """
import hamiltree as ht

H = ht.hamiltonian("(px**2 + py**2)/2 + x**2*y - y**3/3", q="x y", p="px py")
start = {"q": [0.1, 0.2], "p": [0.3, 0.1], "progress": False}
for integrator in ("gauss8", "yoshida4", "dop853"):
    ht.simulate(H, until=1, step=0.01, integrator=integrator, **start)
"""
OWN_CODE = """
import numba
before = {name: getattr(numba.config, name) for name in dir(numba.config) if name.isupper()}
import hamiltree as ht

@numba.njit(cache=True)
def total(n):
    found = 0.0
    for k in range(n):
        found += 1.0 / (k + 1)
    return found

first = total(10)
ht.simulate(ht.library.chain(3), until=0.1, progress=False)
assert total(10) == first == total.py_func(10)
after = {name: getattr(numba.config, name) for name in dir(numba.config) if name.isupper()}
assert before == after
"""
CHAIN = """
import hamiltree as ht
run = ht.simulate(ht.library.chain(3), until=0.01, integrator="gauss8", progress=False)
assert run.energy_error < 1e-9
"""


class Case(NamedTuple):
    name: str
    arguments: tuple[str, ...]  # of the command line
    script: str = ""  # or a script
    allowed: str = ""  # beginning of the names of functions that may be compiled
    settings: Mapping[str, str] = MappingProxyType({})
    most_seconds: float = float("inf")


def cli(line: str, **rest) -> Case:
    return Case(f"hamiltree {line}", tuple(line.split()), **rest)


def script(name: str, text: str, **rest) -> Case:
    return Case(name, (), text, **rest)


def with_settings(**settings: str) -> Case:
    named = " ".join(f"{name}={value}" for name, value in settings.items())
    return script(f"a run with {named}", CHAIN, settings=settings)


TETRAHEDRA = f"run {ROOT / 'examples' / 'tetrahedra.toml'} --until 0.5"
SMALL = (
    cli("demo", most_seconds=MOST_SECONDS),
    script("a user's own compiled code", OWN_CODE, allowed="__main__."),
    with_settings(NUMBA_NUM_THREADS="1", NUMBA_CACHE_DIR=str(HOME / "numba")),
)
WHOLE = (
    *SMALL,
    cli(f"compare {ROOT / 'examples' / 'crane.toml'}"),
    cli("run four_bar --until 1"),
    cli(f"{TETRAHEDRA} --formulation free_bodies_quaternion --integrator splitting4"),
    cli(TETRAHEDRA),
    script("dynamics of a robot", ROBOT),
    script("a Hamiltonian that is typed in", TYPED, allowed="hamiltree_expression"),
)


def install() -> None:
    """The wheel for this Python, and what it depends on, in a new environment."""
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    wheels = list((ROOT / "dist").glob(f"hamiltree-*-{tag}-{tag}-linux_x86_64.whl"))
    if len(wheels) != 1:
        raise SystemExit("there is no compiled wheel for this Python in dist/; run `make wheel`")
    shutil.rmtree(HOME, ignore_errors=True)
    venv.create(HOME / "venv", with_pip=True)
    subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", wheels[0]], check=True)


def perform(case: Case, number: int) -> list[str]:
    """Run a case; what is wrong with it."""
    folder = HOME / f"case-{number}"
    folder.mkdir()
    report, file = folder / "report.json", folder / "script.py"
    file.write_text(case.script)
    arguments = ["file", str(file)] if case.script else ["cli", *case.arguments]
    before = cpu_of_children()
    done = subprocess.run(
        [PYTHON, RUNNER, report, *arguments],
        cwd=folder,
        env=environment(folder / "cache", case.settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    seconds = cpu_of_children() - before
    if done.returncode != 0 or not report.exists():
        return [f"it failed with code {done.returncode}:\n{done.stdout}"]
    found = json.loads(report.read_text())
    print(f"{seconds:6.1f} s CPU, {found['loaded']:3} kernels loaded  {case.name}", flush=True)
    return list(faults(case, found, seconds))


def faults(case: Case, found: dict, seconds: float):
    """What is wrong with a case: it compiled something, or it took too long."""
    functions = found["functions"]
    others = [name for name in functions if not case.allowed or not name.startswith(case.allowed)]
    if others:
        yield "it compiled " + ", ".join(others)
    elif found["passes"] and not functions:
        yield f"the compiler ran {found['passes']} passes over something that is no kernel"
    if seconds > case.most_seconds:
        yield f"it took {seconds:.1f} s of CPU, more than {case.most_seconds:g}"


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def environment(cache: Path, settings: Mapping[str, str]) -> dict[str, str]:
    own = ("NUMBA_", "HAMILTREE_", "PYTHON", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    alone = {"HAMILTREE_CACHE_DIR": str(cache), "HAMILTREE_COMPILE_ALONE": "1"}
    return {**kept, **alone, "MPLBACKEND": "Agg", **settings}


def main() -> int:
    """Install the wheel, run all cases, print what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="of a wheel that serves a demo alone")
    cases = SMALL if parser.parse_args().small else WHOLE
    install()
    wrong = 0
    for number, case in enumerate(cases):
        for fault in perform(case, number):
            wrong += 1
            print(f"WRONG {case.name}: {fault}", flush=True)
    print(f"{wrong} faults" if wrong else "nothing was compiled that is not a user's own")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
