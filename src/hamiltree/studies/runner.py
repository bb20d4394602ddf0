"""One block of members: each the way that is quickest for it."""

from __future__ import annotations

import contextlib

import numpy as np

from hamiltree.errors import HamiltreeError
from hamiltree.run.cautions import without_warnings
from hamiltree.studies.alone import COMPILING, LoneRuns, Stop, Stopped
from hamiltree.studies.definition import Definition
from hamiltree.studies.lane_plan import obstacle
from hamiltree.studies.lanes import LaneRuns, Unfit
from hamiltree.studies.results import Block, schema_of
from hamiltree.studies.stopwatch import Stopwatch


class BlockRunner:
    """Of one thread."""

    def __init__(self, definition: Definition, stop: Stop, lanes: bool = True):
        """Lanes are made, and compiled, by one thread after the other."""
        self.schema = schema_of(definition)
        self.stopwatch = Stopwatch()
        self.lone = LoneRuns(definition, stop, self.stopwatch)
        self.stop = stop
        self.lanes: LaneRuns | None = None
        if lanes and not obstacle(definition):
            try:
                with COMPILING, without_warnings():
                    self.lanes = LaneRuns(definition, self.stopwatch, stop)
            except (Unfit, HamiltreeError, ArithmeticError, ValueError, np.linalg.LinAlgError):
                self.lanes = None  # the first member may be one that fails

    def __call__(self, first: int, last: int) -> Block:
        """Members first … last; fewer where the study is stopped meanwhile."""
        self.stopwatch.restart()
        if self.lanes is None:
            block = self.run_alone(first, last)
        else:
            block = self.run_batches(self.lanes, first, last)
        self.stopwatch.end()
        return block

    def run_batches(self, lanes: LaneRuns, first: int, last: int) -> Block:
        """As many members at a time as lanes take."""
        found: list[Block] = []
        size = lanes.batch_size()
        with contextlib.suppress(Stopped):
            for begin in range(first, last, size):
                self.stop.check()
                found.append(self.run_in_lanes(lanes, begin, min(begin + size, last)))
        return self.join(first, found)

    def run_alone(self, first: int, last: int) -> Block:
        rows = []
        try:
            for member in range(first, last):
                rows.append(self.lone(member))
        except Stopped:
            pass
        return self.schema.block(first, rows)

    def run_in_lanes(self, lanes: LaneRuns, first: int, last: int) -> Block:
        """A batch in lanes; members that need it once more alone."""
        with without_warnings():
            values, is_bad, status = lanes(first, last)
        for row in np.flatnonzero(is_bad):
            single = self.schema.block(first, [self.lone(first + int(row))])
            status[row] = single.status[0]
            for name, numbers in single.values.items():
                values[name][row] = numbers[0]
        return Block(first, values, status)

    def join(self, first: int, blocks: list[Block]) -> Block:
        """Batches one after the other as one block."""
        if not blocks:
            return Block(first, {}, [])
        values = {
            name: np.concatenate([block.values[name] for block in blocks])
            for name in blocks[0].values
        }
        return Block(first, values, [word for block in blocks for word in block.status])
