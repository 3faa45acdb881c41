/*
 * Derivatives built from ty_grad and ty_jvp: Jacobians and Hessians (unit vectors through one linear graph,
 * batch.h), Hessian products, Laplacians, higher orders.
 */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/derivative.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "base/checked.h"
#include "grad/asked.h"
#include "grad/batch.h"
#include "grad/forward.h"
#include "grad/reverse.h"
#include "graph/walk.h"
#include "ops/core/op.h"

/* default of max_bytes */
static const int64_t usual_bytes = (int64_t)1 << 30;

/* ---- unit vectors ---- */

/* Return a placeholder for a direction of x: a promise if y is one, else tracked zeros, so that all tensors
   are of one kind. Poison on failure. */
static ty_tensor *direction_for(const ty_tensor *y, const ty_tensor *x) {
    return y->promise ? direction_new(x) : tensor_resolve(ty_track(reverse_zeros(x), ""));
}

/* Return unit vectors of x as [rows, shape of x]: row i is 1 at element first + i (row-major) of x and 0
   elsewhere. */
static ty_tensor *units_from(const ty_tensor *x, int64_t first, int64_t rows) {
    int64_t shape[TY_MAX_RANK + 1] = {rows};
    for (int i = 0; i < x->layout.rank; i++) shape[i + 1] = x->layout.shape[i];
    return ty_reshape(ty_eye_of(x->dtype, rows, tensor_size(x), first), x->layout.rank + 1, shape);
}

/* Compute y[0..n), which are linear in the placeholder `direction`, with each row of `rows` as direction, all
   at once. out[i] is [number of rows, shape of y[i]], and a value if `like` is one. False, with the fault
   set, on failure. */
static bool for_rows(struct asked *a, const ty_tensor *like, int n, ty_tensor *const *y, ty_tensor *direction,
                     ty_tensor *rows, ty_tensor **out) {
    if (!asked_well(a, rows)) return false;
    if (!batch_all(n, y, 1, &direction, &rows, ty_shape(rows)[0], out, &a->fault)) return false;
    for (int i = 0; i < n; i++) {
        if (!like->promise && ty_is_promise(out[i])) out[i] = ty_eval(out[i]);
        if (!asked_well(a, out[i])) return false;
    }
    return true;
}

/*
 * Unit vectors are processed in pieces, so that intermediate results stay in the second-level cache and
 * memory does not grow with their number. The Hessian of a network of 1,006 parameters took 8.3 ms and 34 MB
 * at once; it takes 5.7 ms and 0.9 MB in pieces of 256 KiB (6.6 ms in pieces of 1 MiB; Zen 5, one thread).
 * Each piece is recorded, so their number is limited.
 */
enum { PIECE_BYTES = 256 << 10, MOST_PIECES = 32 };

/* Return the number of unit vectors, of `rows` in all, to process at once, so that the largest intermediate
   result of y[0..n) stays small. At least 1. Sets a->fault if memory runs out. */
static int64_t piece_of(struct asked *a, int n, ty_tensor *const *y, int64_t rows) {
    struct walk w = {.history = true};
    int64_t largest = 1;
    bool done = walk_order(&w, n, y, &a->fault);
    for (int64_t k = 0; k < w.count && done; k++) {
        int64_t bytes = walk_enters(&w, w.nodes[k]) ? (int64_t)tensor_bytes(w.nodes[k]) : 0;
        if (bytes > largest) largest = bytes;
    }
    walk_drop(&w);
    int64_t piece = PIECE_BYTES / largest, least = (rows + MOST_PIECES - 1) / MOST_PIECES;
    return piece > least ? piece : least > 0 ? least : 1;
}

/* Return vectors first .. first + rows - 1 of the sequence of all unit vectors of x, then i times all unit
   vectors: [rows, shape of x]. */
static ty_tensor *units_of_both(const ty_tensor *x, int64_t first, int64_t rows) {
    int64_t size = tensor_size(x), real = first < size ? (rows < size - first ? rows : size - first) : 0;
    ty_tensor *parts[2] = {NULL, NULL};
    if (real) parts[0] = units_from(x, first, real);
    if (real < rows) parts[1] = ty_mul(units_from(x, first + real - size, rows - real), ty_complex(0, 1));
    return parts[0] && parts[1] ? ty_concat(2, parts, 0) : parts[0] ? parts[0] : parts[1];
}

