/* Operands that the caller has given away (ty_give), whose memory the outputs of a run may take. */
#ifndef COMPILE_RUNS_HANDED_H
#define COMPILE_RUNS_HANDED_H
#include "compile/program.h"
#include "graph/walk.h"

/* The operands of one run that are given away. All members 0: none. */
struct handed {
    int n;
    ty_tensor **x; /* by argument of the program; NULL: not given */
    bool *taken;   /* by argument: an output has its memory */
    bool *depends; /* room: by node of a graph; NULL: operands of a function */
};

/* Find those of n operands of a function that its caller gave away one scope further out, and that nobody else holds.
   Marks are removed. False, with the fault set, if memory runs out. Call handed_end in either case. */
bool handed_operands(struct handed *h, int n, ty_tensor *const *x, struct fault *fault);
/* Add x, a value that the library alone holds, as argument i of the n arguments; nothing if memory runs out. */
void handed_add(struct handed *h, int n, int i, ty_tensor *x);
/* Find those of n arguments[], leaves of the graph w, that were given away at this depth of scopes, if nobody outside
   of the graph holds them or promises that depend on them, except for one handle of each. Marks are removed. False,
   with the fault set, if memory runs out. Call handed_end in either case. */
bool handed_leaves(struct handed *h, const struct walk *w, int n, ty_tensor *const *arguments,
                   struct fault *fault);
/* Return the operand of p->handed whose memory OUTPUT block b may take in this run, and mark it as taken; NULL if there
   is none. All other blocks are bound. */
ty_tensor *handed_for(const struct ty_program *p, int b);
/* Make the operands poison that were taken, and promises of w that depend on them; w NULL: operands of a function. Free
   the members of *h. */
void handed_end(struct handed *h, const struct walk *w);
#endif
