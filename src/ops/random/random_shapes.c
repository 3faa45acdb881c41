/* Distributions that are functions of uniform numbers, and draws made of other draws: composites, so that fusion
   makes each one loop.  All compute in f32 or f64 and round once to narrower dtypes at the end. */
#include <math.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "ops/core/structure.h"

/* Return the dtype in which draws of `dtype` are computed: f32 for half floats, else itself. */
static ty_dtype wide(ty_dtype dtype) { return dtype_valid(dtype) ? dtype_table[dtype].computed : dtype; }

/* Return uniform random numbers in (0, 1), of shape[rank], where 0 is replaced by half a step. They are in
   the dtype that draws of `dtype` are computed in: f32 for half floats. */
static ty_tensor *inside(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *key) {
    ty_tensor *u = ty_uniform(wide(dtype), rank, shape, key);
    return ty_max(u, ty_num(dtype == TY_F64 ? 0x1p-54 : 0x1p-25));
}

/* Return a parameter cast and broadcast to the dtype and shape of x. Poison if its shape does not broadcast
   to x's. */
static ty_tensor *like(ty_tensor *parameter, ty_tensor *x) {
    return ty_ok(x) ? ty_broadcast(ty_cast(parameter, ty_dtype_of(x)), ty_rank(x), ty_shape(x)) : x;
}

/* Return poison that names the first element of p where the mask `inside` is false, called `parameter`, and
   its `domain`; or reports lack of memory. NULL if all are inside. */
static ty_tensor *refuse_parameter(const char *parameter, ty_tensor *p, ty_tensor *inside,
                                   const char *domain) {
    ty_tensor *outside = ty_ravel(ty_logical_not(inside)),
              *first = ty_argmax(ty_cast(outside, TY_U8), TY_ALL);
    ty_tensor *any = ty_any(outside, TY_ALL),
              *flat = ty_ravel(ty_broadcast(p, ty_rank(inside), ty_shape(inside)));
    ty_tensor *bad = first_poison(3, (ty_tensor *[]){first, any, flat});
    if (bad || ty_item(any) == 0) return bad;
    int64_t at = (int64_t)ty_item(first);
    ty_tensor *found = ty_slice(flat, 0, at, at + 1, 1);
    if (!ty_ok(found)) return found;
    return ty_poison_code(E_DOMAIN, "the %s is %.17g%s; expected %s", parameter, ty_item(found),
                          ty_size(p) > 1 ? " for one element" : "", domain);
}

/* Return p, checked by the mask `inside`, its domain. A value with an element outside becomes poison that
   names `parameter` and `words`, the domain; in a promise the elements outside become NaN. */
static ty_tensor *domain(const char *parameter, ty_tensor *p, ty_tensor *inside, const char *words) {
    if (!ty_ok(inside)) return inside;
    if (ty_is_promise(inside)) return ty_where(inside, p, ty_num(NAN));
    ty_tensor *bad = ty_size(inside) ? refuse_parameter(parameter, p, inside, words) : NULL;
    return bad ? bad : p;
}

static ty_tensor *scale_of(ty_tensor *scale) {
    return domain("scale", scale, ty_ge(scale, ty_num(0)), "0 or more");
}

/* Return loc + scale x, cast to `dtype`; loc and scale may be NULL, for 0 and 1. Closes `scope` and keeps the
   result. A poisoned result gets `name` in front, unless the key is poisoned. */
static ty_tensor *placed(const char *name, ty_scope *scope, ty_tensor *key, ty_dtype dtype, ty_tensor *x,
                         ty_tensor *loc, ty_tensor *scale) {
    ty_tensor *y = x;
    if (scale) y = ty_mul(y, like(scale_of(scale), x));
    if (loc) y = ty_add(y, like(loc, x));
    return leave_as(name, scope, key, ty_ok(y) ? ty_cast(y, dtype) : y);
}

/* Draw exponential numbers of this scale (NULL: 1), a tensor that broadcasts to shape[rank], as -log(1 - u),
   u in [0, 1); 1 - u is exact. Poison on failure. */
ty_tensor *ty_exponential(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *scale, ty_tensor *key) {
    ty_scope *scope = ty_open();
    ty_tensor *u = ty_uniform(wide(dtype), rank, shape, key);
    return placed("exponential", scope, key, dtype, ty_neg(ty_log1p(ty_neg(u))), NULL, scale);
}

/* Draw Laplace numbers of shape[rank]: loc + scale sign(c) (-log(1 - 2 |c|)), c = u - 1/2, which is exact.
   loc and scale broadcast to the shape; NULL: 0 and 1. Poison on failure. */
