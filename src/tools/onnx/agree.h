/* Agreement of computed tensors with stored ones, by the rule of ONNX's official tests: that of
   numpy.testing.assert_allclose. */
#ifndef TOOLS_ONNX_AGREE_H
#define TOOLS_ONNX_AGREE_H
#include <tyto/core.h>
#include "base/text.h"

/* A floating element x agrees with y if |x - y| <= absolute + relative * |y|, or both are NaN, or equal.  Others must be
   equal. */
struct tolerance {
    double relative, absolute;
};

/* Return true if dtypes, shapes and elements of the values agree; else append the first difference and the number of
   elements that differ to `words`. */
bool agree_tensors(ty_tensor *found, ty_tensor *expected, struct tolerance t, struct text *words);
/* Return true if dtypes and shapes agree and both may be draws from one distribution: the means of the elements, and of
   their squares, differ by at most five standard errors.  Else append what differs to `words`. */
bool agree_draws(ty_tensor *found, ty_tensor *expected, struct text *words);
#endif
