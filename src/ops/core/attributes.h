/*
 * The attributes of the kinds of kernels, as kernels.def names them: plain bytes, compared and hashed as such, so
 * padding is zero and unused entries are too.  An operator may append what only its own inference reads.
 */
#ifndef OPS_CORE_ATTRIBUTES_H
#define OPS_CORE_ATTRIBUTES_H
#include <tyto/core.h>
#include <tyto/shape.h> /* ty_padding: PAD has one for each axis */

/* Of a slice: start, start + step, ... */
struct slice_attr {
    int32_t axis, unused;
    int64_t start, size, step;
};

/* Input i stands at start[i], start[i] + 1, ... of the result's axis, which has `length` places.  A place where several
   stand gets their sum, in the order of the inputs; one where none does gets 0. */
struct concat_attr {
    int32_t axis, unused;
    int64_t length;
    int64_t start[];
};

struct body;
/* A body that attributes name: a reference, and what it is told by. */
struct body_place {
    struct body *body;
    uint64_t body_id;
};
/*
 * A loop's operands: first carries, sequences (along axis 0), what every step reads, and, when `counted`, i64: how many
 * steps to run, at most `length`.  The body's parameters: carries, elements of the sequences, i64 number of the step,
 * what every step reads; its roots: next carries, results of the step, and, when it `stops`, bool: this was the last.
 * The loop's results: last carries; results of the steps, stacked (zeros where no step ran); of the carries named in
 * `histories` the values before each step and after the last, stacked; i64: the number of steps that ran.
 */
struct loop_attr {
    struct body *body;
    uint64_t body_id;
    int64_t length;
    int32_t ncarries, nsequences, nstacked;
    int32_t reverse; /* steps count down: the last element comes first */
    int32_t counted, stops;
    int32_t frugal; /* its gradient keeps carries alone */
    int32_t nhistories;
    int32_t histories[]; /* rising */
};

/* Operands: i64 which body (outside of 0..n-1: the last one), then the parameters of all bodies.  Results: the roots. */
struct branch_attr {
    int32_t nbodies, unused;
    struct body_place bodies[];
};

/*
 * Kernels whose first `axes` axes, of the sizes in `shape`, are the same and independent of each other: rows.  Their slots
 * are blocks: first those of the inputs, then of the outputs, then those between them, which hold a few rows at a time.
 */
struct rows_attr {
    struct kernel *kernels; /* in an order in which they can run */
    int32_t nkernels, nblocks, axes;
    const int64_t *shape;
    struct rows_block {
        int64_t size; /* elements, of all rows */
        int32_t dtype;
    } * blocks;
};

enum reduce_kind {
    REDUCE_SUM,
    REDUCE_PROD,
    REDUCE_MAX,
    REDUCE_MIN,
    REDUCE_ARGMAX,
    REDUCE_ARGMIN,
    REDUCE_ANY,
    REDUCE_ALL
};
struct reduce_attr {
    uint64_t axes; /* of the input; arg*: the result counts row-major over these */
    int32_t kind;  /* enum reduce_kind */
    int32_t keep;
};

/*
 * labels[0..ra) of left, [ra..ra+rb) of right, then ro of out: small numbers; equal numbers are one dimension.  A
 * label in left or right but not in out is summed.  Within one operand, and within out, labels are distinct, those
 * that its windows step by included; labels of out are in an operand.
 *
 * The label CONTRACT_WINDOW + i belongs to window i, and to one axis of one operand or of out: two dimensions step
 * along that axis, its place is outer * stride + inner * dilation - low.  An input counts as 0 where the place is
 * outside the axis; of the output such products are dropped, and all that meet in one place are added up.  So a
 * convolution, both its gradients and theirs are each one contraction: the windowed axis is x's or the result's.
 * The labels outer and inner are plain ones (below CONTRACT_WINDOW) with the sizes that stand here.
 */
enum { CONTRACT_WINDOW = 128, CONTRACT_WINDOWS = 8 };
struct contract_window {
    int64_t outer_size, inner_size;
    int64_t stride, dilation, low; /* stride 1 or more; dilation not 0; low may be negative */
    int64_t length;                /* of the axis */
    uint8_t outer, inner, unused[6];
};
struct contract_attr {
    int32_t ra, rb, ro, nwindows;
    int32_t sums, unused; /* 0: all in the operands' dtype; else 1 + dtype of products and sums: i32 for 8-bit
                             integers (of any signs), f32 for f16 and bf16 */
    uint8_t labels[3 * TY_MAX_RANK];
    struct contract_window windows[CONTRACT_WINDOWS]; /* all zero from nwindows on */
};

