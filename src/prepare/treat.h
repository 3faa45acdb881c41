/* The value of one element after its treatment, for fitting and for tables. */
#ifndef PREPARE_TREAT_H
#define PREPARE_TREAT_H
#include <math.h>
#include <string.h>
#include "base/math/scalar.h"
#include "prepare/prepare.h"

/* Return the number of a value among those of a treatment, counted from 0; -1 if it is missing or unseen. */
static inline int64_t treat_value(const struct treatment *t, const struct series *c, int64_t i) {
    char room[VALUE_WORD];
    const char *word = series_word(c, i, room);
    return word ? words_find(t->values, word, strlen(word)) : -1;
}
/* Return element i as a number, or the number of its value; NaN if it is missing. */
static inline double treat_raw(const struct treatment *t, const struct series *c, int64_t i) {
    if (t->encoding != TY_ENCODE_ORDINAL) return c->numbers[i];
    int64_t value = treat_value(t, c, i);
    return value < 0 ? NAN : (double)value;
}
/* Return a number filled if it is NaN, clipped, and its logarithm; not scaled. */
static inline double treat_number(const struct treatment *t, double x) {
    if (isnan(x)) x = t->filled;
    if (t->clipped) x = x < t->low ? t->low : x > t->high ? t->high : x;
    return !t->log ? x : x > 0 ? math_log1p(x) : 0;
}
#endif
