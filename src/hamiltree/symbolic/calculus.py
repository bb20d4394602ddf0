"""Expressions as compiled code: H(q, p, t; k) with its gradient, invariants, or any blocks of
formulas.

A generated module is a file in the cache, named after a hash of the formulas, the names and the
source of this package, with the hash of its own text in its first line. A process that finds it
there imports no SymPy and compiles nothing.
"""

import hashlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from hamiltree.compiled.cache import CACHE
from hamiltree.compiled.progress import CompileProgress
from hamiltree.compiled.user_code import UserCallback, compile_evaluate, is_kept
from hamiltree.errors import OptionError
from hamiltree.symbolic.expression import TIME, Expression
from hamiltree.symbolic.formula_worker import WORKER
from hamiltree.symbolic.grammar import check_symbols

__all__ = ["compile_expressions", "compile_hamiltonian", "compile_with_gradient"]

EXPRESSION_FOLDER = CACHE / "expressions"
CHECKSUM_PREFIX = "# sha256 "


class CompiledHamiltonian(NamedTuple):
    """Blocks RATES (∂H/∂p, −∂H/∂q), VELOCITY (∂H/∂p), FORCE (−∂H/∂q), ENERGY (H), POWER (∂H/∂t),
    INVARIANTS; y = (q, p).
    """

    code: UserCallback
    is_separable: bool  # H = T(p, t) + V(q, t): VELOCITY reads p only, FORCE q only
    is_autonomous: bool
    source: Path


class CompiledExpressions(NamedTuple):
    code: UserCallback
    source: Path


def compile_hamiltonian(H: Expression, q, p, parameters, invariants=()) -> CompiledHamiltonian:
    """q̇ = ∂H/∂p, ṗ = −∂H/∂q of H and invariants in the names q, p, parameters and t."""
    q = tuple(q)
    p = tuple(p)
    parameters = tuple(parameters)
    invariants = tuple(invariants)
    for expression in (H, *invariants):
        check_symbols(expression, (*q, *p, *parameters, TIME), expression.what)
    key = ("hamiltonian", H.canonical, q, p, parameters, tuple(i.canonical for i in invariants))
    module, path = load_or_write_module(
        key, lambda: hamiltonian_text(H, q, p, parameters, invariants)
    )
    return CompiledHamiltonian(module.CODE, module.IS_SEPARABLE, module.IS_AUTONOMOUS, path)


def compile_expressions(blocks, inputs, parameters) -> CompiledExpressions:
    """Block b writes blocks[b]; `inputs` name the rows of y in order, t is the time."""
    blocks = tuple(map(tuple, blocks))
    inputs = tuple(inputs)
    parameters = tuple(parameters)
    for expression in (expression for block in blocks for expression in block):
        check_symbols(expression, (*inputs, *parameters, TIME), expression.what)
    key = (
        "expressions",
        tuple(tuple(e.canonical for e in block) for block in blocks),
        inputs,
        parameters,
    )
    module, path = load_or_write_module(key, lambda: expressions_text(blocks, inputs, parameters))
    return CompiledExpressions(module.CODE, path)


def compile_with_gradient(expression: Expression, inputs, parameters) -> CompiledExpressions:
    """Block 0 writes the expression, and then its derivative by every input."""
    inputs, parameters = tuple(inputs), tuple(parameters)
    check_symbols(expression, (*inputs, *parameters, TIME), expression.what)
    key = ("gradient", expression.canonical, inputs, parameters)
    module, path = load_or_write_module(key, lambda: gradient_text(expression, inputs, parameters))
    return CompiledExpressions(module.CODE, path)


def compile_time_expression(
    expression: Expression, parameters, is_rate: bool = False
) -> CompiledExpressions:
    """Block 0 writes f, f', f'' of a function of t; of a rate, f is its integral from 0 to t."""
    parameters = tuple(parameters)
    check_symbols(expression, (*parameters, TIME), expression.what)
    key = ("time", expression.canonical, parameters, is_rate)
    module, path = load_or_write_module(key, lambda: time_text(expression, parameters, is_rate))
    return CompiledExpressions(module.CODE, path)