/*
 * Windows along up to three neighbouring axes of x, axis .. axis+axes-1, of which `length` is the size and of the
 * result's `windows`.  Window i covers `size` places, `dilation` apart, from i*stride - low on; size 0 (adaptive):
 * floor(i*length/windows) .. ceil((i+1)*length/windows) - 1.  Places outside x are left out.
 *
 * MAX     the greatest            INDEX  its place, row-major over the windowed axes of x; -1: all are outside
 * SUM     the sum                 MEAN   the sum by `divisor`, or where that is 0 by how many places there are: in x,
 *                                        or with count_padding between `low` before and `high` behind it
 * SPREAD  SUM's adjoint: from the windows to x, whose places get the sum of the windows that they are in
 *
 * UNPOOL and POOL_TAKE look at axis, axes and length only.
 */
enum pool_kind { POOL_MAX, POOL_INDEX, POOL_SUM, POOL_MEAN, POOL_SPREAD };
enum { POOL_AXES = 3 };
struct pool_window {
    int64_t size, stride, dilation, low, high;
    int64_t length, windows;
};
struct pool_attr {
    int32_t kind; /* enum pool_kind */
    int32_t axis, axes;
    int32_t count_padding;
    double divisor;
    struct pool_window window[POOL_AXES];
};

struct window_attr {
    int32_t axis, unused;
    int64_t size, stride, dilation;
    int64_t length; /* of the axis before the window */
};

/*
 * GATHER and SCATTER run over a *space*: the result's axes of the one, the updates' axes of the other.  The index
 * tensors broadcast together, as NumPy's do, on the axes of the space before `end`.  Each axis of x (of SCATTER's
 * target) either is indexed by one of them or moves with an axis of the space; two move with the same one never.
 * An axis of size 1 that moves stays where it is.
 */
enum { GATHER_INDEXED = TY_MAX_RANK };
struct gather_attr {
    int32_t rank, end; /* axes of the space; where those of the index tensors end */
    /* SCATTER: ty_scatter_mode; duplicates are met in the row-major order of the space.  GATHER with labels: enum
       index_words, what its fault says */
    int32_t mode;
    int32_t labels; /* GATHER: no index counts from the end */
    uint8_t axis
        [TY_MAX_RANK]; /* of x: the axis of the space that it moves with, or GATHER_INDEXED + which tensor */
};

/* The box of x that v replaces: v's axis i stands at start[i], start[i] + step[i], ... of x's. */
struct place_attr {
    struct place_axis {
        int64_t start, step;
    } axis[TY_MAX_RANK]; /* those of x count */
};

/*
 * Discrete Fourier transforms of lines along an axis: with e = exp(-2 pi i / n), backward: exp(2 pi i / n),
 *
 * COMPLEX    y[k] = scale * sum over j of x[j] e^(j k), k = 0 .. n-1
 * REAL       the same of real x for k = 0 .. n/2, times `inner` for those k that are not their own opposite
 * HERMITIAN  y[j] = scale * sum over k = 0 .. n/2 of Re(x[k] e^(j k)), times `inner` where k is not its own opposite: with
 *            2 the transform of a line whose other half is known by symmetry
 *
 * k is its own opposite when 2 k is a multiple of n.  What the line lacks of n elements (HERMITIAN: n/2 + 1) counts as 0.
 * COMPLEX is its own adjoint the other way; REAL and HERMITIAN of one `inner` are each other's.
 */
enum fft_kind { FFT_COMPLEX, FFT_REAL, FFT_HERMITIAN };
struct fft_attr {
    int32_t kind, axis; /* enum fft_kind */
    int32_t backward, unused;
    int64_t n;
    double scale, inner;
};

/* A line is sorted by array/order.h, ascending or, with the order turned round, descending; equals stay in the
   order in which they stand.  The result's axis has `count` elements. */
enum sort_kind { SORT_VALUES, SORT_PLACES };
struct sort_attr {
    int32_t axis, kind, descending, unused;
    int64_t first, count;
};

/* The axes of sorted but the last are the leading axes of x.  right: behind its equals, else before them. */
struct search_attr {
    int32_t right, unused;
};

/* The running fold along one axis: out[i] joins x[0] .. x[i]; exclusive: x[0] .. x[i-1], and what joining does not
   change first; reverse: from the end.  LINEAR of a, b: out[i] = a[i] * out[i-1] + b[i], where out[-1] is 0.  FILTER
   of x, b, a: out[i] = sum of b[j] * x[i-j] - sum of a[j] * out[i-1-j], where both are 0 before the start; b and a
   have the leading axes of x, none or more of those before the axis, and then their coefficients. */
enum scan_kind {
    SCAN_SUM,
    SCAN_PROD,
    SCAN_MAX,
    SCAN_MIN,
    SCAN_ARGMAX,
    SCAN_ARGMIN,
    SCAN_LINEAR,
    SCAN_FILTER
};
enum { FILTER_MOST = 1 << 12 }; /* coefficients of b, and of a */
struct scan_attr {
    int32_t kind; /* enum scan_kind */
    int32_t axis;
    int32_t reverse, exclusive;
};

