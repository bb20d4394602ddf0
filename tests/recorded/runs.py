"""The list of recorded runs: every formulation, family of integrators, force and joint.

Only the public interface is used, so that the list outlives what lies behind it. A run is short and
not chaotic: a start that is changed by 1e-13 changes no recorded number by more than 1e-11.
"""

from tests.recorded.entries import Question, Run
from tests.recorded.formulas import EVENTS, FORMULAS
from tests.recorded.loops import LOOPS
from tests.recorded.particles import PARTICLES
from tests.recorded.questions import QUESTIONS
from tests.recorded.trees import FORCES, JOINTS, OF_INPUTS, TREES

ALL = (*FORMULAS, *EVENTS, *JOINTS, *FORCES, *OF_INPUTS, *TREES, *LOOPS, *PARTICLES, *QUESTIONS)
RUNS: dict[str, Run | Question] = {entry.name: entry for entry in ALL}
assert len(RUNS) == len(ALL), "two runs have one name"
