"""Value types: NamedTuples with operators, whose methods serve Python and kernels alike.

Operators and named operations are found by the kinds of all arguments. The number stands on the
right of a product: `vector * number`.
"""

import operator

from hamiltree.compiled.kernel import Generic, operation

OPERATORS = {name: Generic(name) for name in ("add", "sub", "mul", "matmul", "neg")}
for _name, _generic in OPERATORS.items():
    _generic.overload_operator(getattr(operator, _name))


def value(kind):
    """Class decorator: give a NamedTuple the operators that have methods for it."""
    for name, generic in OPERATORS.items():
        setattr(kind, f"__{name}__", generic.call)
    return kind


def method(name, *kinds):
    """Decorator: the meaning of +, −, *, @ (`add`, `sub`, `mul`, `matmul`, `neg`) for these
    kinds.
    """
    return OPERATORS[name].method(*kinds)


cross = operation("cross", "a × b")
dot = operation("dot", "a · b")
transpose = operation("transpose", "Aᵀ")
# Sums of products as one operation, every product fused with the sum so far.
plus_scaled = operation("plus_scaled", "a + b s")
plus_cross = operation("plus_cross", "a + b × c")
plus_outer = operation("plus_outer", "A + b cᵀ")
plus_product = operation("plus_product", "a + B c")
