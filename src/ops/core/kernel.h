/*
 * A kernel: what an engine is asked to do.  About a dozen kinds; the operators are data inside.
 *
 *   kind       core inputs                 attr            body
 *   MAP        any, all of outputs' shape  -               program: inputs -> outputs, elementwise
 *   REDUCE     any, of one shape           reduce_attr     prologue: inputs -> the reduced value; the
 *                                                          outputs: that shape, reduced axes 1 or dropped
 *   CONTRACT   left, right                 contract_attr
 *   POOL       x                           pool_attr       max, its index, sum or mean over windows, or SUM's adjoint
 *   UNPOOL     g, index                    pool_attr       adds g at the index inside each plane (volume)
 *   POOL_TAKE  x, index                    pool_attr       reads x at the index: adjoint of UNPOOL
 *   WINDOW_ADD g                           window_attr     adjoint of the window view
 *   PAD        x, value (0-d)              ty_padding[]
 *   CONCAT     any                         int32_t axis
 *   GATHER     x, index tensors            gather_attr     x read at places
 *   SCATTER    target, updates, index      gather_attr     target with the updates put in at places
 *                tensors
 *   NONZERO    x                           -               i64[rank, n]: where x is not 0; the output says how many
 *   PLACE      x, v                        place_attr      x with the strided box replaced by v
 *   SCAN       x; LINEAR: a, b             scan_attr       running fold along one axis
 *   SORT       x                           sort_attr       ranks first .. first+count-1 of each line along an axis:
 *                                                          the values, or the places they come from
 *   SEARCH     sorted, x                   search_attr     where each x belongs in its line of sorted
 *   RESAMPLE   READ: x, index, weight      resample_attr   out[.., i, ..] = sum over t of weight[.., t, i] * x[.., index[.., t, i], ..]
 *                of each axis                              along neighbouring axes in turn
 *              ADD: g, index, weight                       its adjoint: weight * g added up at the index
 *              DOT: g, x, index                            what each weight is multiplied with
 *   SUPPRESS   boxes, scores, order        suppress_attr   i64[B, C, K]: the boxes that are kept, -1 behind them
 *   IOTA       -                           int32_t axis
 *   RANDOM     key u64[2]                  random_attr
 *   SAMPLE     key u64[2], parameters of   sample_attr     draws that reject (ops/random/sampler.h)
 *              the outputs' shape
 *   COPY       x                           -               out row-major; same shape and dtype
 *
 * Every kind but MAP may carry an epilogue `program`: its register 0 is the core's value, the next are the
 * extra inputs (inputs[ncore..], of the outputs' shape), and it yields all outputs.  Without a program
 * there is one output: the core's value.  An engine without a kind says so in prepare.
 *
 * Outputs are dense row-major (an offset is allowed) and overlap no input, with one exception: an output of a
 * program may be the very memory of a MAP input or of an epilogue's extra input of equal layout and element size.
 * So the core must be done with what an epilogue may write before the epilogue runs on it.
 */
#ifndef OPS_CORE_KERNEL_H
#define OPS_CORE_KERNEL_H
#include "array/dtype.h"
#include "array/layout.h"
#include "base/text.h"

struct op;

enum kernel_kind {
    KERNEL_NONE, /* leaves and views: no work */
    KERNEL_MAP,
    KERNEL_REDUCE,
    KERNEL_CONTRACT,
    KERNEL_POOL,
    KERNEL_UNPOOL,
    KERNEL_POOL_TAKE,
    KERNEL_WINDOW_ADD,
    KERNEL_PAD,
    KERNEL_CONCAT,
    KERNEL_GATHER,
    KERNEL_SCATTER,
    KERNEL_NONZERO,
    KERNEL_PLACE,
    KERNEL_SCAN,
    KERNEL_SORT,
    KERNEL_SEARCH,
    KERNEL_RESAMPLE,
    KERNEL_SUPPRESS,
    KERNEL_IOTA,
    KERNEL_RANDOM,
    KERNEL_SAMPLE,
    KERNEL_COPY,
    KERNEL_KINDS
};
const char *kernel_kind_name(enum kernel_kind kind);

