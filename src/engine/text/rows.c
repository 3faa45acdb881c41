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
} needs[] = {
    {"K", NEED_NONE},         {"SELECT", NEED_NONE},   {"LESS", NEED_NONE},     {"LESSEQUAL", NEED_NONE},
    {"TRUE", NEED_NONE},      {"FALSE", NEED_NONE},    {"TIMES", NEED_NONE},    {"CLIP", NEED_NONE},
    {"CONJ", NEED_NONE},      {"REALPART", NEED_NONE}, {"IMAGPART", NEED_NONE}, {"INFINITY", NEED_NONE},
    {"ABS", NEED_PLAIN},      {"SIGN", NEED_PLAIN},    {"FLOOR", NEED_PLAIN},   {"CEIL", NEED_PLAIN},
    {"TRUNC", NEED_PLAIN},    {"ROUND", NEED_PLAIN},   {"ISINF", NEED_PLAIN},   {"ISFINITE", NEED_PLAIN},
    {"COPYSIGN", NEED_PLAIN}, {"SQRT", NEED_PLAIN},    {"FMA", NEED_PLAIN},     {"DIV", NEED_PLAIN},
    {"RECIP", NEED_PLAIN},    {"SIGNBIT", NEED_PLAIN}};
static enum need need_of_word(const char *word, size_t length) {
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (strlen(needs[i].name) == length && !memcmp(needs[i].name, word, length)) return needs[i].need;
    return NEED_MATHEMATICS;
}
static enum need need_of(const char *value) {
    enum need most = NEED_NONE;
    for (const char *at = value; *at;) {
        size_t length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        enum need need = length && *at > '9' ? need_of_word(at, length) : NEED_NONE;
        if (need > most) most = need;
        at += length ? length : 1;
    }
    return most;
}
/* True if arithmetic of a formula may wrap: in signed integers C leaves that undefined. */
static bool may_wrap(const char *value) { return strpbrk(value, "+-") != NULL; }

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
bool text_has_row(enum row_id row, ty_dtype dtype) { return row < ROWS && !dtype_is(dtype, CLASS_COMPLEX); }
bool text_row_is_special(enum row_id row) { return is_special(rows[row].value); }
bool text_row_doubles(enum row_id row, ty_dtype dtype) {
    return dtype == TY_F64 || (dtype_is(dtype, CLASS_FLOAT) && need_of(rows[row].value) == NEED_MATHEMATICS);
}
bool text_cast_doubles(ty_dtype from, ty_dtype to) {
    bool whole = dtype_is(from, CLASS_INTEGER | CLASS_BOOL);
    if (from == TY_F64 || to == TY_F64) return true;
    return whole ? dtype_is_half(to) : dtype_is(to, CLASS_INTEGER);
}
bool text_has_cast(ty_dtype from, ty_dtype to) {
    return !dtype_is(from, CLASS_COMPLEX) && !dtype_is(to, CLASS_COMPLEX);
}

/* ---- lanes ---- */

enum need text_row_need(enum row_id row) { return need_of(rows[row].value); }

static bool lane_is_used(const struct text_uses *uses, ty_dtype dtype) {
    for (int i = 0; i < ROWS; i++)
        if (uses->row[i][dtype]) return true;
    return false;
}
/* Return the most that a row of the dtype needs. */
static enum need need_of_lane(const struct text_uses *uses, ty_dtype dtype) {
    enum need most = NEED_NONE;
    for (int i = 0; i < ROWS; i++)
        if (uses->row[i][dtype] && need_of(rows[i].value) > most) most = need_of(rows[i].value);
    return most;
}

static const char *const operand_names[4][3] = {{"", "", ""}, {"x", "", ""}, {"a", "b", ""}, {"a", "b", "c"}};

/* Append row_<name>_<dtype>: `take` converts operand %s from the register's type, `give` begins the result. */
static void add_row(struct text *t, const struct row_text *row, ty_dtype dtype) {
    const char *type = text_type(dtype);
    bool half = dtype_is_half(dtype), is_signed = dtype_is(dtype, CLASS_SIGNED) && may_wrap(row->value);
    text_add(t, "static %s row_%s_%s(", row->out == OUT_BOOL ? "boolean" : type, row->name, type);
    for (int i = 0; i < row->operands; i++)
        text_add(t, "%s%s %s_", i ? ", " : "", i == 0 && row->choice ? "boolean" : type,
                 operand_names[row->operands][i]);
    text_add(t, ") {\n");
    for (int i = 0; i < row->operands; i++) {
        const char *name = operand_names[row->operands][i];
        if (i == 0 && row->choice)
            text_add(t, "int %s = %s_;\n", name, name);
        else if (half)
            text_add(t, "float %s = %s_widen_scalar(%s_);\n", name, type, name);
        else if (is_signed)
            text_add(t, "L(bits) %s = (L(bits))%s_;\n", name, name);
        else
            text_add(t, "%s %s = %s_;\n", type, name, name);
    }
    bool truth = row->out == OUT_BOOL || dtype == TY_BOOL;
    if (truth)
        text_add(t, "return (%s) ? 1 : 0;\n}\n", row->value);
    else if (half)
        text_add(t, "return (%s)%s_narrow_scalar(%s);\n}\n", type, type, row->value);
    else
        text_add(t, "return (%s)(%s);\n}\n", type, row->value);
}
static void add_rows_of(struct text *t, const struct text_uses *uses, ty_dtype dtype) {
    text_add(t, "#define TYPE %s\n", text_type(dtype));
    for (int i = 0; i < ROWS; i++)
        if (uses->row[i][dtype]) add_row(t, &rows[i], dtype);
    text_add(t, "#undef TYPE\n");
}

