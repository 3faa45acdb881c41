/*
 * Attention by blocks of keys (Rabe and Staats 2021; Dao et al. 2022). Running maximum, sum of weights and
 * weighted sum of values are carried from block to block and rescaled when the maximum grows. For the gradient
 * only the result and the logarithm of the sum of exponentials per query are kept. The backward loop computes
 * the weights of each block again.
 */
#include <tyto/arithmetic.h>
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/derivative.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/contract.h>
#include "base/alloc.h"
#include "nn/layers/attention.h"

/* Operands of the function with a custom gradient, in order; absent ones are empty bools. */
enum { Q, K, V, MASK, LENGTHS, OFFSET, SLOPES, KEY, OPERANDS };

struct pass {
    const struct attention *a;
    ty_tensor *const *x;
    bool masked; /* true if the mask is a sequence of the loop */
    /* backward pass only */
    ty_tensor *logs, *flow, *delta;
};

static const ty_axes last = {.last = 1, .keep = true};

/* Return the operands of attention for the block of keys and values of this step, block number step->index. */
static struct attention_operands block_of(const struct pass *p, const ty_step *step) {
    struct attention_operands o = {.q = p->x[Q], .k = step->x[0], .v = step->x[1]};
    if (p->masked) o.mask = step->x[2];
    o.lengths = operand_or_null(OPERANDS, p->x, LENGTHS);
    o.offset = operand_or_null(OPERANDS, p->x, OFFSET);
    o.slopes = operand_or_null(OPERANDS, p->x, SLOPES);
    o.key = operand_or_null(OPERANDS, p->x, KEY);
    if (o.key) o.key = ty_fold_by(o.key, step->index);
    o.first = ty_mul(step->index, ty_int(p->a->block));
    return o;
}

/* Loop step: add a block of keys to the carries: maximum of scores, sum of exponentials and sum of weighted
   values. context is the struct pass. */
static void forward_step(void *context, ty_step *step) {
    const struct pass *p = context;
    struct attention_operands o = block_of(p, step);
    ty_tensor *s = attention_scores(p->a, &o), *before = step->carry[0];
    ty_tensor *greatest = ty_max(before, ty_amax(s, last)), *less = ty_exp(ty_sub(before, greatest));
    ty_tensor *shares = ty_exp(ty_sub(s, greatest));
    ty_tensor *sum = attention_times(p->a, attention_dropped(p->a, &o, shares), o.v);
    step->next[0] = greatest;
    step->next[1] = ty_add(ty_mul(step->carry[1], less), ty_sum(shares, last));
    step->next[2] = ty_add(ty_mul(step->carry[2], less), ty_cast(sum, ty_dtype_of(s)));
}

/* Return the attention [N, G, R, Tq, E + 1] over blocks of keys; x[] are all operands. The last column is
   the logarithm of each query's sum of exponentials. context is the struct attention. */
static ty_tensor *forward(void *context, ty_tensor *const *x) {
    const struct attention *a = context;
    struct pass p = {.a = a, .x = x, .masked = !is_absent(x[MASK])};
    ty_dtype wide = wide_of(ty_dtype_of(x[Q]));
    int64_t one[] = {a->n, a->g, a->r, a->queries, 1}, all[] = {a->n, a->g, a->r, a->queries, a->value_width};
    ty_tensor *carry[] = {ty_full(wide, 5, one, -1e30), ty_zeros(wide, 5, one), ty_zeros(wide, 5, all)},
              *end[3];
    ty_tensor *blocks[] = {x[K], x[V], x[MASK]};
    ty_scan_spec loop = {.ncarry = 3, .carry = carry, .nx = 2 + p.masked, .x = blocks};
    ty_scan(forward_step, &p, loop, end, NULL, NULL);
    ty_tensor *total = attention_total(end[1]);
    ty_tensor *parts[] = {ty_div(end[2], total), ty_add(end[0], ty_log(total))};
    return ty_concat(2, parts, -1);
}

/* Return x with axes R and Tq merged: [N, G, R, Tq, E] to [N, G, R Tq, E]. */
static ty_tensor *rows(const struct attention *a, ty_tensor *x) {
    int64_t shape[] = {a->n, a->g, a->r * a->queries, size_from_end(x, 1)};
    return ty_reshape(x, 4, shape);
}

