"""Code that reads and writes the numbers and triples of a row, as LLVM sees them."""

from numba import types
from numba.core import cgutils

from hamiltree.compiled.lanes import (
    COMPONENTS,
    INT32,
    PAIR,
    VECTOR,
    TripleType,
    put_together,
)
from hamiltree.compiled.triples import Packed, Triple, Turned, shuffle

# Places in a row of floats and in a row of lanes: a triple takes four floats, as its register does,
# or three if it is packed.
LEAF_SIZES = {float: (1, 1), Triple: (4, 3), Packed: (3, 3), Turned: (3, 3)}
# numbers before and after a row of floats that are read with packed triples, and not used
BEYOND_ROW = 1


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
    return read_at(builder, builder.bitcast(at_place(builder, pointer, k), VECTOR.as_pointer()), 0)


def read_register(builder, pointer, k, vector=VECTOR):
    """Floats from place k on as one register."""
    return read_at(builder, builder.bitcast(at_place(builder, pointer, k), vector.as_pointer()), 0)


def read_packed(builder, pointer, k):
    """Three numbers from place k on as a triple; of floats a register with what follows them, whose
    fourth place is then filled.
    """
    if pointer.type.pointee == VECTOR:
        return read_triple(builder, pointer, k)
    first = read_at(builder, pointer, k)  # before the register, or LLVM takes it from there
    return builder.insert_element(read_register(builder, pointer, k), first, INT32(COMPONENTS))


def read_turned(builder, pointer, k):
    """A packed triple and its turns; of floats each by two loads."""
    if pointer.type.pointee == VECTOR:
        r = [read_at(builder, pointer, k + c) for c in range(COMPONENTS)]
        orders = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
        return [put_together(builder, [r[c] for c in order]) for order in orders]
    third = read_at(builder, pointer, k + 2)
    halves = [read_register(builder, pointer, k + c, PAIR) for c in (1, 0)]  # y, z and x, y
    return [
        read_packed(builder, pointer, k),
        shuffle(builder, *halves, 0, 1, 2, 3),
        builder.insert_element(read_register(builder, pointer, k - 1), third, INT32(0)),
    ]


def leaves(builder, t, value, kind=Triple):
    """(kind, type, value) of the numbers and triples in a value; of turned triples, the first."""
    if isinstance(t, TripleType):
        yield kind, t, value
    elif getattr(t, "instance_class", None) is Turned:
        yield Turned, t.types[0], builder.extract_value(value, 0)
    elif isinstance(t, types.BaseTuple):
        kinds = t.instance_class.__annotations__.values()
        parts = cgutils.unpack_tuple(builder, value)
        for part, v, kind_of_part in zip(t.types, parts, kinds, strict=True):
            yield from leaves(builder, part, v, kind_of_part)
    else:
        yield float, t, value


def write_at(builder, pointer, k, value, accumulate):
    total = builder.fadd(read_at(builder, pointer, k), value) if accumulate else value
    builder.store(total, at_place(builder, pointer, k)).align = 8


def write_packed(builder, pointer, k, registers, accumulate, has_room):
    """A triple to three places; of floats one register, if the place that follows is yet to be
    written, else two numbers and one.
    """
    if len(registers) > 1 or (has_room and not accumulate):
        write_triple(builder, pointer, k, registers, accumulate)
        return
    (register,) = registers
    half = builder.bitcast(at_place(builder, pointer, k), PAIR.as_pointer())
    write_at(builder, half, 0, shuffle(builder, register, register, 0, 1), accumulate)
    last = builder.extract_element(register, INT32(2))
    write_at(builder, pointer, k + 2, last, accumulate)


def write_triple(builder, pointer, k, registers, accumulate):
    """The registers of a triple to place k and on."""
    if len(registers) == 1:
        pointer = builder.bitcast(at_place(builder, pointer, k), VECTOR.as_pointer())
        k = 0
    for c, register in enumerate(registers):
        write_at(builder, pointer, k + c, register, accumulate)
