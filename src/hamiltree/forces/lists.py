"""Which particles are near which clusters: lists with a skin (Verlet 1967), made from cells in a
time proportional to the bodies.

A row is listed where a particle is within reach = cut-off + skin of some particle of a cluster; no
pair can be missed until a particle has moved by half the skin, so lists are made anew as soon as
one has. Rows are in the order of their numbers, and those beyond the cut-off add exactly nothing: a
sum does not depend on when lists were made, to the bit. Where a list has more rows than there is
room for, it is made and used in portions, each time: slower, never wrong.
"""

from hamiltree.algebra.values import dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import (
    absolute,
    alike,
    floor,
    fma,
    lane,
    load_block,
    maximum,
    nearest,
    where_less,
)
from hamiltree.forces.potentials import range_of

# entries of facts: whether the lists hold, where they end, how often made, cells along x, y, z
HOLDS, LAST, MADE, ACROSS = range(4)
REACH, HALF_SKIN_SQUARED, LARGEST = 3, 4, 5  # entries of limits
MOST_ACROSS = 1e6
CROWD = 8.0  # mean distances from the mean; an even crowd reaches two of them
# a ghost: beyond every cut-off, and of no force; the square of its distance² is still finite
FAR = 1e70


@inlined
def begin_rows(table, room, first):
    """Rows of the clusters from `first` on, as many as there is room for."""
    if room.facts[HOLDS] == 0:
        make_rows(table, room, first)


@inlined
def end_of_rows(room):
    return room.facts[LAST]


@inlined
def separation(room, reach, c, x):
    """From the four of a cluster to the point x, of the nearest image."""
    d = Vec3(x.x - load_block(room.x, c), x.y - load_block(room.y, c), x.z - load_block(room.z, c))
    return nearest_image(reach, d) if reach.is_periodic else d


@inlined
def nearest_image(reach, d):
    """A ghost has none: FAR may be a multiple of the box, to the last digit."""
    box, inverse = reach.box, reach.inverse_box
    x = fma(-box.x, nearest(d.x * inverse.x), d.x)
    return Vec3(
        where_less(absolute(d.x), 0.5 * FAR, x, d.x),
        fma(-box.y, nearest(d.y * inverse.y), d.y),
        fma(-box.z, nearest(d.z * inverse.z), d.z),
    )


@inlined
def least_of_lanes(x):
    return min(min(lane(x, 0), lane(x, 1)), min(lane(x, 2), lane(x, 3)))


@inlined
def has_moved(table, room):
    """Whether some particle has come further than half a skin from where it was listed."""
    most = alike(0.0, load_block(room.x, 0))
    for c in range(table.owner.shape[0]):
        dx, dy, dz = (
            load_block(room.x, c) - load_block(room.ux, c),
            load_block(room.y, c) - load_block(room.uy, c),
            load_block(room.z, c) - load_block(room.uz, c),
        )
        most = maximum(most, fma(dx, dx, fma(dy, dy, dz * dz)))
    limit, stays = table.limits[HALF_SKIN_SQUARED], True
    for k in range(4):
        stays = stays and lane(most, k) < limit
    return not stays


@outlined
def renew_lists(table, room):
    if room.facts[HOLDS] != 0 and not has_moved(table, room):
        return
    room.facts[HOLDS] = 0
    for i in range(room.x.shape[0]):
        room.ux[i], room.uy[i], room.uz[i] = room.x[i], room.y[i], room.z[i]
    find_centres(table, room)
    lay_out_cells(table, room)
    fill_cells(table, room)


# ---- cells ---------------------------------------------------------------------------------------
@inlined
def find_centres(table, room):
    """The mean of the particles of every cluster."""
    for c in range(table.owner.shape[0]):
        x, y, z = 0.0, 0.0, 0.0
        for i in range(4 * c, 4 * c + table.real[c]):
            x, y, z = x + room.x[i], y + room.y[i], z + room.z[i]
        share = 1.0 / table.real[c]
        room.centre[3 * c], room.centre[3 * c + 1], room.centre[3 * c + 2] = (
            x * share,
            y * share,
            z * share,
        )


@inlined
def crowd_along(room, clusters, axis):
    """Where nearly all clusters are along one axis: a few that have flown off count as if they
    stood at the edge, and cells stay small.
    """
    low, high, mean, apart = room.centre[axis], room.centre[axis], 0.0, 0.0
    for c in range(clusters):
        x = room.centre[3 * c + axis]
        low, high, mean = min(low, x), max(high, x), mean + x / clusters
    for c in range(clusters):
        apart += abs(room.centre[3 * c + axis] - mean) / clusters
    low, high = max(low, mean - CROWD * apart), min(high, mean + CROWD * apart)
    return low, high - low


@inlined
def lay_out_cells(table, room):
    """Cells at least as wide as two clusters that see each other are apart, and not many more of
    them than clusters.
    """
    width, clusters = table.limits[REACH] + 2.0 * table.limits[LARGEST], table.owner.shape[0]
    for axis in range(3):
        low, length = crowd_along(room, clusters, axis)
        if table.box[axis] > 0.0:
            low, length = 0.0, table.box[axis]
        across = length / width
        # NaN: one
        room.facts[ACROSS + axis] = int(min(across, MOST_ACROSS)) if across >= 1.0 else 1
        room.corner[axis], room.corner[3 + axis] = low, length
    while room.facts[ACROSS] * room.facts[ACROSS + 1] * room.facts[ACROSS + 2] > 2 * clusters:
        longest = 0
        for axis in range(1, 3):
            longest = axis if room.facts[ACROSS + axis] > room.facts[ACROSS + longest] else longest
        room.facts[ACROSS + longest] = (room.facts[ACROSS + longest] + 1) // 2


