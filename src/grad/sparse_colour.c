#include "grad/sparse_colour.h"
#include <string.h>
#include "base/alloc.h"

/* ---- lists ---- */

bool lists_make(struct lists *l, int64_t n, int64_t limit, int64_t items) {
    *l = (struct lists){.n = n, .limit = limit};
    l->start = mem_array((size_t)n + 1, sizeof *l->start);
    l->item = mem_array((size_t)items + 1, sizeof *l->item);
    return l->start && l->item;
}

void lists_end(struct lists *l) {
    mem_free(l->start);
    mem_free(l->item);
    *l = (struct lists){0};
}

bool lists_transpose(const struct lists *l, struct lists *out) {
    int64_t items = l->start[l->n];
    if (!lists_make(out, l->limit, l->n, items)) return false;
    for (int64_t i = 0; i < items; i++) out->start[l->item[i]]++;
    for (int64_t i = 0, sum = 0; i <= out->n; i++) sum += out->start[i], out->start[i] = sum;
    for (int64_t i = l->n - 1; i >= 0; i--)
        for (int64_t k = l->start[i]; k < l->start[i + 1]; k++)
            out->item[--out->start[l->item[k]]] = (int32_t)i;
    return true;
}

int64_t lists_longest(const struct lists *l) {
    int64_t most = 0;
    for (int64_t i = 0; i < l->n; i++)
        if (l->start[i + 1] - l->start[i] > most) most = l->start[i + 1] - l->start[i];
    return most;
}

/* ---- greedy colouring ---- */

/* State of one greedy colouring. */
struct greedy {
    int32_t *order;     /* vertices by descending number of neighbours */
    int64_t *forbidden; /* by colour: 1 + the last vertex for which it is forbidden */
    int64_t colours;    /* number of colours used so far */
};

static void greedy_end(struct greedy *g) {
    mem_free(g->order);
    mem_free(g->forbidden);
}

/* Sort n vertices into g->order by descending weight[], equal ones in ascending order, by counting; weights
   above n count as n. False if memory runs out; the caller frees g in either case. */
static bool greedy_begin(struct greedy *g, int64_t n, const int64_t *weight) {
    size_t room = (size_t)n + 2;
    int64_t *count = mem_array(room, sizeof *count);
    *g = (struct greedy){.order = mem_array(room, sizeof *g->order),
                         .forbidden = mem_array(room, sizeof *g->forbidden)};
    bool fits = count && g->order && g->forbidden;
    for (int64_t i = 0; i < n && fits; i++) count[n - (weight[i] < n ? weight[i] : n) + 1]++;
    for (int64_t i = 0; i <= n && fits; i++) count[i + 1] += count[i];
    for (int64_t i = 0; i < n && fits; i++)
        g->order[count[n - (weight[i] < n ? weight[i] : n)]++] = (int32_t)i;
    mem_free(count);
    return fits;
}

/* Forbid a colour for vertex `who`; colour -1 is ignored. */
static void forbid(struct greedy *g, int32_t colour, int64_t who) {
    if (colour >= 0) g->forbidden[colour] = 1 + who;
}

/* Return the smallest colour that is not forbidden for vertex `who`; a new one, which is counted, if all are. */
static int32_t least(struct greedy *g, int64_t who) {
    int32_t colour = 0;
    while (colour < g->colours && g->forbidden[colour] == 1 + who) colour++;
    if (colour == g->colours) g->colours++;
    return colour;
}

/* ---- Jacobians ---- */

/* Bit sets of the colours in each list of LONG or more items: scanning bits is faster than scanning items. */
enum { LONG = 256 };
struct used {
    uint64_t **bits; /* by list; NULL: a short list */
    int64_t words;
};

/* Allocate a set of colours for each large group. False if memory runs out. */
static bool used_begin(struct used *u, const struct lists *groups) {
    u->words = groups->limit / 64 + 1;
    u->bits = mem_array((size_t)groups->n + 1, sizeof *u->bits);
    for (int64_t i = 0; i < groups->n && u->bits; i++) {
        if (groups->start[i + 1] - groups->start[i] < LONG) continue;
        u->bits[i] = mem_array((size_t)u->words, sizeof **u->bits);
        if (!u->bits[i]) return false;
    }
    return u->bits;
}

static void used_end(struct used *u, int64_t n) {
    for (int64_t i = 0; i < n && u->bits; i++) mem_free(u->bits[i]);
    mem_free(u->bits);
}

