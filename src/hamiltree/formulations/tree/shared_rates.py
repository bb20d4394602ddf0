"""(q̇, ṗ) of one large tree by several threads: the sweeps of sweeps.py over the trunk and the
pieces of a tree (pieces.py).

  leader   frames of the trunk
  all      frames and articulated inertias of pieces
  leader   articulated inertias of the trunk; rates of the trunk
  all      rates and forces of pieces
  leader   forces of the trunk; laws
Every thread has pieces of its own, whose rows stay in the caches of its core; who has done them
takes those that others have not begun. They wait for each other twice.
"""

import threading
from functools import partial
from itertools import count
from typing import NamedTuple

import numpy as np

from hamiltree.compiled.callback import callback, entry, struct_type, type_of
from hamiltree.compiled.kernel import inlined, kernel, outlined
from hamiltree.compiled.number import load, read_only, rows, store
from hamiltree.compiled.pointer import StructPointer, compile_for, unpack
from hamiltree.compiled.threads import (
    ENTERED,
    LEFT,
    OF_CALL,
    OVER,
    Team,
    address_of_array,
    advance_from,
    array_at,
    count_one,
    new_counters,
    publish,
    read,
    wait_a_little,
)
from hamiltree.errors import OptionError
from hamiltree.forces.dispatch import add_all_generalised_forces
from hamiltree.formulations.tree.balls import evaluate_ball_scale
from hamiltree.formulations.tree.body_forces import gather_body_forces
from hamiltree.formulations.tree.canonical_variables import (
    read_ball_momentum,
    write_ball_rates,
    write_rates,
)
from hamiltree.formulations.tree.pieces import (
    LEAST_GAIN,
    SMALLEST_TREE,
    Cut,
    cut_tree,
    piece_flags,
    piece_slots,
    spans,
)
from hamiltree.formulations.tree.sweeps import (
    place_links,
    place_twists,
    sweep_frames_of,
    sweep_inertias,
    sweep_momenta,
    sweep_velocities,
)
from hamiltree.verbs import rates

# columns of a span
FIRST, LAST, FIRST_BALL, LAST_BALL = range(4)
# counters of a call: halves of evaluations that may be swept, pieces that are swept in all, and
# from TAKEN on those that were taken of each thread's
PUBLISHED, DONE, TAKEN = range(OF_CALL, OF_CALL + 3)
# columns of a share
START, COUNT = range(2)
# what helpers read of the leader's arguments
Y, YDOT = range(2)


class Shared(NamedTuple):
    """What all threads see."""

    trunk: np.ndarray  # spans: ranges of links and of balls
    piece: np.ndarray  # spans
    share: np.ndarray  # first and number of the pieces of each thread
    counters: np.ndarray
    address: np.ndarray  # of y and ẏ
    rank: int  # of this thread; the leader has 0


# ---- sweeps of a span ----------------------------------------------------------------------------
@outlined
def begin_span(system, work, y, span):
    """Outward: frames and momenta of the links of a span."""
    for b in range(span[FIRST_BALL], span[LAST_BALL]):
        evaluate_ball_scale(system, work, y, b)
    has_axes = work.rotation.shape[0] > system.parent.shape[0]
    sweep_frames_of(system, work, y, span[FIRST], span[LAST], True, has_axes)
    for i in range(span[FIRST], span[LAST]):
        store(work.pi, i, load(y, system.layout.positions + system.coordinate[i]))
    for b in range(span[FIRST_BALL], span[LAST_BALL]):
        read_ball_momentum(system, work, y, b)


@outlined
def gather_span(system, work, span):
    """Inward: articulated inertias."""
    sweep_inertias(system, work, span[FIRST], span[LAST], False)


@outlined
def propagate_span(system, work, span):
    """Outward: rates."""
    sweep_velocities(system, work, span[FIRST], span[LAST])


@outlined
def finish_span(system, work, y, ydot, span):
    """Inward: forces; into ẏ, unless laws on bodies come in between."""
    sweep_momenta(system, work, span[FIRST], span[LAST], True)
    if not system.body_laws.has_any:
        momenta = system.layout.positions
        for i in range(span[FIRST], span[LAST]):
            store(ydot, system.coordinate[i], load(work.rate, i))
            store(ydot, momenta + system.coordinate[i], load(work.generalised_force, i))
        for b in range(span[FIRST_BALL], span[LAST_BALL]):
            write_ball_rates(system, work, y, ydot, b)


# ---- tasks ---------------------------------------------------------------------------------------
@inlined
def take_piece(shared):
    """A piece that may be swept, of this thread's or else of another's: its number, plus the number
    of pieces if it is the second half's turn; −1 if there is none.
    """
    published, threads = read(shared.counters, PUBLISHED), shared.share.shape[0]
    for k in range(threads):
        owner = (shared.rank + k) % threads
        count = shared.share[owner, COUNT]
        ticket = read(shared.counters, TAKEN + owner)
        while ticket < published * count:
            if advance_from(shared.counters, TAKEN + owner, ticket):
                half, place = ticket // count % 2, ticket % count
                # back again: the last pieces are still in the caches
                place = place if half == 0 else count - 1 - place
                return shared.share[owner, START] + place + half * shared.piece.shape[0]
            ticket = read(shared.counters, TAKEN + owner)
    return -1


