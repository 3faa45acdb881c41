/* Elementwise rows and casts as functions of scalars. */
#include "engine/text/rows.h"

#include <string.h>

#include "array/dtype.h"
#include "base/text.h"
#include "engine/text/dialect.h"
#include "engine/text/source.h"
#include "engine/text/text.h"

#define FIRST_CHOICE true
#define FIRST_FLOAT false
#define FIRST_NUMBER false
#define FIRST_BOUNDED false

#define OP1(name, in, out, value, ...) {#name, #value, 1, OUT_##out, false},
#define OP2(name, in, out, value, ...) {#name, #value, 2, OUT_##out, false},
#define OP3(name, in, out, value, ...) {#name, #value, 3, OUT_##out, FIRST_##in},
static const struct row_text rows[ROWS] = {
#include <tyto/elementwise.def>
};

const char *text_type(ty_dtype dtype) { return dtype == TY_BOOL ? "boolean" : dtype_table[dtype].name; }
enum row_id text_row(const char *name) {
    int i = 0;
    while (i < ROWS && strcmp(rows[i].name, name) != 0) i++;
    return (enum row_id)i;
}

const char *text_row_name(enum row_id row) { return rows[row].name; }
const struct row_text *text_row_of(enum row_id row) { return &rows[row]; }

/* ---- what a formula calls ---- */

static const struct {
    const char *name;
    enum need need;
    bool pairs; /* complex numbers need nothing for it */
} needs[] = {{"K", NEED_NONE, true},          {"SELECT", NEED_NONE, true},   {"LESS", NEED_NONE, false},
             {"LESSEQUAL", NEED_NONE, false}, {"SAME", NEED_NONE, true},     {"DIFFER", NEED_NONE, true},
             {"TRUE", NEED_NONE, true},       {"PLUS", NEED_NONE, true},     {"MINUS", NEED_NONE, true},
             {"TIMES", NEED_NONE, true},      {"NEG", NEED_NONE, true},      {"CLIP", NEED_NONE, false},
             {"CONJ", NEED_NONE, true},       {"REALPART", NEED_NONE, true}, {"IMAGPART", NEED_NONE, true},
             {"INFINITY", NEED_NONE, true},   {"ABS", NEED_PLAIN, false},    {"SIGN", NEED_PLAIN, false},
             {"FLOOR", NEED_PLAIN, false},    {"CEIL", NEED_PLAIN, false},   {"TRUNC", NEED_PLAIN, false},
             {"ROUND", NEED_PLAIN, false},    {"ISINF", NEED_PLAIN, true},   {"ISFINITE", NEED_PLAIN, true},
             {"COPYSIGN", NEED_PLAIN, false}, {"SQRT", NEED_PLAIN, false},   {"FMA", NEED_PLAIN, true},
             {"DIV", NEED_PLAIN, false},      {"RECIP", NEED_PLAIN, false},  {"SIGNBIT", NEED_PLAIN, false}};
static enum need need_of_word(const char *word, size_t length, bool pairs) {
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (strlen(needs[i].name) != length || memcmp(needs[i].name, word, length) != 0) continue;
        return !pairs ? needs[i].need : needs[i].pairs ? NEED_NONE : NEED_MATHEMATICS;
    }
    return NEED_MATHEMATICS;
}
/* Return the most that a word of a formula needs, for a dtype. */
static enum need need_of(const char *value, ty_dtype dtype) {
    enum need most = NEED_NONE;
    for (const char *at = value; *at;) {
        size_t length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        enum need need =
            length && *at > '9' ? need_of_word(at, length, dtype_is(dtype, CLASS_COMPLEX)) : NEED_NONE;
        if (need > most) most = need;
        at += length ? length : 1;
    }
    return most;
}

/* True if a formula calls special functions, which are computed in doubles. */
static bool is_special(const char *value) {
    static const char *const words[] = {"SPECIAL", "DIGAMMA", "TRIGAMMA", "ERFINV", "ERFCINV", "ERFCX",
                                        "NDTR",    "DAWSON",  "I0",       "I1",     "J0",      "J1",
                                        "Y0",      "Y1",      "K0(",      "K1(",    "EXPINT",  "POLYGAMMA",
                                        "BESSEL",  "SINC_",   "ZETA",     "BETA",   "GAMMAINC"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(value, words[i])) return true;
    return false;
}
bool text_row_is_special(enum row_id row) { return is_special(rows[row].value); }
bool text_row_doubles(enum row_id row, ty_dtype dtype) {
    if (dtype == TY_F64 || dtype == TY_C128) return true;
    return dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX) &&
           need_of(rows[row].value, dtype) == NEED_MATHEMATICS;
}
bool text_cast_doubles(ty_dtype from, ty_dtype to) {
    bool whole = dtype_is(from, CLASS_INTEGER | CLASS_BOOL);
    if (from == TY_F64 || to == TY_F64 || from == TY_C128 || to == TY_C128) return true;
    return whole ? dtype_is_half(to) : dtype_is(to, CLASS_INTEGER);
}

