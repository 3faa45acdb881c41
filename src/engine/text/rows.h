/*
 * Functions of a program: elementwise rows, casts and views, one for each dtype, and the vector mathematics that they
 * call. A row's function is named row_<row>_<dtype>, that of a cast cast_<from>_<to>, that of a view view_<from>_<to>;
 * bools are called `boolean`. Complex numbers are structs of x and y; PAIR_C64(x, y) and PAIR_C128(x, y) make them.
 * dot_c64(a, b, sum) and dot_c128 are there if a row of the dtype is.
 */
#ifndef ENGINE_TEXT_ROWS_H
#define ENGINE_TEXT_ROWS_H
#include <stdbool.h>
#include <tyto/core.h>

#include "engine/algorithm/algorithm.h"
#include "ops/core/row_id.h"

struct text;
struct text_dialect;

/* The functions that a program calls; zeroed at first.  Members are flags and sums of flags, so that those of two
   programs together are the union of their bits. */
struct text_uses {
    bool row[ROWS][TY_DTYPES];        /* by the dtype of the operands (of `where`: of the second one) */
    uint8_t vectors[ROWS][TY_DTYPES]; /* sum of the numbers of lanes of vectors, powers of 2 */
    bool cast[TY_DTYPES][TY_DTYPES], view[TY_DTYPES][TY_DTYPES];
    bool doubles; /* registers of f64 or c128 */
    bool random;  /* random_bits, random_normal */
    bool singles; /* functions of single doubles (scalar_one.h), beside mathematics of f64 */
    bool algorithm[ALGORITHMS][TY_DTYPES]; /* functions that the program has */
    int lanes[TY_DTYPES];                  /* all of `vectors`, and those without rows */
};

/* Entry of elementwise.def: its formula as text. */
enum out { OUT_SAME, OUT_BOOL, OUT_PART };
struct row_text {
    const char *name, *value;
    uint8_t operands, out;
    bool choice; /* the first operand is bool */
};
const struct row_text *text_row_of(enum row_id row);
/* Names of operands in formulas, by the number of operands. */
extern const char *const text_operand_names[4][3];
/* Texts that formulas need: none but math_any.h and words.h; math_plain.h, for floats; the vector mathematics. */
enum need { NEED_NONE, NEED_PLAIN, NEED_MATHEMATICS };
enum need text_row_need(enum row_id row);

/* Return the type of a register, which is also the suffix of functions. */
const char *text_type(ty_dtype dtype);
/* Return the row of this name, ROWS if there is none. */
enum row_id text_row(const char *name);
/* Return the name of a row. */
const char *text_row_name(enum row_id row);
/* True if a row has a text for vectors of a dtype. */
bool text_has_vectors(enum row_id row, ty_dtype dtype);
/* True if a row is a special function, whose text is long. */
bool text_row_is_special(enum row_id row);
/* True if the text of a row or cast computes in doubles, in some of its branches. */
bool text_row_doubles(enum row_id row, ty_dtype dtype);
bool text_cast_doubles(ty_dtype from, ty_dtype to);
/* Append the preludes, then all functions of `uses`; f64: the device has doubles. */
void text_add_rows(struct text *t, const struct text_uses *uses, const struct text_dialect *dialect,
                   bool f64);
/* Append what formulas of a need call in a lane of f32 or (wide) f64, behind its types. */
void text_add_mathematics(struct text *t, bool wide, enum need need);
/* Append the types of vectors and their rows, after all others. */
void text_add_vectors(struct text *t, const struct text_uses *uses, const struct text_dialect *dialect);
#endif
