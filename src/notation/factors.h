/* Parts of a node, for rules that make graphs easier to read: factors of products, terms of sums. */
#ifndef NOTATION_FACTORS_H
#define NOTATION_FACTORS_H
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include "array/tensor.h"
#include "ops/core/operators.h"
#include "ops/core/row_op.h"

enum {
    PARTS = 16
}; /* factors or terms of one node; a node with more is not written anew: a line has fewer */

static inline bool is(const ty_tensor *x, const struct op *op) { return x->promise && x->op == op; }
static inline ty_tensor *left(const ty_tensor *y) { return y->inputs[0]; }
static inline ty_tensor *right(const ty_tensor *y) { return y->inputs[1]; }
/* Return a number of the dtype of y. */
static inline ty_tensor *number_as(const ty_tensor *y, double number) { return ty_scalar(y->dtype, number); }

/* Return x without broadcasting, and without axes of size 1 if it is one number: the result of a rule is broadcast. */
ty_tensor *plain(ty_tensor *x);
/* Return true if x is a finite real number, *number. */
bool number_of(ty_tensor *x, double *number);
/* Set above and below so that the number of y's dtype is above/below, where both are small integers or multiples of
   constants.  False, with below 1, for integers, binary fractions, and numbers that have no such quotient. */
bool number_quotient(const ty_tensor *y, double number, double *above, double *below);
/* Return z, the new form of y, or NULL if it has the same signs, so that rules end. */
ty_tensor *if_new(ty_tensor *y, ty_tensor *z);

/* Factors, each to the power of its number, or terms, each times its number; a term NULL is a number alone. */
struct parts {
    int n, depth;
    ty_dtype dtype; /* of a number alone */
    bool moves;     /* writing the node anew joins parts, or moves a number, a sign or a fraction */
    bool full;      /* there is no room, or a number is not exact enough: the node stays what it is */
    struct {
        ty_tensor *part;
        double number;
    } of[PARTS];
};
/* Add x to *sum.  False, and *sum stays, if the sum must be rounded, or if its rounding in the real floating dtype exceeds
   that of the smaller number: later terms may leave nothing but the rounding. */
bool add_without_loss(ty_dtype dtype, double *sum, double x);
/* Return true if numbers of the dtype of y have the range for this one: it does not become 0, subnormal or infinite. */
bool number_fits(const ty_tensor *y, double number);
/* Add number to that of a part.  Fills p if the sum loses digits of one of them. */
void parts_add(struct parts *p, ty_tensor *part, double number);
/* Begin to take apart a node inside of others, *x, and set *x to its plain form.  False if it lies too deep. */
bool parts_enter(struct parts *p, ty_tensor **x);
/* Return the sum of the terms p, which has the dtype of y, a positive term first. */
ty_tensor *parts_sum(const ty_tensor *y, const struct parts *p);

/* A product of a number and powers of bases. */
struct factors {
    double number;
    int numbers; /* that are joined in `number` */
    struct parts powers;
};
/* Multiply the number of f by another.  Fills f if the product is infinite, or if digits are lost near 0. */
void factors_scale(struct factors *f, double number);
/* Multiply f by x^exponent, for an integer.  `first`: x is the first factor of the node. */
void factors_multiply(struct factors *f, ty_tensor *x, double exponent, bool first);
/* Return base^exponent for an exponent above 0, in the shortest notation. */
ty_tensor *power_written(ty_tensor *base, double exponent);
/* Return the product f, which has the dtype of y. */
ty_tensor *factors_written(const ty_tensor *y, const struct factors *f);
#endif
