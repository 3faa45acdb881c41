/* Attributes of kernels, by kind as kernels.def names them.  They are plain bytes, compared and hashed as such, so
   padding and unused entries are zero.  An operator may append bytes that only its own inference reads. */
#ifndef OPS_CORE_ATTRIBUTES_H
#define OPS_CORE_ATTRIBUTES_H
#include <tyto/call.h>
#include <tyto/shape.h> /* ty_padding: PAD has one for each axis */

/* Slice along one axis: elements start, start + step, ... */
struct slice_attr {
    int32_t axis, unused;
    int64_t start, size, step;
};

/* Input i starts at index start[i] of the result's axis, which has `length` elements.  Overlapping inputs are added
   in the order of inputs; elements that no input covers are 0. */
struct concat_attr {
    int32_t axis, unused;
    int64_t length;
    int64_t start[];
};

struct body;
/* Reference to a subgraph in attributes, and the id that identifies it. */
struct body_place {
    struct body *body;
    uint64_t body_id;
};
/*
 * Loop.  Operands: initial carries; sequences, read along axis 0; operands of every step; if `counted`, an i64, the
 * number of steps to run, at most `length`.
 *
 * Parameters of the body subgraph: carries, elements of the sequences, i64 index of the step, operands of every step.
 * Its outputs: next carries, results of the step and, if `stops`, a bool that is true for the last step.
 *
 * Results: final carries; step results, stacked, zeros for steps that did not run; for each carry in `histories`, its
 * values before every step and after the last, stacked; i64, the number of steps that ran.
 */
struct loop_attr {
    struct body *body;
    uint64_t body_id;
    int64_t length;
    int32_t ncarries, nsequences, nstacked;
    int32_t reverse; /* steps run from the last element to the first */
    int32_t counted, stops;
    int32_t frugal; /* its gradient saves only carries */
    int32_t nhistories;
    int32_t histories[]; /* indices of carries, ascending */
};

/* Branch.  Operands: i64 index of the subgraph to run (outside of 0..n-1: the last), then the parameters of all
   subgraphs.  Results: the outputs of that subgraph. */
struct branch_attr {
    int32_t nbodies, unused;
    struct body_place bodies[];
};

/* How a call goes through the slices of its operands (control/slices.h). */
struct call_slices {
    ty_slice_function f; /* NULL: the call has the function of its callee */
    int64_t kind;        /* enum slices_kind */
    int64_t threads;     /* 1: f may run on several threads at once */
};
/* A call of the user's function.  Results: its results.  `words` has dtype, rank and sizes of each of the m results,
   then, of a function of slices, for each operand with slices a mask of its axes that a slice has. */
struct call_owner;
struct call_attr {
    ty_callee callee;
    struct call_slices slices;
    struct call_owner *owner; /* calls callee.release; NULL: there is none */
    int64_t serial;           /* of an ordered call: its number in the order of recording, from 1; else 0 */
    int64_t n, m;             /* numbers of operands and results */
    int64_t words[];
};

/* Several kernels that run together, a few rows at a time.  Rows are the elements of their first `axes` axes, of
   sizes `shape`, which all kernels share and which are independent of each other.  Slots are numbered: first
   inputs, then outputs, then intermediate blocks, which hold a few rows at a time. */
struct rows_attr {
    struct kernel *kernels; /* in a valid order of execution */
    int32_t nkernels, nblocks, axes;
    const int64_t *shape;
    struct rows_block {
        int64_t size; /* elements of all rows */
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
    uint64_t axes; /* bit set of the input's axes; arg*: the result is a row-major index over these */
    int32_t kind;  /* enum reduce_kind */
    int32_t keep;
};

/*
 * Contraction.  labels[0..ra) are the axes of left, [ra..ra+rb) of right, then ro of the result: small integers; equal
 * labels denote one dimension.  A label that is missing in the result is summed.  Labels are distinct within each
 * operand and within the result, including the labels of its windows; each label of the result is in an operand.
 *
 * The label CONTRACT_WINDOW + i denotes window i, which belongs to one axis of one operand or of the result.  Two
 * dimensions step along this axis: its index is outer * stride + inner * dilation - low.  For an operand, elements
 * outside of the axis count as 0.  For the result, products outside are dropped, and those with equal index are added
 * up.  So a convolution and its gradients, to any order, are one contraction each: the window is on x or on the
 * result.  The labels outer and inner are plain ones (below CONTRACT_WINDOW), with the sizes given here.
 */
enum { CONTRACT_WINDOW = 128, CONTRACT_WINDOWS = 8 };
struct contract_window {
    int64_t outer_size, inner_size;
    int64_t stride, dilation, low; /* stride >= 1; dilation != 0; low may be negative */
    int64_t length;                /* of the axis */
    uint8_t outer, inner, unused[6];
};
struct contract_attr {
    int32_t ra, rb, ro, nwindows;
    int32_t sums, unused; /* 0: products and sums in the operands' dtype; else 1 + their dtype: i32 for
                             8-bit integers (of any signedness), f32 for f16 and bf16 */
    uint8_t labels[3 * TY_MAX_RANK];
    struct contract_window windows[CONTRACT_WINDOWS]; /* zero from nwindows on */
};

/*
 * Pooling over up to three neighbouring axes of x, axis .. axis+axes-1, of size `length` in x and `windows` in the
 * result.  Window i covers `size` elements, `dilation` apart, from i*stride - low on.  Size 0 (adaptive): elements
 * floor(i*length/windows) .. ceil((i+1)*length/windows) - 1.  Elements outside of x are skipped.
 *   MAX     maximum
 *   INDEX   index of the maximum, row-major over the windowed axes of x; -1 if all elements are outside
 *   SUM     sum
 *   MEAN    sum / divisor; for divisor 0, sum / number of elements: those inside x or, with count_padding,
 *           those within x extended by `low` before and `high` behind
 *   SPREAD  the adjoint of SUM: from windows to x, whose elements get the sum of the windows they are in
 * UNPOOL and POOL_TAKE read axis, axes and length only.
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
    int64_t length; /* size of the axis before the window */
};

