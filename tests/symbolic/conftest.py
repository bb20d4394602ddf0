"""Code called from a kernel, with floats, with lanes, and interpreted."""

import numpy as np
import pytest

from hamiltree.compiled.kernel import kernel
from hamiltree.compiled.number import WIDTH, load
from hamiltree.compiled.user_code import code_table, run_code


@kernel
def call(code, scratch, block, parameters, time, y, out, at, rows):
    run_code(code, 0, scratch, block, parameters, load(time, 0), y, out, at, rows)


class Caller:
    """caller(code, block, rows, y, parameters, t): what the code writes; y (m,) or (m, 4), t
    alike.
    """

    WAYS = ("compiled", "interpreted")

    def __call__(self, code, block, rows, y, parameters=(), t=0.0, way="compiled", at=0):
        y = np.ascontiguousarray(y, dtype=float)
        out = np.full((at + rows, *y.shape[1:]), 7.0)
        scratch, time = np.zeros(1 + len(y) + rows), np.zeros((1, *y.shape[1:])) + t
        function = call if way == "compiled" else call.py_func
        function(
            code_table([code]),
            scratch,
            block,
            np.array(parameters, dtype=float),
            time,
            y,
            out,
            at,
            rows,
        )
        assert (out[:at] == 7.0).all()
        return out[at:]

    def in_place(self, code, block, y):
        call(code_table([code]), np.zeros(1), block, np.zeros(0), np.zeros(1), y, y, 0, len(y))

    def each_lane(self, code, block, rows, y, parameters=(), t=0.0):
        """The same by four calls with floats."""
        time = np.zeros(WIDTH) + t
        return np.stack(
            [self(code, block, rows, y[:, k], parameters, time[k]) for k in range(WIDTH)], axis=-1
        )


@pytest.fixture(scope="session")
def caller():
    return Caller()
