/* Gradient-based kernels: Hamiltonian Monte Carlo with a fixed number of leapfrog steps, and NUTS. */
#include <tyto/index.h>
#include "statistics/chain.h"

static const ty_axes last = {.last = 1};

/* ---- leapfrog ---- */

T leapfrog(const struct moving *m, struct place *at, T p, T size) {
    T half = times(each(size), N(0.5));
    p = plus(p, times(half, at->gradient));
    at->q = plus(at->q, times(each(size), times(m->scale, p)));
    at->logp = density_at(m->density, at->q, &at->gradient);
    return plus(p, times(half, at->gradient));
}

T log_joint(const struct moving *m, struct place at, T p) {
    T energy = times(ty_sum(times(ty_square(p), m->scale), last), N(0.5)), y = minus(at.logp, energy);
    return ty_where(ty_is_nan(y), N(-(double)INFINITY), y);
}

T draw_momentum(const struct moving *m, T key) {
    T z = ty_normal(m->density->dtype, 2, (int64_t[]){m->density->chains, m->density->size}, key);
    return over(z, ty_sqrt(m->scale));
}

static T share_of(T difference) { return ty_exp(ty_min(difference, N(0))); }

enum { DIVERGES = -1000 };

/* ---- fixed number of steps ---- */

/* Context of the leapfrog loop. */
struct trajectory {
    const struct moving *m;
    T size;
};

/* Scan body, whose context is a struct trajectory: make a leapfrog step; carries are position, log density,
   gradient and momentum. */
static void leap(void *context, ty_step *step) {
    const struct trajectory *t = context;
    struct place at = {step->carry[0], step->carry[1], step->carry[2]};
    step->next[3] = leapfrog(t->m, &at, step->carry[3], t->size);
    step->next[0] = at.q, step->next[1] = at.logp, step->next[2] = at.gradient;
}

/* Return the state after a step of Hamiltonian Monte Carlo from `from` for all chains, with step sizes varied
   by a tenth, and the acceptance probabilities. */
static struct moved move_hmc(const struct moving *m, struct place from) {
    T p = draw_momentum(m, ty_fold(m->key, 0)), varied = draw_uniform(m, ty_fold(m->key, 1));
    struct trajectory t = {m, times(m->step, plus(times(varied, N(0.2)), N(0.9)))};
    T carry[] = {from.q, from.logp, from.gradient, p}, end[4];
    ty_scan_spec loop = {.ncarry = 4, .carry = carry, .length = m->o->leaps};
    ty_scan(leap, &t, loop, end, NULL, NULL);
    struct place to = {end[0], end[1], end[2]};
    T gained = minus(log_joint(m, to, end[3]), log_joint(m, from, p));
    T take = ty_lt(ty_log(draw_uniform(m, ty_fold(m->key, 2))), gained);
    T leaps = ty_full(TY_I64, 1, &m->density->chains, (double)m->o->leaps);
    return (struct moved){place_where(take, to, from), share_of(gained), ty_lt(gained, N(DIVERGES)), leaps};
}
const struct mover mover_hmc = {"hmc", 0.8, true, move_hmc};

/* ---- NUTS ---- */

/*
 * All chains take one leapfrog step per round of one loop. The tree doubles: a subtree of 2^depth steps grows
 * at one of its ends, on a random side, and the loop counts its leaves. A subtree's U-turn is detected at its
 * right end from momentum and momentum sum at its left end. Those of leaf n, n even, are kept at index
 * popcount(n / 2). An odd leaf ends as many subtrees as n has trailing ones (D. Phan et al., 2019).
 */
enum {
    LEFT_Q,
    LEFT_L,
    LEFT_G,
    LEFT_P, /* ends of the tree, including a growing subtree */
    RIGHT_Q,
    RIGHT_L,
    RIGHT_G,
    RIGHT_P,
    SUB_Q,
    SUB_L,
    SUB_G, /* candidate drawn from the subtree so far */
    SUB_WEIGHT,
    SUB_SUM, /* log weight of the subtree, and sum of its momenta */
    TREE_Q,
    TREE_L,
    TREE_G, /* candidate of the tree */
    TREE_WEIGHT,
    TREE_SUM,
    KEPT_P,
    KEPT_SUM, /* [chains, depth, size] */
    SIDE,
    LEAF,
    DEPTH, /* [chains]: bool right, i64, i64 */
    DONE,
    DIVERGENT,
    ACCEPTED,
    LEAPS, /* [chains] */
    ROUND, /* i64 [] */
    CARRIES
};

/* Context of the loop that grows trees. */
struct growing {
    const struct moving *m;
    T joint; /* log joint density at the start; finite, so that chains outside the support can enter */
};