/*
 * GATHER and SCATTER iterate over a *space*: the axes of the result or of the updates.  The index tensors are
 * broadcast together on the axes of the space before `end`, as in NumPy.  Each axis of x (of SCATTER's target) either
 * is indexed by one of them or moves with its own axis of the space.  An axis of size 1 that moves stays at index 0.
 */
enum { GATHER_INDEXED = TY_MAX_RANK };
struct gather_attr {
    int32_t rank, end; /* rank of the space; end of the axes of the index tensors */
    /* SCATTER: ty_scatter_mode; duplicates are applied in row-major order of the space.  GATHER with labels: enum
       index_words, the wording of its fault. */
    int32_t mode;
    int32_t labels;            /* GATHER: negative indices are invalid */
    uint8_t axis[TY_MAX_RANK]; /* for each axis of x: the axis of the space that it moves with, or
                                  GATHER_INDEXED + index tensor number */
};

/* The strided box of x that v replaces: v's axis i covers elements start[i], start[i] + step[i], ... of x's. */
struct place_attr {
    struct place_axis {
        int64_t start, step;
    } axis[TY_MAX_RANK]; /* as many as x has axes */
};

/*
 * Discrete Fourier transforms along one axis, with e = exp(-2 pi i / n), or exp(2 pi i / n) if backward:
 *   COMPLEX    y[k] = scale * sum over j of x[j] e^(j k), k = 0 .. n-1
 *   REAL       the same for real x, k = 0 .. n/2; elements that are not their own opposite are scaled by `inner`
 *   HERMITIAN  y[j] = scale * sum over k = 0 .. n/2 of Re(x[k] e^(j k)); terms that are not their own opposite
 *              are scaled by `inner`: with 2, the transform of a line whose other half follows by symmetry
 * k is its own opposite if 2 k is a multiple of n.  Shorter lines are padded with 0 to n elements (HERMITIAN: n/2 +
 * 1).  COMPLEX is its own adjoint with the direction reversed; REAL and HERMITIAN with equal `inner` are each other's.
 */
enum fft_kind { FFT_COMPLEX, FFT_REAL, FFT_HERMITIAN };
struct fft_attr {
    int32_t kind, axis; /* enum fft_kind */
    int32_t backward, unused;
    int64_t n;
    double scale, inner;
};

/* Stable sort along an axis in the order of array/order.h, or descending.  The result has elements first .. first
   + count - 1 of each sorted line: the values, or their indices (SORT_PLACES). */
enum sort_kind { SORT_VALUES, SORT_PLACES };
struct sort_attr {
    int32_t axis, kind, descending, unused;
    int64_t first, count;
};

/* Binary search.  The axes of `sorted` but the last are the leading axes of x.  `right`: the index behind equal
   elements, else before them. */
struct search_attr {
    int32_t right, unused;
};

/* Scan along one axis: out[i] folds x[0] .. x[i].  `exclusive`: x[0] .. x[i-1], starting with the neutral element.
   `reverse`: from the end.

   LINEAR, operands a, b: out[i] = a[i] * out[i-1] + b[i], with out[-1] = 0.  FILTER, operands x, b, a: out[i] = sum
   of b[j] * x[i-j] - sum of a[j] * out[i-1-j], zero before the start.  b and a have some or none of the axes of x
   before the scanned one, then their coefficients. */
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
enum { FILTER_MOST = 1 << 12 }; /* of b, and of a */
struct scan_attr {
    int32_t kind; /* enum scan_kind */
    int32_t axis;
    int32_t reverse, exclusive;
};

/* index (i32) and weight have one shape: `batch` leading axes, which are those of x or of size 1, then taps t, then
   elements i.  An element with weight 0 contributes nothing, not even NaN. */
