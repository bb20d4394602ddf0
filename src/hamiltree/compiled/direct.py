"""Direct calls: built-in functions of Python whose code is compiled here, for one state in ready
arrays.

A call by Numba's own way takes a microsecond: a Python function that looks at its arguments, arrays
made by it, and a wrapper that asks NumPy for each field of each array. A direct call reads the
fields by itself, makes the results, and calls the kernel by its address; it contains no physics, so
there are three of them for all models. Whatever is not as expected (a list, another kind of array
or number, many states, a keyword, an answer that is not finite, no memory) it hands on to a Python
function, the fallback, which does the same with checks and messages: a direct call raises nothing
by itself.

Python's lock is held throughout, as in a guarded kernel: scratch is shared between threads.
All values are words. docs/direct-calls.md has the whole picture.
"""

from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.python_objects import (
    AXES,
    CONTENT_OF_FLOAT,
    COUNT_OF_TUPLE,
    DATA,
    DTYPE,
    FIRST_OF_TUPLE,
    FLAGS,
    READABLE,
    REFERENCES,
    SELF_OF_FUNCTION,
    SHAPE,
    TYPE_OF,
    WRITABLE,
    Interface,
    call_c,
    call_kernel,
    half_word,
    number,
    word,
)

# ---- the table of a direct call ------------------------------------------------------------------
# The interface of Python and NumPy, what is called, and sizes: places of words in one array.
ARRAY_TYPE, FLOAT_TYPE, TEXT_TYPE, TUPLE_TYPE, FLOAT_DTYPE, OUT_NAME = range(6)
NEW_ARRAY, SET_BASE, NEW_NUMBER, NEW_TUPLE, NEW_OF_TYPE, SET_ITEM, FIND_ITEM = range(6, 13)
ADD_REFERENCE, DROP_REFERENCE, CLEAR_ERROR, CALL = range(13, 17)
FALLBACK, QUERIES, KERNEL, POINTER = range(17, 21)  # no kernel: nothing is compiled yet
POSITIONS, MOMENTA, FIRST_PAIR, SECOND_PAIR = range(21, 25)  # of rates
TAKES_TIME, INPUTS, FIRST_WIDTH, SECOND_WIDTH, THIRD_WIDTH, DEFAULT = range(21, 27)  # of queries
OUTPUT_SIZE, IS_WHOLE, KIND, PARTS, FIRST_PART = range(27, 32)
START, PART_AXES, PART_SHAPE, PART_WORDS = 0, 1, 2, 4  # of a part of an answer
MOST_PARTS, MOST_AXES = 4, 2  # of an answer
FIRST_SPARE = FIRST_PART + MOST_PARTS * PART_WORDS
SECOND_SPARE, TABLE_WORDS = FIRST_SPARE + 1, FIRST_SPARE + 2
assert len(Interface._fields) == FALLBACK
NOT_A_NUMBER = float("nan")


# ---- in compiled code ----------------------------------------------------------------------------
@inlined
def table_of(owner):
    """The table is the array that is the first item of the tuple to which a function belongs."""
    return word(word(owner, FIRST_OF_TUPLE), DATA)


@inlined
def entry(table, place):
    return word(table, 8 * place)


@inlined
def is_ready(table, array, length, flags):
    """Whether an object is a plain array of that many floats, beside each other and aligned."""
    return (
        word(array, TYPE_OF) == entry(table, ARRAY_TYPE)
        and half_word(array, AXES) == 1
        and word(array, DTYPE) == entry(table, FLOAT_DTYPE)
        and word(word(array, SHAPE), 0) == length
        and half_word(array, FLAGS) & flags == flags
    )


@inlined
def numbers_of(array, length):
    """Where the numbers of an array lie, and how many they are."""
    return word(array, DATA), length


