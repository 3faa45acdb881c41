/* Scaled dot-product attention with masks, and positional encodings of queries and keys. */
#include "nn/layers/attention.h"
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include "array/tensor.h"
#include "base/math/scalar.h"
#include "base/options.h"
#include "base/machine/floating.h"

/* ---- scores ---- */

static ty_tensor *query_places(const struct attention *a, const struct attention_operands *o) {
    ty_tensor *places = ty_iota(TY_I64, 1, &a->queries, 0);
    return ty_expand(o->offset ? ty_add(places, o->offset) : places, 1);
}

static ty_tensor *key_places(const struct attention_operands *o) {
    int64_t keys = size_from_end(o->k, 2);
    ty_tensor *places = ty_iota(TY_I64, 1, &keys, 0);
    return o->first ? ty_add(places, o->first) : places;
}

ty_tensor *attention_distance(const struct attention *a, const struct attention_operands *o) {
    ty_tensor *far = ty_abs(ty_sub(query_places(a, o), key_places(o)));
    return ty_cast(far, wide_of(ty_dtype_of(o->q)));
}

static ty_tensor *both(ty_tensor *a, ty_tensor *b) { return a ? ty_logical_and(a, b) : b; }

/* Return the mask of visible keys, a bool that broadcasts to the scores [N, G, R, Tq, Tk]; NULL if all are
   visible. Combines bool mask, lengths, causality and window. */
static ty_tensor *seen(const struct attention *a, const struct attention_operands *o) {
    ty_tensor *all = o->mask && ty_dtype_of(o->mask) == TY_BOOL ? o->mask : NULL;
    if (o->first) all = both(all, ty_lt(key_places(o), ty_int(a->keys))); /* the last block is padded */
    if (o->lengths) all = both(all, ty_lt(key_places(o), o->lengths));
    if (a->causal) all = both(all, ty_le(key_places(o), query_places(a, o)));
    if (a->window) {
        ty_tensor *far = ty_sub(query_places(a, o), key_places(o));
        all = both(all, ty_lt(ty_abs(far), ty_int(a->window)));
    }
    return all;
}

ty_tensor *attention_scores(const struct attention *a, const struct attention_operands *o) {
    int64_t shape[] = {a->n, a->g, a->r, a->queries, size_from_end(o->k, 2)};
    ty_dtype wide = wide_of(ty_dtype_of(o->q));
    ty_tensor *s = ty_reshape(ty_matmul(o->q, ty_transpose(o->k)), 5, shape);
    s = ty_mul(ty_cast(s, wide), ty_num(a->scale));
    if (o->slopes) s = ty_sub(s, ty_mul(o->slopes, attention_distance(a, o)));
    if (o->mask && ty_dtype_of(o->mask) != TY_BOOL) s = ty_add(s, o->mask);
    ty_tensor *visible = seen(a, o);
    return visible ? ty_where(visible, s, ty_num(-INFINITY)) : s;
}

ty_tensor *attention_dropped(const struct attention *a, const struct attention_operands *o,
                             ty_tensor *shares) {
    return dropped(shares, a->dropout, o->key);
}

ty_tensor *attention_times(const struct attention *a, ty_tensor *shares, ty_tensor *v) {
    int64_t rows[] = {a->n, a->g, a->r * a->queries, size_from_end(shares, 1)};
    int64_t shape[] = {a->n, a->g, a->r, a->queries, size_from_end(v, 1)};
    return ty_reshape(ty_matmul(ty_cast(ty_reshape(shares, 4, rows), ty_dtype_of(v)), v), 5, shape);
}

ty_tensor *attention_total(ty_tensor *sum) { return ty_where(ty_eq(sum, ty_num(0)), ty_num(1), sum); }

/* Return the attention [N, G, R, Tq, E], computed over all keys at once. The maximum is bounded below, so
   that a query without visible keys gives 0, not NaN. */
static ty_tensor *at_once(const struct attention *a, const struct attention_operands *o) {
    ty_axes last = {.last = 1, .keep = true};
    ty_tensor *s = attention_scores(a, o);
    ty_tensor *greatest = ty_detach(ty_max(ty_amax(s, last), ty_num(-1e30)));
    ty_tensor *shares = ty_exp(ty_sub(s, greatest)), *total = attention_total(ty_sum(shares, last));
    ty_tensor *sum = attention_times(a, attention_dropped(a, o, shares), o->v);
    return ty_div(ty_cast(sum, ty_dtype_of(total)), total);
}

