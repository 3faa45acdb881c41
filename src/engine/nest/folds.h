/* Questions about kinds of folds. */
#ifndef ENGINE_NEST_FOLDS_H
#define ENGINE_NEST_FOLDS_H
#include "array/dtype.h"
#include "engine/nest/nest.h"

/* True if the register of a fold is a place, an i64. */
static inline bool nest_is_place(const ty_nest_fold *f) {
    return f->kind == TY_NEST_ARGMAX || f->kind == TY_NEST_ARGMIN;
}
/* True if a fold is a sum, a product or a recurrence; others are extremes and their places. */
static inline bool nest_adds(const ty_nest_fold *f) {
    return f->kind == TY_NEST_SUM || f->kind == TY_NEST_PROD || f->kind == TY_NEST_DOT ||
           f->kind == TY_NEST_LINEAR;
}
/* True if a fold is one of these and its order shows. */
static inline bool nest_rounds(const ty_nest_fold *f) {
    return nest_adds(f) && dtype_is(f->dtype, CLASS_FLOAT | CLASS_COMPLEX);
}
/* Return the dtype of the register of a fold. */
static inline ty_dtype nest_fold_dtype(const ty_nest_fold *f) { return nest_is_place(f) ? TY_I64 : f->dtype; }
#endif