/* index (i32) and weight are of one shape: `batch` leading axes, which are those of x or of size 1, then taps t,
   then places i.  A weight of 0 takes nothing, whatever stands in x: not even a NaN. */
enum resample_kind { RESAMPLE_READ, RESAMPLE_ADD, RESAMPLE_DOT };
enum { RESAMPLE_AXES = 4 };
struct resample_attr {
    int32_t kind; /* enum resample_kind */
    int32_t axis; /* of x (ADD: of the result), `batch` at least */
    int32_t batch;
    int32_t further; /* READ without batches: how many of the axes behind it as well, each with an index and
                        weights of its own; RESAMPLE_AXES in all at most */
    int64_t size;    /* ADD: of the axis; else 0 */
};

/* Boxes f64[B, N, 4] are two corners; scores f64[B, C, N] and the order of falling scores i64[B, C, N]. */
struct suppress_attr {
    double overlap, score; /* kept: overlaps no kept one by more than that; has that score at least */
    int64_t most;          /* K: how many a class keeps at most */
};

enum random_kind { RANDOM_BITS, RANDOM_UNIFORM, RANDOM_NORMAL };
struct random_attr {
    int32_t kind, unused;
    uint64_t stream;
};

enum sample_kind {
    SAMPLE_INTEGER,
    SAMPLE_NATURAL,
    SAMPLE_GAMMA,
    SAMPLE_BETA,
    SAMPLE_POISSON,
    SAMPLE_BINOMIAL,
    SAMPLE_HYPERGEOMETRIC,
    SAMPLE_VON_MISES,
    SAMPLE_PERMUTED, /* element i of a random order */
    SAMPLE_KINDS
};
struct sample_attr {
    int32_t kind, unused;
    uint64_t stream;
};

/* What is made of each matrix of the last two axes (ops/linalg/matrix.h says what comes out). */
enum matrix_kind {
    MATRIX_LU,
    MATRIX_CHOLESKY,
    MATRIX_SOLVE,      /* a, b: x of a x = b */
    MATRIX_TRIANGULAR, /* the same where a is triangular: only that half of it is read */
    MATRIX_INVERSE,
    MATRIX_QR,
    MATRIX_EIGH, /* of the lower triangle */
    MATRIX_SVD,
    MATRIX_EIG,
    MATRIX_SCHUR,
    MATRIX_HESSENBERG,
    MATRIX_QZ,
    MATRIX_SYLVESTER, /* a, b, c: x of a x + x b = c */
    MATRIX_EXP,
    MATRIX_LOG,
    MATRIX_SQRT,
    MATRIX_KINDS
};
/* How much of a factorisation. */
enum matrix_mode { MATRIX_VALUES, MATRIX_THIN, MATRIX_FULL }; /* QR: VALUES is r alone */
/* Which eigenvalues come first in a (generalised) Schur form: those inside ... */
enum matrix_order {
    MATRIX_UNORDERED,
    MATRIX_LEFT,
    MATRIX_RIGHT,
    MATRIX_INSIDE,
    MATRIX_OUTSIDE,
    MATRIX_ORDERS
};
struct matrix_attr {
    int32_t kind;        /* enum matrix_kind */
    int32_t mode, order; /* enum matrix_mode, enum matrix_order */
    int32_t upper, unit; /* TRIANGULAR: which half, and whether its diagonal counts as ones */
    int32_t pivots;      /* QR: columns in the order of what is left of them */
};

/*
 * Products with a sparse matrix A of m rows: entries starts[i] .. starts[i+1]-1 of values and indices are row i's, indices
 * their columns.  Of several in one place the sum counts, of those outside `part` none.
 *
 * READ   values, x[n,k], indices, starts: A x, [m,k]
 * ADD    values, g[m,k], indices, starts: A^T g, [size,k]
 * DOT    g[m,k], x[n,k], indices, starts: for each entry the sum over k of g[row] conj(x[column]), 0 outside of the part
 * SOLVE  values, b[m,k], indices, starts: x of A x = b, or A^T x = b, where `part` of A is a triangle; without the diagonal
 *        (BELOW, ABOVE) that is ones
 */
enum sparse_kind { SPARSE_READ, SPARSE_ADD, SPARSE_DOT, SPARSE_SOLVE, SPARSE_KINDS };
enum sparse_part { SPARSE_ALL, SPARSE_LOWER, SPARSE_UPPER, SPARSE_BELOW, SPARSE_ABOVE, SPARSE_PARTS };
struct sparse_attr {
    int32_t kind, part; /* enum sparse_kind, enum sparse_part */
    int32_t transposed; /* SOLVE */
    int32_t unused;
    int64_t size; /* ADD: columns of A */
};
#endif
