/*
 * Orient: chooses which operand is left.
 *
 * Exchanging left and right exchanges M and N. The primitive is not symmetric: its columns (N) are contiguous
 * in out and fill vectors, its rows (M) are broadcast. So the dimension with out's smallest stride must be N;
 * if it is M, the sides are swapped (`swapped`). TBLIS (Matthews 2018, section 3.2) does the same: out is
 * written for each block of K, and scattered writes cost more than scattered reads into a packed panel.
 *
 * If that dimension is C, a batch is innermost. If the matrices are tiny (a depthwise convolution is 1 x 1
 * per channel), it becomes the vector: primitive LANES, out[.., lane] += left[.., lane] * right[.., lane].
 * Right is then the side with fewer columns, as one vector of right serves many rows. Otherwise the sides
 * stay, longer columns on the right, and out is scattered.
 *
 * LANES also serves windows over images with one channel each, with one image and one result or a few,
 * wherever channels are in memory. If instead long lines of contiguous pixels are innermost, they are the
 * vector (contraction_lane). Other lines would be short, so packing and storing transpose channels.
 *
 * Few columns that leave much of a vector empty are better rows. For this left must be contiguous along its
 * rows, or be constant, as constants are packed anyway. The sums are then transposed when stored.
 *
 * A window whose columns are not contiguous (taps, in a kernel's gradient with channels first) would be
 * packed once per tap, transposed. As rows its elements are copied once and read with any stride, but the
 * other side and the sums are transposed. The choice copies fewer elements. The same holds for pixels whose
 * lines are not whole vectors, and for strided pixels with constant kernels: filters become the vector, and
 * pixels are not packed per tap.
 *
 * Without rows it is a vector-matrix product. If the matrix is contiguous along K, its columns as N would be
 * transposed for a single use; as rows, with the vector as a column, they are read in place.
 */
#include "contract/passes.h"
#include "array/dtype.h"
#include "contract/sums.h"

static void swap_strides(int64_t *a, int64_t *b) {
    int64_t x = *a;
    *a = *b;
    *b = x;
}

/* Swap left and right: strides, types M and N, offsets, dtypes, guards and constants. */
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

/* True for a vector times a matrix that is contiguous along K. */
static bool is_turned_vector(const ty_contraction *c) {
    int inner = contraction_innermost(c, TY_RIGHT);
    for (int i = 0; i < c->ndims; i++)
        if (c->dims[i].type == TY_DIM_M) return false;
    return inner >= 0 && c->dims[inner].type == TY_DIM_K;
}

/* True if dimension `dim`, innermost in out, is innermost in an operand too and so can be loaded as a vector. */
static bool is_vector(const ty_contraction *c, int dim) {
    return contraction_innermost(c, TY_LEFT) == dim || contraction_innermost(c, TY_RIGHT) == dim;
}

/* True for a window over images whose channels are separate, or over few results with only the window
   summed. The channels must fill a vector of `lanes` lanes. */
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

/* True if left is constant, thus packed once in any order, and swapping the operands changes no bit. */
static bool turns_freely(const ty_contraction *c) {
    return c->constant[TY_LEFT] && !contraction_sides_show(c);
}

/* Return the utilisation, 0 .. 1, of vectors by a run of columns. */
static double filled(double columns, int lanes) {
    double vectors = (double)(int64_t)((columns + lanes - 1) / lanes);
    return columns / (vectors * lanes);
}

/* True if columns fill their last vector poorly and rows of out could be the vector: transposing the sums
   costs less. `rows` and `columns` are all of out. */
static bool wastes_vectors(const ty_contraction *c, const struct contract_machine *m, double rows,
                           double columns) {
    int inner = contraction_innermost(c, TY_LEFT);
    if (inner < 0 || c->nguards) return false;
    bool along = c->dims[inner].type == TY_DIM_M && rows >= (double)contract_constants.rows_most;
    return columns > (double)contract_constants.sliver &&
           filled(columns, m->lanes) < contract_constants.vectors_filled && (along || turns_freely(c));
}

/* True if the operand with a window, which must be the right one alone, should become the left one. Strided
   columns pack the window for each tap; turning pays if that copies more than transposing the left operand and
   the sums, of which strided ones cost nothing. With contiguous columns, it pays only if it costs nothing and
   columns fill vectors better than rows. `rows` and `columns` are the sizes of out. */
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

/* True if pixels as columns under a window should become rows: their lines are not whole vectors, or
   strided, so that each tap would be packed. Rows may have any stride. Left, the kernels, is then
   transposed: free if constant, else repaid above some number of pixels (3x3 kernels 1.1 to 1.9, their
   input gradients 1.1 to 1.9; Zen 3). K keeps the order of windows (pass_split.c), so sums are the same
   while vectors are full. */
static bool cuts_vectors(const ty_contraction *c, const struct contract_machine *m, double rows,
                         double columns) {
    int inner = contraction_innermost(c, TY_OUT);
    if (!contraction_is_window(c, TY_RIGHT) || c->dims[inner].type != TY_DIM_N) return false;
    bool same =
        m->group == 1 && !dtype_is(c->sums, CLASS_COMPLEX) && rows >= 2 * m->lanes && columns >= 2 * m->lanes;
    bool apart = c->dims[inner].stride[TY_RIGHT] != 1, cut = c->dims[inner].size % m->lanes != 0;
    if (turns_freely(c)) return same && (apart || cut);
    return same && !apart && cut && columns >= contract_constants.turned_least;
}

bool pass_contract_orient(ty_contraction *c, const struct contract_machine *m, struct fault *fault) {
    (void)fault;
    struct contract_machine fixed;
    int inner = contraction_innermost(c, TY_OUT), lanes = m->lanes;
    if (contraction_rounds(c)) { /* LANES, and sides where they show, are the same on all machines */
        contraction_reference(c, &fixed);
        lanes = fixed.lanes;
        if (contraction_sides_show(c)) m = &fixed;
    }
    double sliver = (double)contract_constants.sliver;
    c->primitive = TY_PRIMITIVE_GEMM;
    if (inner < 0) return true;
    double rows = contraction_size(c, TY_DIM_M), columns = contraction_size(c, TY_DIM_N);
    ty_dim_type type = c->dims[inner].type;
    bool slivers = rows <= sliver || columns <= sliver;
    if (slivers && (is_window_each(c, lanes) || (type == TY_DIM_C && is_vector(c, inner)))) {
        c->primitive = TY_PRIMITIVE_LANES;
        if (rows < columns) swap_sides(c);
        return true;
    }
    if (type == TY_DIM_M || (type == TY_DIM_C && columns < m->lanes && columns < rows)) swap_sides(c);
    if (is_turned_vector(c)) swap_sides(c);
    /* of the sides as they are now */
    rows = contraction_size(c, TY_DIM_M), columns = contraction_size(c, TY_DIM_N);
    if (type == TY_DIM_C) return true;
    if (wastes_vectors(c, m, rows, columns) || turns_window(c, m, rows, columns) ||
        cuts_vectors(c, m, rows, columns))
        swap_sides(c);
    return true;
}