@inlined
def new_array(table, axes, shape, data):
    """An array of floats with its own memory, or on what lies at `data`; 0 if there is no memory.
    NumPy takes a reference to the type of its numbers.
    """
    call_c(entry(table, ADD_REFERENCE), (entry(table, FLOAT_DTYPE),))
    kind = entry(table, ARRAY_TYPE), entry(table, FLOAT_DTYPE)
    flags = WRITABLE if data != 0 else 0
    return call_c(entry(table, NEW_ARRAY), (*kind, axes, shape, 0, data, flags, 0))


@inlined
def drop(table, thing):
    """One reference less; nothing where there is no object."""
    call_c(entry(table, DROP_REFERENCE), (thing,))


@inlined
def fall_back(table, arguments, count, names):
    return call_c(entry(table, CALL), (entry(table, FALLBACK), arguments, count, names))


# ---- rates ---------------------------------------------------------------------------------------
def rates_directly(owner, arguments, count, names):
    """f(q, p), f(q, p, out) and f(q, p, out=out): (q̇, ṗ)."""
    table = table_of(owner)
    found = 0
    if count == 2 and names == 0:
        found = new_rates(table, arguments)
    elif has_out(table, count, names):
        found = rates_into(table, arguments)
    if found != 0:
        return found
    return fall_back(table, arguments, count, names)


@inlined
def has_out(table, count, names):
    """Whether there are three arguments, and the last is `out`, by its place or by its name."""
    if names == 0:
        return count == 3
    return (
        count == 2
        and word(names, COUNT_OF_TUPLE) == 1
        and word(names, FIRST_OF_TUPLE) == entry(table, OUT_NAME)
    )


@inlined
def are_ready(table, q, p, flags):
    return is_ready(table, q, entry(table, POSITIONS), flags) and is_ready(
        table, p, entry(table, MOMENTA), flags
    )


@inlined
def evaluate(table, q, p, qdot, pdot):
    """Whether all rates are finite."""
    n, m = entry(table, POSITIONS), entry(table, MOMENTA)
    arrays = numbers_of(q, n), numbers_of(p, m), numbers_of(qdot, n), numbers_of(pdot, m)
    return call_kernel(entry(table, KERNEL), entry(table, POINTER), (), arrays)


@inlined
def free_pair(table):
    """A pair of arrays that was given to a caller before, whom it no longer interests; 0 if there
    is none. To make arrays and to free them takes as long as the rates of five bodies. There are
    two pairs: while a caller holds one, another can be given.
    """
    if is_free(table, entry(table, FIRST_PAIR)):
        return entry(table, FIRST_PAIR)
    if is_free(table, entry(table, SECOND_PAIR)):
        return entry(table, SECOND_PAIR)
    return 0


@inlined
def is_free(table, pair):
    """Whether nothing refers to a pair, nor to its arrays, but what keeps them here, and they are
    as they were made.
    """
    if pair == 0 or word(pair, REFERENCES) != 1:
        return False
    qdot, pdot = word(pair, FIRST_OF_TUPLE), word(pair, FIRST_OF_TUPLE + 8)
    return (
        word(qdot, REFERENCES) == 1
        and word(pdot, REFERENCES) == 1
        and are_ready(table, qdot, pdot, WRITABLE)
    )


@inlined
def new_rates(table, arguments):
    """A pair of arrays that nobody has; 0 if that is left to the fallback."""
    q, p = word(arguments, 0), word(arguments, 8)
    if not are_ready(table, q, p, READABLE):
        return 0
    known = free_pair(table)
    if known != 0:
        qdot, pdot = word(known, FIRST_OF_TUPLE), word(known, FIRST_OF_TUPLE + 8)
        if not evaluate(table, q, p, qdot, pdot):
            return 0
        call_c(entry(table, ADD_REFERENCE), (known,))
        return known
    qdot = new_array(table, 1, table + 8 * POSITIONS, 0)
    pdot = new_array(table, 1, table + 8 * MOMENTA, 0)
    if qdot != 0 and pdot != 0 and evaluate(table, q, p, qdot, pdot):
        pair = call_c(entry(table, NEW_TUPLE), (2,))
        if pair != 0:
            call_c(entry(table, SET_ITEM), (pair, 0, qdot))
            call_c(entry(table, SET_ITEM), (pair, 1, pdot))
            return pair
    call_c(entry(table, CLEAR_ERROR), (0,))
    drop(table, qdot)
    drop(table, pdot)
    return 0