/* ---- lanes ---- */

enum need text_row_need(enum row_id row) { return need_of(rows[row].value, TY_F32); }

static bool lane_is_used(const struct text_uses *uses, ty_dtype dtype) {
    for (int i = 0; i < ROWS; i++)
        if (uses->row[i][dtype]) return true;
    return false;
}
static bool half_is_used(const struct text_uses *uses) {
    return lane_is_used(uses, TY_F16) || lane_is_used(uses, TY_BF16);
}
/* Return the most that a row of the dtype needs. */
static enum need need_of_lane(const struct text_uses *uses, ty_dtype dtype) {
    enum need most = NEED_NONE;
    for (int i = 0; i < ROWS; i++)
        if (uses->row[i][dtype] && need_of(rows[i].value, dtype) > most) most = need_of(rows[i].value, dtype);
    return most;
}

const char *const text_operand_names[4][3] = {{"", "", ""}, {"x", "", ""}, {"a", "b", ""}, {"a", "b", "c"}};

/* Append row_<name>_<dtype>. */
static void add_row(struct text *t, const struct row_text *row, ty_dtype dtype) {
    const char *type = text_type(dtype);
    bool half = dtype_is_half(dtype), pairs = dtype_is(dtype, CLASS_COMPLEX);
    const char *out = row->out == OUT_BOOL   ? "boolean"
                      : row->out == OUT_PART ? text_type(dtype_table[dtype].real)
                                             : type;
    text_add(t, "static %s row_%s_%s(", out, row->name, type);
    for (int i = 0; i < row->operands; i++) {
        bool choice = i == 0 && row->choice; /* halves are widened */
        text_add(t, "%s%s %s%s", i ? ", " : "", choice ? "boolean" : type,
                 text_operand_names[row->operands][i], half && !choice ? "_" : "");
    }
    text_add(t, ") {\n");
    for (int i = 0; half && i < row->operands; i++) {
        const char *name = text_operand_names[row->operands][i];
        if (i > 0 || !row->choice) text_add(t, "float %s = %s_widen_scalar(%s_);\n", name, type, name);
    }
    if (row->out == OUT_BOOL || dtype == TY_BOOL)
        text_add(t, "return (%s) ? 1 : 0;\n}\n", row->value);
    else if (half)
        text_add(t, "return (%s)%s_narrow_scalar(%s);\n}\n", type, type, row->value);
    else if (pairs) /* C casts to no struct */
        text_add(t, "return %s;\n}\n", row->value);
    else
        text_add(t, "return (%s)(%s);\n}\n", out, row->value);
}
static void add_rows_of(struct text *t, const struct text_uses *uses, ty_dtype dtype) {
    text_add(t, "#define TYPE %s\n", text_type(dtype));
    for (int i = 0; i < ROWS; i++)
        if (uses->row[i][dtype]) add_row(t, &rows[i], dtype);
    text_add(t, "#undef TYPE\n");
}

static const char undefine[] = "#undef LANE\n#undef SCALAR\n#undef LANE_BITS\n";

/* The mathematics that a program needs: of floats, of doubles; functions of single doubles, of complex numbers;
   special functions. */
