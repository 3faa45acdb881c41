/*
 * Tyto: n-dimensional arrays, a lazy computation graph, gradients, a compiler for both.
 *
 * A tensor is a value or a promise.  An operator on values computes at once; an operator that meets
 * a promise returns a promise.  Every function accepts every handle: a failed operator yields a
 * *poisoned* tensor that carries a sentence and flows through the rest like NaN.  Nothing here
 * returns NULL (unless said), aborts, prints or longjmps.
 *
 * Ownership: tensors are reference counted.  The innermost open scope of the calling thread owns
 * one reference to each tensor made in it; with no scope open the caller owns it and ends it with
 * ty_release.  Distinct tensors may be used from distinct threads freely.
 */
#ifndef TYTO_TYTO_H
#define TYTO_TYTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <tyto/export.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TY_VERSION_MAJOR 0
#define TY_VERSION_MINOR 1
#define TY_VERSION_PATCH 0
#define TY_MAX_RANK 64

/* "0.1.0": the version of the library that runs, as opposed to the header's TY_VERSION_*. */
TY_API const char *ty_version(void);

typedef struct ty_tensor ty_tensor;
typedef struct ty_scope ty_scope;
typedef struct ty_program ty_program;

typedef enum ty_dtype {
    TY_BOOL, TY_I8, TY_I16, TY_I32, TY_I64, TY_U8, TY_U16, TY_U32, TY_U64,
    TY_F16, TY_BF16, TY_F32, TY_F64, TY_C64, TY_C128,
    TY_DTYPES /* how many there are */
} ty_dtype;

/* "f32"; "?" for a number that is no dtype. */
TY_API const char *ty_dtype_name(ty_dtype dtype);
/* Bytes of one element; 0 for a number that is no dtype. */
TY_API size_t ty_dtype_size(ty_dtype dtype);
/* The dtype that an operator on a and b computes in (NumPy's table for arrays; f16 with bf16 is f32). */
TY_API ty_dtype ty_promote(ty_dtype a, ty_dtype b);

/* ---- scopes and references ------------------------------------------------------------------ */

/* Opens a scope on the calling thread; at most 256 may be open (then NULL, and tensors stay with the
   innermost open one). */
TY_API ty_scope *ty_open(void);
/* Drops every reference that `scope`, and scopes opened after it, own.  NULL is allowed. */
TY_API void ty_close(ty_scope *scope);
/* Hands `x` to the scope around the innermost one (or to the caller when there is none). */
TY_API ty_tensor *ty_keep(ty_tensor *x);
/* For storing a tensor in a struct: one more, one fewer reference. */
TY_API ty_tensor *ty_retain(ty_tensor *x);
TY_API void ty_release(ty_tensor *x);
/* Gives cached free memory back to the system; returns the bytes given back. */
TY_API size_t ty_trim(void);

/* ---- errors ----------------------------------------------------------------------------------- */

TY_API bool ty_ok(const ty_tensor *x);
/* The sentence of a poisoned tensor; "" when `x` is well.  Lives as long as `x`. */
TY_API const char *ty_error(const ty_tensor *x);
/* A poisoned tensor with a sentence of the caller's (printf format, at most 1023 bytes). */
TY_API ty_tensor *ty_poison(const char *format, ...);

/* ---- inspection --------------------------------------------------------------------------------- */

TY_API ty_dtype ty_dtype_of(const ty_tensor *x);
TY_API int ty_rank(const ty_tensor *x);
TY_API const int64_t *ty_shape(const ty_tensor *x);   /* ty_rank(x) sizes */
TY_API const int64_t *ty_strides(const ty_tensor *x); /* in elements; of a promise: row-major */
TY_API int64_t ty_size(const ty_tensor *x);           /* number of elements */
TY_API bool ty_is_promise(const ty_tensor *x);
/* Whether the elements lie row-major without gaps. */
TY_API bool ty_is_contiguous(const ty_tensor *x);
/* Gives `x` a name for printing and drawing (copied); returns x. */
TY_API ty_tensor *ty_named(ty_tensor *x, const char *name);
TY_API const char *ty_name(const ty_tensor *x);

/* The first element of a value or evaluated promise; strided by ty_strides.  The memory lives as
   long as `x` (of a promise: as long as the scope).  NULL when poisoned, evaluation fails, or empty. */
