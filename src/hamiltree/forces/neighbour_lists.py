"""Which particles are near which clusters: lists with a skin (Verlet 1967), made from cells in a
time proportional to the bodies.

A row is listed where a particle is within reach = cut-off + skin of some particle of a cluster; no
pair can be missed until a particle has moved by half the skin, so lists are made anew as soon as
one has. Rows are in the order of their numbers, and those beyond the cut-off add exactly nothing: a
sum does not depend on when lists were made, to the bit. Where a list has more rows than its memory
holds, it is made and used in portions, each time: slower, never wrong.
"""

from hamiltree.algebra.values import dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import (
    absolute,
    broadcast_like,
    floor,
    fma,
    lane,
    load_block,
    maximum,
    round_to_nearest,
    where_less,
)
from hamiltree.forces.pair_potentials import cutoff_range

# entries of facts: whether the lists hold, where they end, how often made, cells along x, y, z
LISTS_VALID, LAST_LISTED, BUILD_COUNT, CELL_COUNTS = range(4)
REACH, HALF_SKIN_SQUARED, LARGEST = 3, 4, 5  # entries of limits
MAX_CELLS_ALONG = 1e6
CROWD_DEVIATIONS = 8.0  # mean distances from the mean; an even crowd reaches two of them
# a ghost: beyond every cut-off, and of no force; the square of its distance² is still finite
GHOST_COORDINATE = 1e70


@inlined
def ensure_neighbour_rows(table, law_state, first):
    """Rows of the clusters from `first` on, as many as the memory holds."""
    if law_state.facts[LISTS_VALID] == 0:
        build_neighbour_rows(table, law_state, first)


@inlined
def last_listed_cluster(law_state):
    return law_state.facts[LAST_LISTED]


@inlined
def separation_from(xs, ys, zs, reach, c, x):
    """From the four of a cluster, at (xs, ys, zs), to the point x, of the nearest image."""
    d = Vec3(x.x - load_block(xs, c), x.y - load_block(ys, c), x.z - load_block(zs, c))
    return nearest_image(reach, d) if reach.is_periodic else d


@inlined
def separation(law_state, reach, c, x):
    """From the four of a cluster, where they are now, to the point x."""
    return separation_from(law_state.x, law_state.y, law_state.z, reach, c, x)


@inlined
def nearest_image(reach, d):
    """A ghost has none: FAR may be a multiple of the box, to the last digit."""
    box, inverse = reach.box, reach.inverse_box
    x = fma(-box.x, round_to_nearest(d.x * inverse.x), d.x)
    return Vec3(
        where_less(absolute(d.x), 0.5 * GHOST_COORDINATE, x, d.x),
        fma(-box.y, round_to_nearest(d.y * inverse.y), d.y),
        fma(-box.z, round_to_nearest(d.z * inverse.z), d.z),
    )


@inlined
def min_over_lanes(x):
    return min(min(lane(x, 0), lane(x, 1)), min(lane(x, 2), lane(x, 3)))


@inlined
def has_left_skin(table, law_state):
    """Whether some particle has come further than half a skin from where it was listed."""
    most = broadcast_like(0.0, load_block(law_state.x, 0))
    for c in range(table.owner.shape[0]):
        dx = load_block(law_state.x, c) - load_block(law_state.ux, c)
        dy = load_block(law_state.y, c) - load_block(law_state.uy, c)
        dz = load_block(law_state.z, c) - load_block(law_state.uz, c)
        most = maximum(most, fma(dx, dx, fma(dy, dy, dz * dz)))
    limit, stays = table.limits[HALF_SKIN_SQUARED], True
    for k in range(4):
        stays = stays and lane(most, k) < limit
    return not stays


@outlined
def update_neighbour_lists(table, law_state):
    """Make lists anew where they do not hold: at first, or after a move of half a skin."""
    if law_state.facts[LISTS_VALID] != 0 and not has_left_skin(table, law_state):
        return
    law_state.facts[LISTS_VALID] = 0
    for i in range(law_state.x.shape[0]):
        law_state.ux[i] = law_state.x[i]
        law_state.uy[i] = law_state.y[i]
        law_state.uz[i] = law_state.z[i]
    compute_cluster_centres(table, law_state)
    lay_out_cells(table, law_state)
    fill_cells(table, law_state)


