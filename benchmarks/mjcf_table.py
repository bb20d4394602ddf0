"""The MJCF files of gymnasium and brax: what a model keeps of each, and what has to be dropped.

`python -m benchmarks.mjcf_table`

The packages are only searched for files, never imported: pip install --no-deps gymnasium brax
"""

import warnings
from importlib.util import find_spec
from pathlib import Path

from hamiltree.errors import FileError
from hamiltree.files.mjcf import features_of, read_mjcf

PACKAGES = ("gymnasium", "brax")
HEAD = ("file", "bodies", "degrees of freedom", "to drop, or why refused")


def run() -> list[tuple[str, ...]]:
    return [row(package, path) for package in PACKAGES for path in files_of(package)]


def files_of(package: str) -> list[Path]:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"{package} is not installed; pip install --no-deps {package}")
    return sorted(Path(spec.submodule_search_locations[0]).rglob("*.xml"))


def row(package: str, path: Path) -> tuple[str, ...]:
    name = f"{package}/{path.name}"
    try:
        has, model = features_of(path), read_mjcf(path, drop="all")
    except FileError as error:
        return name, "", "", "refused: " + str(error).removeprefix(str(path)).split("mujoco: ")[-1]
    return name, str(len(model.bodies)), str(len(model.speeds)), ", ".join(has) or "nothing"


def main() -> None:
    # attributes that MuJoCo will give up; they are in the files as published
    warnings.simplefilter("ignore")
    for cells in (HEAD, ("---", "--:", "--:", "---"), *run()):
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
