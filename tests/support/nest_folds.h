/* Folds and operators of the interpreter of nests (nest_run.h). */
#ifndef TESTS_SUPPORT_NEST_FOLDS_H
#define TESTS_SUPPORT_NEST_FOLDS_H
#include "engine/nest/nest.h"
#include "ops/core/op.h"

enum { NEST_LANES = 64, NEST_LEVELS = 64 };
typedef struct value {
    _Alignas(16) char bytes[16];
} value;

/* State of a fold.  FOLD dims: sums of lanes, of blocks (level), of the present span, of all.  RUN: levels of the
   tree in a group; `all`: of earlier groups; `before`: of earlier parts; `second`: the last value. */
struct folding {
    value lane[NEST_LANES], level[NEST_LEVELS], all, total, before, result, second;
    int64_t terms, blocks, steps, whole; /* whole: terms in whole groups of lanes */
    bool some, spanned, parted, run;
};

/* Return op(a, b, c); unused operands may be anything. */
value nest_apply(const struct op *op, ty_dtype in, ty_dtype out, const value *a, const value *b,
                 const value *c);
/* Return the value of an operator on registers. */
value nest_compute(const ty_nest_instr *s, const value *registers);
/* Return a * b + c; reals are rounded once. */
value nest_multiply_add(ty_dtype dtype, const value *a, const value *b, const value *c);
/* Return a joined with the later b. */
value nest_join(const ty_nest_fold *f, value a, value b);
void nest_fold_start(const ty_nest_fold *f, struct folding *s);
/* Fold the term in the registers; in a RUN, one step. */
void nest_fold_term(const ty_nest_fold *f, struct folding *s, const value *registers);
void nest_fold_step(const ty_nest_fold *f, struct folding *s, const value *registers);
/* The innermost `dims` FOLD dims have ended; an index of the spans has ended. */
void nest_fold_end_dims(const ty_nest_fold *f, struct folding *s, int dims);
void nest_fold_end_span(const ty_nest_fold *f, struct folding *s);
value nest_fold_result(const ty_nest_fold *f, struct folding *s);
#endif