struct needs {
    enum need single, wide;
    bool singles, pairs, special;
};
void text_add_mathematics(struct text *t, bool wide, enum need need) {
    text_add_source(t, "engine/cpu/math/math_any.h");
    if (need == NEED_PLAIN) text_add_source(t, "engine/cpu/math/math_plain.h");
    if (need < NEED_MATHEMATICS) return;
    text_add_source(t,
                    wide ? "engine/cpu/math/math_constants_f64.h" : "engine/cpu/math/math_constants_f32.h");
    text_add_source(t, "engine/cpu/math/math_float.h");
}
static void add_float_lane(struct text *t, ty_dtype dtype, const struct needs *n) {
    bool wide = dtype == TY_F64;
    enum need need = wide ? n->wide : n->single;
    text_add(t, "#define LANE %s\n#define SCALAR %s\n#define LANE_BITS %d\n#define WHOLE %s\n",
             text_type(dtype), wide ? "double" : "float", wide ? 64 : 32, wide ? "0x1p52" : "0x1p23f");
    text_add_source(t, "engine/text/prelude/lane.h");
    text_add_source(t, "engine/text/prelude/lane_float.h");
    text_add_mathematics(t, wide, need);
    if (need < NEED_MATHEMATICS) return;
    if (n->special && wide) text_add_source(t, "engine/text/prelude/special.h");
    if ((n->special || n->pairs || n->singles) && wide) text_add_source(t, "engine/cpu/math/scalar_one.h");
    if (n->pairs && wide) {
        text_add_source(t, "engine/text/prelude/complex.h");
        text_add_source(t, "engine/cpu/math/scalar_complex.kernel.c");
        text_add_source(t, "engine/cpu/math/scalar_arc.kernel.c");
        text_add_source(t, "engine/cpu/math/scalar_functions.kernel.c");
        text_add_source(t, "engine/cpu/math/special_complex.c");
    }
    if (n->special && wide) {
        text_add(t, "#define SCALAR_SET text\n");
        text_add_source(t, "engine/cpu/math/scalar_bessel.kernel.c");
        text_add_source(t, "engine/cpu/math/special_families.kernel.c");
    }
    if (n->special) text_add_source(t, "engine/cpu/math/math_special.h");
}
static bool specials_are_used(const struct text_uses *uses) {
    for (int i = 0; i < ROWS; i++)
        for (int dtype = 0; dtype < TY_DTYPES; dtype++)
            if (uses->row[i][dtype] && is_special(rows[i].value)) return true;
    return false;
}
/* Append doubles, which the rare lanes of floats use, too. */
static void add_doubles(struct text *t, const struct text_uses *uses, const struct needs *n) {
    if (n->wide == NEED_MATHEMATICS) {
        text_add_source(t, "engine/cpu/math/scalar_fmod.h");
        text_add_source(t, "engine/cpu/math/special_gamma.c");
        text_add(t, "#define math_fmod(a, b) fmod_exact(a, b)\n");
    }
    add_float_lane(t, TY_F64, n);
    add_rows_of(t, uses, TY_F64);
    text_add(t, "%s#undef WHOLE\n#define math_atan2(a, b) atan2_f64(a, b)\n", undefine);
}
static void add_floats(struct text *t, const struct text_uses *uses, const struct needs *n) {
    add_float_lane(t, TY_F32, n);
    add_rows_of(t, uses, TY_F32);
    bool halves = half_is_used(uses);
    if (halves && n->single == NEED_MATHEMATICS) text_add_source(t, "engine/cpu/math/math_half_next.h");
    if (halves) add_rows_of(t, uses, TY_F16);
    if (halves) add_rows_of(t, uses, TY_BF16);
    text_add(t, "%s#undef WHOLE\n", undefine);
}
static void add_complex(struct text *t, const struct text_uses *uses, ty_dtype dtype, bool mathematics) {
    bool wide = dtype == TY_C128;
    text_add(t,
             "#define LANE %s\n#define SCALAR %s\n#define REAL_SCALAR %s\n#define LANE_BITS %d\n"
             "#define PAIR(x, y) PAIR_C%s(x, y)\n#define HAS_FUNCTIONS %d\n",
             text_type(dtype), text_type(dtype), wide ? "double" : "float", wide ? 64 : 32,
             wide ? "128" : "64", mathematics);
    text_add_source(t, "engine/text/prelude/lane_complex.h");
    add_rows_of(t, uses, dtype);
    text_add(t, "%s#undef REAL_SCALAR\n#undef PAIR\n#undef HAS_FUNCTIONS\n", undefine);
}
static void add_integers(struct text *t, const struct text_uses *uses, ty_dtype dtype) {
    int bits = 8 * (int)dtype_table[dtype].size;
    text_add(t, "#define LANE %s\n#define SCALAR %sint%d_t\n#define LANE_BITS %d\n#define ONES %s\n",
             text_type(dtype), dtype_is(dtype, CLASS_SIGNED) ? "" : "u", bits, bits,
             dtype == TY_BOOL ? "1" : "(SCALAR) - 1");
    text_add_source(t, "engine/text/prelude/lane.h");
    text_add_source(t, "engine/text/prelude/lane_integer.h");
    text_add_source(t, "engine/cpu/math/math_any.h");
    if (need_of_lane(uses, dtype) > NEED_NONE) text_add_source(t, "engine/cpu/math/math_integer.h");
    add_rows_of(t, uses, dtype);
    text_add(t, "%s#undef ONES\n", undefine);
}