/* ---- operands ---- */

/* Check q, k and v: floats of one dtype, [N, heads, positions, channels], that fit each other. Return
   poison, or NULL if they do. */
static ty_tensor *refuse_values(ty_tensor *q, ty_tensor *k, ty_tensor *v) {
    ty_tensor *all[] = {q, k, v};
    for (int i = 0; i < 3; i++) {
        if (!ty_ok(all[i]))
            return ty_poison_code(ty_error_code(all[i]), "attention: %s",
                                  all[i] ? ty_error(all[i]) : "q, k or v is NULL");
        if (ty_rank(all[i]) != 4 || !is_real(all[i]))
            return ty_poison_code(
                E_DTYPE,
                "attention: %c is %s with %d axes, expected floats (batch, heads, positions, channels)",
                "qkv"[i], ty_dtype_name(ty_dtype_of(all[i])), ty_rank(all[i]));
    }
    if (ty_dtype_of(q) != ty_dtype_of(k) || ty_dtype_of(q) != ty_dtype_of(v))
        return ty_poison_code(E_DTYPE, "attention: q, k, v are %s, %s and %s, expected one dtype",
                              ty_dtype_name(ty_dtype_of(q)), ty_dtype_name(ty_dtype_of(k)),
                              ty_dtype_name(ty_dtype_of(v)));
    const int64_t *sq = ty_shape(q), *sk = ty_shape(k), *sv = ty_shape(v);
    if (sk[0] != sq[0] || sv[0] != sq[0] || sv[1] != sk[1] || sv[2] != sk[2] || sk[3] != sq[3])
        return ty_poison_code(
            E_SHAPE,
            "attention: q [%lld,%lld,%lld,%lld], k [%lld,%lld,%lld,%lld], v [%lld,%lld,%lld,%lld]; expected "
            "one batch, equal channels of q and k, equal heads and positions of k and v",
            (long long)sq[0], (long long)sq[1], (long long)sq[2], (long long)sq[3], (long long)sk[0],
            (long long)sk[1], (long long)sk[2], (long long)sk[3], (long long)sv[0], (long long)sv[1],
            (long long)sv[2], (long long)sv[3]);
    if (sk[1] < 1 || sq[1] % sk[1])
        return ty_poison_code(
            E_ARGUMENT, "attention: %lld heads of queries, expected a multiple of the %lld heads of keys",
            (long long)sq[1], (long long)sk[1]);
    return NULL;
}

static bool meets(int64_t size, int64_t whole) { return size == 1 || size == whole; }

/* Return a mask that broadcasts to [N, H, Tq, Tk] reshaped to five axes, heads split in two, G and R;
   floats are cast to `wide`. On mismatch return NULL and set *bad to poison. */
static ty_tensor *mask_form(const struct attention *a, ty_tensor *mask, ty_dtype wide, ty_tensor **bad) {
    int64_t whole[] = {a->n, a->g * a->r, a->queries, a->keys}, shape[] = {1, 1, 1, 1}, form[5];
    int rank = ty_rank(mask);
    bool fits = ty_ok(mask) && rank <= 4 && (is_real(mask) || ty_dtype_of(mask) == TY_BOOL);
    for (int i = 0; fits && i < rank; i++) {
        shape[4 - rank + i] = ty_shape(mask)[i];
        fits = meets(ty_shape(mask)[i], whole[4 - rank + i]);
    }
    if (!fits) {
        *bad = !ty_ok(mask)
                   ? ty_poison_code(ty_error_code(mask), "attention: mask: %s", ty_error(mask))
                   : ty_poison_code(
                         E_DTYPE,
                         "attention: the mask is %s with %d axes, expected bools or floats that broadcast to "
                         "(batch, heads, queries, keys), here [%lld,%lld,%lld,%lld]",
                         ty_dtype_name(ty_dtype_of(mask)), rank, (long long)whole[0], (long long)whole[1],
                         (long long)whole[2], (long long)whole[3]);
        return NULL;
    }
    bool split = shape[1] > 1;
    form[0] = shape[0], form[1] = split ? a->g : 1, form[2] = split ? a->r : 1, form[3] = shape[2],
    form[4] = shape[3];
    return ty_reshape(ty_dtype_of(mask) == TY_BOOL ? mask : ty_cast(mask, wide), 5, form);
}

/* Return x cast to `dtype` and reshaped to form[form_rank]. x must have `rank` axes, the first of `size`
   elements, integers if `whole`, else floats; else return NULL and set *bad to poison that names it.
   NULL also if x is NULL or *bad is set already. */
