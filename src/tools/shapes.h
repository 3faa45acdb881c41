/* What bench and contraction share: an equation, and sizes that stand beside it as NAME=SIZE. */
#ifndef TOOLS_SHAPES_H
#define TOOLS_SHAPES_H
#include "ops/einsum/equation.h"
#include "tools/command.h"

enum { MOST_OPERANDS = 64 };

struct shapes {
    const char *text; /* of the equation */
    struct equation equation;
    int64_t sizes[PATH_LABELS]; /* 0: not given */
    int64_t shapes[MOST_OPERANDS][TY_MAX_RANK];
};

/* "TEXT: REASON" on stderr; returns false. */
bool refuse_because(const char *text, const char *reason);
/* Reads the equation, which points into the arena, and shapes its operands; false after a message on stderr.
 */
bool shapes_read(struct shapes *s, const char *equation, const struct option_list *sizes,
                 struct arena *arena);
/* Values of an operand, other ones for another k: about 0, or small whole numbers.  Poison: no memory. */
ty_tensor *shapes_fill(ty_dtype dtype, int rank, const int64_t *shape, int k);
#endif
