/*
 * Orient: which operand is called left.
 *
 * The product is symmetric: with left and right exchanged, M and N exchange, and nothing else.  But the
 * primitive is not: its columns (N) lie side by side in out and fill vectors, its rows (M) are
 * broadcast.  So the dimension with out's least step must be N.  If it is M, the sides are swapped
 * (`swapped` remembers it for whoever has the pointers).  TBLIS (Matthews 2018, section 3.2) makes the
 * same choice for the same reason: out is written once per block of K, and writing scattered elements
 * costs more than reading them into a panel that is packed anyway.
 *
 * If it is C, a batch lies innermost.  Where the matrices are slivers (a depthwise convolution is 1 x 1
 * per channel) that dimension itself becomes the vector: primitive LANES, out[.., lane] += left[.., lane]
 * * right[.., lane].  The side with fewer columns is right then, so that one vector of right serves many
 * rows.  Where they are not, lanes would read each operand as often as the other has rows; the sides
 * stay, longer columns on the right, and out is scattered.
 *
 * So does a window over images with a channel each, be they one image and one result or a few, wherever
 * channels lie. Where instead lines of pixels lie innermost, long and one pixel apart, these are the vector
 * (contraction_lane); others would be short and mostly edges, so packing turns channels innermost, and
 * storing turns them back.
 *
 * Few columns that leave a good part of a vector empty are better rows, as long as left can be read along
 * what were rows, or is a constant, which is packed anyway; the sums wait and are turned when they are
 * stored.
 *
 * A window whose columns do not lie side by side (taps, for the gradient of a kernel with channels first)
 * would be packed as panels: each place once for each tap, turned.  As rows its places are copied once, and
 * the kernel reads them with any steps; then it is the other side that is turned, and the sums.  Whichever
 * copies fewer elements.
 * So are pixels under a window whose lines are no whole vectors, or steps apart where the kernels are
 * constant: filters become the vector, and no pixel is packed for each tap.
 *
 * And where there are no rows, a vector times a matrix: if the matrix lies along K, its columns as N would
 * have to be turned by packing what is used once.  As rows, with the vector as a single column, they are read
 * where they lie.
 */
#include "contract/passes.h"
#include "array/dtype.h"

static void swap_strides(int64_t *a, int64_t *b) {
    int64_t x = *a;
    *a = *b;
    *b = x;
}

static void swap_sides(ty_contraction *c) {
    for (int i = 0; i < c->ndims; i++) {
        ty_dim *d = &c->dims[i];
        swap_strides(&d->stride[TY_LEFT], &d->stride[TY_RIGHT]);
        if (d->type == TY_DIM_M || d->type == TY_DIM_N) d->type = d->type == TY_DIM_M ? TY_DIM_N : TY_DIM_M;
    }
    for (int i = 0; i < c->nguards; i++)
        c->guards[i].side = c->guards[i].side == TY_LEFT ? TY_RIGHT : TY_LEFT;
    swap_strides(&c->offset[TY_LEFT], &c->offset[TY_RIGHT]);
    ty_dtype left = c->dtype[TY_LEFT];
    c->dtype[TY_LEFT] = c->dtype[TY_RIGHT];
    c->dtype[TY_RIGHT] = left;
    bool constant = c->constant[TY_LEFT];
    c->constant[TY_LEFT] = c->constant[TY_RIGHT];
    c->constant[TY_RIGHT] = constant;
    c->swapped = !c->swapped;
}

/* A vector times a matrix that lies along K. */
static bool is_turned_vector(const ty_contraction *c) {
    int inner = contraction_innermost(c, TY_RIGHT);
    for (int i = 0; i < c->ndims; i++)
        if (c->dims[i].type == TY_DIM_M) return false;
    return inner >= 0 && c->dims[inner].type == TY_DIM_K;
}

/* Whether the dimension, innermost in out, is innermost in an operand as well: a vector can be read there. */
static bool is_vector(const ty_contraction *c, int dim) {
    return contraction_innermost(c, TY_LEFT) == dim || contraction_innermost(c, TY_RIGHT) == dim;
}

/* A window over images with a channel each, one that is summed or those of few results, and channels for a
   vector at least: nothing but places of the window is summed. */
static bool is_window_each(const ty_contraction *c, int lanes) {
    int lane = contraction_lane(c), window = 0, sums = 0;
    for (int i = 0; i < c->ndims; i++) {
        if (c->dims[i].type != TY_DIM_K) continue;
        sums++;
        window += contraction_overlaps(c, TY_LEFT, i) || contraction_overlaps(c, TY_RIGHT, i);
    }
    bool single = contraction_size(c, TY_DIM_M) <= 1 || contraction_size(c, TY_DIM_N) <= 1;
    return window && (single || window == sums) && lane >= 0 && c->dims[lane].size >= lanes;
}

/* Whether left is packed for all runs, in any order, and each sum is the same if it becomes right: what a sum
   adds in which order follows from how the dimensions of K lie in left, from spans and from the parts of
   complex numbers. */