/* Compute y[i], which are linear in the placeholder `direction`, for every unit vector of x as the direction
   into out[i]: [size of x, shape of y[i]]. With `both` i times the unit vectors follow, 2 size of x in all.
   Results are values if `like` is one. False, with the fault set, on failure. */
static bool for_units(struct asked *a, const ty_tensor *like, int n, ty_tensor *const *y,
                      ty_tensor *direction, const ty_tensor *x, bool both, ty_tensor **out) {
    int64_t rows = tensor_size(x) * (both ? 2 : 1), piece = piece_of(a, n, y, rows);
    int count = rows > piece ? (int)((rows + piece - 1) / piece) : 1;
    ty_tensor **parts = mem_array((size_t)(count + 1) * (size_t)n, sizeof *parts),
              **made = parts + (size_t)count * (size_t)n;
    bool done = parts || fault_memory(&a->fault, (size_t)count * (size_t)n * sizeof *parts);
    for (int k = 0; k < count && done; k++) {
        int64_t first = k * piece, some = rows - first < piece ? rows - first : piece;
        done = for_rows(a, like, n, y, direction,
                        both ? units_of_both(x, first, some) : units_from(x, first, some), made);
        for (int i = 0; i < n && done; i++) parts[i * count + k] = made[i];
    }
    for (int i = 0; i < n && done; i++) {
        out[i] = count > 1 ? ty_concat(count, parts + (ptrdiff_t)i * count, 0) : parts[i];
        done = asked_well(a, out[i]);
    }
    mem_free(parts);
    return done;
}

/* Return x reshaped to the axes of a followed by those of b. Poison on failure. */
static ty_tensor *shaped(ty_tensor *x, const ty_tensor *a, const ty_tensor *b) {
    int64_t shape[2 * TY_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < a->layout.rank; i++) shape[rank++] = a->layout.shape[i];
    for (int i = 0; i < b->layout.rank; i++) shape[rank++] = b->layout.shape[i];
    return ty_reshape(x, rank, shape);
}

/* Check that derivatives of y, with `size` times the elements of each of n x, take at most `most` bytes (<=
   0: the default). False, with the fault set, if not. */
static bool check_bytes(struct asked *a, const ty_tensor *y, int64_t size, int n, ty_tensor *const *x,
                        int64_t most) {
    int64_t bytes = 0, one;
    char words[160];
    bool fits = true;
    for (int i = 0; i < n; i++)
        fits = fits && checked_mul(size, tensor_size(x[i]), &one) &&
               checked_mul(one, (int64_t)dtype_table[y->dtype].size, &one) && checked_add(bytes, one, &bytes);
    if (most <= 0) most = usual_bytes;
    if (fits && bytes <= most) return true;
    tensor_describe_into(words, sizeof words, x[0]);
    if (!fits) return fault_set(&a->fault, E_LIMIT, "%s: the derivative by %s is too large", a->name, words);
    return fault_set(&a->fault, E_LIMIT,
                     "%s: the derivative by %s%s needs %lld bytes, more than max_bytes %lld; allow more, or "
                     "use products with vectors (ty_jvp, ty_vjp, ty_hvp)",
                     a->name, words, n > 1 ? " and the others" : "", (long long)bytes, (long long)most);
}

/* ---- Jacobians ---- */

/* Compute the Jacobians of y by each x[i] into out[i], [shape of y, shape of x[i]], column by column, in
   forward mode. False, with the fault set, on failure. */
static bool jacobian_forward(struct asked *a, ty_tensor *y, int n, ty_tensor *const *x, ty_tensor **out) {
    int order[TY_MAX_RANK + 1], rank = y->layout.rank;
    for (int i = 0; i <= rank; i++) order[i] = i < rank ? i + 1 : 0;
    for (int i = 0; i < n; i++) {
        ty_tensor *t = direction_for(y, x[i]), *dy, *columns;
        ty_jvp(1, &y, 1, &x[i], &t, &dy);
        if (!asked_well(a, dy) || !for_units(a, y, 1, &dy, t, x[i], false, &columns)) return false;
        out[i] = shaped(ty_permute(columns, order), y, x[i]);
        if (!asked_well(a, out[i])) return false;
    }
    return true;
}

/* Return rows of the Jacobian of y by the real part of x, from `rows`, gradients for unit vectors. For
   complex y, `rows` has gradients for i times the unit vectors as second half, and the result is Re(first
   half) + i Re(second half). Else it is Re(rows). */
