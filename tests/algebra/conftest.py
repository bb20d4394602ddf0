"""One kernel of operations, computed in every way that there is."""

import numpy as np
import pytest

from hamiltree.compiled.number import WIDTH

WAYS = ("interpreted", "interpreted lanes", "compiled", "compiled lanes")


def run(function, inputs, rows, sizes):
    """One call on floats; `rows` and `sizes` give each output's shape."""
    outputs = tuple(
        np.zeros((n, size)) if size > 1 else np.zeros(n)
        for n, size in zip(rows, sizes, strict=True)
    )
    function(inputs, outputs)
    return outputs


def run_lanes(function, samples, rows, sizes):
    inputs = tuple(np.ascontiguousarray(np.moveaxis(x, 0, -1)) for x in samples)
    outputs = tuple(
        np.zeros((n, size, WIDTH) if size > 1 else (n, WIDTH))
        for n, size in zip(rows, sizes, strict=True)
    )
    function(inputs, outputs)
    return [np.moveaxis(x, -1, 0) for x in outputs]


@pytest.fixture(scope="session")
def every_way():
    """every_way(kernel, samples, rows, sizes) -> {way: outputs}, each output (samples, rows, size);
    samples are four of each input.

    Interpreted first: it checks the bounds of arrays, compiled code does not.
    """

    def compute(kernel, samples, rows, sizes):
        one_by_one = [tuple(np.ascontiguousarray(x[k]) for x in samples) for k in range(WIDTH)]
        results = {}
        for way, function in (("interpreted", kernel.py_func), ("compiled", kernel)):
            each = [run(function, inputs, rows, sizes) for inputs in one_by_one]
            results[way] = [np.stack(outputs) for outputs in zip(*each, strict=True)]
            results[f"{way} lanes"] = run_lanes(function, samples, rows, sizes)
        return results

    return compute
