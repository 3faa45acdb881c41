/* Designs: a formula with the facts that it has learned of its data, such as words of categories; they make the columns of a
   model from these and from other data. */
#ifndef REGRESSION_DESIGN_H
#define REGRESSION_DESIGN_H
#include <tyto/formula.h>
#include "regression/formula.h"

enum { DESIGN_LEVELS = 1 << 16, DESIGN_COLUMNS = 1 << 16 };

/* Results of learning an atom. */
struct learned {
    bool grouped;          /* categories */
    bool words;            /* of words; else of truth values (0, 1) or, with factor(), numbers */
    int64_t count;         /* of categories, ascending */
    char **levels;         /* their names, owned */
    double *numbers;       /* the values of categories that are no words */
    double *centre, *norm; /* [degree] and [degree + 1]: of orthogonal polynomials */
};

/* A design; the caller of design_new owns it. */
struct ty_design {
    struct fault fault;
    struct formula f;
    struct learned *learned; /* of each atom */
    char *full; /* [terms][FORMULA_ORDER]: 1 where categories have a column each, none left out */
    int64_t rows, columns;
    char **names;        /* of the columns, owned */
    ty_tensor *matrix;   /* [rows, columns], NaN in rows with missing values; retained */
    ty_tensor *response; /* [rows]; NULL: none */
};

/* Learn a formula from data.  NULL without memory; fault of the design. */
struct ty_design *design_new(const char *formula, const struct columns *columns);
void design_free(struct ty_design *d);
/* Return the columns of the model for other data [rows, columns]; poison on failure. */
ty_tensor *design_apply(const struct ty_design *d, const struct columns *columns);

/* The values of all atoms of a design in some data. */
struct values {
    const struct ty_design *d;
    const struct columns *columns;
    int64_t rows;
    double **named; /* the data of each name of the formula [rows] */
    double **atoms; /* of each atom [rows]: numbers, or indices of categories; NaN where missing */
};
/* Read and compute them, from atom `first` on: 1 leaves out the response.  Categories are not used.
   values_free in any case. */
bool values_read(struct values *v, const struct ty_design *d, const struct columns *columns, int first,
                 struct fault *fault);
void values_free(struct values *v);
/* Return the index of a name among the columns, -1 with the fault set if there is none. */
int64_t columns_find(const struct columns *columns, const char *name, struct fault *fault);

/* Learn the categories of an atom, or its polynomials, from the rows that are `whole`. */
bool learn_levels(struct ty_design *d, int atom, const struct values *v, const bool *whole);
bool learn_poly(struct ty_design *d, int atom, const struct values *v, const bool *whole);
/* Replace the values of an atom with categories by their indices; false, with the fault set, for an unknown one. */
bool values_group(struct values *v, int atom, struct fault *fault);
/* Return the number of columns of an atom in a term. */
int64_t atom_columns(const struct ty_design *d, int atom, bool full);
/* Return the value of column k of an atom in one row, from its value there. */
double atom_value(const struct ty_design *d, int atom, bool full, int64_t k, double value);
/* Append the name of column k of an atom. */
void atom_name(const struct ty_design *d, int atom, bool full, int64_t k, struct text *name);
#endif