enum resample_kind { RESAMPLE_READ, RESAMPLE_ADD, RESAMPLE_DOT };
enum { RESAMPLE_AXES = 4 };
struct resample_attr {
    int32_t kind; /* enum resample_kind */
    int32_t axis; /* of x (ADD: of the result), at least `batch` */
    int32_t batch;
    int32_t further; /* READ with batch 0: number of following axes that are resampled too, each with
                        its own index and weight; at most RESAMPLE_AXES in total */
    int64_t size;    /* ADD: size of the axis; else 0 */
};

/* Non-maximum suppression.  Operands: boxes f64[B, N, 4], two corners each; scores f64[B, C, N]; order i64[B, C, N]
   of descending scores. */
struct suppress_attr {
    double overlap, score; /* a box is kept if its score is >= `score` and its overlap with each kept
                              box is <= `overlap` */
    int64_t most;          /* K, the maximum kept per class */
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
    SAMPLE_PERMUTED, /* element i of a random permutation */
    SAMPLE_KINDS
};
struct sample_attr {
    int32_t kind, unused;
    uint64_t stream;
};

/* Function of each matrix in the last two axes; ops/linalg/matrix.h describes the results. */
enum matrix_kind {
    MATRIX_LU,
    MATRIX_CHOLESKY,
    MATRIX_SOLVE,      /* operands a, b: x of a x = b */
    MATRIX_TRIANGULAR, /* the same for triangular a, of which only that half is read */
    MATRIX_INVERSE,
    MATRIX_QR,
    MATRIX_EIGH, /* reads the lower triangle */
    MATRIX_SVD,
    MATRIX_EIG,
    MATRIX_SCHUR,
    MATRIX_HESSENBERG,
    MATRIX_QZ,
    MATRIX_SYLVESTER, /* operands a, b, c: x of a x + x b = c */
    MATRIX_EXP,
    MATRIX_LOG,
    MATRIX_SQRT,
    MATRIX_KINDS
};
/* Extent of a factorisation. */
enum matrix_mode { MATRIX_VALUES, MATRIX_THIN, MATRIX_FULL }; /* QR with VALUES: only r */
/* Eigenvalues that come first in a (generalised) Schur form: none, or those in the left or right half plane, inside
   or outside of the unit circle. */
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
    int32_t upper, unit; /* TRIANGULAR: the half that is read; unit: its diagonal counts as ones */
    int32_t pivots;      /* QR: column pivoting by remaining norm */
};

/*
 * Products with a sparse matrix A of m rows.  Row i has the entries starts[i] .. starts[i+1]-1 of values and indices;
 * indices are columns.  Entries with equal row and column are added; entries outside of `part` are ignored.
 *   READ   values, x[n,k], indices, starts: A x, [m,k]
 *   ADD    values, g[m,k], indices, starts: A^T g, [size,k]
 *   DOT    g[m,k], x[n,k], indices, starts: per entry, the sum over k of g[row] conj(x[column]), 0 outside of part
 *   SOLVE  values, b[m,k], indices, starts: x of A x = b, or A^T x = b; `part` of A is a triangle; BELOW and ABOVE,
 *          which exclude the diagonal, assume ones on it
 */
enum sparse_kind { SPARSE_READ, SPARSE_ADD, SPARSE_DOT, SPARSE_SOLVE, SPARSE_KINDS };
enum sparse_part { SPARSE_ALL, SPARSE_LOWER, SPARSE_UPPER, SPARSE_BELOW, SPARSE_ABOVE, SPARSE_PARTS };
struct sparse_attr {
    int32_t kind, part; /* enum sparse_kind, enum sparse_part */
    int32_t transposed; /* SOLVE: solves A^T x = b */
    int32_t unused;
    int64_t size; /* ADD: columns of A */
};

/*
 * Products with a matrix W[n,k] of numbers of few bits.  Operands: codes u8[n,bytes], a row of W in each row, the first
 * number in the lowest bits of its byte; a table f32[2^bits] of the values of codes; a f32[m,k]; scales f32[n,blocks];
 * and possibly zeros f32[n,blocks].  Number k of a row is (table[code] - zero) * scale, where the block of scale and
 * zero is k / block.  The result is f32[m,n], a times W transposed.
 *
 * Sums have one order.  A word is 32 bits of codes, and a group is FEW_BITS_LANES words of a row, one for each lane.  A
 * lane multiplies and adds the numbers of its word in order, from 0 on.  It multiplies this sum by the scale of the
 * word and adds it to the sum over earlier groups.  At last the upper half of the lanes is added to the lower half until
 * one is left.  Numbers behind the end of a row have code 0 and are multiplied by 0, and so are scales of words there.
 */
enum { FEW_BITS_LANES = 16, FEW_BITS_WORD = 32 };
enum { FEW_BITS_CODES, FEW_BITS_TABLE, FEW_BITS_A, FEW_BITS_SCALES, FEW_BITS_ZEROS, FEW_BITS_OPERANDS };
struct few_bits_attr {
    int32_t bits; /* 2, 4 or 8 */
    int32_t unused;
    int64_t block; /* whole words and a power of two, or at least k */
};
#endif