/* Return x summed to shape[rank] over the axes along which that shape broadcasts to x's; x reshaped if
   there are none. */
static ty_tensor *sum_to(ty_tensor *x, int rank, const int64_t *shape) {
    if (!ty_ok(x)) return x;
    ty_axes axes = {.keep = true};
    for (int i = 0; i < ty_rank(x); i++) {
        int j = i - (ty_rank(x) - rank);
        if (ty_shape(x)[i] != 1 && (j < 0 || shape[j] == 1)) axes.mask |= (uint64_t)1 << i;
    }
    return ty_reshape(axes.mask ? ty_sum(x, axes) : x, rank, shape);
}

/* Loop step of the backward pass for one block: step->y receives the gradients of its keys, values and
   float mask; those of queries and slopes are added to the carries. With P = exp(s - log of the sum),
   the gradient of s is P (gradient of P - delta). context is the struct pass. */
static void backward_step(void *context, ty_step *step) {
    const struct pass *p = context;
    const struct attention *a = p->a;
    struct attention_operands o = block_of(p, step);
    ty_tensor *shares = ty_exp(ty_sub(attention_scores(a, &o), p->logs));
    ty_dtype narrow = ty_dtype_of(o.v), wide = ty_dtype_of(shares);
    ty_tensor *g = rows(a, p->flow), *to_values = attention_dropped(a, &o, shares);
    step->y[1] = ty_matmul(ty_transpose(ty_cast(rows(a, to_values), narrow)), g);
    int64_t shape[] = {a->n, a->g, a->r, a->queries, size_from_end(o.k, 2)};
    ty_tensor *to_shares = ty_cast(ty_reshape(ty_matmul(g, ty_transpose(o.v)), 5, shape), wide);
    to_shares = attention_dropped(a, &o, to_shares);
    ty_tensor *to_scores = ty_mul(shares, ty_sub(to_shares, p->delta));
    ty_tensor *scaled = ty_cast(rows(a, ty_mul(to_scores, ty_num(a->scale))), narrow);
    step->next[0] = ty_add(step->carry[0], ty_cast(ty_matmul(scaled, o.k), wide));
    step->y[0] = ty_matmul(ty_transpose(scaled), p->x[Q]);
    if (o.slopes)
        step->next[1] = ty_sub(step->carry[1],
                               sum_to(ty_mul(to_scores, attention_distance(a, &o)), 4, ty_shape(o.slopes)));
    if (p->masked && ty_dtype_of(o.mask) != TY_BOOL) step->y[2] = sum_to(to_scores, 5, ty_shape(o.mask));
}

/* Gradient rule: set gradients[] of the operands x[] from g, the gradient of the result y, block by block.
   Operands without a gradient keep theirs; poison on failure. */
static void backward(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                     ty_tensor **gradients) {
    const struct attention *a = context;
    struct pass p = {.a = a, .x = x, .masked = !is_absent(x[MASK])};
    ty_tensor *result = ty_slice(y, -1, 0, a->value_width, 1), *flow = ty_slice(g, -1, 0, a->value_width, 1);
    bool sloped = !is_absent(x[SLOPES]), added = p.masked && ty_dtype_of(x[MASK]) != TY_BOOL;
    (void)n;
    p.logs = ty_slice(y, -1, a->value_width, TY_END, 1);
    p.delta = ty_sub(ty_sum(ty_mul(flow, result), last), ty_slice(g, -1, a->value_width, TY_END, 1));
    p.flow = ty_cast(flow, ty_dtype_of(x[Q]));
    ty_tensor *carry[] = {ty_zeros(ty_dtype_of(y), 4, ty_shape(x[Q])), NULL};
    if (sloped) carry[1] = ty_zeros(ty_dtype_of(x[SLOPES]), 4, ty_shape(x[SLOPES]));
    ty_tensor *blocks[] = {x[K], x[V], x[MASK]}, *end[2] = {NULL}, *each[3] = {NULL};
    ty_scan_spec loop = {
        .ncarry = 1 + sloped, .carry = carry, .nx = 2 + p.masked, .x = blocks, .ny = 2 + added};
    ty_scan(backward_step, &p, loop, end, each, NULL);
    gradients[Q] = ty_cast(end[0], ty_dtype_of(x[Q]));
    gradients[K] = each[0];
    gradients[V] = each[1];
    if (added) gradients[MASK] = each[2];
    if (sloped) gradients[SLOPES] = end[1];
}

