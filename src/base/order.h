/* Comparisons for qsort and bsearch: ascending numbers, and texts by their bytes. */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H
#include <stdint.h>
#include <string.h>

/* Compare two int64_t. */
static inline int order_i64(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}
/* Compare two double, neither NaN. */
static inline int order_f64(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
/* Compare two elements of an array of texts, const char *. */
static inline int order_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
#endif
