/*
 * Einsum's two notations, read into terms of labels.
 *
 *   equation = operand {',' operand} ['->' operand]      operand = letters, with at most one '...'
 *   tree     = '[' names ']' | '[' tree [',' tree] '->' '[' names ']' ']'      names = name {',' name} or
 * nothing
 *
 * Blanks mean nothing.  An equation's letters are one character, a tree's names any letters, digits and '_'.
 * A tree's outermost brackets may be left out.  Its leaves are the operands from left to right; each of its
 * nodes contracts two (or sums and permutes one), so a tree says the path as well.
 */
#ifndef OPS_EINSUM_EQUATION_H
#define OPS_EINSUM_EQUATION_H
#include "ops/einsum/path.h"
#include "ops/core/structure.h"

enum {
    LETTERS = 52,   /* of an equation: capitals are labels 0..25, small letters 26..51 ... */
    DOTS = LETTERS, /* ... and the axes of '...' from the right DOTS and up */
    TREE_DEPTH = 128,
    NAME_ROOM = 40 /* a name in a sentence, cut */
};

struct term {
    int count;
    uint8_t labels[TY_MAX_RANK];
    uint16_t columns[TY_MAX_RANK]; /* where each letter stands, from 1; 65535: there or further */
    int ellipsis;                  /* how many letters stand before '...'; -1: there is none */
};
struct name {
    const char *text; /* in the equation's text */
    int length;
};
struct tree_step {
    int left, right; /* operand i, or noperands + k: the result of step k */
};
struct equation {
    int noperands, nsteps;
    struct term *operands, output;
    bool has_output, is_tree;
    struct tree_step *steps; /* of a tree */
    int nnames;
    struct name names[PATH_LABELS]; /* of a tree's labels, in the order of appearance */
    int dots;                       /* axes that '...' stands for at most */
};

/* False with a sentence; memory comes from the arena.  The text must outlive the equation. */
bool equation_read(struct equation *e, const char *text, struct arena *arena, struct fault *fault);
bool equation_read_tree(struct equation *e, const char *text, struct arena *arena, struct fault *fault);
/* The label of a name of the equation, -1: there is none. */
int equation_find(const struct equation *e, const char *name, int length);
/* "letter k", "name k12" or "an axis of '...'" for sentences, into out[NAME_ROOM]; returns out. */
char *equation_label(const struct equation *e, int label, char *out);
/* A term of labels as it would be written: "abc" or "[a,b1]". */
void equation_term(const struct equation *e, struct text *t, int n, const uint8_t *labels);
/* "first", ..., "12th" into out[NAME_ROOM]; returns out. */
char *ordinal(int i, char *out);
#endif
