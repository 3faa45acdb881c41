/*
 * Composites of several operators on large values without temporaries.  Between composite_open and composite_close the
 * large operands are promises.  The operators in between record one small graph, which is evaluated through the cache
 * of compiled programs, so that maps fuse into the reductions that read them.  Tracked values are left alone, because
 * their history is the single operators.
 *
 * Half floats are computed in f32 in between and rounded once at the end.  Operators without operands (iota) are
 * promises there too, so that row and column indices take no memory.  The result may take the memory of operands that
 * the caller gave away.
 */
#include <tyto/graph.h>
#include "base/checked.h"
#include "ops/core/memory/give.h"
#include "ops/core/structure.h"

enum {
    WORTH_BYTES = 512 << 10
}; /* below this size, temporaries stay in cache and cost less than finding a program */

/* True if all n tensors are values whose history need not be recorded, so that they may become promises or be
   split. False if one is poisoned or depends on a tracked variable. */
bool all_plain(int n, ty_tensor *const *x) {
    for (int i = 0; i < n; i++) {
        const ty_tensor *value = tensor_resolve(x[i]);
        bool plain = ty_ok(value) && !value->promise && !value->varies;
        if (!plain || (value->tracked && record_remembers())) return false;
    }
    return true;
}

/* True if a graph pays for these operands. Those that keep their order (ty_columns) stay values: a graph would make
   results row-major, so that their order depended on the size. */
static bool is_worth(int64_t bytes, int n, ty_tensor *const *x) {
    bool large = bytes >= WORTH_BYTES, keeps = false;
    for (int i = 0; i < n; i++) large = large || tensor_bytes(tensor_resolve(x[i])) >= WORTH_BYTES;
    for (int i = 0; i < n; i++) keeps = keeps || tensor_resolve(x[i])->keeps_order;
    return large && !keeps && all_plain(n, x);
}

static bool any_promise(int n, ty_tensor *const *x) {
    for (int i = 0; i < n; i++)
        if (ty_is_promise(x[i])) return true;
    return false;
}

static bool is_half(ty_dtype dtype) { return dtype_is(dtype, CLASS_FLOAT) && dtype_table[dtype].size == 2; }

/* Return the half dtype that the floating operands promote to. TY_DTYPES if they promote to another dtype,
   there are none, or one operand is poisoned. */
static ty_dtype half_of(int n, ty_tensor *const *x) {
    uint32_t floats = 0;
    for (int i = 0; i < n; i++) {
        if (!ty_ok(x[i])) return TY_DTYPES;
        ty_dtype dtype = ty_dtype_of(x[i]);
        if (dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX)) floats |= dtype_bit(dtype);
    }
    ty_dtype dtype = promote_set(floats);
    return dtype_valid(dtype) && is_half(dtype) ? dtype : TY_DTYPES;
}

int64_t composite_bytes(ty_dtype dtype, int rank, const int64_t *shape) {
    int64_t bytes = dtype_valid(dtype) ? (int64_t)dtype_table[dtype].size : 0;
    for (int i = 0; i < rank; i++)
        if (!checked_mul(bytes, shape[i], &bytes)) return INT64_MAX;
    return bytes;
}

struct composite composite_open_plain(const char *name, int64_t bytes, int n, ty_tensor **x) {
    struct composite c = {.name = name, .first = n ? x[0] : NULL, .scope = ty_open(), .half = TY_DTYPES};
    floating_enter(&c.floating);
    c.lazily = record_lazily(false);
    c.evaluates = is_worth(bytes, n, x) && !(n == 0 && c.lazily); /* not inside of another composite,
                                                                     which will evaluate */
    for (int i = 0; i < n && c.evaluates; i++) {
        ty_tensor *value = tensor_resolve(x[i]);
        if (tensor_bytes(value) < WORTH_BYTES) continue;
        if (is_given_outside(value)) c.given[c.given[0] != NULL] = value;
        x[i] = ty_lazy(value);
    }
    record_lazily(c.lazily || c.evaluates || any_promise(n, x));
    return c;
}

struct composite composite_open(const char *name, int n, ty_tensor **x) {
    ty_dtype half = half_of(n, x);
    struct composite c = composite_open_plain(name, 0, n, x);
    c.half = half;
    for (int i = 0; i < n && dtype_valid(c.half); i++)
        if (ty_dtype_of(x[i]) == c.half) x[i] = ty_cast(x[i], TY_F32);
    return c;
}

ty_tensor *composite_close(struct composite c, ty_tensor *result) {
    if (ty_ok(result) && dtype_valid(c.half) && ty_dtype_of(result) == TY_F32)
        result = ty_cast(result, c.half);
    record_lazily(c.lazily);
    for (int i = 0; i < 2 && c.given[i]; i++) give_on(c.given[i]);
    if (c.evaluates && ty_ok(result)) result = ty_eval(result);
    floating_leave(&c.floating);
    return c.name ? leave_as(c.name, c.scope, c.first, result) : leave(c.scope, result);
}
