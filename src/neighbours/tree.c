/* Construction of k-d trees: level by level, each node is halved along its widest axis by selection, all
   nodes of a level in parallel. */
#include "neighbours/tree.h"
#include "array/progress.h"
#include "base/context/stop.h"
#include <math.h>
#include <tyto/graph.h>
#include "base/options.h"
#include "base/alloc.h"
#include "base/machine/isa.h"
#include "base/threads/parallel.h"

static ty_tree no_memory = {.fault = {true, E_MEMORY, "out of memory: a tree could not be made"}};
static ty_tree null_tree = {.fault = {true, E_ARGUMENT, "tree: the tree is NULL"}};
const ty_tree *tree_of(const ty_tree *tree) { return tree ? tree : &null_tree; }

/* Return n j / 2^level, the index of the first point of node j of a level, without overflow. */
int64_t tree_start(const ty_tree *t, int level, int64_t j) {
    int64_t rest = t->n & ((INT64_C(1) << level) - 1);
    return (t->n >> level) * j + (rest * j >> level);
}

/* ---- values ---- */

static ty_tensor *refuse_number(const struct pairing *g, const char *what, int64_t at, double number) {
    return refuse(g->name, 0, NULL, E_DOMAIN, "%s[%lld,%lld] is %g; expected finite numbers", what,
                  (long long)(at / g->features), (long long)(at % g->features), number);
}

double *tree_rows(const struct pairing *g, ty_tensor *x, const char *what, ty_tensor **bad) {
    int64_t size = ty_size(x);
    double *rows = mem_array((size_t)size, sizeof *rows);
    ty_scope *scope = ty_open();
    ty_tensor *prepared = ty_eval(ty_cast(pairing_prepare(g, ty_detach(x)), TY_F64));
    *bad = !rows ? tensor_out_of_memory() : !ty_ok(prepared) ? prepared : NULL;
    if (!*bad && !ty_read(prepared, TY_F64, rows)) *bad = tensor_out_of_memory();
    for (int64_t i = 0; i < size && !*bad; i++)
        if (!isfinite(rows[i])) *bad = refuse_number(g, what, i, rows[i]);
    if (*bad)
        *bad = leave(scope, *bad);
    else
        ty_close(scope);
    if (!*bad) return rows;
    mem_free(rows);
    return NULL;
}

/* ---- halving ---- */

struct keyed {
    double key;
    int64_t i;
};
static bool before(struct keyed a, struct keyed b) { return a.key < b.key || (a.key == b.key && a.i < b.i); }

enum { LOOK = 1 << 16 }; /* points moved between two looks for requests to stop */

/* Reorder x[n] so that element k, from 0, is the one of the sorted order, with none greater before it and
   none less after it (Hoare, "Algorithm 65: find", 1961). Pivots follow a fixed sequence. */