static ty_tensor *slopes(ty_tensor *rows, const ty_tensor *y) {
    if (!dtype_is(y->dtype, CLASS_COMPLEX) || !ty_ok(rows)) return ty_real(rows);
    int64_t n = ty_shape(rows)[0] / 2;
    ty_tensor *real = ty_real(ty_slice(rows, 0, 0, n, 1)), *imag = ty_real(ty_slice(rows, 0, n, 2 * n, 1));
    return ty_add(real, ty_mul(imag, ty_complex(0, 1)));
}

/* Compute the Jacobians of y by each x[i] into out[i], [shape of y, shape of x[i]], row by row, in reverse
   mode. False, with the fault set, on failure. */
static bool jacobian_reverse(struct asked *a, ty_tensor *y, int n, ty_tensor *const *x, ty_tensor **out) {
    ty_tensor *g = direction_for(y, y), **flows = mem_array((size_t)n, sizeof *flows);
    if (!flows) return fault_memory(&a->fault, (size_t)n * sizeof *flows);
    ty_vjp(y, g, n, x, flows);
    bool done = true;
    for (int i = 0; i < n && done; i++) done = asked_well(a, flows[i]);
    done = done && for_units(a, y, n, flows, g, y, dtype_is(y->dtype, CLASS_COMPLEX), out);
    for (int i = 0; i < n && done; i++) {
        out[i] = shaped(ty_cast(slopes(out[i], y), y->dtype), y, x[i]);
        done = asked_well(a, out[i]);
    }
    mem_free(flows);
    return done;
}

bool ty_jacobian(ty_tensor *y, int n, ty_tensor *const *x, int64_t max_bytes, ty_tensor **jacobians) {
    if (!results_given(n, x, jacobians)) return false;
    struct asked a = asked_open("jacobian");
    ty_tensor **all = mem_array((size_t)n, sizeof *all);
    bool done = all || fault_memory(&a.fault, (size_t)n * sizeof *all);
    y = tensor_resolve(y);
    if (done && asked_check(&a, y, n, x, false)) {
        int64_t columns = 0, rows = tensor_size(y) * (dtype_is(y->dtype, CLASS_COMPLEX) ? 2 : 1);
        for (int i = 0; i < n; i++) columns += tensor_size(all[i] = tensor_resolve(x[i]));
        if (!n || !check_bytes(&a, y, tensor_size(y), n, x, max_bytes))
            done = false;
        else if (columns <= rows)
            jacobian_forward(&a, y, n, all, jacobians);
        else
            jacobian_reverse(&a, y, n, all, jacobians);
    }
    done = asked_give(&a, n, jacobians);
    mem_free(all);
    asked_close(&a);
    return done;
}

/* ---- Hessians ---- */

/* Compute g[i], the gradient of the sum of y by x[i], i < n. False, with a->fault set, on failure. */
static bool gradient(struct asked *a, ty_tensor *y, int n, ty_tensor *const *x, ty_tensor **g) {
    ty_grad(y, n, x, g);
    for (int i = 0; i < n; i++)
        if (!asked_well(a, g[i])) return false;
    return true;
}

/* Compute the Hessian blocks of x[j] with every x[i] into out[i], [shape of x[j], shape of x[i]]. g[i] is the
   gradient by x[i]; moves[] is scratch for n tangents. False, with the fault set, on failure. */
static bool hessian_rows(struct asked *a, ty_tensor *y, int n, ty_tensor *const *x, ty_tensor *const *g,
                         int j, ty_tensor **moves, ty_tensor **out) {
    ty_tensor *t = direction_for(y, x[j]);
    ty_jvp(n, g, 1, &x[j], &t, moves);
    for (int i = 0; i < n; i++)
        if (!asked_well(a, moves[i])) return false;
    if (!for_units(a, y, n, moves, t, x[j], false, out)) return false;
    for (int i = 0; i < n; i++) {
        out[i] = shaped(out[i], x[j], x[i]);
        if (!asked_well(a, out[i])) return false;
    }
    return true;
}

/* Compute all n x n blocks of the Hessian of y into out[], block of x[i] and x[j] at i n + j, of at most
   max_bytes bytes (<= 0: the default). False, with the fault set, on failure. */
