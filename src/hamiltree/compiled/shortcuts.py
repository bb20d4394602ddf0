"""What Numba does for others, done less often: the same results in half the time.

Parts of Numba are replaced, for kernels of this package alone wherever results could differ;
`python -m hamiltree.compiled.selftest` says which replacement does not fit the Numba that is
installed.
"""

from contextlib import nullcontext
from functools import cache
from weakref import WeakKeyDictionary

from numba import types
from numba.core import event, ir
from numba.core.codegen import CPUCodeLibrary
from numba.core.compiler_machinery import PassManager
from numba.core.cpu import CPUContext
from numba.core.inline_closurecall import RewriteArrayOfConsts
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.targetconfig import TargetConfig
from numba.core.transforms import canonicalize_cfg
from numba.core.typeinfer import TypeInferer

from hamiltree.compiled.internals import is_compiling_own

# Numba times its locks once for every function that is being compiled around the present one: with
# parts within parts, some ten timers hear of every call of LLVM. The outermost one is enough.
install_timer_of_numba = event.install_timer


def install_timer(kind, callback):
    """A timer of Numba's for the kernel as a whole; none for its parts."""
    return nullcontext() if is_compiling_own() else install_timer_of_numba(kind, callback)


# Every call of LLVM says twice that it has the lock: a hundred thousand messages, of which nobody
# hears but that timer.
start_event_of_numba, end_event_of_numba = event.start_event, event.end_event


def is_own_lock(kind: str) -> bool:
    """Whether the message is of LLVM's lock while a kernel of this package is compiled."""
    return kind == "numba:llvm_lock" and is_compiling_own()


def start_event(kind, data=None) -> None:
    if not is_own_lock(kind):
        start_event_of_numba(kind, data)


def end_event(kind, data=None, exc_details=None) -> None:
    if not is_own_lock(kind):
        end_event_of_numba(kind, data, exc_details)


# Numba optimises every function by itself, then the whole twice, at first to find counts of
# references that cancel. Nothing counts references here (`_nrt=False`), and LLVM optimises a part
# before it puts it in place: once is enough.
optimize_functions_of_numba = CPUCodeLibrary._optimize_functions
optimize_module_of_numba = CPUCodeLibrary._optimize_final_module


def optimize_functions(library, module) -> None:
    """Leave the functions of a kernel as they are; the layout of data is set as Numba does."""
    if is_compiling_own():
        module.data_layout = library._codegen._data_layout
    else:
        optimize_functions_of_numba(library, module)


def optimize_module(library) -> None:
    """Run the passes over all that a kernel is made of."""
    if is_compiling_own():
        manager, builder = library._codegen._module_pass_manager()
        manager.run(library._final_module, builder)
    else:
        optimize_module_of_numba(library)


# `list_vars` of an instruction is asked for some hundred thousand times; the recursion of Numba
# makes a list at every level.
def list_variables(instruction, value) -> list:
    """The variables in a value of Numba's intermediate representation, in their order."""
    found, waiting = [], [value]
    while waiting:
        value = waiting.pop()
        kind = type(value)
        if kind is ir.Var:
            found.append(value)
        elif kind in WITHOUT_VARIABLES:
            continue
        elif kind is dict:
            waiting.extend(reversed(value.values()))
        elif kind in (list, tuple):
            waiting.extend(reversed(value))
        elif isinstance(value, ir.Inst):
            found.extend(value.list_vars())
        elif isinstance(value, CONTAINERS):
            found.extend(list_variables_of_numba(instruction, value))
    return found


WITHOUT_VARIABLES = {ir.Loc, str, int, float, bool, type(None)}
CONTAINERS = (ir.Var, list, tuple, dict)
list_variables_of_numba = ir.Inst._rec_list_vars


# A tuple is asked for its hash a hundred thousand times, and asks every type within, however deep.
# It is remembered, except in a file: another process has other hashes.
def hash_of_tuple(tuple_type) -> int:
    """The hash that Numba gives a type, found once."""
    kept = tuple_type.__dict__
    if "kept_hash" not in kept:
        kept["kept_hash"] = types.Type.__hash__(tuple_type)
    return kept["kept_hash"]


