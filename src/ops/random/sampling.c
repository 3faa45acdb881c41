/* Random orders and choices: random numbers, sorted. */
#include <math.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "ops/sort/sort.h"

/* 53 random bits an element: two that are equal keep their order, once in 2^53. */
static ty_tensor *random_places(int64_t n, int64_t count, ty_tensor *key) {
    return sort_ranks(ty_uniform(TY_F64, 1, &n, key), 0, SORT_PLACES, false, 0, count);
}

ty_tensor *ty_permutation(int64_t n, ty_tensor *key) {
    if (n < 0) return refuse("permutation", 1, &key, "%lld elements is a negative number", (long long)n);
    ty_scope *scope = ty_open();
    return leave_as("permutation", scope, key, random_places(n, n, key));
}

ty_tensor *ty_shuffle(ty_tensor *x, int axis, ty_tensor *key) {
    ty_tensor *bad = first_poison(2, (ty_tensor *[]){x, key});
    if (bad) return bad;
    int along = axis_normal(axis, ty_rank(x));
    if (along < 0 || along >= ty_rank(x)) return refuse_axis("shuffle", x, axis);
    if (axis_size(x, along) == 0) return tensor_share(tensor_resolve(x));
    ty_scope *scope = ty_open();
    return leave(scope, ty_gather(x, ty_permutation(axis_size(x, along), key), along));
}

/* The first element of p that is no number of 0 and more decides about the sentence. */
static ty_tensor *refuse_probability(ty_tensor *p, ty_tensor *wrong) {
    ty_tensor *place = ty_argmax(ty_cast(wrong, TY_U8), TY_ALL);
    int64_t at;
    double value;
    if (!ty_read(place, TY_I64, &at) || !ty_read(ty_gather(p, ty_expand(place, 0), 0), TY_F64, &value))
        return tensor_out_of_memory();
    return refuse("choice", 1, &p, "probability %g of element %lld is no number of 0..1", value,
                  (long long)at);
}

/* The running sums of p as f64, which must be numbers of 0 and more; evaluates a promise. */
static ty_tensor *running_sums(ty_tensor *p) {
    p = ty_cast(value_now("choice", p), TY_F64);
    ty_tensor *wrong = ty_logical_not(ty_logical_and(ty_ge(p, ty_num(0)), ty_lt(p, ty_num(INFINITY))));
    double any = ty_item(ty_any(wrong, TY_ALL));
    if (any > 0) return refuse_probability(p, wrong);
    ty_tensor *sums = ty_cumsum(p, 0, (ty_running){0}), *total = ty_squeeze(ty_slice(sums, 0, -1, TY_END, 1), 0);
    double sum = ty_item(total);
    if (isnan(any) || isnan(sum)) return tensor_out_of_memory();
    return sum > 0 ? sums : refuse("choice", 1, &p, "all probabilities are 0");
}

/* With repetition: a uniform number is looked up in the running sums. */
static ty_tensor *choose_again(int64_t n, int64_t count, ty_tensor *p, ty_tensor *key) {
    ty_tensor *u = ty_uniform(TY_F64, 1, &count, key), *last = ty_int(n - 1);
    if (!p) return ty_min(ty_cast(ty_mul(u, ty_num((double)n)), TY_I64), last);
    ty_tensor *sums = running_sums(p), *total = ty_squeeze(ty_slice(sums, 0, -1, TY_END, 1), 0);
    return ty_min(ty_searchsorted(sums, ty_mul(u, total), true), last);
}

/* Without: the greatest of log p + Gumbel noise are drawn one after another by p (T. Vieira, "Gumbel-max
   trick and weighted reservoir sampling", 2014). */
static ty_tensor *choose_once(int64_t n, int64_t count, ty_tensor *p, ty_tensor *key) {
    if (!p) return random_places(n, count, key);
    ty_tensor *sums = running_sums(p);
    if (!ty_ok(sums)) return sums;
    double possible = ty_item(ty_sum(ty_gt(p, ty_num(0)), TY_ALL));
    if (!(possible >= 0)) return tensor_out_of_memory();
    if ((double)count > possible)
        return refuse("choice", 1, &p,
                      "%lld different elements were asked for, but only %g have a probability",
                      (long long)count, possible);
    ty_tensor *u = ty_uniform(TY_F64, 1, &n, key), *noise = ty_neg(ty_log(ty_neg(ty_log(u))));
    return sort_ranks(ty_add(ty_log(ty_cast(p, TY_F64)), noise), 0, SORT_PLACES, true, 0, count);
}

ty_tensor *ty_choice(int64_t n, int64_t count, bool replace, ty_tensor *p, ty_tensor *key) {
    ty_tensor *operands[] = {key, p}, *bad = first_poison(p ? 2 : 1, operands);
    if (bad) return bad;
    if (n < 0 || count < 0)
        return refuse("choice", 1, &key, "%lld of %lld: numbers of elements are not negative",
                      (long long)count, (long long)n);
    if (count > 0 && (n == 0 || (!replace && count > n)))
        return refuse("choice", 1, &key, "%lld elements cannot be chosen from %lld", (long long)count,
                      (long long)n);
    if (p && (ty_rank(p) != 1 || ty_size(p) != n || dtype_is(ty_dtype_of(p), CLASS_COMPLEX)))
        return refuse("choice", 2, operands, "probabilities must be a real vector of %lld", (long long)n);
    ty_scope *scope = ty_open();
    if (count == 0) return leave(scope, ty_zeros(TY_I64, 1, &count));
    return leave_as("choice", scope, key, (replace ? choose_again : choose_once)(n, count, p, key));
}