TY_API const void *ty_data(ty_tensor *x);
/* The element of a tensor of size 1 as a number (real part); NaN when there is none. */
TY_API double ty_item(ty_tensor *x);
/* Copies all elements of `x`, row-major, converted to `dtype`, to `out` (ty_size(x) elements). */
TY_API bool ty_read(ty_tensor *x, ty_dtype dtype, void *out);

/* ---- printing: as NumPy prints -------------------------------------------------------------------- */

typedef struct ty_print_options {
    int precision;  /* digits after the point; 0 means 8 */
    int threshold;  /* elements above which the middle is elided; 0 means 1000 */
    int edge_items; /* elements shown at each end then; 0 means 3 */
    int line_width; /* columns; 0 means 75 */
} ty_print_options;

/* Text of `x`, poison included ("error: ..."); the caller frees it with ty_free.  NULL: no memory. */
TY_API char *ty_format(ty_tensor *x, ty_print_options options);
/* Prints ty_format's text and a line end to `file`; false when it could not be written. */
TY_API bool ty_print(FILE *file, ty_tensor *x);
TY_API void ty_free(void *memory);

/* ---- creation ------------------------------------------------------------------------------------- */

/* Shapes are `rank` sizes; TY_SHAPE(2, 3) writes both arguments: ty_ones(TY_F32, TY_SHAPE(2, 3)). */
#define TY_SHAPE(...)                                                                                  \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]){__VA_ARGS__}
#define TY_SCALAR 0, NULL

/* Copies row-major elements from `data`. */
TY_API ty_tensor *ty_from(ty_dtype dtype, int rank, const int64_t *shape, const void *data);
/* Borrows row-major elements; `done(context, data)` (may be NULL) is called after the last use, also on
   failure of this call. */
TY_API ty_tensor *ty_borrow(ty_dtype dtype, int rank, const int64_t *shape, void *data,
                            void (*done)(void *context, void *data), void *context);
TY_API ty_tensor *ty_zeros(ty_dtype dtype, int rank, const int64_t *shape);
TY_API ty_tensor *ty_ones(ty_dtype dtype, int rank, const int64_t *shape);
TY_API ty_tensor *ty_full(ty_dtype dtype, int rank, const int64_t *shape, double value);
/* 0, 1, 2, ... along `axis`. */
TY_API ty_tensor *ty_iota(ty_dtype dtype, int rank, const int64_t *shape, int axis);
/* start, start + step, ... : n elements. */
TY_API ty_tensor *ty_arange(ty_dtype dtype, double start, double step, int64_t n);
/* n elements from first to last, both included. */
TY_API ty_tensor *ty_linspace(ty_dtype dtype, double first, double last, int64_t n);
TY_API ty_tensor *ty_eye(ty_dtype dtype, int64_t n);
/* A 0-d tensor of the dtype. */
TY_API ty_tensor *ty_scalar(ty_dtype dtype, double value);
/* Weak 0-d numbers: they take the dtype of what they meet, as Python's literals do. */
TY_API ty_tensor *ty_num(double value);
TY_API ty_tensor *ty_int(int64_t value);
TY_API ty_tensor *ty_complex(double real, double imaginary);

/* ---- variables and promises -------------------------------------------------------------------------- */

/* A promise whose value is `value` now and what ty_assign says later: an input or parameter of a graph. */
TY_API ty_tensor *ty_var(ty_tensor *value, const char *name);
/* A variable of the eager kind: operators on it compute at once and remember how, for ty_grad. */
TY_API ty_tensor *ty_track(ty_tensor *value, const char *name);
/* A promise of a fixed value: makes what is computed from it lazy. */
TY_API ty_tensor *ty_lazy(ty_tensor *value);
/* The same value or promise with its history cut: no gradient flows through it. */
TY_API ty_tensor *ty_detach(ty_tensor *x);
/* Gives `variable` a new value of the same shape and dtype (a promise is evaluated).  Values read
   before stay as they were.  False on a mismatch, with the sentence in *error when error is given
   (an owned poisoned tensor, registered with the scope). */
TY_API bool ty_assign(ty_tensor *variable, ty_tensor *value, ty_tensor **error);
/* The value of a promise (compiled once per structure), a value itself unchanged. */
TY_API ty_tensor *ty_eval(ty_tensor *x);
/* Evaluates n tensors in one program; false (and poisoned results) when one failed. */
TY_API bool ty_eval_all(int n, ty_tensor *const *x, ty_tensor **values);