static ty_tensor *vector_form(ty_tensor *x, const char *name, bool whole, int rank, int64_t size,
                              int form_rank, const int64_t *form, ty_dtype dtype, ty_tensor **bad) {
    if (!x || *bad) return NULL;
    bool fits = ty_ok(x) && ty_rank(x) == rank && (!rank || ty_shape(x)[0] == size) &&
                (whole ? is_whole(x) : is_real(x));
    if (fits) return ty_reshape(ty_cast(x, dtype), form_rank, form);
    *bad = !ty_ok(x)
               ? ty_poison_code(ty_error_code(x), "attention: %s: %s", name, ty_error(x))
               : ty_poison_code(E_SHAPE, "attention: the %s are %s with %d axes, expected %s, %lld of them",
                                name, ty_dtype_name(ty_dtype_of(x)), ty_rank(x),
                                whole ? "integers" : "floats", (long long)size);
    return NULL;
}

/* Set *a to the sizes and options and *p to the operands: q [N, G, R Tq, E], k and v as they are, others in
   up to five axes [N, G, R, T, ..]. Return NULL, or poison if one is invalid. */
static ty_tensor *prepare(struct attention *a, struct attention_operands *p, ty_tensor *q, ty_tensor *k,
                          ty_tensor *v, const ty_attention_options *o) {
    ty_tensor *bad = refuse_values(q, k, v);
    if (bad) return bad;
    const int64_t *sq = ty_shape(q), *sk = ty_shape(k);
    *a = (struct attention){.n = sq[0],
                            .g = sk[1],
                            .r = sq[1] / sk[1],
                            .queries = sq[2],
                            .keys = sk[2],
                            .width = sq[3],
                            .value_width = ty_shape(v)[3],
                            .causal = o->causal,
                            .window = o->window,
                            .dropout = o->dropout};
    a->scale = o->scale != 0 ? o->scale : 1 / sqrt((double)a->width);
    a->block = o->block ? o->block : a->keys * a->queries < 1 << 20 ? -1 : 256;
    if (!(a->dropout >= 0 && a->dropout < 1))
        return ty_poison_code(E_ARGUMENT, "attention: probability %g is outside [0, 1)", a->dropout);
    if (a->window < 0)
        return ty_poison_code(E_ARGUMENT, "attention: a window of %lld keys, expected 0 or more",
                              (long long)a->window);
    int64_t rows[] = {a->n, a->g, a->r * a->queries, a->width}, each[] = {a->n, 1, 1, 1, 1},
            heads[] = {a->g, a->r, 1, 1};
    ty_dtype wide = wide_of(ty_dtype_of(q));
    *p = (struct attention_operands){.q = ty_reshape(q, 4, rows), .k = k, .v = v, .key = o->key};
    if (o->mask) p->mask = mask_form(a, o->mask, wide, &bad);
    p->lengths = vector_form(o->lengths, "lengths", true, 1, a->n, 5, each, TY_I64, &bad);
    p->offset = vector_form(o->offset, "offset", true, 0, 1, 0, NULL, TY_I64, &bad);
    p->slopes = vector_form(o->slopes, "slopes", false, 1, a->g * a->r, 4, heads, wide, &bad);
    if (!bad && o->key && !ty_ok(o->key))
        bad = ty_poison_code(ty_error_code(o->key), "attention: key: %s", ty_error(o->key));
    ty_tensor *all[] = {p->q, p->mask, p->lengths, p->offset, p->slopes};
    for (int i = 0; i < 5 && !bad; i++)
        if (all[i] && !ty_ok(all[i])) bad = all[i];
    return bad;
}

ty_tensor *ty_attention_sized(ty_tensor *q, ty_tensor *k, ty_tensor *v, const ty_attention_options *given,
                              size_t given_size) {
    OPTIONS(ty_attention_options, options, given, given_size);
    FLOATING_DEFAULT;
    struct attention a;
    struct attention_operands o;
    ty_tensor *bad = prepare(&a, &o, q, k, v, &options);
    if (bad) return bad;
    int64_t shape[] = {a.n, a.g * a.r, a.queries, a.value_width};
    if (!a.keys) return ty_zeros(ty_dtype_of(q), 4, shape);
    bool all = a.block < 0 || a.block >= a.keys;
    ty_tensor *y = all ? at_once(&a, &o) : attention_by_blocks(&a, &o);
    return ty_cast(ty_reshape(y, 4, shape), ty_dtype_of(q));
}