/* Return a bool [..], true at a U-turn: `sum`, the sum of all momenta [.., size], no longer points away from
   an end. left and right are the momenta at the two ends; `scale` weighs the inner products. */
static T turns(T scale, T sum, T left, T right) {
    T way = times(minus(sum, times(plus(left, right), N(0.5))), scale);
    return ty_logical_or(ty_le(ty_sum(times(way, left), last), N(0)),
                         ty_le(ty_sum(times(way, right), last), N(0)));
}

static T is_growing(void *context, T const *c) {
    (void)context;
    return ty_any(ty_logical_not(c[DONE]), TY_ALL);
}

/* Compute the next leaf at the growing end, the right one where the bool `right` [chains] is true. Sets
   *leaf, its momentum *p, and the ends in next[]; c[] has the carries before. Return [chains], its log joint
   density minus that at the start. */
static T grow(const struct growing *g, T const *c, T *next, T right, struct place *leaf, T *p) {
    struct place l = {c[LEFT_Q], c[LEFT_L], c[LEFT_G]}, r = {c[RIGHT_Q], c[RIGHT_L], c[RIGHT_G]};
    *leaf = place_where(right, r, l);
    *p = ty_where(each(right), c[RIGHT_P], c[LEFT_P]);
    *p = leapfrog(g->m, leaf, *p, ty_where(right, g->m->step, ty_neg(g->m->step)));
    l = place_where(right, l, *leaf), r = place_where(right, *leaf, r);
    next[LEFT_Q] = l.q, next[LEFT_L] = l.logp, next[LEFT_G] = l.gradient;
    next[RIGHT_Q] = r.q, next[RIGHT_L] = r.logp, next[RIGHT_G] = r.gradient;
    next[LEFT_P] = ty_where(each(right), c[LEFT_P], *p);
    next[RIGHT_P] = ty_where(each(right), *p, c[RIGHT_P]);
    return minus(log_joint(g->m, *leaf, *p), g->joint);
}

/* Store momentum p and momentum sum `sum` in next[] at an even leaf. Return a bool [chains]: true where the
   leaf is odd and ends a subtree that makes a U-turn. c[] has the carries before. */
static T subtree_turns(const struct growing *g, T const *c, T *next, T p, T sum) {
    const struct moving *m = g->m;
    int64_t depth = m->o->depth;
    T leaf = c[LEAF], level = ty_iota(TY_I64, 1, &depth, 0),
      odd = ty_eq(ty_bit_and(leaf, ty_int(1)), ty_int(1));
    T most = ty_bit_count(ty_shift_right(leaf, ty_int(1))); /* [chains] */
    T ones = minus(ty_bit_count(ty_bit_xor(leaf, plus(leaf, ty_int(1)))), ty_int(1));
    T here = both(ty_eq(level, each(most)), each(ty_logical_not(odd)));
    next[KEPT_P] = ty_where(each(here), ty_expand(p, 1), c[KEPT_P]);
    next[KEPT_SUM] = ty_where(each(here), ty_expand(sum, 1), c[KEPT_SUM]);
    T ends = both(both(ty_le(level, each(most)), ty_gt(level, each(minus(most, ones)))), each(odd));
    T within = plus(minus(ty_expand(sum, 1), c[KEPT_SUM]), c[KEPT_P]);
    T turned = turns(ty_expand(m->scale, 1), within, c[KEPT_P], ty_expand(p, 1));
    return ty_any(both(ends, turned), last);
}

/* Merge a complete valid subtree, in next[], into the tree, in c[], where the bool `joins` [chains] is true;
   u [chains] is uniform and selects the sample. Sets the entries of the tree in next[], DEPTH, and DONE at a
   U-turn or full depth. */
static void join(const struct growing *g, T const *c, T *next, T joins, T u) {
    T take = both(joins, ty_lt(ty_log(u), minus(next[SUB_WEIGHT], c[TREE_WEIGHT])));
    struct place of_tree = {c[TREE_Q], c[TREE_L], c[TREE_G]},
                 of_sub = {next[SUB_Q], next[SUB_L], next[SUB_G]};
    struct place taken = place_where(take, of_sub, of_tree);
    next[TREE_Q] = taken.q, next[TREE_L] = taken.logp, next[TREE_G] = taken.gradient;
    next[TREE_WEIGHT] = ty_where(joins, ty_logaddexp(c[TREE_WEIGHT], next[SUB_WEIGHT]), c[TREE_WEIGHT]);
    next[TREE_SUM] = ty_where(each(joins), plus(c[TREE_SUM], next[SUB_SUM]), c[TREE_SUM]);
    T deeper = plus(c[DEPTH], ty_cast(joins, TY_I64));
    T ends = ty_logical_or(turns(g->m->scale, next[TREE_SUM], next[LEFT_P], next[RIGHT_P]),
                           ty_ge(deeper, ty_int(g->m->o->depth)));
    next[DONE] = ty_logical_or(next[DONE], both(joins, ends));
    next[DEPTH] = deeper;
}