ty_tensor *ty_laplace(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *loc, ty_tensor *scale,
                      ty_tensor *key) {
    ty_scope *scope = ty_open();
    ty_tensor *c = ty_sub(inside(dtype, rank, shape, key), ty_num(0.5));
    ty_tensor *size = ty_neg(ty_log1p(ty_mul(ty_abs(c), ty_num(-2))));
    return placed("laplace", scope, key, dtype, ty_mul(ty_sign(c), size), loc, scale);
}

ty_tensor *ty_logistic(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *loc, ty_tensor *scale,
                       ty_tensor *key) {
    ty_scope *scope = ty_open();
    return placed("logistic", scope, key, dtype, ty_logit(inside(dtype, rank, shape, key)), loc, scale);
}

/* Return -log(-log u), standard Gumbel random numbers of shape[rank], in the dtype that draws of `dtype` are
   computed in: f32 for half floats. */
static ty_tensor *gumbel(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *key) {
    return ty_neg(ty_log(ty_neg(ty_log(inside(dtype, rank, shape, key)))));
}

ty_tensor *ty_gumbel(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *loc, ty_tensor *scale,
                     ty_tensor *key) {
    ty_scope *scope = ty_open();
    return placed("gumbel", scope, key, dtype, gumbel(dtype, rank, shape, key), loc, scale);
}

/* Draw Cauchy numbers of shape[rank]: loc + scale tan(pi c), c = u - 1/2. loc and scale broadcast to the
   shape; NULL: 0 and 1. Poison on failure. */
ty_tensor *ty_cauchy(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *loc, ty_tensor *scale,
                     ty_tensor *key) {
    ty_scope *scope = ty_open();
    ty_tensor *c = ty_sub(inside(dtype, rank, shape, key), ty_num(0.5));
    return placed("cauchy", scope, key, dtype, ty_div(ty_sinpi(c), ty_cospi(c)), loc, scale);
}

/* Return normal numbers between a and b, from uniform numbers u: Phi^-1(Phi(a) + u (Phi(b) - Phi(a))), for a
   < b with most of the mass of [a, b] below 0. */
static ty_tensor *truncated_middle(ty_tensor *u, ty_tensor *a, ty_tensor *b) {
    ty_tensor *below = ty_ndtr(a);
    return ty_ndtri(ty_add(below, ty_mul(u, ty_sub(ty_ndtr(b), below))));
}

/* Return normal numbers between a and b, from uniform numbers u, in the far tail below 0, where Phi(a)
   underflows. Inverts log Phi by four steps of Newton's method with the derivative sqrt(2 / pi) / erfcx(-x /
   sqrt 2). From -sqrt(-2 log Phi), three steps reach f64's precision. */
static ty_tensor *truncated_tail(ty_tensor *u, ty_tensor *a, ty_tensor *b) {
    ty_tensor *high = ty_log_ndtr(b),
              *span = ty_expm1(ty_sub(ty_log_ndtr(a), high)); /* -(1 - Phi(a) / Phi(b)) */
    ty_tensor *wanted = ty_add(high, ty_log1p(ty_mul(ty_sub(ty_num(1), u), span)));
    ty_tensor *x = ty_neg(ty_sqrt(ty_mul(wanted, ty_num(-2))));
    for (int step = 0; step < 4; step++) {
        ty_tensor *slope =
            ty_div(ty_num(0.79788456080286535588), ty_erfcx(ty_mul(x, ty_num(-0.70710678118654752440))));
        x = ty_sub(x, ty_div(ty_sub(ty_log_ndtr(x), wanted), slope));
    }
    return x;
}

ty_tensor *ty_truncated_normal(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *low,
                               ty_tensor *high, ty_tensor *key) {
    ty_scope *scope = ty_open();
    ty_tensor *u = ty_uniform(wide(dtype), rank, shape, key);
    if (!ty_ok(u)) return leave_as("truncated_normal", scope, key, u);
    low = domain("low end", low, ty_lt(low, high), "below the high end");
    ty_tensor *from = like(low, u), *to = like(high, u), *turn = ty_gt(from, ty_num(0));
    ty_tensor *a = ty_where(turn, ty_neg(to), from), *b = ty_where(turn, ty_neg(from), to);
    ty_tensor *far = ty_lt(b, ty_num(-4)); /* Phi(-4) is 3e-5, which f32 still holds accurately */
    bool known = !ty_is_promise(far), none = known && ty_item(ty_any(far, TY_ALL)) == 0;
    ty_tensor *x = truncated_middle(u, a, b);
    if (!none) x = ty_where(far, truncated_tail(u, a, b), x);
    x = ty_clip(x, a, b);
    return placed("truncated_normal", scope, key, dtype, ty_where(turn, ty_neg(x), x), NULL, NULL);
}

