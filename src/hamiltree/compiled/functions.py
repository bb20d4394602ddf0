"""Elementary functions of numbers beyond those of number.py: the C library's, for floats and, lane
by lane, for lanes.

Both kinds call the same routine, so they agree to the bit. Where a result is not real it is NaN;
nothing raises.
Interpreted they are NumPy's, which may differ from the C library in the last digit.
"""

import math

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from hamiltree.compiled.lanes import DOUBLE, INT32, VECTOR, WIDTH, define_function, llvm_function


def call_each_lane(builder, called, values):
    """f(x₀), …, f(x₃): the lanes taken apart, and their results put together."""
    together = ir.Constant(VECTOR, ir.Undefined)
    for k in range(WIDTH):
        alone = builder.call(called, [builder.extract_element(value, INT32(k)) for value in values])
        together = builder.insert_element(together, alone, INT32(k))
    return together


def without_warnings(python_function):
    """NumPy's function without its warnings: NaN says enough."""

    def silent(*args):
        with np.errstate(all="ignore"):
            return python_function(*args)

    return silent


def c_function(python_function, c_name):
    """A function of doubles in the C library."""

    def code(builder, values):
        kind = ir.FunctionType(DOUBLE, [DOUBLE] * len(values))
        called = cgutils.get_or_insert_function(builder.module, kind, c_name)
        return (
            builder.call(called, values)
            if values[0].type == DOUBLE
            else call_each_lane(builder, called, values)
        )

    return define_function(without_warnings(python_function), code)


exp = c_function(np.exp, "exp")
log = c_function(np.log, "log")
power = c_function(np.power, "pow")  # xʸ
tan = c_function(np.tan, "tan")
asin = c_function(np.arcsin, "asin")
acos = c_function(np.arccos, "acos")
atan = c_function(np.arctan, "atan")
atan2 = c_function(np.arctan2, "atan2")
sinh = c_function(np.sinh, "sinh")
cosh = c_function(np.cosh, "cosh")
tanh = c_function(np.tanh, "tanh")
asinh = c_function(np.arcsinh, "asinh")
acosh = c_function(np.arccosh, "acosh")
atanh = c_function(np.arctanh, "atanh")
erf = c_function(lambda x: np.vectorize(math.erf, otypes=[float])(x)[()], "erf")
minimum = llvm_function(np.minimum, "llvm.minimum")  # a NaN stays a NaN


def sign_code(builder, values):
    """Selected twice, not computed: a NaN compares with nothing and comes through."""
    (x,) = values
    zero, one = (ir.Constant(x.type, [v] * WIDTH if x.type == VECTOR else v) for v in (0.0, 1.0))
    negative = builder.select(builder.fcmp_ordered("<", x, zero), builder.fneg(one), x)
    return builder.select(builder.fcmp_ordered(">", x, zero), one, negative)


sign = define_function(without_warnings(lambda x: np.sign(x)), sign_code)  # −1, 0 or 1