/* One step of an elementwise program.  op is an elementwise row or the cast. */
struct instr {
    const struct op *op;
    ty_dtype in, out; /* in: dtype of the operands (of `where`: of b and c) */
    uint16_t src[3];
};

/* Registers 0..ninputs-1 are the inputs, ninputs+i is the result of instrs[i]. */
struct program {
    int ninputs, ninstrs, noutputs;
    struct instr *instrs;
    uint16_t *outputs; /* registers */
};
enum { PROGRAM_MAX_INSTRS = 64, PROGRAM_MAX_INPUTS = 24, PROGRAM_MAX_OUTPUTS = 8 };

/* slot: which pointer of launch's table; layout.offset counts elements from there. */
struct operand {
    int slot;
    ty_dtype dtype;
    struct layout layout;
};

struct kernel {
    enum kernel_kind kind;
    const struct op *op; /* the core's operator; of MAP the first one */
    const void *attr;
    size_t attr_bytes;
    ty_dtype core_dtype; /* dtype of the core's value (register 0 of the epilogue) */
    int ninputs, ncore, noutputs;
    struct operand *inputs, *outputs;
    struct program *prologue; /* REDUCE only; NULL: the one input itself */
    struct program *program;  /* MAP: the body; else the epilogue or NULL */
    int width;                /* threads that launch may use, set by prepare (parallel_width) */
    size_t workspace;         /* bytes that launch needs, set by prepare */
    uint32_t constant;        /* bit i: inputs[i] has the same bytes in every launch */
    size_t kept;              /* bytes that it makes of such inputs once, set by prepare; 0: none */
    int kept_slot;            /* where they lie, from keep on */
    void *prepared;           /* the engine's, from the arena given to prepare */
};

/* Attributes: plain bytes, compared and hashed as such, so padding is zero and unused entries are too. */
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
    int32_t mode;      /* SCATTER: ty_scatter_mode; duplicates are met in the row-major order of the space */
    int32_t unused;
    uint8_t axis
        [TY_MAX_RANK]; /* of x: the axis of the space that it moves with, or GATHER_INDEXED + which tensor */
};

/* The box of x that v replaces: v's axis i stands at start[i], start[i] + step[i], ... of x's. */
struct place_attr {
    struct place_axis {
        int64_t start, step;
    } axis[TY_MAX_RANK]; /* those of x count */
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
   change first; reverse: from the end.  LINEAR of a, b: out[i] = a[i] * out[i-1] + b[i], where out[-1] is 0. */
enum scan_kind { SCAN_SUM, SCAN_PROD, SCAN_MAX, SCAN_MIN, SCAN_ARGMAX, SCAN_ARGMIN, SCAN_LINEAR };
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
    SAMPLE_KINDS
};
struct sample_attr {
    int32_t kind, unused;
    uint64_t stream;
};

/* --- engines: a table of functions; src/engine supplies engine_table --- */
struct arena;
struct engine {
    const char *name;
    /* Resolves functions, sizes the workspace; what it needs to remember comes from `arena`. */
    bool (*prepare)(struct kernel *kernel, struct arena *arena, struct fault *fault);
    /* Computes.  slots[operand.slot] is the memory; workspace has kernel->workspace bytes, 64-aligned. */
    bool (*launch)(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault);
    /* Fills slots[kernel->kept_slot], 64-aligned, from constant inputs before the first launch of a kernel
       that keeps something; workspace as there.  NULL: none does. */
    void (*keep)(const struct kernel *kernel, void *const *slots, void *workspace);
};
extern const struct engine *const engine_table[];   /* NULL-terminated */
const struct engine *engine_find(const char *name); /* NULL: none */
const struct engine *engine_current(void);
#endif
