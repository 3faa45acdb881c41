/* Values of polynomials: Horner's rule, unrolled for the first coefficients, then a loop in the graph. */
#include "signal/horner.h"
#include <tyto/arithmetic.h>
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/shape.h>

enum { UNROLLED = 64 };

static ty_tensor *coefficient(ty_tensor *p, int64_t i) { return ty_squeeze(ty_slice(p, 0, i, i + 1, 1), 0); }

static void horner_step(void *context, ty_step *s) {
    s->next[0] = ty_add(ty_mul(s->carry[0], context), s->x[0]);
}

ty_tensor *horner(ty_tensor *p, ty_tensor *x) {
    int64_t n = ty_size(p);
    ty_tensor *y = coefficient(p, 0);
    if (n == 1) return ty_add(ty_zeros_like(x), y);
    for (int64_t i = 1; i < n && i <= UNROLLED; i++) y = ty_add(ty_mul(y, x), coefficient(p, i));
    if (n <= UNROLLED + 1) return y;
    ty_tensor *rest = ty_slice(p, 0, UNROLLED + 1, n, 1), *last;
    ty_scan_spec loop = {.ncarry = 1, .carry = &y, .nx = 1, .x = &rest};
    ty_scan(horner_step, x, loop, &last, NULL, NULL);
    return last;
}
