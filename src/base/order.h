/* Comparisons for qsort and bsearch: ascending numbers, and texts by their bytes. */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H
#include <stdint.h>
#include <string.h>

/* Comparison for qsort: a and b point to int64_t. Return -1, 0 or 1: *a is less than, equal to or greater than *b. */
static inline int order_i64(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}
/* Comparison for qsort: a and b point to doubles, neither NaN. Return -1, 0 or 1: *a is less than, equal to or
   greater than *b. */
static inline int order_f64(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
/* Comparison for qsort: a and b point to elements of an array of texts, const char *. Return the sign of strcmp:
   < 0, 0 or > 0. */
static inline int order_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
#endif