# ---- what is written: SymPy is imported only here ------------------------------------------------
def hamiltonian_text(H, q, p, parameters, invariants) -> str:
    """The module of a Hamiltonian: blocks RATES to POWER and its invariants."""
    from hamiltree.symbolic.derivatives import HamiltonianDerivatives, raised_recursion_limit
    from hamiltree.symbolic.source import module_text

    with raised_recursion_limit((H, *invariants)):
        of = HamiltonianDerivatives(H, q, p)
        kept = [of.translator.translate(invariant.tree) for invariant in invariants]
        blocks = [[*of.velocity, *of.force], of.velocity, of.force, [of.energy], [of.power], kept]
        constants = {"IS_SEPARABLE": of.is_separable, "IS_AUTONOMOUS": of.is_autonomous}
        return module_text(
            f"H = {H.text}", constants, blocks, of.translator.floats, (*q, *p), parameters
        )


def expressions_text(blocks, inputs, parameters) -> str:
    """The module of blocks of expressions."""
    from hamiltree.symbolic.derivatives import Translator, raised_recursion_limit
    from hamiltree.symbolic.source import module_text

    every = tuple(expression for block in blocks for expression in block)
    with raised_recursion_limit(every):
        translator = Translator()
        trees = [
            [translator.translate(expression.tree) for expression in block] for block in blocks
        ]
        return module_text(
            "; ".join(e.text for e in every), {}, trees, translator.floats, inputs, parameters
        )


def gradient_text(expression, inputs, parameters) -> str:
    """The module of an expression and its derivatives by every input."""
    from hamiltree.symbolic.derivatives import Translator, gradient, raised_recursion_limit
    from hamiltree.symbolic.source import module_text

    with raised_recursion_limit((expression,)):
        translator = Translator()
        tree = translator.translate(expression.tree)
        block = [tree, *gradient(tree, [translator.symbol(name) for name in inputs])]
        return module_text(
            f"{expression.text} and its gradient",
            {},
            [block],
            translator.floats,
            inputs,
            parameters,
        )


def time_text(expression, parameters, is_rate) -> str:
    """The module of f, f', f'' of a function of t; of a rate, f is its integral."""
    from hamiltree.symbolic.derivatives import Translator, raised_recursion_limit
    from hamiltree.symbolic.source import module_text

    with raised_recursion_limit((expression,)):
        translator = Translator()
        tree, t = translator.translate(expression.tree), translator.symbol(TIME)
        f = integral(tree, t, expression) if is_rate else tree
        return module_text(
            f"{expression.text} in time",
            {},
            [[f, f.diff(t), f.diff(t, 2)]],
            translator.floats,
            (),
            parameters,
        )


def integral(tree, t, expression):
    """From 0 to t, where SymPy finds it."""
    import sympy

    whole = sympy.integrate(tree, t)
    if whole.has(sympy.Integral) or whole.has(sympy.Piecewise):
        raise OptionError(
            f"{expression.what} = {expression.text}: its integral over time is not known; give the "
            "position instead"
        )
    return whole - whole.subs(t, 0)


# ---- the files -----------------------------------------------------------------------------------
def package_hash() -> str:
    """Changes with every edit in this package."""
    texts = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    return hashlib.sha256(b"\n".join(texts)).hexdigest()


PACKAGE_HASH = package_hash()
LOADED_MODULES: dict[str, tuple] = {}


def load_or_write_module(key: tuple, text: Callable[[], str]):
    """The module for a key with its compiled CODE, and its path: from memory, from disk, or written
    anew.
    """
    name = hashlib.sha256(repr((PACKAGE_HASH, key)).encode()).hexdigest()[:24]
    if name not in LOADED_MODULES:
        path = EXPRESSION_FOLDER / f"h{name}.py"
        with CompileProgress(idle_message="deriving the gradient of the formula"):
            if not is_intact(path):
                write_atomically(path, text())
            module = load_module(path)
            if not is_kept(module.evaluate):
                WORKER.compile(path)
            module.CODE = compile_evaluate(module.evaluate)
        LOADED_MODULES[name] = module, path
    return LOADED_MODULES[name]


def checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def is_intact(path: Path) -> bool:
    """Whether the file is there and whole."""
    try:
        stamp, _, text = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return False
    return stamp == CHECKSUM_PREFIX + checksum(text)


def write_atomically(path: Path, text: str) -> None:
    """Another process sees the whole file or none."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{CHECKSUM_PREFIX}{checksum(text)}\n{text}")
    os.replace(temporary, path)


def load_module(path: Path):
    """Listed in sys.modules: Numba looks there for the module of what it loads from disk."""
    spec = importlib.util.spec_from_file_location(f"hamiltree_expression_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