/* ---- gradients ---------------------------------------------------------------------------------------- */

/* d(sum of y)/dx[i] for each of n tensors (reverse mode, graph to graph: results may be differentiated
   again).  Of a promise: promises; of tracked values: values.  y is floating; an x that y does not
   depend on has gradient zero.  False when one result is poisoned. */
TY_API bool ty_grad(ty_tensor *y, int n, ty_tensor *const *x, ty_tensor **gradients);
/* Whether operators on tracked values remember how (per thread; on at the start).  Off while a gradient that
   nobody differentiates again is computed, temporaries go at once.  Returns what it was. */
TY_API bool ty_remember(bool on);
/* The same with an incoming gradient of y's shape instead of ones. */
TY_API bool ty_vjp(ty_tensor *y, ty_tensor *g, int n, ty_tensor *const *x, ty_tensor **gradients);

/* ---- elementwise operators: one row of elementwise.def each ------------------------------------------- */

#define OP1(name, ...) TY_API ty_tensor *ty_##name(ty_tensor *x);
#define OP2(name, ...) TY_API ty_tensor *ty_##name(ty_tensor *a, ty_tensor *b);
#define OP3(name, ...) TY_API ty_tensor *ty_##name(ty_tensor *a, ty_tensor *b, ty_tensor *c);
#include <tyto/elementwise.def>

/* Converts elements: floating to integer goes toward zero, saturates at the integer's ends and makes 0 of NaN;
   integers wrap; complex to real drops the imaginary part; to bool tests against zero. */
TY_API ty_tensor *ty_cast(ty_tensor *x, ty_dtype dtype);

/* ---- reductions: axes are a set ------------------------------------------------------------------------ */

typedef struct ty_axes {
    uint64_t mask; /* bit i: axis i */
    uint64_t last; /* bit i: axis rank-1-i */
    bool keep;     /* keep reduced axes with size 1 */
} ty_axes;

#define TY_ALL ((ty_axes){UINT64_MAX, 0, false})
/* One axis, negative from the end, as an axes set. */
TY_API ty_axes ty_axis(int axis);
/* Several: ty_axes_of(2, (int[]){0, -1}, keep). */
TY_API ty_axes ty_axes_of(int n, const int *axes, bool keep);