@inlined
def do_overlap(table, qdot, pdot):
    """Whether two arrays for rates share memory."""
    first, second = word(qdot, DATA), word(pdot, DATA)
    n, m = entry(table, POSITIONS), entry(table, MOMENTA)
    return first < second + 8 * m and second < first + 8 * n


@inlined
def rates_into(table, arguments):
    """The pair of arrays that was given as the third argument, filled; 0 if that is left to the
    fallback.
    """
    q, p, out = word(arguments, 0), word(arguments, 8), word(arguments, 16)
    if word(out, TYPE_OF) != entry(table, TUPLE_TYPE) or word(out, COUNT_OF_TUPLE) != 2:
        return 0
    qdot, pdot = word(out, FIRST_OF_TUPLE), word(out, FIRST_OF_TUPLE + 8)
    if not (are_ready(table, q, p, READABLE) and are_ready(table, qdot, pdot, WRITABLE)):
        return 0
    if do_overlap(table, qdot, pdot):
        return 0
    if not evaluate(table, q, p, qdot, pdot):
        return 0
    call_c(entry(table, ADD_REFERENCE), (out,))
    return out


# ---- queries -------------------------------------------------------------------------------------
def answer_directly(owner, arguments, count, names):
    """f(q, u, x) or, if the table says so, f(t, q, u, x)."""
    table = table_of(owner)
    found = 0
    takes_time = entry(table, TAKES_TIME)
    if names == 0 and count >= takes_time:
        t = 0.0
        if takes_time == 1:
            t = time_of(table, word(arguments, 0))
        if t - t == 0.0:  # finite
            found = new_answer(table, arguments + 8 * takes_time, count - takes_time, t)
    if found != 0:
        return found
    return fall_back(table, arguments, count, names)


@inlined
def time_of(table, given):
    """A plain float; NaN of anything else."""
    if word(given, TYPE_OF) == entry(table, FLOAT_TYPE):
        return number(given, CONTENT_OF_FLOAT)
    return NOT_A_NUMBER


def answer_by_name(owner, arguments, count, names):
    """f(q, u, x, name): what the query of that name answers, if it was asked before."""
    table = table_of(owner)
    found = 0
    if names == 0 and count > 1:
        name = word(arguments, 8 * (count - 1))
        if word(name, TYPE_OF) == entry(table, TEXT_TYPE):
            named = call_c(entry(table, FIND_ITEM), (entry(table, QUERIES), name))
            if named != 0:
                asked = table_of(word(named, SELF_OF_FUNCTION))
                found = new_answer(asked, arguments, count - 1, 0.0)
    if found != 0:
        return found
    return fall_back(table, arguments, count, names)


@inlined
def free_answer(table):
    """An array that was given to a caller before, as `free_pair` finds them; 0 if there is none."""
    if is_free_answer(table, entry(table, FIRST_SPARE)):
        return entry(table, FIRST_SPARE)
    if is_free_answer(table, entry(table, SECOND_SPARE)):
        return entry(table, SECOND_SPARE)
    return 0


@inlined
def is_free_answer(table, array):
    """Whether nothing refers to an array but what keeps it here, and it is as it was made."""
    if array == 0 or word(array, REFERENCES) != 1:
        return False
    axes, shape = entry(table, FIRST_PART + PART_AXES), word(array, SHAPE)
    return (
        word(array, TYPE_OF) == entry(table, ARRAY_TYPE)
        and half_word(array, AXES) == axes
        and word(array, DTYPE) == entry(table, FLOAT_DTYPE)
        and half_word(array, FLAGS) & WRITABLE == WRITABLE
        and word(shape, 0) == entry(table, FIRST_PART + PART_SHAPE)
        and (axes == 1 or word(shape, 8) == entry(table, FIRST_PART + PART_SHAPE + 1))
    )


