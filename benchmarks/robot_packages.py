"""How the URDF and MJCF files of packages on PyPI load, as Markdown tables:
python -m benchmarks.robot_packages CACHE [package …] [--files]

Packages are downloaded into the folder CACHE and unpacked there, without their code; nothing of
them is run. A package may also be a folder. Numbers are compared with Pinocchio and MuJoCo.
"""

import argparse
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from benchmarks.robot_files import Reading, read_all

PACKAGES = (
    *("brax", "dm_control", "drake", "example-robot-data", "genesis-world", "gymnasium"),
    *("gymnasium-robotics", "icub-models", "mani_skill", "manipulapy", "manipulation"),
    *("metaworld", "mujoco-mjx", "myosuite", "playground", "pybullet", "pyroboplan"),
    *("robohive", "robosuite", "robosuite_models", "rtb-data", "safety-gymnasium"),
    *("upkie_description",),
)
CODE = (".py", ".pyc", ".so", ".a", ".dll", ".pyd")
WAYS = {
    "URDF": ("as given", "merged", "repaired", "mimic ignored"),
    "MJCF": ("as given", "with drop"),
}
FLAGS = {"URDF": "lacks_inertia", "MJCF": "needs_root"}
PROGRAMS = {"URDF": "Pinocchio", "MJCF": "MuJoCo"}


def fetch(package: str, cache: Path) -> tuple[str, Path]:
    """(name and version, folder) of a package; its wheel is downloaded and unpacked once."""
    if Path(package).is_dir():
        return Path(package).name, Path(package)
    wheels = cache / "wheels" / package
    if not any(wheels.glob("*.whl")):
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet"]
        subprocess.run(
            [*command, "--only-binary", ":all:", "--dest", str(wheels), package], check=True
        )
    wheel = next(wheels.glob("*.whl"))
    folder = cache / "unpacked" / wheel.stem
    if not folder.exists():
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if not name.endswith(CODE)]
            archive.extractall(folder, [name for name in names if ".so." not in name])
    return f"{package} {wheel.stem.split('-')[1]}", folder


def summary(kind: str, readings: Iterable[Reading]) -> list[str]:
    """The cells of a package: files, ways, refusals, and the largest deviation."""
    readings = list(readings)
    good = [found for found in readings if not found.reference]
    ways = Counter(found.way for found in good)
    refused = [found for found in good if not found.way]
    compared = [found.deviation for found in good if found.deviation is not None]
    return [
        str(len(readings)),
        str(len(good)),
        *(str(ways[way]) for way in WAYS[kind]),
        str(sum(getattr(found, FLAGS[kind]) for found in good)),
        str(len(refused)),
        str(sum(bool(found.way) for found in readings if found.reference)),
        f"{len(compared)}: {max(compared):.0e}" if compared else "",
    ]


def print_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    head = list(head)
    for cells in (head, ["---"] * len(head), *rows):
        print(f"| {' | '.join(cells)} |")
    print()


def print_summary(kind: str, found: dict[str, list[Reading]]) -> None:
    """One row for each package, then why files are refused."""
    program = PROGRAMS[kind]
    head = ["package", "files", f"read by {program}", *WAYS[kind]]
    head += ["with root" if kind == "MJCF" else "a joint moves no mass"]
    head += ["refused", f"loaded, not by {program}", f"compared with {program}: largest deviation"]
    rows = [[package, *summary(kind, readings)] for package, readings in found.items()]
    everything = [reading for readings in found.values() for reading in readings]
    print_table(head, [*rows, ["all", *summary(kind, everything)]])
    unlike = [found for found in everything if found.reason and not found.reference]
    if kind == "URDF":
        print_table(
            ["file", "loads", "not as given, because"],
            [[f"`{name_of(one.path)}`", one.way or "not", one.reason] for one in unlike],
        )
    lost = Counter(reason_of(reading) for reading in unlike if not reading.way)
    print_table(["refused, because", "files"], [[why, str(n)] for why, n in lost.most_common()])
    remarks = Counter(reading.remark for reading in everything if reading.remark)
    print_table(["remark", "files"], [[what, str(n)] for what, n in remarks.most_common()])


def name_of(path: Path) -> str:
    """The path below the folder that a wheel is unpacked in, its last four folders at most."""
    parts = path.parts[path.parts.index("unpacked") + 2 :] if "unpacked" in path.parts else ()
    return "/".join((parts or path.parts)[-4:])


def reason_of(reading: Reading) -> str:
    """A reason without the names of parts and the line."""
    words = reading.reason.split(": ")
    return words[-1] if len(words) > 1 else reading.reason


def print_files(kind: str, package: str, folder: Path, readings: list[Reading]) -> None:
    """One row for each file of a package."""
    print(f"### {package}, {kind}\n")
    rows = []
    for found in readings:
        status = found.way or "refused"
        status += f", dropped: {found.dropped}" if found.dropped else ""
        status += f"; as given refused: {found.reason}" if found.reason and found.way else ""
        status += f": {found.reason}" if found.reason and not found.way else ""
        status += f"; {PROGRAMS[kind]}: {found.reference}" if found.reference else ""
        status += f"; {found.remark}" if found.remark else ""
        off = "" if found.deviation is None else f"{found.deviation:.0e}"
        name = f"`{found.path.relative_to(folder)}`"
        rows.append([name, str(found.bodies), str(found.speeds), off, status])
    print_table(["file", "bodies", "speeds", "deviation", ""], rows)


def main() -> None:
    """Fetch the packages, read all their files, print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.robot_packages", description=__doc__.splitlines()[0]
    )
    parser.add_argument("cache", type=Path, help="the folder for what is downloaded")
    parser.add_argument("packages", nargs="*", help="names on PyPI, or folders")
    parser.add_argument("--files", action="store_true", help="one row for each file as well")
    chosen = parser.parse_args()
    found: dict[str, dict[str, list[Reading]]] = {"URDF": {}, "MJCF": {}}
    for package in chosen.packages or PACKAGES:
        title, folder = fetch(package, chosen.cache)
        print(f"{title} …", file=sys.stderr, flush=True)
        for kind, reading in read_all(folder.resolve()):
            found[kind].setdefault(title, []).append(reading)
        for kind, readings in found.items():
            if chosen.files and title in readings:
                print_files(kind, title, folder.resolve(), readings[title])
    for kind, readings in found.items():
        print(f"### {kind}\n")
        print_summary(kind, readings)


if __name__ == "__main__":
    main()