def state_of_tuple(tuple_type) -> dict:
    """What a file keeps of a tuple's type: all but its hash."""
    return {name: value for name, value in vars(tuple_type).items() if name != "kept_hash"}


# Flags are compared by all options there are, each read through a property of its own.
@cache
def default_values(kind) -> dict:
    return {name: option.default for name, option in kind.options.items()}


def values_of_flags(flags) -> dict:
    """All options of flags with their values, in the order of the options."""
    return default_values(type(flags)) | flags._values


# The context looks for new declarations several times for every function: it imports thirty modules
# by name and reads twenty lists to the end. Only if one of the lists has grown is there anything.
refresh_of_numba = CPUContext.refresh
SEEN: WeakKeyDictionary[CPUContext, int] = WeakKeyDictionary()


def count_declarations(context) -> int:
    """How many declarations the lists hold that a context and its types are made from."""
    registries = (*context._registries.items(), *context.typing_context._registries.items())
    return sum(
        len(getattr(registry, name))
        for registry, loader in registries
        for name in loader.registry_items
    )


def refresh_if_grown(context) -> None:
    """As Numba does, if there is something that it has not seen."""
    if SEEN.get(context) != count_declarations(context):
        refresh_of_numba(context)
        SEEN[context] = count_declarations(context)


# After every pass Numba computes which variables live at the beginning of each block. Generators
# and its object mode alone read that; there are none in this package.
run_of_postprocessor = PostProcessor.run


def run_postprocessor(processor, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """As Numba does; lifetimes of variables are computed when they are asked for."""
    code = processor.func_ir
    if emit_dels or code.is_generator or not is_compiling_own():
        run_of_postprocessor(processor, emit_dels, extend_lifetimes)
        return
    code.blocks = canonicalize_cfg(code.blocks)
    code.variable_lifetime, code.generator_info = VariableLifetime(code.blocks), None


# Which pass needs which others is worked out for every function, from the same few lists of passes.
analysis_of_numba = PassManager.dependency_analysis
NEEDED_PASSES: dict[tuple, dict] = {}


def needed_passes(manager) -> dict:
    """What Numba finds, once for each list of passes."""
    passes = tuple(kind for kind, _ in manager.passes)
    if passes not in NEEDED_PASSES:
        NEEDED_PASSES[passes] = analysis_of_numba(manager)
    return NEEDED_PASSES[passes]


# Every block is searched for arrays made from lists of constants: kernels make no arrays.
match_of_numba = RewriteArrayOfConsts.match


def match_arrays(rewrite, *place) -> bool:
    """As Numba does, in code that can make arrays."""
    return not is_compiling_own() and match_of_numba(rewrite, *place)


# Instructions of a module and variables whose types were sought point at each other: Python alone
# would free them by a search through everything, two thirds of it such leftovers. They are taken
# apart when they are no longer needed.
add_module_of_numba = CPUCodeLibrary.add_ir_module
unify_of_numba = TypeInferer.unify


def add_module(library, module) -> None:
    """As Numba does; what LLVM has read is taken apart."""
    add_module_of_numba(library, module)
    if is_compiling_own():
        for function in module.functions:
            for block in function.blocks:
                block.instructions.clear()
                block.terminator = None
            function.blocks.clear()
            function.args = ()
        module.globals.clear()


def unify(search, raise_errors: bool = True) -> tuple:
    """As Numba does; what the search has left is taken apart."""
    found = unify_of_numba(search, raise_errors)
    if is_compiling_own():
        search.typevars.clear()
        search.constraints.constraints.clear()
    return found


def install() -> None:
    """Put all of it in place."""
    event.install_timer = install_timer
    event.start_event, event.end_event = start_event, end_event
    CPUCodeLibrary._optimize_functions = optimize_functions
    CPUCodeLibrary._optimize_final_module = optimize_module
    ir.Inst._rec_list_vars = list_variables
    types.BaseTuple.__hash__, types.BaseTuple.__getstate__ = hash_of_tuple, state_of_tuple
    TargetConfig.values = values_of_flags
    CPUContext.refresh = refresh_if_grown
    PostProcessor.run = run_postprocessor
    PassManager.dependency_analysis = needed_passes
    RewriteArrayOfConsts.match = match_arrays
    CPUCodeLibrary.add_ir_module = add_module
    TypeInferer.unify = unify