TY_API ty_tensor *ty_sum(ty_tensor *x, ty_axes axes);  /* ints and bool: i64/u64, as NumPy */
TY_API ty_tensor *ty_prod(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_amax(ty_tensor *x, ty_axes axes); /* NaN wins; an empty axis is an error */
TY_API ty_tensor *ty_amin(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_argmax(ty_tensor *x, ty_axes axes); /* i64, first of equals, row-major over the axes */
TY_API ty_tensor *ty_argmin(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_any(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_all(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_mean(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_variance(ty_tensor *x, ty_axes axes); /* population: divides by n */
TY_API ty_tensor *ty_logsumexp(ty_tensor *x, ty_axes axes);

/* ---- views: share the buffer of a value ------------------------------------------------------------------ */

/* One size may be -1: whatever fits.  Copies only where strides forbid a view. */
TY_API ty_tensor *ty_reshape(ty_tensor *x, int rank, const int64_t *shape);
/* Axis i of the result is axis order[i] of x; NULL reverses. */
TY_API ty_tensor *ty_permute(ty_tensor *x, const int *order);
TY_API ty_tensor *ty_transpose(ty_tensor *x); /* swaps the last two axes */
TY_API ty_tensor *ty_broadcast(ty_tensor *x, int rank, const int64_t *shape);
#define TY_END INT64_MIN
/* Elements start, start+step, ... before stop along one axis, as Python's start:stop:step; negative
   numbers count from the end; TY_END means the natural end in the direction of step. */
TY_API ty_tensor *ty_slice(ty_tensor *x, int axis, int64_t start, int64_t stop, int64_t step);
TY_API ty_tensor *ty_flip(ty_tensor *x, int axis);
TY_API ty_tensor *ty_squeeze(ty_tensor *x, int axis);
TY_API ty_tensor *ty_expand(ty_tensor *x, int axis); /* inserts an axis of size 1 */
/* Sliding windows along `axis`: that axis becomes the window's position, and a new last axis the place
   inside: out[.., i, .., r] = x[.., i*stride + r*dilation, ..]. */
TY_API ty_tensor *ty_window(ty_tensor *x, int axis, int64_t size, int64_t stride, int64_t dilation);
/* The diagonal of two axes as a new last axis, the two removed. */
TY_API ty_tensor *ty_diagonal(ty_tensor *x, int axis1, int axis2);
/* Row-major memory of its own kind: a copy where x is not contiguous. */
TY_API ty_tensor *ty_contiguous(ty_tensor *x);

/* ---- structure --------------------------------------------------------------------------------------------- */

typedef struct ty_padding { int64_t low, high, inner; } ty_padding; /* inner: elements put between neighbours */
/* One ty_padding per axis; negative low or high cut. */
TY_API ty_tensor *ty_pad(ty_tensor *x, const ty_padding *padding, ty_tensor *value);
TY_API ty_tensor *ty_concat(int n, ty_tensor *const *x, int axis);
TY_API ty_tensor *ty_stack(int n, ty_tensor *const *x, int axis);
/* out[.., index.., ..] = x[.., index[..], ..] on `axis`; indices may be negative, are checked. */
TY_API ty_tensor *ty_gather(ty_tensor *x, ty_tensor *index, int axis);
/* The adjoint: zeros of `size` on `axis` into which g's slices are added at `index`. */
TY_API ty_tensor *ty_scatter_add(ty_tensor *g, ty_tensor *index, int axis, int64_t size);
/* A new last axis of `depth`: 1 where it equals the index, else 0 (also for indices outside). */
TY_API ty_tensor *ty_one_hot(ty_tensor *index, int64_t depth, ty_dtype dtype);

/* ---- contraction -------------------------------------------------------------------------------------------- */

/* The sum over letters that are not in the output: ty_einsum("ij,jk->ik", a, b).  Letters a-z A-Z;
   sizes of equal letters agree, or one is 1.  Integers stay exact in their dtype. */
TY_API ty_tensor *ty_einsum(const char *equation, ty_tensor *a, ty_tensor *b);
/* NumPy's matmul: vectors, matrices, broadcast batches. */
TY_API ty_tensor *ty_matmul(ty_tensor *a, ty_tensor *b);
TY_API ty_tensor *ty_dot_product(ty_tensor *a, ty_tensor *b); /* over the last axis of both */

typedef struct ty_conv {
    int64_t stride[2];   /* 0 means 1 */
    int64_t dilation[2]; /* 0 means 1 */
    int64_t low[2], high[2]; /* explicit padding, when not `same` */
    bool same;           /* output size = ceil(input / stride), padding split, the odd one at the end */
} ty_conv;
/* x (N,H,W,C), w (R,S,C,K) -> (N,H',W',K): cross-correlation, as all frameworks mean it. */
TY_API ty_tensor *ty_conv2d(ty_tensor *x, ty_tensor *w, ty_conv options);

typedef struct ty_pool {
    int64_t size[2];
    int64_t stride[2]; /* 0 means size */
    int64_t low[2], high[2];
    bool same;
    bool nchw;         /* windows run over axes 2,3 instead of 1,2 */
    bool count_padding; /* average: divide by the whole window also at the border */
} ty_pool;
/* Padding is minus infinity (the dtype's least value); NaN wins. */
TY_API ty_tensor *ty_max_pool2d(ty_tensor *x, ty_pool options);
/* i64: row-major place of the maximum inside the plane H*W; the first of equals. */
TY_API ty_tensor *ty_max_pool2d_index(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_avg_pool2d(ty_tensor *x, ty_pool options);

/* ---- random: counter-based (Philox 4x32-10), the same bits for any number of threads ------------------------ */

/* A key is a u64[2] tensor: the seed and where in its sequence. */
TY_API ty_tensor *ty_key(uint64_t seed);
/* An independent key; `n` tells siblings apart. */
TY_API ty_tensor *ty_fold(ty_tensor *key, uint64_t n);
TY_API ty_tensor *ty_uniform(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *key); /* [0, 1) */
TY_API ty_tensor *ty_normal(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *key);  /* mean 0, sd 1 */
TY_API ty_tensor *ty_bernoulli(int rank, const int64_t *shape, double p, ty_tensor *key);     /* bool */

/* ---- composites: nothing but the functions above --------------------------------------------------------------- */

TY_API ty_tensor *ty_softmax(ty_tensor *x, int axis);
TY_API ty_tensor *ty_log_softmax(ty_tensor *x, int axis);
/* Mean over the batch of -log softmax(logits)[label]; logits (N,C), labels (N) of an integer dtype. */
TY_API ty_tensor *ty_cross_entropy(ty_tensor *logits, ty_tensor *labels);
TY_API ty_tensor *ty_leaky_relu(ty_tensor *x, double slope);
TY_API ty_tensor *ty_elu(ty_tensor *x, double alpha);
TY_API ty_tensor *ty_relu6(ty_tensor *x);
TY_API ty_tensor *ty_silu(ty_tensor *x);
TY_API ty_tensor *ty_gelu(ty_tensor *x); /* exact: x * Phi(x) */

/* ---- graphs: text and drawing ------------------------------------------------------------------------------------ */

/* One line a node, operands first.  The caller frees it with ty_free; NULL: no memory. */
TY_API char *ty_text(int n, ty_tensor *const *roots);
/* Graphviz text of the same. */
TY_API char *ty_dot(int n, ty_tensor *const *roots);
/* Nodes and edges reachable from the roots. */
TY_API bool ty_count(int n, ty_tensor *const *roots, int64_t *nodes, int64_t *edges);

/* ---- compile ------------------------------------------------------------------------------------------------------ */

/* After the outputs of a run are computed, `variable` becomes `value`; in place where the plan allows. */
typedef struct ty_update {
    ty_tensor *variable;
    ty_tensor *value;
} ty_update;

typedef struct ty_compile_options {
    const char *engine;       /* NULL: the current one */
    const ty_update *updates; /* nupdates of them */
    int nupdates;
    bool no_rewrite; /* leave out the graph passes: fold, algebra, cse */
    bool no_fuse;    /* one kernel an operator */
    bool no_reuse;   /* every buffer its own bytes */
} ty_compile_options;

typedef struct ty_report {
    int64_t nodes_before, edges_before; /* as recorded */
    int64_t nodes_after, edges_after;   /* after the graph passes and fusion: kernels and their operands */
    int64_t folded, simplified, merged, dead, fused, inplace; /* how often each pass acted */
    int64_t kernels, blocks;
    int64_t arena_bytes;    /* what the plan takes */
    int64_t live_bound;     /* most bytes live at once in this order: no plan in this order takes less */
    int64_t unplanned_bytes; /* every buffer its own bytes */
    double compile_ms;
} ty_report;

/* Never NULL: ty_program_error tells what went wrong, "" for nothing.  The program holds references to
   its variables.  The caller ends it with ty_program_free. */
TY_API ty_program *ty_compile(int n, ty_tensor *const *outputs, ty_compile_options options);
TY_API void ty_program_free(ty_program *program);
TY_API const char *ty_program_error(const ty_program *program);
/* Reads the variables, computes outputs, applies updates.  No allocation after the first run unless
   somebody holds an earlier output.  Runs of one program exclude each other. */
TY_API bool ty_run(ty_program *program);
/* Output i of the last run; owned by the program, unchanged for whoever retains it. */
TY_API ty_tensor *ty_output(ty_program *program, int i);
TY_API ty_report ty_program_report(const ty_program *program);
/* The kernels in order with operands, shapes and places; freed with ty_free. */
TY_API char *ty_program_text(const ty_program *program);
/* Graphviz text of the optimised graph; freed with ty_free. */
TY_API char *ty_program_dot(const ty_program *program);
/* SVG: time across, offset down, one colour per buffer; freed with ty_free. */
TY_API char *ty_program_memory_svg(const ty_program *program);
/* SVG of the optimised graph in layers, without Graphviz; freed with ty_free. */
TY_API char *ty_program_graph_svg(const ty_program *program);
/* Checks the plan anew: no two buffers that live at once share a byte.  False with the pair in `message`. */
TY_API bool ty_program_check(const ty_program *program, char *message, size_t capacity);

/* ---- engines and threads -------------------------------------------------------------------------------------------- */

/* "cpu", "ref" (naive, the oracle) or "null" (computes nothing); for this thread.  False: no such engine. */
TY_API bool ty_use_engine(const char *name);
TY_API const char *ty_engine_name(void);
/* 0 restores the default: TY_NUM_THREADS, else OMP_NUM_THREADS, else the processors we may use. */
TY_API void ty_set_threads(int n);
TY_API int ty_threads(void);
/* The instruction set in use: "avx512", "avx2", "base"; TY_ISA chooses a lesser one. */
TY_API const char *ty_isa(void);

#ifdef __cplusplus
}
#endif
#endif
