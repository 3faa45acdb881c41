/* Reductions, scans and statistics.  Part of <tyto/tyto.h>, which says what holds everywhere. */
#ifndef TYTO_REDUCE_H
#define TYTO_REDUCE_H
#include <tyto/tyto.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- reductions: over a set of axes ---- */

TY_API ty_tensor *ty_sum(ty_tensor *x, ty_axes axes);  /* ints and bool: i64/u64, as NumPy */
TY_API ty_tensor *ty_prod(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_amax(ty_tensor *x, ty_axes axes); /* NaN wins; an empty axis is an error */
TY_API ty_tensor *ty_amin(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_argmax(ty_tensor *x, ty_axes axes); /* i64, first of equals, row-major over the axes */
TY_API ty_tensor *ty_argmin(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_any(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_all(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_mean(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_variance(ty_tensor *x, ty_axes axes); /* population: divides by n */
TY_API ty_tensor *ty_logsumexp(ty_tensor *x, ty_axes axes);

#ifdef __cplusplus
}
#endif
#endif
