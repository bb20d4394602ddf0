"""The laws of a model behind addresses: code and table of each law that it has.

A System is handed to every compiled function, array by array, and whatever a function may call is compiled with it; twenty laws would be
most of both. So each law is compiled by itself, when a model first uses it, and called by its address with the address of its table:
a law that nobody uses costs nothing, and one more law compiles nothing else. Interpreted kernels find the Python original by the address.
"""

import weakref
from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import config, typeof, types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from hamiltree.algebra.handle import Handle, HandleType, opened
from hamiltree.algebra.lanes import lanes
from hamiltree.algebra.number import add, alike, load, store
from hamiltree.algebra.vec3 import Vec3
from hamiltree.forces.laws import (
    BODY_LAWS,
    JOINT_LAWS,
    ROOMS,
    Bodies,
    effort_of,
    held_in,
    push_between,
    push_in,
    push_load,
    spent,
    stored,
    tabulate,
    whole_push,
)
from hamiltree.kernel import INLINE, inlined, kernel

POINTER = ir.IntType(8).as_pointer()
ORIGINALS: dict = {}  # address → what stands there: a function, or the parts of a table


class LawsOfJoints(NamedTuple):
    code: np.ndarray  # (laws, 6) addresses of efforts, energy, power, each for floats and for lanes
    table: np.ndarray  # (laws,) addresses
    has_any: bool


class LawsOfBodies(NamedTuple):
    code: np.ndarray  # (laws, 6) addresses of wrenches, energy, wrenches of loads
    table: np.ndarray
    has_any: bool


class LawsBetween(NamedTuple):
    """The laws on bodies that know a discrete gradient between two states."""

    code: np.ndarray  # (laws, 2) addresses for floats and, where asked for, lanes
    table: np.ndarray
    law: np.ndarray  # (laws,) which of LawsOfBodies
    is_whole: bool  # whether these are all that have a potential, and none of it jumps
    has_lists: bool  # whether some were left out because they have lists of neighbours


# ---- what is compiled for each law ---------------------------------------------------------------------------------------------
@kernel
def add_efforts_of(table, arguments):
    (law,) = opened(table)
    t, y, ydot, momenta = opened(arguments)
    for k in range(law.at.shape[0]):
        add(ydot, momenta + law.at[k], effort_of(law, k, t, y, ydot))


@kernel
def add_joint_energy_of(table, arguments):
    (law,) = opened(table)
    t, y, total = opened(arguments)
    for k in range(law.at.shape[0]):
        add(total, 0, stored(law, k, t, load(y, law.at[k])))


@kernel
def add_joint_power_of(table, arguments):
    (law,) = opened(table)
    t, y, ydot, total = opened(arguments)
    for k in range(law.at.shape[0]):
        add(total, 0, spent(law, k, t, y, ydot))


@kernel
def push_of(table, arguments):
    (law,) = opened(table)
    t, bodies, room = opened(arguments)
    push_in(law, t, bodies, opened_room(room))


@kernel
def add_body_energy_of(table, arguments):
    (law,) = opened(table)
    t, bodies, room, total = opened(arguments)
    add(total, 0, held_in(law, t, bodies, opened_room(room)))


@kernel
def push_load_of(table, arguments):
    (law,) = opened(table)
    t, bodies, _ = opened(arguments)
    push_load(law, t, bodies)


@kernel
def push_between_of(table, arguments):
    (law,) = opened(table)
    t, begin, end, room, force, moment = opened(arguments)
    push_between(law, t, begin, end, opened_room(room), force, moment)


EFFORT, JOINT_ENERGY, JOINT_POWER = PUSH, BODY_ENERGY, PUSH_LOAD = range(3)
OF_JOINTS = (add_efforts_of, add_joint_energy_of, add_joint_power_of)
OF_BODIES = (push_of, add_body_energy_of, push_load_of)


# ---- making addresses ------------------------------------------------------------------------------------------------------------
def numbers(axes: int, width: int):
    """The type of an array of values of `axes` axes: floats, or lanes."""
    return types.Array(types.float64, axes + (width > 1), "C")


def bodies_type(width: int):
    return types.NamedTuple([*[numbers(2, width)] * 4, types.Array(types.int64, 1, "C")], Bodies)


def room_type(table, width: int):
    """A room is an address; the law that opens it knows what stands there."""
    maker = ROOMS.get(type(table))
    return types.intp if maker is None else HandleType(types.Tuple((typeof(maker(table, width)),)))


