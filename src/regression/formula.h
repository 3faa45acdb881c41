/*
 * Formulas of models, in R's notation: `y ~ x1 + log(x2) * group - 1`.  A parsed formula is a list of terms, each a
 * product of atoms: columns, arithmetic, polynomials, categories.
 *
 *   formula := [arithmetic] '~' sum          sum     := ['+' | '-'] product { ('+' | '-') product }
 *   product := cross { '*' cross }           cross   := power { ':' power }
 *   power   := primary [ '^' whole number ]  primary := '(' sum ')' | '0' | '1' | '.' | name | call
 *   '**' is '^'; 'C' and 'as.factor' are 'factor'.
 *   call    := ('I' | 'log' | ...) '(' arithmetic ')' | 'factor' '(' name ')' | 'poly' '(' arithmetic ',' degree
 *              [ ',' 'raw' '=' 'TRUE' ] ')'
 */
#ifndef REGRESSION_FORMULA_H
#define REGRESSION_FORMULA_H
#include "array/tensor.h"
#include "base/text.h"

/* Bounds of formulas, so that no text takes much memory or stack. */
enum {
    FORMULA_BYTES = 1 << 16, /* of the text */
    FORMULA_DEPTH = 100,     /* of parentheses */
    FORMULA_TERMS = 4096,
    FORMULA_ATOMS = 4096,
    FORMULA_ORDER = 8,                /* atoms of one term */
    FORMULA_DEGREE = 64,              /* of poly() */
    FORMULA_WORK = 1 << 30,           /* comparisons of terms by ":", "*" and "^", at most a second */
    FORMULA_STACK = 4 * FORMULA_DEPTH /* values while arithmetic is computed */
};

/* Columns by name: the data of a model.  Functions get `table` and a column, counted from 0. */
struct columns {
    const void *table;
    int64_t rows, count;
    const char *(*name)(const void *table, int64_t i);
    /* number of words of a column of words; -1: numbers; -2: truth values */
    int64_t (*words)(const void *table, int64_t i);
    const char *(*word)(const void *table, int64_t i, int64_t code);
    /* [rows]: numbers, NaN where missing; codes of words, -1 where missing */
    ty_tensor *(*values)(const void *table, int64_t i);
};
/* Set the fault that the data has no column of a name, with the names that it has.  Return false. */
bool columns_refuse(const struct columns *c, const char *name, struct fault *fault);

/* One step of arithmetic in postfix order. */
struct step {
    char op; /* + - * / ^, m: negate, f: function, n: number, v: column */
    union {
        double number;
        double (*function)(double);
        int64_t column; /* index in the parsed formula's list of columns */
    };
};

enum atom_kind {
    ATOM_COLUMN, /* a column, of numbers, words or truth values */
    ATOM_VALUE,  /* arithmetic */
    ATOM_FACTOR, /* the distinct values of a column as categories */
    ATOM_POLY,   /* polynomials in the values of arithmetic */
};
/* An atom; its steps are the arithmetic, for columns one step v. */
struct atom {
    char *name; /* as R prints it, owned */
    enum atom_kind kind;
    int first, count; /* its steps */
    int degree;       /* of ATOM_POLY */
    bool raw;         /* powers, not orthogonal polynomials */
};

/* A product of atoms, ascending indices; none: the constant. */
struct term {
    int count;
    int16_t atoms[FORMULA_ORDER];
};
struct terms {
    int count, capacity;
    struct term *items;
    bool zero; /* the text `0`: removes the constant where it is added */
};

/* A parsed formula; formula_free frees its lists. */
struct formula {
    bool answered;      /* has a response, which is the first atom */
    bool constant;      /* has the term of no atoms, which is not in `terms` */
    struct terms terms; /* main effects first, then products of two, ... */
    int natoms, room_atoms;
    struct atom *atoms;
    int nsteps, room_steps;
    struct step *steps;
    int nnames, room_names;
    char **names; /* names of the columns that steps mention, owned */
};

/* Parse a text; '.' stands for all columns but those of the response, whose names must be among `columns`.  False, with
   the fault set, on failure; formula_free in any case. */
bool formula_parse(struct formula *f, const char *text, const struct columns *columns, struct fault *fault);
void formula_free(struct formula *f);

/* The state of parsing. */
struct parser {
    struct formula *f;
    const struct columns *columns;
    struct fault *fault;
    const char *text, *at;
    int depth;
    int64_t work; /* comparisons of terms so far */
};
/* Set the fault, which states the expected text and the position. Always false. */
bool parser_refuse(struct parser *p, const char *expected);
/* True for characters of names; bytes above 127 belong to letters of UTF-8. */
static inline bool formula_letter(char c) {
    return ((c | 32) >= 'a' && (c | 32) <= 'z') || (unsigned char)c >= 0x80;
}
/* Skip blanks; return the next character, 0 at the end. */
char parser_peek(struct parser *p);
/* Skip the character c if it is next. */
bool parser_take(struct parser *p, char c);
/* Take '^' or '**', the sign of a power, if it is next. */
bool parser_take_power(struct parser *p);
/* Set the fault about an unknown function of arithmetic, with its replacement; always return false. */
bool parser_refuse_function(struct parser *p, const char *name);
/* Skip c, or set the fault. */
bool parser_expect(struct parser *p, char c);
/* Read a name, `quoted` or plain, to *name, owned by the caller. False, with the fault set, if there is none. */
bool parser_name(struct parser *p, char **name);
/* True if a name is next. */
bool parser_at_name(struct parser *p);
/* Enter a level of parentheses; false, with the fault set, if there are too many. */
bool parser_enter(struct parser *p);
/* Return the index of a column's name in the formula's list, -1 with the fault set if the data has no such column. */
int64_t parser_column(struct parser *p, const char *name);
/* Parse arithmetic: append its steps to the formula, and its text to `shown`. */
bool parse_arithmetic(struct parser *p, struct text *shown);
/* Append the step of a column, and its name to `shown`. */
bool parse_column(struct parser *p, const char *name, struct text *shown);
/* Return the function of a name, NULL if there is none. */
double (*arithmetic_function(const char *name))(double);
extern const char arithmetic_functions[]; /* their names, for messages */

/* Add terms to `to`, or remove them, without repetition.  `more` stays the caller's.  False if there are too many. */
bool terms_add(struct parser *p, struct terms *to, const struct terms *more);
void terms_remove(struct terms *from, const struct terms *less);
/* Set *out to all products of a term of a and one of b. */
bool terms_cross(struct parser *p, const struct terms *a, const struct terms *b, struct terms *out);
/* Add one term. */
bool terms_append(struct parser *p, struct terms *to, const struct term *term);
/* Sort by number of atoms, stable, and take out the constant. */
void terms_order(struct formula *f);
#endif