static bool hessian(struct asked *a, ty_tensor *y, int n, ty_tensor *const *x, int64_t max_bytes,
                    ty_tensor **out) {
    int64_t size = 0;
    ty_tensor **all = mem_array(3 * (size_t)n, sizeof *all), **g = all + n, **moves = g + n;
    if (!all) return fault_memory(&a->fault, 3 * (size_t)n * sizeof *all);
    y = tensor_resolve(y);
    bool done = asked_check(a, y, n, x, true);
    for (int i = 0; i < n && done; i++) size += tensor_size(all[i] = tensor_resolve(x[i]));
    done = done && check_bytes(a, y, size, n, x, max_bytes) && gradient(a, y, n, all, g);
    for (int j = 0; j < n && done; j++)
        done = hessian_rows(a, y, n, all, g, j, moves, out + (ptrdiff_t)j * n);
    mem_free(all);
    return done;
}

bool ty_hessian(ty_tensor *y, int n, ty_tensor *const *x, int64_t max_bytes, ty_tensor **hessians) {
    enum { MOST = 1 << 15 }; /* limit, so that n * n fits an int */
    if (n < 0 || n > MOST || (n && !hessians)) return false;
    struct asked a = asked_open("hessian");
    hessian(&a, y, n, x, max_bytes, hessians);
    bool done = asked_give(&a, n * n, hessians);
    asked_close(&a);
    return done;
}

/* Check that v[i] has the dtype and shape of x[i]. False, with the fault set, on failure. */
static bool check_vectors(struct asked *a, int n, ty_tensor *const *x, ty_tensor *const *v) {
    char left[160], right[160];
    const ty_tensor *bad = first_poison_in(a->name, n, v);
    if (bad) return fault_tensor(&a->fault, bad);
    for (int i = 0; i < n; i++)
        if (!tensor_same_form(x[i], v[i]))
            return fault_set(&a->fault, E_ARGUMENT, "%s: v[%d] is %s, x[%d] is %s; they must match", a->name,
                             i, tensor_describe_into(left, sizeof left, v[i]), i,
                             tensor_describe_into(right, sizeof right, x[i]));
    return true;
}

/* Compute into out[i], i < n, the derivative of the gradient of the sum of y by x[i], along v[0 .. n). v[i]
   has the dtype and shape of x[i]. False, with the fault set, on failure. */
static bool hvp(struct asked *a, ty_tensor *y, int n, ty_tensor *const *x, ty_tensor *const *v,
                ty_tensor **out) {
    ty_tensor **g = mem_array((size_t)n, sizeof *g);
    bool done = g || fault_memory(&a->fault, (size_t)n * sizeof *g);
    done = done && asked_check(a, y, n, x, false) && check_vectors(a, n, x, v) && gradient(a, y, n, x, g);
    if (done && !ty_jvp(n, g, n, x, v, out))
        for (int i = 0; i < n; i++) asked_well(a, out[i]);
    mem_free(g);
    return done && !a->fault.set;
}

bool ty_hvp(ty_tensor *y, int n, ty_tensor *const *x, ty_tensor *const *v, ty_tensor **results) {
    if (!results_given(n, x, results)) return false;
    struct asked a = asked_open("hvp");
    hvp(&a, y, n, x, v, results);
    bool done = asked_give(&a, n, results);
    asked_close(&a);
    return done;
}

bool ty_grad_vhv(ty_tensor *y, int n, ty_tensor *const *x, ty_tensor *const *v, ty_tensor **results) {
    if (!results_given(n, x, results)) return false;
    struct asked a = asked_open("grad_vhv");
    ty_tensor *s = ty_ok(y) ? ty_sum(y, TY_ALL) : y;
    bool done = asked_check(&a, s, n, x, true) && check_vectors(&a, n, x, v);
    for (int order = 0; order < 2 && done; order++) {
        ty_jvp(1, &s, n, x, v, &s);
        done = asked_well(&a, s);
    }
    if (done && n) gradient(&a, s, n, x, results);
    done = asked_give(&a, n, results);
    asked_close(&a);
    return done;
}

/* ---- the Laplacian ---- */

enum { PIECE = 1 << 24 }; /* elements of unit vectors in a piece: limits memory */

/* Return the 0-d sum of second derivatives by the elements of x, the trace of a Hessian. dds is the second
   derivative along the placeholder t, given as both directions; it is a value if s is one. NULL if x is
   empty, or with the fault set on failure. */
static ty_tensor *trace_by(struct asked *a, const ty_tensor *s, ty_tensor *dds, ty_tensor *t,
                           const ty_tensor *x) {
    int64_t n = tensor_size(x), most = PIECE / (n > 0 ? n : 1);
    ty_tensor *sum = NULL, *rows;
    if (most < 1) most = 1;
    for (int64_t first = 0; first < n; first += most) {
        ty_tensor *some = units_from(x, first, n - first < most ? n - first : most);
        if (!for_rows(a, s, 1, &dds, t, some, &rows)) return NULL;
        ty_tensor *part = ty_sum(rows, TY_ALL);
        sum = sum ? ty_add(sum, part) : part;
    }
    return sum;
}

