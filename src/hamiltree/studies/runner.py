"""One block of members: each the way that is quickest for it."""

from __future__ import annotations

from hamiltree.studies.alone import LoneRuns, Stop, Stopped
from hamiltree.studies.definition import Definition
from hamiltree.studies.results import Block, schema_of


class BlockRunner:
    """Of one thread."""

    def __init__(self, definition: Definition, stop: Stop):
        self.schema = schema_of(definition)
        self.lone = LoneRuns(definition, stop)

    def __call__(self, first: int, last: int) -> Block:
        """Members first … last; fewer where the study is stopped meanwhile."""
        rows = []
        try:
            for member in range(first, last):
                rows.append(self.lone(member))
        except Stopped:
            pass
        return self.schema.block(first, rows)
