"""Code that reads and writes the numbers and triples of a row, as LLVM sees them."""

from numba import types
from numba.core import cgutils

from hamiltree.compiled.lanes import COMPONENTS, INT32, PAIR, VECTOR, TripleType, put_together
from hamiltree.compiled.triples import Triple, Turned, shuffle

# A triple takes four places of a row of floats, for its register, and three of a row of lanes.
LEAF_SIZES = {float: (1, 1), Triple: (4, 3), Turned: (4, 3)}


def at_place(builder, pointer, k):
    return builder.gep(pointer, [INT32(k)])


def read_at(builder, pointer, k):
    value = builder.load(at_place(builder, pointer, k))
    value.align = 8
    return value


def read_triple(builder, pointer, k):
    """Three numbers from place k on as a triple: of floats one register, whose fourth place repeats
    the first.
    """
    if pointer.type.pointee == VECTOR:
        return put_together(builder, [read_at(builder, pointer, k + c) for c in range(COMPONENTS)])
    return read_register(builder, pointer, k, VECTOR)


def read_register(builder, pointer, k, vector):
    """Floats from place k on as a register, or as half of one."""
    return read_at(builder, builder.bitcast(at_place(builder, pointer, k), vector.as_pointer()), 0)


def read_turned(builder, pointer, k):
    """A triple and its turns (y, z, x, y) and (z, x, y, z), whose halves are pairs in x y z x."""
    if pointer.type.pointee == VECTOR:
        r = [read_at(builder, pointer, k + c) for c in range(COMPONENTS)]
        orders = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
        return [put_together(builder, [r[c] for c in order]) for order in orders]
    halves = [read_register(builder, pointer, k + c, PAIR) for c in range(COMPONENTS)]
    turns = [shuffle(builder, halves[c], halves[c - 1], 0, 1, 2, 3) for c in (1, 2)]
    return [read_triple(builder, pointer, k), *turns]


def leaves(builder, t, value):
    """(kind, type, value) of the numbers and triples in a value; of turned triples, the first."""
    if isinstance(t, TripleType):
        yield Triple, t, value
    elif getattr(t, "instance_class", None) is Turned:
        yield Turned, t.types[0], builder.extract_value(value, 0)
    elif isinstance(t, types.BaseTuple):
        for part, v in zip(t.types, cgutils.unpack_tuple(builder, value), strict=True):
            yield from leaves(builder, part, v)
    else:
        yield float, t, value


def write_at(builder, pointer, k, value, accumulate):
    total = builder.fadd(read_at(builder, pointer, k), value) if accumulate else value
    builder.store(total, at_place(builder, pointer, k)).align = 8


def write_triple(builder, pointer, k, registers, accumulate):
    """The registers of a triple to place k and on."""
    if len(registers) == 1:
        pointer = builder.bitcast(at_place(builder, pointer, k), VECTOR.as_pointer())
        k = 0
    for c, register in enumerate(registers):
        write_at(builder, pointer, k + c, register, accumulate)