/* Forbid all colours of a bit set for vertex `who`. */
static void forbid_bits(struct greedy *g, const uint64_t *bits, int64_t who) {
    for (int64_t word = 0; word * 64 < g->colours; word++)
        for (uint64_t left = bits[word]; left; left &= left - 1)
            forbid(g, (int32_t)(word * 64 + __builtin_ctzll(left)), who);
}

/* Set colour[who] to the least colour that no vertex in a common group has; colours that are not yet given
   must be -1. of->item has the groups that contain each vertex; *used has the colours of large groups, and is
   updated. */
static void colour_one(struct greedy *g, const struct lists *groups, const struct lists *of,
                       struct used *used, int32_t *colour, int64_t who) {
    for (int64_t i = of->start[who]; i < of->start[who + 1]; i++) {
        int32_t group = of->item[i];
        if (used->bits[group])
            forbid_bits(g, used->bits[group], who);
        else
            for (int64_t k = groups->start[group]; k < groups->start[group + 1]; k++)
                forbid(g, colour[groups->item[k]], who);
    }
    colour[who] = least(g, who);
    for (int64_t i = of->start[who]; i < of->start[who + 1]; i++) {
        uint64_t *bits = used->bits[of->item[i]];
        if (bits) bits[colour[who] / 64] |= (uint64_t)1 << colour[who] % 64;
    }
}

int64_t colour_apart(const struct lists *groups, int32_t *colour) {
    struct lists of = {0};
    struct greedy g = {0};
    struct used used = {0};
    int64_t n = groups->limit, *weight = mem_array((size_t)n + 1, sizeof *weight);
    bool fits = weight && lists_transpose(groups, &of);
    for (int64_t i = 0; i < groups->n && fits; i++) {
        int64_t length = groups->start[i + 1] - groups->start[i];
        for (int64_t k = groups->start[i]; k < groups->start[i + 1]; k++)
            weight[groups->item[k]] += length - 1;
    }
    fits = fits && greedy_begin(&g, n, weight) && used_begin(&used, groups);
    if (fits) memset(colour, 0xff, (size_t)n * sizeof *colour);
    for (int64_t i = 0; i < n && fits; i++)
        if (of.start[g.order[i] + 1] > of.start[g.order[i]])
            colour_one(&g, groups, &of, &used, colour, g.order[i]);
    used_end(&used, groups->n);
    greedy_end(&g);
    lists_end(&of);
    mem_free(weight);
    return fits ? g.colours : -1;
}

/* ---- Hessians: star colouring ---- */

/* True if vertex x has a neighbour y with the colour of w, other than w and x. *rows lists the neighbours of
   each vertex. */
static bool sees_again(const struct lists *rows, const int32_t *colour, int64_t x, int64_t w) {
    for (int64_t i = rows->start[x]; i < rows->start[x + 1]; i++) {
        int64_t y = rows->item[i];
        if (y != w && y != x && colour[y] == colour[w]) return true;
    }
    return false;
}

/* Forbid colours of vertex v that would make a path of four vertices with two colours, or two equal
   neighbours. *rows lists the neighbours of each vertex; colour[] is -1 for a vertex without one. */
static void forbid_stars(struct greedy *g, const struct lists *rows, const int32_t *colour, int64_t v) {
    for (int64_t i = rows->start[v]; i < rows->start[v + 1]; i++) {
        int64_t w = rows->item[i];
        if (w == v) continue;
        forbid(g, colour[w], v);
        for (int64_t k = rows->start[w]; k < rows->start[w + 1]; k++) {
            int64_t x = rows->item[k];
            if (x == v || x == w || colour[x] < 0 || g->forbidden[colour[x]] == 1 + v) continue;
            if (colour[w] < 0 || sees_again(rows, colour, x, w)) forbid(g, colour[x], v);
        }
    }
}

int64_t colour_stars(const struct lists *rows, int32_t *colour) {
    struct greedy g = {0};
    int64_t *weight = mem_array((size_t)rows->n + 1, sizeof *weight);
    for (int64_t i = 0; weight && i < rows->n; i++) weight[i] = rows->start[i + 1] - rows->start[i];
    bool fits = weight && greedy_begin(&g, rows->n, weight);
    if (fits) memset(colour, 0xff, (size_t)rows->n * sizeof *colour);
    for (int64_t i = 0; i < rows->n && fits; i++) {
        int64_t v = g.order[i];
        if (!weight[v]) continue;
        forbid_stars(&g, rows, colour, v);
        colour[v] = least(&g, v);
    }
    greedy_end(&g);
    mem_free(weight);
    return fits ? g.colours : -1;
}