@outlined
def sweep_piece(system, work, shared, y, ydot, taken):
    """The half of a piece that was taken."""
    pieces = shared.piece.shape[0]
    span = shared.piece[taken % pieces]
    if taken < pieces:
        begin_span(system, work, y, span)
        gather_span(system, work, span)
    else:
        propagate_span(system, work, span)
        finish_span(system, work, y, ydot, span)
    count_one(shared.counters, DONE)


@inlined
def sweep_pieces(system, work, shared, y, ydot):
    """Publish half an evaluation, help with its pieces, and wait for the last of them."""
    published = read(shared.counters, PUBLISHED) + 1
    publish(shared.counters, PUBLISHED, published)
    taken = take_piece(shared)
    while taken >= 0:
        sweep_piece(system, work, shared, y, ydot, taken)
        taken = take_piece(shared)
    spins = 0
    while read(shared.counters, DONE) < published * shared.piece.shape[0]:
        wait_a_little(spins)
        spins += 1


@outlined
def add_body_laws(system, work, t, y, ydot):
    """What acts on bodies, and all rates into ẏ: by the leader alone."""
    place_links(system, work)
    place_twists(system, work)
    gather_body_forces(system, work, t)
    write_rates(system, work, y, ydot)


@entry
def lead_rates(context, arguments):
    """`rates` of HamiltonianTree."""
    system, work, shared = unpack(context)
    t, y, ydot = unpack(arguments)
    shared.address[Y], shared.address[YDOT] = address_of_array(y), address_of_array(ydot)
    trunk, spans = shared.trunk, shared.trunk.shape[0]
    for k in range(spans):
        begin_span(system, work, y, trunk[k])
    sweep_pieces(system, work, shared, y, ydot)
    for k in range(spans - 1, -1, -1):
        gather_span(system, work, trunk[k])
    for k in range(spans):
        propagate_span(system, work, trunk[k])
    sweep_pieces(system, work, shared, y, ydot)
    for k in range(spans - 1, -1, -1):
        finish_span(system, work, y, ydot, trunk[k])
    if system.body_laws.has_any:
        add_body_laws(system, work, t, y, ydot)
    if system.joint_laws.has_any:
        add_all_generalised_forces(system.joint_laws, t, y, ydot, system.layout.positions)


@kernel
def help_with_rates(pointer, call):
    """Take pieces until the leader's call of this number is over."""
    system, work, shared = unpack(pointer)
    count_one(shared.counters, ENTERED)
    spins = 0
    while read(shared.counters, OVER) < call:
        taken = take_piece(shared)
        if taken >= 0:  # only now: until it is done the leader stays in this evaluation
            y = array_at(shared.address[Y], work.pi)
            ydot = array_at(shared.address[YDOT], work.pi)
            sweep_piece(system, work, shared, y, ydot, taken)
            spins = 0
        else:
            wait_a_little(spins)
            spins += 1
    count_one(shared.counters, LEFT)


# ---- teams ---------------------------------------------------------------------------------------
def share(model, system, threads: int):
    """The tables of a tree that is cut for so many threads, and what makes a team for a workspace;
    refused where it would bring nothing.
    """
    if len(system.follower):
        raise OptionError(
            f"threads = {threads}: '{next(iter(model.followers))}' follows another coordinate, and "
            "couplings are solved by one thread; leave threads out"
        )
    n = len(system.parent)
    cut = cut_tree(system.parent, threads) if n >= SMALLEST_TREE else None
    if cut is None or n < LEAST_GAIN * cut.cost:
        raise OptionError(
            f"threads = {threads}: {model.name!r} ({n} links) is too small or too much of a single "
            "chain: no cut into branches makes it faster; leave threads out"
        )
    flags = piece_flags(system.parent, system.flags, cut)
    slots = piece_slots(system.parent, flags, cut)
    tables = system._replace(
        flags=read_only(flags),
        slot=read_only(slots),
        slot_of_parent=read_only(np.append(slots, 0)[system.parent]),
    )
    return tables, partial(make_team, tables, cut=cut, threads=threads)


def make_team(system, work, width: int, cut: Cut, threads: int) -> Team:
    """Threads for a workspace: helpers have sines and cosines of their own, all else is shared."""
    trunk, pieces = (read_only(spans(each, system.ball)) for each in (cut.trunk, cut.pieces))
    counters, address = new_counters(TAKEN + threads), np.zeros(2, dtype=np.int64)
    shared = Shared(trunk, pieces, read_only(cut.shares), counters, address, 0)
    strip = len(work.sine)
    helpers = [
        StructPointer(
            system,
            work._replace(sine=rows(float, strip, width), cosine=rows(float, strip, width)),
            shared._replace(rank=rank),
        )
        for rank in range(1, threads)
    ]
    context = struct_type(*map(type_of, (system, work, shared)))
    lead = callback(lead_rates, context, *rates.form.types(width))
    helping = compile_for(help_with_rates, helpers[0], 0)
    return Team(
        lead,
        (shared,),
        helping,
        helpers,
        counters,
        count(1),
        threading.Lock(),
    )