static bool turns_freely(const ty_contraction *c, const struct contract_machine *m, double rows,
                         double columns) {
    int summed = 0;
    for (int i = 0; i < c->ndims; i++) summed += c->dims[i].type == TY_DIM_K;
    double tile = (double)(m->tile_rows * m->tile_columns);
    return c->constant[TY_LEFT] && summed == 1 && !dtype_is(c->sums, CLASS_COMPLEX) &&
           rows * columns >= (double)contract_constants.spans_tiles * tile;
}

/* How much of its vectors a run of columns fills. */
static double filled(double columns, int lanes) {
    double vectors = (double)(int64_t)((columns + lanes - 1) / lanes);
    return columns / (vectors * lanes);
}

/* Columns that leave much of their last vector empty, where out's rows could be the vector: turning the sums
   as they are stored costs less than a vector that is half empty in every multiplication. */
static bool wastes_vectors(const ty_contraction *c, const struct contract_machine *m, double rows,
                           double columns) {
    int inner = contraction_innermost(c, TY_LEFT);
    if (inner < 0 || c->nguards) return false;
    bool along = c->dims[inner].type == TY_DIM_M && rows >= (double)contract_constants.rows_most;
    return columns > (double)contract_constants.sliver &&
           filled(columns, m->lanes) < contract_constants.vectors_filled &&
           (along || turns_freely(c, m, rows, columns));
}

/* A window on the right.  Its columns apart, it is packed for each tap, which may copy more than to turn the
   other side and the sums: that side is turned anyway where nothing of it lies side by side, and so are sums
   where out's columns are apart as well, as those of a phase are.  Its columns together, its copy is as short
   of whole vectors as they are, and if all else is turned anyway the other side's may do better. */
static bool turns_window(const ty_contraction *c, const struct contract_machine *m, double rows,
                         double columns) {
    const ty_dim *d = &c->dims[contraction_innermost(c, TY_OUT)];
    if (!contraction_is_window(c, TY_RIGHT) || contraction_is_window(c, TY_LEFT)) return false;
    int inner = contraction_innermost(c, TY_LEFT);
    double size = (double)d->size, sums = contraction_size(c, TY_DIM_K);
    double turned = inner >= 0 && contraction_magnitude(c->dims[inner].stride[TY_LEFT]) > 1 ? 0 : rows * sums;
    if (d->stride[TY_OUT] == 1) turned += rows * columns;
    if (d->stride[TY_RIGHT] == 1 && (size >= m->lanes || size >= columns))
        return turned == 0 && filled(size, m->lanes) < filled(rows, m->lanes);
    return sums * columns > turned;
}

/* Pixels as columns under a window: lines of them that are no whole vectors, or steps apart, so that each tap
   would be packed by itself.  As rows they may have any steps.  Left, the kernels, is turned for that, which
   costs nothing where they are packed for all runs, and where lines are cut repays it from some pixels on:
   3x3 kernels 1.1 to 1.9, their gradients of inputs, where a turned kernel lies in short runs whichever way,
   1.1 to 1.9 as well (Zen 3).  K is in the order of the windows (pass_split.c), so that each sum is the same,
   as long as vectors are full. */
static bool cuts_vectors(const ty_contraction *c, const struct contract_machine *m, double rows,
                         double columns) {
    int inner = contraction_innermost(c, TY_OUT);
    if (!contraction_is_window(c, TY_RIGHT) || c->dims[inner].type != TY_DIM_N) return false;
    bool same =
        m->group == 1 && !dtype_is(c->sums, CLASS_COMPLEX) && rows >= 2 * m->lanes && columns >= 2 * m->lanes;
    bool apart = c->dims[inner].stride[TY_RIGHT] != 1, cut = c->dims[inner].size % m->lanes != 0;
    if (c->constant[TY_LEFT]) return same && (apart || cut);
    return same && !apart && cut && columns >= contract_constants.turned_least;
}

bool pass_contract_orient(ty_contraction *c, const struct contract_machine *m, struct fault *fault) {
    (void)fault;
    int inner = contraction_innermost(c, TY_OUT);
    double sliver = (double)contract_constants.sliver;
    c->primitive = TY_PRIMITIVE_GEMM;
    if (inner < 0) return true;
    double rows = contraction_size(c, TY_DIM_M), columns = contraction_size(c, TY_DIM_N);
    ty_dim_type type = c->dims[inner].type;
    bool slivers = rows <= sliver || columns <= sliver;
    if (slivers && (is_window_each(c, m->lanes) || (type == TY_DIM_C && is_vector(c, inner)))) {
        c->primitive = TY_PRIMITIVE_LANES;
        if (rows < columns) swap_sides(c);
        return true;
    }
    if (type == TY_DIM_M || (type == TY_DIM_C && columns < m->lanes && columns < rows)) swap_sides(c);
    if (is_turned_vector(c)) swap_sides(c);
    rows = contraction_size(c, TY_DIM_M), columns = contraction_size(c, TY_DIM_N); /* of either side now */
    if (type == TY_DIM_C) return true;
    if (wastes_vectors(c, m, rows, columns) || turns_window(c, m, rows, columns) ||
        cuts_vectors(c, m, rows, columns))
        swap_sides(c);
    return true;
}