/* Draw category indices, from 0, along `axis` of logits (may be negative), which the result lacks, with
   probabilities in proportion to exp(logits): argmax of logits + Gumbel noise (Gumbel, 1954). Poison on
   failure. */
ty_tensor *ty_categorical(ty_tensor *logits, int axis, ty_tensor *key) {
    ty_tensor *operands[] = {logits, key}, *bad = first_poison(2, operands);
    if (bad) return bad;
    if (dtype_is(ty_dtype_of(logits), CLASS_COMPLEX))
        return refuse("categorical", 1, &logits, E_DTYPE, "logits must be real");
    if (axis_normal(axis, ty_rank(logits)) < 0 || axis >= ty_rank(logits))
        return refuse_axis("categorical", logits, axis);
    ty_scope *scope = ty_open();
    ty_tensor *x = domain("logit", as_floating(logits), ty_logical_not(ty_is_nan(logits)), "a number");
    if (!ty_ok(x)) return leave(scope, x);
    ty_dtype dtype = wide(ty_dtype_of(x));
    x = ty_add(ty_cast(x, dtype), gumbel(dtype, ty_rank(x), ty_shape(x), key));
    return leave_as("categorical", scope, logits, ty_argmax(x, ty_axis(axis)));
}

ty_tensor *ty_dropout_mask(ty_dtype dtype, int rank, const int64_t *shape, double rate, ty_tensor *key) {
    FLOATING_DEFAULT;
    if (!ty_ok(key)) return tensor_share(key);
    if (!(rate >= 0 && rate < 1))
        return refuse("dropout_mask", 1, &key, E_ARGUMENT, "rate %g is out of range; expected 0 to below 1",
                      rate);
    if (dtype_valid(dtype) && !dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX))
        return refuse("dropout_mask", 1, &key, E_DTYPE,
                      "a mask of 0 and 1 / (1 - rate) needs a floating-point dtype, not %s",
                      ty_dtype_name(dtype));
    ty_scope *scope = ty_open();
    ty_tensor *kept = ty_bernoulli(rank, shape, 1 - rate, key);
    return leave_as("dropout_mask", scope, key, ty_mul(ty_cast(kept, dtype), ty_num(1 / (1 - rate))));
}

/* Draw counts, i64 of p's shape, of n draws from the categories along p's last axis. Category by category:
   binomial with the remaining count and the share of the remaining probability. Poison on failure. */
ty_tensor *ty_multinomial(ty_tensor *n, ty_tensor *p, ty_tensor *key) {
    ty_tensor *operands[] = {n, p, key}, *bad = first_poison(3, operands);
    if (bad) return bad;
    int rank = ty_rank(p) - 1;
    if (rank < 0 || ty_shape(p)[rank] == 0)
        return refuse("multinomial", 2, operands, E_SHAPE,
                      "the probabilities need a last axis of categories");
    ty_scope *scope = ty_open();
    int64_t categories = ty_shape(p)[rank];
    const int64_t *shape = ty_shape(p);
    ty_tensor *well = ty_logical_and(ty_ge(p, ty_num(0)), ty_is_finite(p)), *total = ty_sum(p, ty_axis(-1));
    p = domain("probability", p, well, "0 or more and finite");
    if (ty_ok(p)) total = domain("sum of the probabilities", total, ty_gt(total, ty_num(0)), "above 0");
    if (!ty_ok(p) || !ty_ok(total)) return leave(scope, ty_ok(p) ? total : p);
    ty_tensor **counts = mem_array((size_t)categories, sizeof *counts);
    if (!counts) return leave(scope, tensor_out_of_memory());
    ty_tensor *left = ty_broadcast(ty_cast(n, TY_F64), rank, shape), *chance = ty_cast(p, TY_F64);
    ty_tensor *rest = ty_sum(chance, ty_axis(-1));
    for (int64_t k = 0; k < categories; k++) {
        ty_tensor *own = ty_reshape(ty_slice(chance, rank, k, k + 1, 1), rank, shape);
        ty_tensor *share =
            ty_where(ty_gt(rest, ty_num(0)), ty_clip(ty_div(own, rest), ty_num(0), ty_num(1)), ty_num(0));
        bool last = k == categories - 1;
        counts[k] = last ? left : ty_binomial(TY_F64, rank, shape, left, share, ty_fold(key, (uint64_t)k));
        left = ty_sub(left, counts[k]);
        rest = ty_sub(rest, own);
    }
    ty_tensor *y = ty_cast(ty_stack((int)categories, counts, -1), TY_I64);
    mem_free(counts);
    return leave_as("multinomial", scope, operands[1], y);
}
