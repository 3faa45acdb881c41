/* Sums of products in twice the precision of doubles: Dot2 of T. Ogita, S. Rump and S. Oishi, "Accurate sum and dot
   product", 2005. */
#ifndef REGRESSION_PAIR_H
#define REGRESSION_PAIR_H
#include <math.h>
#include <stdint.h>

/* An unevaluated sum of two doubles. */
struct pair {
    double high, low;
};

/* Add x to the sum. */
static inline void pair_add(struct pair *sum, double x) {
    double total = sum->high + x, part = total - sum->high;
    sum->low += (sum->high - (total - part)) + (x - part);
    sum->high = total;
}
/* Add a b to the sum. */
static inline void pair_add_product(struct pair *sum, double a, double b) {
    double product = a * b;
    pair_add(sum, product);
    sum->low += fma(a, b, -product);
}
/* Return the sum of the products of n elements, rounded after each. */
static inline double plain_dot(const double *a, const double *b, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}
static inline double pair_value(struct pair sum) { return sum.high + sum.low; }
#endif