/* ---- positions ---- */

ty_tensor *ty_alibi_slopes(int64_t heads) {
    FLOATING_DEFAULT;
    double slopes[1024];
    if (heads < 1 || heads > 1024)
        return ty_poison_code(E_ARGUMENT, "alibi_slopes: %lld heads, expected 1 to 1024", (long long)heads);
    int64_t whole = 1;
    while (2 * whole <= heads) whole *= 2;
    /* Heads past a power of two get every second slope of twice that power. */
    for (int64_t i = 0; i < heads; i++)
        slopes[i] = i < whole ? math_exp2(-8.0 * (double)(i + 1) / (double)whole)
                              : math_exp2(-4.0 * (double)(2 * (i - whole) + 1) / (double)whole);
    return ty_from(TY_F64, 1, &heads, slopes);
}

/* Return x [.., T, E] rotated by angles that broadcast to [.., T, E / 2]: elements 2i and 2i + 1 form a
   pair if `pairs`, else i and i + E / 2. */
static ty_tensor *turn(ty_tensor *x, ty_tensor *angles, bool pairs) {
    int rank = ty_rank(x);
    if (!ty_ok(x)) return x;
    int64_t half = size_from_end(x, 1) / 2, shape[TY_MAX_RANK];
    for (int i = 0; i < rank; i++) shape[i] = ty_shape(x)[i];
    shape[rank - 1] = half, shape[rank] = 2;
    ty_tensor *cosine = ty_cos(angles), *sine = ty_sin(angles), *a, *b;
    ty_tensor *seen = pairs ? ty_reshape(x, rank + 1, shape) : x;
    a = pairs ? ty_squeeze(ty_slice(seen, -1, 0, 1, 1), -1) : ty_slice(seen, -1, 0, half, 1);
    b = pairs ? ty_squeeze(ty_slice(seen, -1, 1, 2, 1), -1) : ty_slice(seen, -1, half, TY_END, 1);
    ty_tensor *parts[] = {ty_sub(ty_mul(a, cosine), ty_mul(b, sine)),
                          ty_add(ty_mul(b, cosine), ty_mul(a, sine))};
    return pairs ? ty_reshape(ty_stack(2, parts, -1), rank, ty_shape(x)) : ty_concat(2, parts, -1);
}

/* Turn pairs of channels of x by their positions (NULL: 0, 1, ...); ty_rotary without its checks. */
static ty_tensor *rotated(ty_tensor *x, ty_tensor *places, double base, bool pairs) {
    ty_dtype wide = wide_of(ty_dtype_of(x));
    int64_t half = size_from_end(x, 1) / 2;
    if (!places) places = ty_iota(TY_I64, 1, ty_shape(x) + ty_rank(x) - 2, 0);
    ty_tensor *power = ty_mul(ty_iota(TY_F64, 1, &half, 0), ty_num(half ? -1.0 / (double)half : 0));
    ty_tensor *rates = ty_cast(ty_pow(ty_scalar(TY_F64, base), power), wide);
    ty_tensor *angles = ty_mul(ty_expand(ty_cast(places, wide), -1), rates);
    return ty_cast(turn(ty_cast(x, wide), angles, pairs), ty_dtype_of(x));
}

ty_tensor *ty_rotary(ty_tensor *x, ty_tensor *places, double base, bool pairs) {
    FLOATING_DEFAULT;
    if (!ty_ok(x))
        return ty_poison_code(ty_error_code(x), "rotary: %s", x ? ty_error(x) : "the tensor is NULL");
    if (places && !ty_ok(places))
        return ty_poison_code(ty_error_code(places), "rotary: positions: %s", ty_error(places));
    if (ty_rank(x) < 2 || ty_rank(x) >= TY_MAX_RANK || !is_real(x) || size_from_end(x, 1) % 2)
        return ty_poison_code(
            E_DTYPE,
            "rotary: %s with %d axes, the last of size %lld; expected floats (..., positions, "
            "channels), an even number of channels",
            ty_dtype_name(ty_dtype_of(x)), ty_rank(x), ty_rank(x) ? (long long)size_from_end(x, 1) : 0LL);
    if (!(base > 0)) return ty_poison_code(E_ARGUMENT, "rotary: base %g, expected a positive number", base);
    ty_scope *scope = ty_open();
    ty_tensor *y = rotated(x, places, base, pairs);
    if (scope) y = ty_keep(y);
    ty_close(scope);
    return y;
}
