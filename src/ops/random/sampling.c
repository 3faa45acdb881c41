/* Random permutations and choices. */
#include <math.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "ops/shape/pieces.h"
#include "ops/random/order.h"
#include "ops/sort/sort.h"

/* Up to this size a permutation sorts random numbers, so all orders are equally likely (equal numbers among 2^53
   keep their order).  Above, there are more orders than keys, and single elements are computed by permuted.h,
   without memory. */
enum { SORTED_MOST = 1 << 16 };

/* Return elements first .. first+count-1 of a random permutation of 0 .. n-1, i64[count], which depends on n
   and the key only. */
static ty_tensor *random_places(int64_t n, int64_t first, int64_t count, ty_tensor *key) {
    if (n > SORTED_MOST) return random_order(n, first, count, key);
    ty_tensor *all = sort_ranks(ty_uniform(TY_F64, 1, &n, key), 0, SORT_PLACES, false, 0, first + count);
    return ty_slice(all, 0, first, first + count, 1);
}

struct shuffled {
    ty_tensor *x, *key;
    int axis;
};

/* Return a box of the shuffled tensor (context is a struct shuffled), by a gather along the shuffled axis.
   Poison on failure. */
static ty_tensor *shuffle_box(void *context, const struct box *box) {
    const struct shuffled *s = context;
    int64_t n = axis_size(s->x, s->axis);
    ty_tensor *places = random_places(n, box->start[s->axis], box->size[s->axis], s->key);
    return ty_gather(box_of(s->x, box, ~(UINT64_C(1) << s->axis)), places, s->axis);
}

ty_tensor *ty_permutation(int64_t n, ty_tensor *key) {
    if (n < 0)
        return refuse("permutation", 1, &key, E_ARGUMENT,
                      "the number of elements is %lld; expected 0 or more", (long long)n);
    ty_scope *scope = ty_open();
    return leave_as("permutation", scope, key, random_places(n, 0, n, key));
}

enum { FEW_PLACES = 128 }; /* bytes of the tensor per element of the permutation (8 bytes) */

ty_tensor *ty_shuffle(ty_tensor *x, int axis, ty_tensor *key) {
    ty_tensor *bad = first_poison(2, (ty_tensor *[]){x, key});
    if (bad) return bad;
    int along = axis_normal(axis, ty_rank(x));
    if (along < 0 || along >= ty_rank(x)) return refuse_axis("shuffle", x, axis);
    if (axis_size(x, along) == 0) return tensor_share(tensor_resolve(x));
    ty_scope *scope = ty_open();
    struct shuffled s = {tensor_resolve(x), tensor_resolve(key), along};
    ty_tensor *operands[] = {s.x, s.key};
    int64_t n = axis_size(x, along), most = piece_elements();
    struct box whole = {.rank = ty_rank(x)};
    memcpy(whole.size, ty_shape(x), sizeof *whole.size * (size_t)whole.rank);
    /* One permutation vector for all if it is short, or small compared with x. */
    bool little = n <= most || n <= ty_size(x) / FEW_PLACES * (int64_t)dtype_table[ty_dtype_of(x)].size;
    ty_tensor *y = little
                       ? shuffle_box(&s, &whole)
                       : in_pieces(ty_dtype_of(x), whole.rank, whole.size, 1, 2, operands, shuffle_box, &s);
    return leave(scope, y);
}

/* Return poison that names the first element of the vector of probabilities p where the mask `wrong` is true. */
static ty_tensor *refuse_probability(ty_tensor *p, ty_tensor *wrong) {
    ty_tensor *place = ty_argmax(ty_cast(wrong, TY_U8), TY_ALL);
    int64_t at;
    double value;
    if (!ty_read(place, TY_I64, &at) || !ty_read(ty_gather(p, ty_expand(place, 0), 0), TY_F64, &value))
        return tensor_out_of_memory();
    return refuse("choice", 1, &p, E_DOMAIN, "probability %g of element %lld is out of range; expected 0..1",
                  value, (long long)at);
}