/* ---- casts and views ---- */

/* Return the kind of a dtype in cast_words.h. */
static const char *cast_kind(ty_dtype dtype) {
    if (dtype == TY_BOOL) return "boolean";
    return dtype_is(dtype, CLASS_INTEGER) ? "whole" : dtype_table[dtype].name;
}
static void add_casts_from(struct text *t, const struct text_uses *uses, ty_dtype from) {
    const char *kind = from == TY_BOOL ? "whole" : cast_kind(from), *type = text_type(from);
    text_add(t, "#define FROM_KIND %s\n", kind);
    for (int to = 0; to < TY_DTYPES; to++) {
        if (!uses->cast[from][to]) continue;
        const char *other = text_type((ty_dtype)to);
        text_add(t, "static %s cast_%s_%s(%s x) { return TO_%s(%s, %s, x); }\n", other, type, other, type,
                 cast_kind((ty_dtype)to), other, other);
    }
    text_add(t, "#undef FROM_KIND\n");
}
static bool casts_are_used(const struct text_uses *uses) {
    for (int from = 0; from < TY_DTYPES; from++)
        for (int to = 0; to < TY_DTYPES; to++)
            if (uses->cast[from][to]) return true;
    return false;
}

static void add_views(struct text *t, const struct text_uses *uses) {
    for (int from = 0; from < TY_DTYPES; from++)
        for (int to = 0; to < TY_DTYPES; to++)
            if (uses->view[from][to])
                text_add(t, "VIEW_AS(%s, %s)\n", text_type((ty_dtype)from), text_type((ty_dtype)to));
}

/* Return the most that a row of f32 or halves, which are computed in f32, needs. */
static enum need need_of_floats(const struct text_uses *uses) {
    static const ty_dtype floats[] = {TY_F32, TY_F16, TY_BF16};
    enum need most = NEED_NONE;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        if (need_of_lane(uses, floats[i]) > most) most = need_of_lane(uses, floats[i]);
    return most;
}

static struct needs needs_of(const struct text_uses *uses) {
    struct needs n = {.single = need_of_floats(uses), .wide = need_of_lane(uses, TY_F64)};
    n.pairs =
        need_of_lane(uses, TY_C64) == NEED_MATHEMATICS || need_of_lane(uses, TY_C128) == NEED_MATHEMATICS;
    n.special = specials_are_used(uses), n.singles = uses->singles;
    if (n.single == NEED_MATHEMATICS || n.pairs)
        n.wide = NEED_MATHEMATICS; /* rare lanes of floats use doubles */
    return n;
}
/* Append the preludes. */
static void add_preludes(struct text *t, const struct text_uses *uses, const struct text_dialect *dialect) {
    text_add_source(t, dialect->prelude);
    if (uses->random) text_add_source(t, "ops/random/random_bits.h");
    if (uses->random) text_add_source(t, "engine/text/prelude/normal.h"); /* its macros have names of words */
    text_add_source(t, "engine/text/prelude/words.h");
    text_add_source(t, "engine/cpu/math/math_words.h");
}

void text_add_rows(struct text *t, const struct text_uses *uses, const struct text_dialect *dialect,
                   bool f64) {
    bool halves = half_is_used(uses), casts = casts_are_used(uses);
    struct needs n = needs_of(uses);
    bool twice = n.wide == NEED_MATHEMATICS || lane_is_used(uses, TY_F64);
    f64 = f64 && (twice || casts || halves || uses->doubles);
    text_add(t, "#define HAS_F64 %d\n#define HAS_COMPLEX %d\n", f64, n.pairs);
    add_preludes(t, uses, dialect);
    if (halves || casts) text_add_source(t, "engine/cpu/elementwise/cast_words.h");
    for (int from = 0; casts && from < TY_DTYPES; from++) add_casts_from(t, uses, (ty_dtype)from);
    add_views(t, uses);
    if (f64 && twice) add_doubles(t, uses, &n);
    if (halves || lane_is_used(uses, TY_F32)) add_floats(t, uses, &n);
    static const ty_dtype whole[] = {TY_BOOL, TY_I8, TY_I16, TY_I32, TY_I64, TY_U8, TY_U16, TY_U32, TY_U64};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (lane_is_used(uses, whole[i])) add_integers(t, uses, whole[i]);
    if (lane_is_used(uses, TY_C64)) add_complex(t, uses, TY_C64, n.pairs);
    if (lane_is_used(uses, TY_C128)) add_complex(t, uses, TY_C128, n.pairs);
    text_add_vectors(t, uses, dialect);
}