def argument_types(kind: int, is_joint: bool, width: int, table):
    t, y = (lanes if width > 1 else types.float64), numbers(1, width)
    bodies, room = bodies_type(width), room_type(table, width)
    of_joints = ((t, y, y, types.intp), (t, y, y), (t, y, y, y))
    of_bodies = ((t, bodies, room), (t, bodies, room, y), (t, bodies, room))
    return types.Tuple((of_joints if is_joint else of_bodies)[kind])


def address_of(function, table, arguments) -> int:
    """Of compiled code, whatever the law; interpreted, of the function itself."""
    if config.DISABLE_JIT:
        ORIGINALS[id(function)] = function
        return id(function)
    signature = (HandleType(types.Tuple((typeof(table),))), HandleType(arguments))
    function.compile(signature)
    compiled = function.overloads[signature]
    address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)
    ORIGINALS[address] = function.py_func
    return address


def packed(tables, functions, is_joint: bool) -> tuple[np.ndarray, np.ndarray, bool]:
    """Addresses of the tables that hold something, which live as long as the array of their addresses."""
    kinds = [(kind, function, width) for kind, function in enumerate(functions) for width in (1, 4)]
    code = [
        [address_of(function, table, argument_types(kind, is_joint, width, table)) for kind, function, width in kinds] for table in tables
    ]
    handles = [Handle(table) for table in tables]
    addresses = np.array([id(handle) if config.DISABLE_JIT else handle.address for handle in handles], dtype=np.int64)
    for address, handle in zip(addresses.tolist(), handles, strict=True):
        ORIGINALS[address] = handle.parts
    weakref.finalize(addresses, forget, addresses.tolist(), handles)
    return np.array(code, dtype=np.int64).reshape(-1, 6), addresses, len(tables) > 0


def forget(addresses, handles) -> None:
    for address in addresses:
        ORIGINALS.pop(address, None)
    handles.clear()


def laws_of_joints(forces, placement) -> LawsOfJoints:
    tables = [table for table in tabulate(JOINT_LAWS, forces, placement) if len(table.at)]
    return LawsOfJoints(*packed(tables, OF_JOINTS, True))


def laws_of_bodies(forces, placement) -> LawsOfBodies:
    tables = [table for table in tabulate(BODY_LAWS, forces, placement) if len(table.row)]
    return LawsOfBodies(*packed(tables, OF_BODIES, False))


def laws_between(laws: LawsOfBodies, widths=(1,)) -> LawsBetween:
    """Those of the laws that answer `push_between`."""
    tables = [ORIGINALS[address][0] for address in laws.table.tolist()]
    known = [k for k, table in enumerate(tables) if push_between.answers(type(table))]
    able = [k for k in known if not tables[k].has_lists]
    code = np.zeros((len(able), 2), dtype=np.int64)
    for place, k in enumerate(able):
        for width in widths:
            t, bodies, plain = (lanes if width > 1 else types.float64), bodies_type(width), numbers(2, width)
            arguments = types.Tuple((t, bodies, bodies, room_type(tables[k], width), plain, plain))
            code[place, int(width > 1)] = address_of(push_between_of, tables[k], arguments)
    is_load = [push_load.generic.methods[type(table),] is whole_push for table in tables]
    is_whole = all(is_load[k] or (k in able and not table.jumps) for k, table in enumerate(tables))
    return LawsBetween(code, laws.table[able], np.array(able, dtype=np.int64), is_whole, len(able) < len(known))


def laws_beside(laws: LawsOfBodies, between: LawsBetween) -> LawsOfBodies:
    """The laws that are not among those of `between`."""
    others = np.setdiff1d(np.arange(len(laws.table)), between.law)
    return LawsOfBodies(laws.code[others], laws.table[others], len(others) > 0)


def rooms(laws: LawsOfBodies, width: int) -> np.ndarray:
    """Addresses of what each law keeps from call to call, for `Bodies.room` of a Work; 0 for a law that keeps nothing."""
    handles, addresses = [], np.zeros(max(1, len(laws.table)), dtype=np.int64)
    for k, address in enumerate(laws.table.tolist()):
        table = ORIGINALS[address][0]
        if type(table) in ROOMS:
            handles.append(Handle(ROOMS[type(table)](table, width)))
            addresses[k] = id(handles[-1]) if config.DISABLE_JIT else handles[-1].address
            ORIGINALS[int(addresses[k])] = handles[-1].parts
    weakref.finalize(addresses, forget, addresses[addresses != 0].tolist(), handles)
    return addresses