# ---- cells ---------------------------------------------------------------------------------------
@inlined
def compute_cluster_centres(table, law_state):
    """The mean of the particles of every cluster."""
    for c in range(table.owner.shape[0]):
        x, y, z = 0.0, 0.0, 0.0
        for i in range(4 * c, 4 * c + table.real[c]):
            x = x + law_state.x[i]
            y = y + law_state.y[i]
            z = z + law_state.z[i]
        share = 1.0 / table.real[c]
        law_state.centre[3 * c] = x * share
        law_state.centre[3 * c + 1] = y * share
        law_state.centre[3 * c + 2] = z * share


@inlined
def cluster_extent(law_state, clusters, axis):
    """Where nearly all clusters are along one axis: a few that have flown off count as if they
    stood at the edge, and cells stay small.
    """
    low = law_state.centre[axis]
    high = law_state.centre[axis]
    mean = 0.0
    apart = 0.0
    for c in range(clusters):
        x = law_state.centre[3 * c + axis]
        low = min(low, x)
        high = max(high, x)
        mean = mean + x / clusters
    for c in range(clusters):
        apart += abs(law_state.centre[3 * c + axis] - mean) / clusters
    low = max(low, mean - CROWD_DEVIATIONS * apart)
    high = min(high, mean + CROWD_DEVIATIONS * apart)
    return low, high - low


@inlined
def lay_out_cells(table, law_state):
    """Cells at least as wide as two clusters that see each other are apart, and not many more of
    them than clusters.
    """
    width, clusters = table.limits[REACH] + 2.0 * table.limits[LARGEST], table.owner.shape[0]
    for axis in range(3):
        low, length = cluster_extent(law_state, clusters, axis)
        if table.box[axis] > 0.0:
            low, length = 0.0, table.box[axis]
        across = length / width
        # NaN: one
        law_state.facts[CELL_COUNTS + axis] = (
            int(min(across, MAX_CELLS_ALONG)) if across >= 1.0 else 1
        )
        law_state.corner[axis], law_state.corner[3 + axis] = low, length
    while (
        law_state.facts[CELL_COUNTS]
        * law_state.facts[CELL_COUNTS + 1]
        * law_state.facts[CELL_COUNTS + 2]
        > 2 * clusters
    ):
        longest = 0
        for axis in range(1, 3):
            longest = (
                axis
                if law_state.facts[CELL_COUNTS + axis] > law_state.facts[CELL_COUNTS + longest]
                else longest
            )
        law_state.facts[CELL_COUNTS + longest] = (law_state.facts[CELL_COUNTS + longest] + 1) // 2


@inlined
def cell_index_along(table, law_state, c, axis):
    """Which cell a cluster is in, along one axis."""
    count, length = law_state.facts[CELL_COUNTS + axis], law_state.corner[3 + axis]
    if count == 1:
        return 0
    share = (law_state.centre[3 * c + axis] - law_state.corner[axis]) / length
    if table.box[axis] > 0.0:
        share -= floor(share)
    share = share if share > 0.0 else 0.0  # NaN: zero
    return min(int((share if share < 1.0 else 1.0) * count), count - 1)


@inlined
def cell_number(law_state, x, y, z):
    return (z * law_state.facts[CELL_COUNTS + 1] + y) * law_state.facts[CELL_COUNTS] + x


@inlined
def fill_cells(table, law_state):
    """The clusters of a cell are a chain in descending order."""
    cells = (
        law_state.facts[CELL_COUNTS]
        * law_state.facts[CELL_COUNTS + 1]
        * law_state.facts[CELL_COUNTS + 2]
    )
    for cell in range(cells):
        law_state.head[cell] = -1
    for c in range(table.owner.shape[0]):
        cell = cell_number(
            law_state,
            cell_index_along(table, law_state, c, 0),
            cell_index_along(table, law_state, c, 1),
            cell_index_along(table, law_state, c, 2),
        )
        law_state.after[c], law_state.head[cell] = law_state.head[cell], c


# ---- rows ----------------------------------------------------------------------------------------
@inlined
def neighbour_cell_range(table, law_state, axis, at):
    """From which neighbour to which cells are looked at along one axis: each once, also where there
    are only one or two.
    """
    count = law_state.facts[CELL_COUNTS + axis]
    if table.box[axis] > 0.0:
        return (-1 if count > 2 else 0), (1 if count > 1 else 0)
    return (-1 if at > 0 else 0), (1 if at < count - 1 else 0)