/* Context of forward mode, which differentiates the loop by the operands that have tangents. */
struct moving_block {
    void *context;
    ty_tensor *const *x;
    int n, which[OPERANDS];
};

/* Return `forward` of the operands of context, a struct moving, with moving[] in place of those that have a
   tangent. */
static ty_tensor *forward_of_moving(void *context, ty_tensor *const *moving) {
    const struct moving_block *m = context;
    ty_tensor *x[OPERANDS];
    for (int i = 0; i < OPERANDS; i++) x[i] = m->x[i];
    for (int i = 0; i < m->n; i++) x[m->which[i]] = moving[i];
    return forward(m->context, x);
}

/* Tangent rule: return the tangent of the result for tangents t[0..n) of the operands x[]; NULL entries are
   0. Return NULL if all are NULL, so that it is 0. */
static ty_tensor *move(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *const *t) {
    struct moving_block m = {.context = context, .x = x};
    ty_tensor *tangents[OPERANDS], *moving[OPERANDS], *result = NULL;
    (void)y;
    for (int i = 0; i < n; i++) {
        if (!t[i]) continue;
        m.which[m.n] = i;
        moving[m.n] = x[i];
        tangents[m.n++] = t[i];
    }
    if (m.n) ty_value_and_jvp(forward_of_moving, &m, m.n, moving, tangents, NULL, &result);
    return result;
}

/* Pad axis `axis` (not negative) of x with zeros to a multiple of `block`, split it into blocks and move
   the block index to the front: [blocks, ..., block, ...]. */
static ty_tensor *in_blocks(ty_tensor *x, int axis, int64_t block) {
    int rank = ty_rank(x), order[8];
    int64_t size = ty_shape(x)[axis], n = (size + block - 1) / block, shape[8];
    ty_padding around[8] = {{0}};
    around[axis].high = n * block - size;
    if (around[axis].high) x = ty_pad(x, around, ty_dtype_of(x) == TY_BOOL ? ty_int(0) : ty_num(0));
    if (!ty_ok(x)) return x;
    for (int i = 0; i < rank; i++) shape[i + (i > axis)] = ty_shape(x)[i];
    shape[axis] = n, shape[axis + 1] = block;
    order[0] = axis;
    for (int i = 0, k = 1; i <= rank; i++)
        if (i != axis) order[k++] = i;
    return ty_permute(ty_reshape(x, rank + 1, shape), order);
}

ty_tensor *attention_by_blocks(const struct attention *a, struct attention_operands *o) {
    struct attention *copy = mem_alloc(sizeof *copy);
    if (!copy) return ty_poison_code(E_MEMORY, "attention: out of memory");
    *copy = *a;
    ty_tensor *mask = o->mask;
    if (mask && size_from_end(mask, 1) == 1 && a->keys > 1) {
        int64_t shape[5];
        for (int i = 0; i < 5; i++) shape[i] = i < 4 ? ty_shape(mask)[i] : a->keys;
        mask = ty_broadcast(mask, 5, shape);
    }
    ty_tensor *x[OPERANDS] = {[Q] = o->q,
                              [K] = in_blocks(o->k, 2, a->block),
                              [V] = in_blocks(o->v, 2, a->block),
                              [MASK] = operand_or_absent(mask ? in_blocks(mask, 4, a->block) : NULL),
                              [LENGTHS] = operand_or_absent(o->lengths),
                              [OFFSET] = operand_or_absent(o->offset),
                              [SLOPES] = operand_or_absent(o->slopes),
                              [KEY] = operand_or_absent(a->dropout > 0 ? o->key : NULL)};
    ty_custom rule = {.f = forward, .vjp = backward, .jvp = move, .context = copy, .release = mem_free};
    return ty_slice(ty_apply(rule, OPERANDS, x), -1, 0, a->value_width, 1);
}