/* Return the Laplacian of y by the elements of all n tensors x, 0-d. NULL, with the fault set, on failure. */
static ty_tensor *laplacian(struct asked *a, ty_tensor *y, int n, ty_tensor *const *x) {
    if (!asked_check(a, y, n, x, true)) return NULL;
    ty_tensor *sum = ty_scalar(ty_dtype_of(y), 0), *s = tensor_resolve(ty_rank(y) ? ty_sum(y, TY_ALL) : y);
    for (int i = 0; i < n; i++) {
        ty_tensor *along = tensor_resolve(x[i]), *t = direction_for(s, along), *dds;
        if (!tensor_size(along)) continue;
        ty_jvp(1, &s, 1, &along, &t, &dds);
        ty_jvp(1, &dds, 1, &along, &t, &dds);
        ty_tensor *part = asked_well(a, dds) ? trace_by(a, s, dds, t, along) : NULL;
        if (!part) return NULL;
        sum = ty_add(sum, part);
    }
    return sum;
}

ty_tensor *ty_laplacian(ty_tensor *y, int n, ty_tensor *const *x) {
    struct asked a = asked_open("laplacian");
    ty_tensor *sum = laplacian(&a, y, n, x);
    asked_give(&a, 1, &sum);
    asked_close(&a);
    return sum;
}

/* ---- higher orders along one direction ---- */

enum { MOST_ORDER = 16 }; /* the recorded graph doubles with each order */

static bool check_order(struct asked *a, int order) {
    return (order >= 0 && order <= MOST_ORDER) ||
           fault_set(&a->fault, E_ARGUMENT, "%s: order %d is out of range; expected 0..%d", a->name, order,
                     MOST_ORDER);
}

/* Return the derivative of this order of y by x, a tensor of one element, in y's shape. On failure a->fault
   is set, and the result is NULL or of no use. */
static ty_tensor *derivative(struct asked *a, ty_tensor *y, ty_tensor *x, int order) {
    char words[160];
    if (!check_order(a, order) || !asked_check(a, y, 1, &x, false)) return NULL;
    tensor_describe_into(words, sizeof words, x);
    if (tensor_size(x) != 1)
        fault_set(&a->fault, E_ARGUMENT, "%s: x is %s; expected one element, or use ty_jacobian", a->name,
                  words);
    y = tensor_share(tensor_resolve(y));
    ty_tensor *one = ty_ones(ty_dtype_of(x), ty_rank(x), ty_shape(x));
    for (int i = 0; i < order && !a->fault.set; i++) {
        ty_jvp(1, &y, 1, &x, &one, &y);
        asked_well(a, y);
    }
    return y;
}

ty_tensor *ty_derivative(ty_tensor *y, ty_tensor *x, int order) {
    struct asked a = asked_open("derivative");
    ty_tensor *d = derivative(&a, y, x, order);
    asked_give(&a, 1, &d);
    asked_close(&a);
    return d;
}

/* Compute the Taylor coefficients of y along v[n], directions of the tensors x[n], into out[0 .. order],
   inclusive, each in y's shape. False, with the fault set, on failure. */
static bool taylor(struct asked *a, ty_tensor *y, int n, ty_tensor *const *x, ty_tensor *const *v, int order,
                   ty_tensor **out) {
    if (!check_order(a, order) || !asked_check(a, y, n, x, false) || !check_vectors(a, n, x, v)) return false;
    double factorial = 1;
    y = out[0] = tensor_share(tensor_resolve(y));
    for (int k = 1; k <= order; k++) {
        ty_jvp(1, &y, n, x, v, &y);
        if (!asked_well(a, y)) return false;
        out[k] = ty_mul(y, ty_num(1 / (factorial *= k)));
    }
    return true;
}

bool ty_taylor(ty_tensor *y, int n, ty_tensor *const *x, ty_tensor *const *v, int order,
               ty_tensor **coefficients) {
    if (order < 0 || order == INT32_MAX || !coefficients) return false;
    struct asked a = asked_open("taylor");
    taylor(&a, y, n, x, v, order, coefficients);
    bool done = asked_give(&a, order + 1, coefficients);
    asked_close(&a);
    return done;
}
