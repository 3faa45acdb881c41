/* Compositions of several operators on a matrix.  Fusion joins some of them; products, sums and sorts stay apart. */
#ifndef TESTS_COMPOSITIONS_H
#define TESTS_COMPOSITIONS_H
#include <tyto/tyto.h>

static inline ty_tensor *joined(ty_tensor *x) { return ty_mul(ty_add(x, ty_num(1)), x); }
static inline ty_tensor *centred(ty_tensor *x) { return ty_sub(x, ty_mean(x, TY_ALL)); }
static inline ty_tensor *crossed(ty_tensor *x) { return ty_add(ty_flip(x, 0), x); }
static inline ty_tensor *summed(ty_tensor *x) { return ty_mul(ty_cumsum(ty_neg(x), 0, (ty_running){0}), x); }
static inline ty_tensor *softmaxed(ty_tensor *x) { return ty_softmax(x, 0); }
static inline ty_tensor *ordered(ty_tensor *x) { return ty_neg(ty_sort(ty_abs(x), 0, false)); }
#endif