# ---- calling them ------------------------------------------------------------------------------------------------------------------
def call_law(code, table, arguments):
    """The function at `code` with the table at `table` and these arguments."""
    ORIGINALS[int(code)](ORIGINALS[int(table)], arguments)


@overload(call_law, jit_options=INLINE)
def compiled_call_law(code, table, arguments):
    return lambda code, table, arguments: call_address(code, table, arguments)


@intrinsic
def call_address(context, code, table, arguments):
    def emit(context, builder, sig, args):
        slot = cgutils.alloca_once(builder, context.get_value_type(arguments))
        builder.store(args[2], slot)
        function = builder.inttoptr(args[0], ir.FunctionType(POINTER, [POINTER, POINTER]).as_pointer())
        builder.call(function, [builder.inttoptr(args[1], POINTER), builder.bitcast(slot, POINTER)])
        return context.get_dummy_value()

    return types.void(code, table, arguments), emit


def opened_room(room):
    """What stands at the address of a room."""
    return ORIGINALS[int(room)][0] if int(room) in ORIGINALS else room


@overload(opened_room, jit_options=INLINE)
def compiled_opened_room(room):
    if isinstance(room, HandleType):
        return lambda room: opened(room)[0]
    return lambda room: room


def width_place(number):
    """0 for a float, 1 for lanes."""
    return int(np.ndim(number) > 0)


@overload(width_place, jit_options=INLINE)
def compiled_width_place(number):
    place = int(number is lanes)
    return lambda number: place


@inlined
def act_on_joints(laws, t, y, ydot, momenta):
    """Add every effort to the momentum rows of ydot, which begin at row `momenta`."""
    number = alike(t, load(y, 0))
    for k in range(laws.table.shape[0]):
        call_law(laws.code[k, 2 * EFFORT + width_place(number)], laws.table[k], (number, y, ydot, momenta))


@inlined
def energy_of_joints(laws, t, y, total):
    """Potential energy of the laws along joints; total is room for one number."""
    number = alike(t, load(y, 0))
    store(total, 0, 0.0)
    for k in range(laws.table.shape[0]):
        call_law(laws.code[k, 2 * JOINT_ENERGY + width_place(number)], laws.table[k], (number, y, total))
    return load(total, 0)


@inlined
def power_of_joints(laws, t, y, ydot, total):
    """Power of dampers and loads along joints."""
    number = alike(t, load(y, 0))
    store(total, 0, 0.0)
    for k in range(laws.table.shape[0]):
        call_law(laws.code[k, 2 * JOINT_POWER + width_place(number)], laws.table[k], (number, y, ydot, total))
    return load(total, 0)


@inlined
def act_on_bodies(laws, t, bodies):
    """Add every wrench."""
    number = alike(t, load(bodies.position, 0, Vec3).x)
    for k in range(laws.table.shape[0]):
        call_law(laws.code[k, 2 * PUSH + width_place(number)], laws.table[k], (number, bodies, bodies.room[k]))


@inlined
def energy_of_bodies(laws, t, bodies, total):
    """Potential energy of the laws on bodies."""
    number = alike(t, load(bodies.position, 0, Vec3).x)
    store(total, 0, 0.0)
    for k in range(laws.table.shape[0]):
        call_law(laws.code[k, 2 * BODY_ENERGY + width_place(number)], laws.table[k], (number, bodies, bodies.room[k], total))
    return load(total, 0)


@inlined
def load_bodies(laws, t, bodies):
    """Add every wrench that is no change of potential energy."""
    number = alike(t, load(bodies.position, 0, Vec3).x)
    for k in range(laws.table.shape[0]):
        call_law(laws.code[k, 2 * PUSH_LOAD + width_place(number)], laws.table[k], (number, bodies, bodies.room[k]))


@inlined
def act_between(laws, t, begin, end, force, moment):
    """Add force and Σ f Xᵀ of every law between two states; of one with itself, those of that state."""
    number = alike(t, load(begin.position, 0, Vec3).x)
    for k in range(laws.table.shape[0]):
        code = laws.code[k, width_place(number)]
        call_law(code, laws.table[k], (number, begin, end, begin.room[laws.law[k]], force, moment))
