/* An equation with sizes given as NAME=SIZE, for bench and contraction. */
#ifndef TOOLS_OPTIONS_SHAPES_H
#define TOOLS_OPTIONS_SHAPES_H
#include "ops/einsum/equation.h"
#include "tools/command.h"

enum { MOST_OPERANDS = 64 };

/* An equation and the sizes of its operands. */
struct shapes {
    const char *text; /* text of the equation */
    struct equation equation;
    int64_t sizes[PATH_LABELS]; /* size of each label; 0: not given */
    int64_t shapes[MOST_OPERANDS][TY_MAX_RANK];
};

/* Print "TEXT: REASON" to stderr; always returns false. */
bool refuse_because(const char *text, const char *reason);
/* Parse the equation, which points into the arena, and set the operands' shapes by `sizes`, texts
   NAME=SIZE; false after a message on stderr. */
bool shapes_read(struct shapes *s, const char *equation, const struct option_list *sizes,
                 struct arena *arena);
/* Return random values of operand k: in -1/2..1/2, integers 0 to 3 for integer dtypes, or bools. Poison without
   memory. */
ty_tensor *shapes_fill(ty_dtype dtype, int rank, const int64_t *shape, int k);
#endif