@inlined
def cell_along(table, room, c, axis):
    """Which cell a cluster is in, along one axis."""
    count, length = room.facts[ACROSS + axis], room.corner[3 + axis]
    if count == 1:
        return 0
    share = (room.centre[3 * c + axis] - room.corner[axis]) / length
    if table.box[axis] > 0.0:
        share -= floor(share)
    share = share if share > 0.0 else 0.0  # NaN: zero
    return min(int((share if share < 1.0 else 1.0) * count), count - 1)


@inlined
def cell_number(room, x, y, z):
    return (z * room.facts[ACROSS + 1] + y) * room.facts[ACROSS] + x


@inlined
def fill_cells(table, room):
    """The clusters of a cell are a chain in descending order."""
    cells = room.facts[ACROSS] * room.facts[ACROSS + 1] * room.facts[ACROSS + 2]
    for cell in range(cells):
        room.head[cell] = -1
    for c in range(table.owner.shape[0]):
        cell = cell_number(
            room,
            cell_along(table, room, c, 0),
            cell_along(table, room, c, 1),
            cell_along(table, room, c, 2),
        )
        room.after[c], room.head[cell] = room.head[cell], c


# ---- rows ----------------------------------------------------------------------------------------
@inlined
def cells_beside(table, room, axis, at):
    """From which neighbour to which cells are looked at along one axis: each once, also where there
    are only one or two.
    """
    count = room.facts[ACROSS + axis]
    if table.box[axis] > 0.0:
        return (-1 if count > 2 else 0), (1 if count > 1 else 0)
    return (-1 if at > 0 else 0), (1 if at < count - 1 else 0)


@inlined
def squared_distance(room, reach, at, c):
    """From a point to the centre of a cluster, by the nearest image."""
    box, inverse = reach.box, reach.inverse_box
    dx, dy, dz = (
        room.centre[3 * c] - at.x,
        room.centre[3 * c + 1] - at.y,
        room.centre[3 * c + 2] - at.z,
    )
    if reach.is_periodic:
        dx = fma(-box.x, nearest(dx * inverse.x), dx)
        dy = fma(-box.y, nearest(dy * inverse.y), dy)
        dz = fma(-box.z, nearest(dz * inverse.z), dz)
    return fma(dx, dx, fma(dy, dy, dz * dz))


@inlined
def is_excluded(table, one, other):
    found = False
    for k in range(table.excluded_first[one], table.excluded_first[one + 1]):
        found = found or table.excluded[k] == other
    return found


@inlined
def note_candidate(room, found, c):
    """Put c where it belongs among those found."""
    k = found
    while k > 0 and room.near[k - 1] > c:
        room.near[k] = room.near[k - 1]
        k -= 1
    room.near[k] = c


@inlined
def look_into_cell(table, room, reach, c, cell, found):
    """Clusters of later bodies that may come within reach of cluster c."""
    own, wide = table.owner[c], table.limits[REACH] + table.radius[c]
    at = Vec3(room.centre[3 * c], room.centre[3 * c + 1], room.centre[3 * c + 2])
    other = room.head[cell]
    while other >= 0 and table.owner[other] > own:
        limit = wide + table.radius[other]
        if squared_distance(room, reach, at, other) < limit * limit and not is_excluded(
            table, own, table.owner[other]
        ):
            note_candidate(room, found, other)
            found += 1
        other = room.after[other]
    return found


@inlined
def wrapped(i, count):
    """i from −1 to count, round the box: cheaper than a remainder."""
    return i - count if i >= count else (i + count if i < 0 else i)


@outlined
def find_candidates(table, room, c):
    """How many there are; they stand in `near`."""
    x, y, z, reach = (
        cell_along(table, room, c, 0),
        cell_along(table, room, c, 1),
        cell_along(table, room, c, 2),
        range_of(table),
    )
    nx, ny, nz = room.facts[ACROSS], room.facts[ACROSS + 1], room.facts[ACROSS + 2]
    left, right = cells_beside(table, room, 0, x)
    front, back = cells_beside(table, room, 1, y)
    under, over = cells_beside(table, room, 2, z)
    found = 0
    for k in range(under, over + 1):
        for j in range(front, back + 1):
            for i in range(left, right + 1):
                cell = cell_number(room, wrapped(x + i, nx), wrapped(y + j, ny), wrapped(z + k, nz))
                found = look_into_cell(table, room, reach, c, cell, found)
    return found


@inlined
def list_particle(table, room, reach, i, found, at):
    """The rows of particle i: candidates of which one of the four is within reach.

    Gives where they end.
    """
    x, limit = Vec3(room.x[i], room.y[i], room.z[i]), table.limits[REACH]
    room.start[i] = at
    for k in range(found):
        d = separation(room, reach, room.near[k], x)
        room.cluster[at] = room.near[k]
        at += 1 if least_of_lanes(dot(d, d)) < limit * limit else 0
    return at


@outlined
def make_rows(table, room, first):
    at, last, clusters, reach = 0, first, table.owner.shape[0], range_of(table)
    while last < clusters:
        found = find_candidates(table, room, last)
        if at + table.real[last] * found > room.cluster.shape[0]:
            break
        for i in range(4 * last, 4 * last + table.real[last]):
            at = list_particle(table, room, reach, i, found, at)
        for i in range(4 * last + table.real[last], 4 * last + 5):  # ghosts, and the end
            room.start[i] = at
        last += 1
    room.facts[LAST] = last
    if first == 0 and last == clusters:
        room.facts[HOLDS] = 1
        room.facts[MADE] += 1
