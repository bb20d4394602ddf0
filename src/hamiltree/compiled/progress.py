"""The wait for the compiler, shown: what is compiled, how many of how many, for how long.

Nothing is said when nothing compiles.

On a terminal one line that changes; elsewhere a line when it has gone on for PATIENCE and one at
the end.
"""

from collections.abc import Iterable

from hamiltree.compiled.fingerprint import qualified_name
from hamiltree.compiled.internals import LISTENERS
from hamiltree.console import Spinner, tell

DISPLAYS: list["CompileProgress"] = []  # the outermost first: it alone counts and speaks


class CompileProgress:
    """What is compiled inside is counted and, if wanted, shown. Inside another one it joins that.

    `idle_message` says what goes on when nothing is compiled; without it nothing is said then.
    """

    def __init__(self, wanted: bool = True, idle_message: str = ""):
        """Nothing compiled yet; shown if wanted."""
        self.idle_message, self.spinner = idle_message, Spinner(wanted, self.__str__)
        self.done = 0
        self.expected = 0
        self.name = ""
        self.is_alone = False
        self.is_counted = False
        # places of loops that will be needed, and that somebody compiles
        self.loops: set[str] = set()

    def __enter__(self) -> "CompileProgress":
        DISPLAYS.append(self)
        if self.idle_message and DISPLAYS[0] is self:
            self.spinner.__enter__()
        return self

    def __exit__(self, *error) -> None:
        """Say how many kernels were compiled, if that was shown at all."""
        DISPLAYS.remove(self)
        self.spinner.__exit__()
        if self.spinner.was_shown and error and isinstance(error[1], KeyboardInterrupt):
            tell(f"hamiltree: interrupted while compiling; {count_kernels(self.done)} kept")
        elif self.spinner.was_shown and self.done:
            tell(
                f"hamiltree: compiled {count_kernels(self.done + len(self.loops))} in "
                f"{self.spinner.seconds:.0f} s"
            )

    def expect(self, count: int) -> None:
        """So many kernels are about to be compiled."""
        self.expected = max(self.expected, self.done + count)

    def begin(self, name: str, place: str) -> None:
        self.name = name
        self.loops.discard(place)
        self.expected = max(self.expected, self.done + 1)
        self.spinner.__enter__()

    def end(self) -> None:
        self.done, self.name = self.done + 1, ""

    def __str__(self) -> str:
        if not self.name:
            return self.idle_message or f"compiled {self.done} of {self.total}"
        return f"compiling {self.done + 1} of {self.total}, once on this machine: {self.name}"

    @property
    def total(self) -> str:
        """How many there will be; before that is known, how many are known of."""
        return (
            f"{max(self.expected, self.done + bool(self.name)) + len(self.loops)}"
            f"{'' if self.is_counted else ' so far'}"
        )


def count_kernels(count: int) -> str:
    return f"{count} kernel{'s' * (count != 1)}"


def expect(count: int) -> None:
    for shown in DISPLAYS[:1]:
        shown.expect(count)


def expect_no_more() -> None:
    """What is expected now is all that a run will need."""
    for shown in DISPLAYS[:1]:
        shown.is_counted = not shown.idle_message  # several runs inside have more


def expect_loops(places: Iterable[str]) -> None:
    """They will be compiled, here or by a second process."""
    for shown in DISPLAYS[:1]:
        shown.loops.update(places)


def name_of(dispatcher) -> str:
    """A kernel as a person may know it."""
    function = dispatcher.py_func
    if function.__module__.startswith("hamiltree_expression"):
        return "the formula"
    return (
        f"{function.__qualname__.removesuffix('.entry')} "
        f"({function.__module__.removeprefix('hamiltree.')})"
    )


def begin(name: str, place: str = "") -> None:
    """Something is compiled, here or by another process that this one waits for."""
    if not DISPLAYS:
        DISPLAYS.append(CompileProgress())
        DISPLAYS[0].is_alone = DISPLAYS[0].is_counted = True
    DISPLAYS[0].begin(name, place)


def end() -> None:
    shown = DISPLAYS[0]
    shown.end()
    if shown.is_alone:
        shown.__exit__()


def on_compile_event(dispatcher, is_start: bool, depth: int) -> None:
    """Numba begins or ends to compile; only what was asked for by itself counts, not its parts."""
    if depth > 1 or not (DISPLAYS or dispatcher.py_func.__module__.startswith("hamiltree")):
        return  # a part, or a function of the user's own
    if is_start:
        begin(name_of(dispatcher), qualified_name(dispatcher))
    elif DISPLAYS:
        end()


LISTENERS.append(on_compile_event)
