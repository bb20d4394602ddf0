"""Code of Python functions that a user wrote: rates of a differential equation, and a potential of
two poses with its gradient.

For floats only, and not kept on disk; lanes are computed one by one.
"""

import numpy as np

from hamiltree.compiled.user_code import UserCallback, as_array, compile_wrapped, take
from hamiltree.compiled.user_trials import Form


def compile_rates_function(function, rows: int, parameters: int) -> UserCallback:
    """ẏ from a user's f(t, y, k, out), whatever the block; y, k and out are float64 arrays, k holds
    the parameters.
    """

    def build(function):
        def evaluate(block, constants, t, y, out):
            slopes = as_array(out, rows)
            slopes[:] = np.nan
            function(take(t, 0), as_array(y, rows), as_array(constants, parameters), slopes)

        return evaluate

    form = Form({"t": (), "y": (rows,), "k": (parameters,), "out": (rows,)}, writes=True)
    return compile_wrapped(build, {"f": function}, {"f": form})


def compile_pose_functions(energy, gradient, first: int, inputs: int) -> UserCallback:
    """V and its derivatives by `inputs` numbers, whatever the block, from a user's
    V(R1, r1, R2, r2) -> float and gradient(R1, r1, R2, r2, dR1, dr1, dR2, dr2).

    r1, R1, r2, R2 are the inputs from row `first` on, matrices by columns; V does not depend on
    those before.
    """

    def build(energy, gradient):
        """The code of the only block from the user's two functions."""

        def evaluate(block, parameters, t, y, out):
            """V, zeros, and what the gradient writes; what it does not write stays NaN."""
            x = as_array(y, inputs)[first:]
            rows = as_array(out, 1 + inputs)
            slopes = rows[1 + first :]
            rows[:] = 0.0
            slopes[:] = np.nan
            R1 = x[3:12].reshape(3, 3).T
            R2 = x[15:24].reshape(3, 3).T
            dR1 = slopes[3:12].reshape(3, 3).T
            dR2 = slopes[15:24].reshape(3, 3).T
            rows[0] = energy(R1, x[:3], R2, x[12:15])
            gradient(R1, x[:3], R2, x[12:15], dR1, slopes[:3], dR2, slopes[12:15])

        return evaluate

    poses = {"R1": (3, 3), "r1": (3,), "R2": (3, 3), "r2": (3,)}
    slopes = {f"d{name}": shape for name, shape in poses.items()}
    forms = {"energy": Form(poses, returns=True), "gradient": Form({**poses, **slopes})}
    return compile_wrapped(build, {"energy": energy, "gradient": gradient}, forms)