@outlined
def new_answer(table, arguments, count, t):
    """The answer in arrays that nobody has; 0 if that is left to the fallback."""
    if entry(table, KERNEL) == 0 or not are_inputs_ready(table, arguments, count):
        return 0
    is_whole = entry(table, IS_WHOLE) != 0
    known = free_answer(table)
    if known != 0:
        if not ask(table, arguments, count, t, known):
            return 0
        call_c(entry(table, ADD_REFERENCE), (known,))
        return known
    axes, shape = 1, table + 8 * OUTPUT_SIZE
    if is_whole:
        axes = entry(table, FIRST_PART + PART_AXES)
        shape = table + 8 * (FIRST_PART + PART_SHAPE)
    out = new_array(table, axes, shape, 0)
    if out != 0:
        if ask(table, arguments, count, t, out):
            if is_whole:
                return out
            found = take_parts(table, out)
            drop(table, out)  # its parts keep it
            return found
        drop(table, out)
    call_c(entry(table, CLEAR_ERROR), (0,))
    return 0


@inlined
def are_inputs_ready(table, arguments, count):
    """Whether there is a ready array for each input; the last may be left out if it has a
    default.
    """
    needed = entry(table, INPUTS)
    if count != needed and (count != needed - 1 or entry(table, DEFAULT) == 0):
        return False
    for k in range(count):
        if not is_ready(table, word(arguments, 8 * k), entry(table, FIRST_WIDTH + k), READABLE):
            return False
    return True


@inlined
def ask(table, arguments, count, t, out):
    """Whether all of the answer is finite. What is not given has no numbers, or its default."""
    q = numbers_of(word(arguments, 0), entry(table, FIRST_WIDTH))
    u = table, 0
    x = table, 0
    if count > 1:
        u = numbers_of(word(arguments, 8), entry(table, SECOND_WIDTH))
    if count > 2:
        x = numbers_of(word(arguments, 16), entry(table, THIRD_WIDTH))
    elif entry(table, DEFAULT) != 0:
        x = entry(table, DEFAULT), entry(table, THIRD_WIDTH)
    arrays = q, u, x, numbers_of(out, entry(table, OUTPUT_SIZE))
    return call_kernel(entry(table, KERNEL), entry(table, POINTER), (t,), arrays)


@inlined
def take_parts(table, out):
    """The part of an answer, or a tuple of its parts; 0 if there is no memory."""
    if entry(table, KIND) == 0:
        return take_part(table, out, table + 8 * FIRST_PART)
    count = entry(table, PARTS)
    parts = call_c(entry(table, NEW_OF_TYPE), (entry(table, KIND), count))
    for k in range(count):
        part = take_part(table, out, table + 8 * (FIRST_PART + k * PART_WORDS))
        if part == 0 or parts == 0:
            call_c(entry(table, CLEAR_ERROR), (0,))
            drop(table, part)
            drop(table, parts)
            return 0
        call_c(entry(table, SET_ITEM), (parts, k, part))
    return parts


@inlined
def take_part(table, out, part):
    """A view of the numbers written, which keeps them, or one of them as a number; 0 if there is
    no memory.
    """
    data = word(out, DATA) + 8 * entry(part, START)
    if entry(part, PART_AXES) == 0:
        found = call_c(entry(table, NEW_NUMBER), (data, entry(table, FLOAT_DTYPE), 0))
        if found != 0:
            return found
    else:
        found = new_array(table, entry(part, PART_AXES), part + 8 * PART_SHAPE, data)
    if found == 0:
        call_c(entry(table, CLEAR_ERROR), (0,))
        return 0
    call_c(entry(table, ADD_REFERENCE), (out,))
    call_c(entry(table, SET_BASE), (found, out))
    return found
