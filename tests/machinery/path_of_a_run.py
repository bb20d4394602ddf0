"""How far a run wanders through the code: functions, modules and changes from module to module
between `simulate` and the Trajectory.

    python -m tests.machinery.path_of_a_run            three runs, each in a process of its own
    python -m tests.machinery.path_of_a_run chain -v   one run, with its way, module by module

Counted is the first call of `simulate` in a fresh process with a warm cache: calls of named
functions of hamiltree, in their order. A change is a call in another module than the call before
it. Imports are not counted, nor what the room `compiled` does: it loads code; nor the verdict on
the trajectory, when it is made.
With `--machine` it is counted, as one module. Workspaces are those that the formulation was asked
for.
"""

import argparse
import json
import subprocess
import sys
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

RUNS = {"chain": "chain(10)", "four_bar": "four_bar()", "particle_chain": "particle_chain(4)"}
UNTIL = 0.05
VERDICT = "run/judgement"


class Route:
    """The calls of named functions under a folder, in order."""

    def __init__(self, root: Path, counts_machine: bool):
        self.root, self.counts_machine = f"{root}/", counts_machine
        self.calls: list[tuple[str, str]] = []
        self.importing = 0
        self.is_made = False  # the trajectory

    def __call__(self, frame: Any, event: str, argument: Any) -> None:
        if event not in ("call", "return"):
            return
        code = frame.f_code
        if code.co_filename.startswith("<frozen importlib"):
            self.importing += 1 if event == "call" else -1
            return
        is_counted = event == "call" and not self.importing and not code.co_name.startswith("<")
        if self.is_made or not is_counted or not code.co_filename.startswith(self.root):
            return
        module = code.co_filename.removeprefix(self.root).removesuffix(".py")
        if module == VERDICT:
            self.is_made = True
            return
        if module.startswith("compiled/"):
            if not self.counts_machine:
                return
            module = "compiled"
        self.calls.append((module, code.co_qualname))

    def counted(self) -> dict[str, int]:
        modules = [module for module, _ in self.calls]
        changes = sum(a != b for a, b in pairwise(modules))
        return {
            "calls": len(modules),
            "functions": len(set(self.calls)),
            "modules": len(set(modules)),
            "changes": changes,
        }

    def way(self) -> str:
        """One line for each stay in a module: what is called first there."""
        stays = [list(stay) for _, stay in groupby(self.calls, key=lambda call: call[0])]
        return "\n".join(
            f"  {stay[0][0]:32} {stay[0][1]}{f' and {len(stay) - 1} more' * (len(stay) > 1)}"
            for stay in stays
        )


def trace(name: str, counts_machine: bool) -> tuple[dict[str, int], str]:
    import hamiltree as ht
    from hamiltree.formulations import FORMULATIONS

    model = eval(RUNS[name], {"__builtins__": {}}, vars(ht.library))  # a text of this file
    workspaces = count_workspaces(FORMULATIONS)
    path = Route(Path(ht.__file__).parent, counts_machine)
    sys.setprofile(path)
    try:
        ht.simulate(model, until=UNTIL, progress=False)
    finally:
        sys.setprofile(None)
    return {**path.counted(), "workspaces": len(workspaces)}, path.way()


def count_workspaces(formulations: Any) -> list[int]:
    """The widths of workspaces that are made from now on."""
    made: list[int] = []
    for formulation in formulations.values():
        original = formulation.workspace

        def workspace(system: Any, width: int = 1, original: Any = original) -> Any:
            made.append(width)
            return original(system, width)

        object.__setattr__(formulation, "workspace", workspace)
    return made


def in_a_fresh_process(name: str, *options: str) -> dict[str, int]:
    """The second of two runs, so that whatever is compiled is in the cache."""
    command = [sys.executable, "-m", "tests.machinery.path_of_a_run", name, "--json", *options]
    for _ in range(2):
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", nargs="?", choices=RUNS)
    parser.add_argument("-v", "--verbose", action="store_true", help="the way, module by module")
    parser.add_argument(
        "--machine", action="store_true", help="count the room `compiled`, as one module"
    )
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if asked.run is None:
        for name in RUNS:
            print(name, in_a_fresh_process(name, *["--machine"] * asked.machine))
        return
    counted, way = trace(asked.run, asked.machine)
    print(json.dumps(counted) if asked.json else counted)
    if asked.verbose:
        print(way)


if __name__ == "__main__":
    main()