@inlined
def squared_distance(law_state, reach, at, c):
    """From a point to the centre of a cluster, by the nearest image."""
    box, inverse = reach.box, reach.inverse_box
    dx = law_state.centre[3 * c] - at.x
    dy = law_state.centre[3 * c + 1] - at.y
    dz = law_state.centre[3 * c + 2] - at.z
    if reach.is_periodic:
        dx = fma(-box.x, round_to_nearest(dx * inverse.x), dx)
        dy = fma(-box.y, round_to_nearest(dy * inverse.y), dy)
        dz = fma(-box.z, round_to_nearest(dz * inverse.z), dz)
    return fma(dx, dx, fma(dy, dy, dz * dz))


@inlined
def is_excluded(table, one, other):
    found = False
    for k in range(table.excluded_first[one], table.excluded_first[one + 1]):
        found = found or table.excluded[k] == other
    return found


@inlined
def insert_candidate(law_state, found, c):
    """Put c where it belongs among those found."""
    k = found
    while k > 0 and law_state.candidates[k - 1] > c:
        law_state.candidates[k] = law_state.candidates[k - 1]
        k -= 1
    law_state.candidates[k] = c


@inlined
def search_cell(table, law_state, reach, c, cell, found):
    """Clusters of later bodies that may come within reach of cluster c."""
    own, wide = table.owner[c], table.limits[REACH] + table.radius[c]
    at = Vec3(law_state.centre[3 * c], law_state.centre[3 * c + 1], law_state.centre[3 * c + 2])
    other = law_state.head[cell]
    while other >= 0 and table.owner[other] > own:
        limit = wide + table.radius[other]
        is_near = squared_distance(law_state, reach, at, other) < limit * limit
        if is_near and not is_excluded(table, own, table.owner[other]):
            insert_candidate(law_state, found, other)
            found += 1
        other = law_state.after[other]
    return found


@inlined
def wrap_index(i, count):
    """i from −1 to count, round the box: cheaper than a remainder."""
    return i - count if i >= count else (i + count if i < 0 else i)


@outlined
def find_neighbour_candidates(table, law_state, c):
    """How many there are; they stand in `candidates`."""
    x = cell_index_along(table, law_state, c, 0)
    y = cell_index_along(table, law_state, c, 1)
    z = cell_index_along(table, law_state, c, 2)
    reach = cutoff_range(table)
    nx = law_state.facts[CELL_COUNTS]
    ny = law_state.facts[CELL_COUNTS + 1]
    nz = law_state.facts[CELL_COUNTS + 2]
    left, right = neighbour_cell_range(table, law_state, 0, x)
    front, back = neighbour_cell_range(table, law_state, 1, y)
    under, over = neighbour_cell_range(table, law_state, 2, z)
    found = 0
    for k in range(under, over + 1):
        for j in range(front, back + 1):
            for i in range(left, right + 1):
                cell = cell_number(
                    law_state, wrap_index(x + i, nx), wrap_index(y + j, ny), wrap_index(z + k, nz)
                )
                found = search_cell(table, law_state, reach, c, cell, found)
    return found


@inlined
def list_neighbours(table, law_state, reach, i, found, at):
    """The rows of particle i: candidates of which one of the four is within reach.

    Gives where they end.
    """
    x, limit = Vec3(law_state.x[i], law_state.y[i], law_state.z[i]), table.limits[REACH]
    law_state.start[i] = at
    for k in range(found):
        d = separation(law_state, reach, law_state.candidates[k], x)
        law_state.cluster[at] = law_state.candidates[k]
        at += 1 if min_over_lanes(dot(d, d)) < limit * limit else 0
    return at


@outlined
def build_neighbour_rows(table, law_state, first):
    """List the rows of clusters from `first` on, as far as the memory holds them."""
    at = 0
    last = first
    clusters = table.owner.shape[0]
    reach = cutoff_range(table)
    while last < clusters:
        found = find_neighbour_candidates(table, law_state, last)
        if at + table.real[last] * found > law_state.cluster.shape[0]:
            break
        for i in range(4 * last, 4 * last + table.real[last]):
            at = list_neighbours(table, law_state, reach, i, found, at)
        for i in range(4 * last + table.real[last], 4 * last + 5):  # ghosts, and the end
            law_state.start[i] = at
        last += 1
    law_state.facts[LAST_LISTED] = last
    if first == 0 and last == clusters:
        law_state.facts[LISTS_VALID] = 1
        law_state.facts[BUILD_COUNT] += 1