/* Return the running sums of the vector p in f64; evaluates a promise. Poison unless all elements are finite
   and >= 0 and one is above 0. */
static ty_tensor *running_sums(ty_tensor *p) {
    p = ty_cast(value_now("choice", p), TY_F64);
    ty_tensor *wrong = ty_logical_not(ty_logical_and(ty_ge(p, ty_num(0)), ty_lt(p, ty_num(INFINITY))));
    double any = ty_item(ty_any(wrong, TY_ALL));
    if (any > 0) return refuse_probability(p, wrong);
    ty_tensor *sums = ty_cumsum(p, 0, (ty_running){0}),
              *total = ty_squeeze(ty_slice(sums, 0, -1, TY_END, 1), 0);
    double sum = ty_item(total);
    if (isnan(any) || isnan(sum)) return tensor_out_of_memory();
    return sum > 0 ? sums : refuse("choice", 1, &p, E_DOMAIN, "all probabilities are 0");
}

/* Return `count` random integers, i64, in 0 .. n-1, with replacement, by the probabilities p [n], which need
   not sum to 1 (NULL: equal): uniform numbers are searched in the running sums. Poison on failure. */
static ty_tensor *choose_again(int64_t n, int64_t count, ty_tensor *p, ty_tensor *key) {
    ty_tensor *u = ty_uniform(TY_F64, 1, &count, key), *last = ty_int(n - 1);
    if (!p) return ty_min(ty_cast(ty_mul(u, ty_num((double)n)), TY_I64), last);
    ty_tensor *sums = running_sums(p), *total = ty_squeeze(ty_slice(sums, 0, -1, TY_END, 1), 0);
    return ty_min(ty_searchsorted(sums, ty_mul(u, total), true), last);
}

/* Return `count` different random integers, i64, in 0 .. n-1, by the probabilities p [n] (NULL: equal). The
   largest of log p + Gumbel noise are draws in sequence by p (T. Vieira, "Gumbel-max trick and weighted
   reservoir sampling", 2014). Poison on failure. */
static ty_tensor *choose_once(int64_t n, int64_t count, ty_tensor *p, ty_tensor *key) {
    if (!p) return random_places(n, 0, count, key);
    ty_tensor *sums = running_sums(p);
    if (!ty_ok(sums)) return sums;
    double possible = ty_item(ty_sum(ty_gt(p, ty_num(0)), TY_ALL));
    if (!(possible >= 0)) return tensor_out_of_memory();
    if ((double)count > possible)
        return refuse("choice", 1, &p, E_SHAPE,
                      "%lld different elements were asked for, but only %g have a probability",
                      (long long)count, possible);
    ty_tensor *u = ty_uniform(TY_F64, 1, &n, key), *noise = ty_neg(ty_log(ty_neg(ty_log(u))));
    return sort_ranks(ty_add(ty_log(ty_cast(p, TY_F64)), noise), 0, SORT_PLACES, true, 0, count);
}

ty_tensor *ty_choice(int64_t n, int64_t count, bool replace, ty_tensor *p, ty_tensor *key) {
    ty_tensor *operands[] = {key, p}, *bad = first_poison(p ? 2 : 1, operands);
    if (bad) return bad;
    if (n < 0 || count < 0)
        return refuse("choice", 1, &key, E_ARGUMENT, "%lld of %lld; expected numbers of 0 or more",
                      (long long)count, (long long)n);
    if (count > 0 && (n == 0 || (!replace && count > n)))
        return refuse("choice", 1, &key, E_ARGUMENT, "cannot choose %lld different elements from %lld",
                      (long long)count, (long long)n);
    if (p && (ty_rank(p) != 1 || ty_size(p) != n || dtype_is(ty_dtype_of(p), CLASS_COMPLEX)))
        return refuse("choice", 2, operands, E_DTYPE, "probabilities must be a real vector of %lld",
                      (long long)n);
    ty_scope *scope = ty_open();
    if (count == 0) return leave(scope, ty_zeros(TY_I64, 1, &count));
    return leave_as("choice", scope, key, (replace ? choose_again : choose_once)(n, count, p, key));
}
