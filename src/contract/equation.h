/* Contractions from an equation such as "mk,kn->mn" and operands in memory (equation.c). */
#ifndef CONTRACT_EQUATION_H
#define CONTRACT_EQUATION_H
#include "array/dtype.h"
#include "contract/contraction.h"

/* A parsed equation: labels and operands, ready for contraction_lower. */
struct contract_equation {
    struct contract_attr attr;
    struct layout_room rooms[3];
    struct contract_operand operands[3]; /* left, right, out; their layouts are in rooms */
};
/* Parse `text`, such as "mk,kn->mn", for the given operands into *e. out NULL: row-major, of the promoted
   dtype. Memory comes from the arena. False, with the fault set, if text and operands do not fit. */
bool contract_equation_read(struct contract_equation *e, const char *text, const ty_contraction_operand *left,
                            const ty_contraction_operand *right, const ty_contraction_operand *out,
                            struct arena *arena, struct fault *fault);
#endif