/* Loop body of the no-U-turn sampler, whose context is a struct growing: add a leaf to each chain's subtree
   and merge complete subtrees. c[] has the carries before, next[] receives those after. */
static void grow_all(void *context, T const *c, T *next) {
    const struct growing *g = context;
    const struct moving *m = g->m;
    T u = ty_uniform(m->density->dtype, 2, (int64_t[]){3, m->density->chains}, ty_fold_by(m->key, c[ROUND]));
    T u_leaf = ty_get(u, TY_ITEMS(TY_AT(0))), u_tree = ty_get(u, TY_ITEMS(TY_AT(1))),
      u_side = ty_get(u, TY_ITEMS(TY_AT(2)));
    T active = ty_logical_not(c[DONE]), first = ty_eq(c[LEAF], ty_int(0));
    T right = ty_where(first, ty_lt(u_side, N(0.5)), c[SIDE]), p;
    struct place leaf;
    T gained = grow(g, c, next, right, &leaf, &p);
    T diverges = ty_lt(gained, N(DIVERGES));
    T weight = ty_logaddexp(ty_where(first, N(-(double)INFINITY), c[SUB_WEIGHT]), gained);
    T take = ty_lt(ty_log(u_leaf), minus(gained, weight));
    struct place sub = place_where(take, leaf, (struct place){c[SUB_Q], c[SUB_L], c[SUB_G]});
    next[SUB_Q] = sub.q, next[SUB_L] = sub.logp, next[SUB_G] = sub.gradient;
    next[SUB_WEIGHT] = weight;
    next[SUB_SUM] = plus(ty_where(each(first), N(0), c[SUB_SUM]), p);
    T bad = ty_logical_or(diverges, subtree_turns(g, c, next, p, next[SUB_SUM]));
    T leaves = plus(c[LEAF], ty_int(1)), full = ty_eq(leaves, ty_shift_left(ty_int(1), c[DEPTH]));
    next[SIDE] = right;
    next[LEAF] = ty_where(full, ty_int(0), leaves);
    next[DONE] = ty_logical_or(c[DONE], bad);
    join(g, c, next, both(both(active, full), ty_logical_not(bad)), u_tree);
    next[DIVERGENT] = ty_logical_or(c[DIVERGENT], both(active, diverges));
    next[ACCEPTED] = plus(c[ACCEPTED], ty_where(active, share_of(gained), N(0)));
    next[LEAPS] = plus(c[LEAPS], ty_cast(active, TY_I64));
    next[ROUND] = plus(c[ROUND], ty_int(1));
}

/* Return the state after a step of the no-U-turn sampler from `from` for all chains, with mean acceptance
   probability, divergence and number of leaps. */
static struct moved move_nuts(const struct moving *m, struct place from) {
    int64_t chains = m->density->chains, kept[] = {chains, m->o->depth, m->density->size};
    ty_dtype dtype = m->density->dtype;
    T p = draw_momentum(m, ty_fold(m->key, 0));
    struct moving own = *m;
    own.key = ty_fold(m->key, 1);
    struct growing g = {&own, ty_max(log_joint(m, from, p), N(-1e30))};
    T none = ty_zeros(dtype, 1, &chains), no = ty_zeros(TY_BOOL, 1, &chains),
      zero = ty_zeros(TY_I64, 1, &chains);
    T c[CARRIES] = {[LEFT_P] = p,   [RIGHT_P] = p,       [TREE_WEIGHT] = none,
                    [TREE_SUM] = p, [SUB_WEIGHT] = none, [SUB_SUM] = p};
    static const int places[] = {LEFT_Q, RIGHT_Q, SUB_Q, TREE_Q};
    for (int i = 0; i < 4; i++)
        c[places[i]] = from.q, c[places[i] + 1] = from.logp, c[places[i] + 2] = from.gradient;
    c[KEPT_P] = c[KEPT_SUM] = ty_zeros(dtype, 3, kept);
    c[SIDE] = c[DONE] = c[DIVERGENT] = no;
    c[LEAF] = c[DEPTH] = c[LEAPS] = zero;
    c[ACCEPTED] = none;
    c[ROUND] = ty_scalar(TY_I64, 0);
    ty_while(is_growing, grow_all, &g, CARRIES, c, 0, c, NULL);
    T leaps = ty_cast(ty_max(c[LEAPS], ty_int(1)), dtype);
    return (struct moved){
        {c[TREE_Q], c[TREE_L], c[TREE_G]}, over(c[ACCEPTED], leaps), c[DIVERGENT], c[LEAPS]};
}
const struct mover mover_nuts = {"nuts", 0.8, true, move_nuts};