static const char undefine[] = "#undef LANE\n#undef SCALAR\n#undef LANE_BITS\n";

static void add_float_lane(struct text *t, ty_dtype dtype, enum need need, bool special, bool singles) {
    bool wide = dtype == TY_F64;
    text_add(t, "#define LANE %s\n#define SCALAR %s\n#define LANE_BITS %d\n#define WHOLE %s\n",
             text_type(dtype), wide ? "double" : "float", wide ? 64 : 32, wide ? "0x1p52" : "0x1p23f");
    text_add_source(t, "engine/text/prelude/lane.h");
    text_add_source(t, "engine/text/prelude/lane_float.h");
    text_add_source(t, "engine/cpu/math/math_any.h");
    if (need == NEED_PLAIN) text_add_source(t, "engine/cpu/math/math_plain.h");
    if (need < NEED_MATHEMATICS) return;
    text_add_source(t,
                    wide ? "engine/cpu/math/math_constants_f64.h" : "engine/cpu/math/math_constants_f32.h");
    text_add_source(t, "engine/cpu/math/math_float.h");
    if (special && wide) text_add_source(t, "engine/text/prelude/special.h");
    if ((special || singles) && wide) text_add_source(t, "engine/cpu/math/scalar_one.h");
    if (special && wide) {
        text_add(t, "#define SCALAR_SET text\n");
        text_add_source(t, "engine/cpu/math/scalar_bessel.kernel.c");
        text_add_source(t, "engine/cpu/math/special_families.kernel.c");
    }
    if (special) text_add_source(t, "engine/cpu/math/math_special.h");
}
static bool specials_are_used(const struct text_uses *uses) {
    for (int i = 0; i < ROWS; i++)
        for (int dtype = 0; dtype < TY_DTYPES; dtype++)
            if (uses->row[i][dtype] && is_special(rows[i].value)) return true;
    return false;
}
/* Append doubles, which the rare lanes of floats use, too. */
static void add_doubles(struct text *t, const struct text_uses *uses, enum need need) {
    if (need == NEED_MATHEMATICS) {
        text_add_source(t, "engine/cpu/math/scalar_fmod.h");
        text_add_source(t, "engine/cpu/math/special_gamma.c");
        text_add(t, "#define math_fmod(a, b) fmod_exact(a, b)\n");
    }
    add_float_lane(t, TY_F64, need, specials_are_used(uses), uses->singles);
    add_rows_of(t, uses, TY_F64);
    text_add(t, "%s#undef WHOLE\n#define math_atan2(a, b) atan2_f64(a, b)\n", undefine);
}
static void add_floats(struct text *t, const struct text_uses *uses, enum need need) {
    add_float_lane(t, TY_F32, need, specials_are_used(uses), false);
    add_rows_of(t, uses, TY_F32);
    bool halves = lane_is_used(uses, TY_F16) || lane_is_used(uses, TY_BF16);
    if (halves && need == NEED_MATHEMATICS) text_add_source(t, "engine/cpu/math/math_half_next.h");
    if (halves) add_rows_of(t, uses, TY_F16);
    if (halves) add_rows_of(t, uses, TY_BF16);
    text_add(t, "%s#undef WHOLE\n", undefine);
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

/* ---- casts ---- */

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

/* Return the most that a row of f32 or halves, which are computed in f32, needs. */
static enum need need_of_floats(const struct text_uses *uses) {
    static const ty_dtype floats[] = {TY_F32, TY_F16, TY_BF16};
    enum need most = NEED_NONE;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        if (need_of_lane(uses, floats[i]) > most) most = need_of_lane(uses, floats[i]);
    return most;
}

void text_add_rows(struct text *t, const struct text_uses *uses, const struct text_dialect *dialect,
                   bool f64) {
    bool halves = lane_is_used(uses, TY_F16) || lane_is_used(uses, TY_BF16), casts = casts_are_used(uses);
    enum need single = need_of_floats(uses), wide = need_of_lane(uses, TY_F64);
    if (single == NEED_MATHEMATICS) wide = single; /* its rare lanes use doubles */
    bool twice = wide == NEED_MATHEMATICS || lane_is_used(uses, TY_F64);
    f64 = f64 && (twice || casts || halves || uses->doubles);
    text_add(t, "#define HAS_F64 %d\n", f64);
    text_add_source(t, dialect->prelude);
    text_add_vectors(t, uses);
    if (uses->random) text_add_source(t, "engine/text/prelude/random.h");
    if (uses->random) text_add_source(t, "engine/text/prelude/normal.h"); /* its macros have names of words */
    text_add_source(t, "engine/text/prelude/words.h");
    text_add_source(t, "engine/cpu/math/math_words.h");
    if (halves || casts) text_add_source(t, "engine/cpu/elementwise/cast_words.h");
    for (int from = 0; casts && from < TY_DTYPES; from++) add_casts_from(t, uses, (ty_dtype)from);
    if (f64 && twice) add_doubles(t, uses, wide);
    if (halves || lane_is_used(uses, TY_F32)) add_floats(t, uses, single);
    static const ty_dtype whole[] = {TY_BOOL, TY_I8, TY_I16, TY_I32, TY_I64, TY_U8, TY_U16, TY_U32, TY_U64};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (lane_is_used(uses, whole[i])) add_integers(t, uses, whole[i]);
    text_add_vector_rows(t, uses, dialect);
}