static void choose(struct keyed *x, int64_t n, int64_t k) {
    uint64_t draw = (uint64_t)n;
    for (int64_t low = 0, high = n - 1; low < high && !(high - low > LOOK && stop_cut());) {
        draw = draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        struct keyed pivot = x[low + (int64_t)((draw >> 33) % (uint64_t)(high - low + 1))];
        int64_t i = low, j = high;
        while (i <= j) {
            while (before(x[i], pivot)) i++;
            while (before(pivot, x[j])) j--;
            if (i > j) break;
            struct keyed held = x[i];
            x[i++] = x[j];
            x[j--] = held;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            return;
    }
}

/* State of building one level. */
struct tree_making {
    ty_tree *tree;
    const double *rows;
    struct keyed *order;
    int level;
};

/* Write the bounding box of points order[n] to box: d least, then d greatest coordinates. Return its widest
   axis, from 0. */
static int64_t measure_box(const struct tree_making *m, const struct keyed *order, int64_t n, double *box) {
    int64_t d = m->tree->d, widest = 0;
    double *low = box, *high = box + d;
    for (int64_t i = 0; i < n && !(i % LOOK == LOOK - 1 && stop_cut()); i++) {
        const double *row = m->rows + order[i].i * d;
        for (int64_t k = 0; k < d; k++) {
            if (!i || row[k] < low[k]) low[k] = row[k];
            if (!i || row[k] > high[k]) high[k] = row[k];
        }
    }
    for (int64_t k = 1; k < d; k++)
        if (high[k] - low[k] > high[widest] - low[widest]) widest = k;
    return widest;
}

/* Fill leaf j with points order[n]: coordinates by columns, padded with zeros to LEAF points, and their
   indices in t->index[first ..]. */
static void fill_leaf(const struct tree_making *m, int64_t j, const struct keyed *order, int64_t first,
                      int64_t n) {
    ty_tree *t = m->tree;
    double *columns = t->columns + j * t->d * LEAF;
    for (int64_t k = 0; k < t->d; k++)
        for (int64_t i = 0; i < LEAF; i++) columns[k * LEAF + i] = i < n ? m->rows[order[i].i * t->d + k] : 0;
    for (int64_t i = 0; i < n; i++) t->index[first + i] = order[i].i;
}

/* Make nodes begin .. end-1 of level m->level, a parallel body whose context is a struct making: set their
   boxes, and fill leaves or split the points at the median of the widest axis. */
static void make_nodes(void *context, int64_t begin, int64_t end) {
    const struct tree_making *m = context;
    ty_tree *t = m->tree;
    for (int64_t j = begin; j < end; j++) {
        int64_t first = tree_start(t, m->level, j), n = tree_start(t, m->level, j + 1) - first;
        struct keyed *order = m->order + first;
        int64_t axis = measure_box(m, order, n, (double *)(uintptr_t)tree_box(t, m->level, j));
        if (m->level == t->levels) {
            fill_leaf(m, j, order, first, n);
            continue;
        }
        for (int64_t i = 0; i < n; i++) order[i].key = m->rows[order[i].i * t->d + axis];
        choose(order, n, tree_start(t, m->level + 1, 2 * j + 1) - first);
    }
}

/* Build the tree of t->n points from rows [n, d], f64. False, with t's fault set, if memory runs out. */
static bool make(ty_tree *t, const double *rows) {
    while ((t->n + (INT64_C(1) << t->levels) - 1) >> t->levels > LEAF) t->levels++;
    size_t leaves = (size_t)1 << t->levels, d = (size_t)t->d;
    struct tree_making m = {t, rows, mem_array((size_t)t->n, sizeof *m.order), 0};
    t->bytes = leaves * d * LEAF * sizeof(double);
    t->columns = mem_data_alloc(t->bytes);
    t->index = mem_array((size_t)t->n, sizeof *t->index);
    t->boxes = mem_array((2 * leaves - 1) * 2 * d, sizeof(double));
    bool well = m.order && t->columns && t->index && t->boxes;
    for (int64_t i = 0; i < t->n && well; i++) m.order[i].i = i;
    for (; m.level <= t->levels && well; m.level++) {
        well = stop_check(&t->fault) && progress_at(m.level, t->levels + 1, &t->fault);
        if (!well) break;
        parallel_for(parallel_width(), INT64_C(1) << m.level, 1, make_nodes, &m);
        well = stop_end(&t->fault);
    }
    mem_free(m.order);
    return well || fault_memory(&t->fault, t->bytes);
}

/* ---- public functions ---- */

/* Return the function that measures the points of a leaf by this measure, for this machine's instructions. */
static leaf_measure measure_of(enum measure measure) {
    static const struct leaf_kernels *const tables[] = {[ISA_BASE] = &leaf_base,
                                                        ISA_IF_AVX2([ISA_AVX2] = &leaf_avx2, )
                                                            ISA_IF_AVX512([ISA_AVX512] = &leaf_avx512, )};
    return tables[isa_current()]->by[measure];
}

/* Return NULL if points [n, d] and distance suit a tree, else poison. Sets the tree's sizes, functions and
   distance; the tree holds a reference to the distance's parameter. */
static ty_tensor *open_points(ty_tree *t, ty_tensor *points, ty_distance_options o) {
    ty_tensor *x[] = {points, o.parameter};
    ty_tensor *bad = first_poison_in("tree_new", o.parameter ? 2 : 1, x);
    if (!bad) bad = refuse_points("tree_new", points, "points", 1);
    if (!bad) bad = pairing_open(&t->g, "tree_new", o, points, NULL);
    if (bad) return bad;
    if (!t->g.distance->measure)
        return refuse("tree_new", 0, NULL, E_UNSUPPORTED,
                      "trees do not support the distance %s; use ty_nearest_points or ty_points_within",
                      t->g.distance->name);
    t->g.computed = TY_F64;
    t->g.parameter = t->g.given ? ty_retain(ty_cast(ty_eval(t->g.given), TY_F64)) : NULL;
    t->dtype = ty_dtype_of(points);
    t->n = ty_shape(points)[0];
    t->d = t->g.features;
    t->leaf = measure_of(t->g.distance->measure);
    return NULL;
}

ty_tree *ty_tree_new_sized(ty_tensor *points, const ty_distance_options *given, size_t given_size) {
    ty_distance_options o;
    FLOATING_DEFAULT;
    PROGRESS_NAMED("search");
    ty_tree *t = mem_alloc(sizeof *t);
    if (!t) return &no_memory;
    if (!OPTIONS_READ(o, given, given_size, &t->fault)) return t;
    ty_scope *scope = ty_open();
    ty_tensor *bad = open_points(t, points, o);
    double *rows = bad ? NULL : tree_rows(&t->g, points, "points", &bad);
    if (bad)
        fault_tensor(&t->fault, bad);
    else
        make(t, rows);
    mem_free(rows);
    ty_close(scope);
    return t;
}

void ty_tree_free(ty_tree *t) {
    if (!t || t == &no_memory || t == &null_tree) return;
    if (t->g.parameter) ty_release(t->g.parameter);
    if (t->columns) mem_data_free(t->columns, t->bytes);
    mem_free(t->index);
    mem_free(t->boxes);
    mem_free(t);
}

const char *ty_tree_error(const ty_tree *tree) { return tree_of(tree)->fault.text; }
ty_tensor *ty_tree_failure(const ty_tree *tree) { return tensor_failure(&tree_of(tree)->fault); }
int64_t ty_tree_size(const ty_tree *tree) { return tree_of(tree)->fault.set ? 0 : tree_of(tree)->n; }
