/*
 * The two notations of einsum, parsed into terms of labels.
 *
 *   equation = operand {',' operand} ['->' operand];   operand = letters, with at most one '...';
 *   tree  = '[' names ']' | '[' tree [',' tree] '->' '[' names ']' ']';   names = name {',' name} or nothing.
 *
 * Blanks are ignored.  Letters of an equation are one character, names of a tree any letters, digits and '_'.  A
 * tree's outermost brackets may be omitted.  Its leaves are the operands from left to right.  Each node contracts two
 * (or sums and permutes one), so a tree also determines the path.
 */
#ifndef OPS_EINSUM_EQUATION_H
#define OPS_EINSUM_EQUATION_H
#include "base/for_command.h"
#include "ops/einsum/path.h"
#include "ops/core/structure.h"

enum {
    LETTERS = 52,   /* of an equation: capitals are labels 0..25, small letters 26..51 ... */
    DOTS = LETTERS, /* ... and the axes of '...' are DOTS and up, from the right */
    TREE_DEPTH = 128,
    NAME_ROOM = 40 /* buffer size of a name in messages; longer ones are cut */
};

struct term {
    int count;
    uint8_t labels[TY_MAX_RANK];
    uint16_t columns[TY_MAX_RANK]; /* column of each letter, from 1; 65535: there or later */
    int ellipsis;                  /* number of letters before '...'; -1: there is none */
};
struct name {
    const char *text; /* in the equation's text */
    int length;
};
struct tree_step {
    int left, right; /* operand i, or noperands + k for the result of step k */
};
struct equation {
    int noperands, nsteps;
    struct term *operands, output;
    bool has_output, is_tree;
    struct tree_step *steps; /* of a tree */
    int nnames;
    struct name names[PATH_LABELS]; /* of a tree's labels, in order of appearance */
    int dots;                       /* maximum number of axes that '...' stands for */
};

/* Parse an equation such as "ij,jk->ik" or a tree into *e. Memory comes from the arena; the text must outlive
   *e. False, with the fault set, if it is invalid or memory runs out. */
bool equation_read(struct equation *e, const char *text, struct arena *arena, struct fault *fault)
    FOR_COMMAND(equation_read);
/* Parse a tree, such as "[[i,j],[j,k]->[i,k]]", into *e. Memory comes from the arena; the text must outlive
   *e. False, with the fault set, if it is invalid or memory runs out. */
bool equation_read_tree(struct equation *e, const char *text, struct arena *arena, struct fault *fault);
/* Return the label of a name of `length` characters in the equation; -1 if it has none. */
int equation_find(const struct equation *e, const char *name, int length) FOR_COMMAND(equation_find);
/* Write a label for messages to out[NAME_ROOM]: "letter k", "name k12" or "an axis of '...'". Return out. */
char *equation_label(const struct equation *e, int label, char *out) FOR_COMMAND(equation_label);
/* Append n labels as a term: "abc", or in a tree "[a,b1]". */
void equation_term(const struct equation *e, struct text *t, int n, const uint8_t *labels);
/* Write "first", ..., "12th" for i = 0, ..., 11 to out[NAME_ROOM].  Return out. */
char *ordinal(int i, char *out);
/* Return the letter of a label: A to Z, then a to z. */
char equation_letter(int label);
#endif
