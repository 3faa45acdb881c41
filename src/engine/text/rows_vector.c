/* Rows of vectors: row_<row>_<dtype>x<lanes>, operators on all lanes, or, without such, loops over lanes. */
#include "base/text.h"
#include "engine/text/dialect.h"
#include "engine/text/rows.h"
#include "engine/text/source.h"

enum { MOST_LANES = 16 };

static const struct {
    ty_dtype dtype;
    const char *name, *scalar, *whole, *natural, *digits;
    int bits;
} kinds[] = {{TY_F32, "f32", "float", "int", "uint", "0x1p23f", 32},
             {TY_F64, "f64", "double", "long", "ulong", "0x1p52", 64}};
enum { KINDS = sizeof kinds / sizeof *kinds };

bool text_has_vectors(enum row_id row, ty_dtype dtype) {
    return row < ROWS && (dtype == TY_F32 || dtype == TY_F64) && !text_row_is_special(row);
}

/* Append the vectors of a program, defined in a file; NULL: in the prelude. */
static void add_vectors(struct text *t, const struct text_uses *uses, const char *file) {
    if (file) text_add_source(t, file);
    for (int k = 0; k < KINDS; k++)
        for (int lanes = 2; lanes <= MOST_LANES; lanes *= 2)
            if (uses->lanes[kinds[k].dtype] & lanes)
                text_add(t, "LANES(%s, %s, %s, %s, %d)\n", kinds[k].name, kinds[k].scalar, kinds[k].whole,
                         kinds[k].natural, lanes);
}

/* Append the types and functions of vectors of a kind. */
static void add_lane(struct text *t, const struct text_uses *uses, const struct text_dialect *dialect, int k,
                     int lanes) {
    enum need need = NEED_NONE;
    for (int i = 0; i < ROWS; i++)
        if (uses->vectors[i][kinds[k].dtype] & lanes && text_row_need((enum row_id)i) > need)
            need = text_row_need((enum row_id)i);
    text_add(t, "#undef NUMBER_OF_LANE\n#define NUMBER_OF_LANE %s\n#define LANE %sx%d\n#define TYPE LANE\n",
             kinds[k].name, kinds[k].name, lanes);
    text_add(t, "#define SCALAR %s\n#define LANE_BITS %d\n#define LANE_COUNT %d\n#define WHOLE %s\n",
             kinds[k].scalar, kinds[k].bits, lanes, kinds[k].digits);
    text_add(t, "#define AS_NUMBER as_%s%d\n#define AS_WHOLE as_%s%d\n#define AS_NATURAL as_%s%d\n",
             kinds[k].scalar, lanes, kinds[k].whole, lanes, kinds[k].natural, lanes);
    text_add_source(t, dialect->lane);
    text_add_mathematics(t, kinds[k].dtype == TY_F64, need);
}

/* Append a row of vectors of a kind: its formula, or a loop over lanes. */
static void add_row(struct text *t, const struct row_text *row, int k, int lanes, bool operators) {
    const char *mask = row->out == OUT_BOOL ? "mask_" : "", *comma = "";
    text_add(t, "static %s%sx%d row_%s_%sx%d(", mask, kinds[k].name, lanes, row->name, kinds[k].name, lanes);
    for (int i = 0; i < row->operands; i++, comma = ", ")
        text_add(t, "%s%s%sx%d %s", comma, row->choice && i == 0 ? "mask_" : "", kinds[k].name, lanes,
                 text_operand_names[row->operands][i]);
    if (operators) {
        text_add(t, ") { return %s; }\n", row->value);
        return;
    }
    text_add(t, ") {\n%s%sx%d y;\nEACH_OF(%d, %srow_%s_%s(", mask, kinds[k].name, lanes, lanes,
             row->out == OUT_BOOL ? "-" : "", row->name, kinds[k].name);
    for (int i = 0; i < row->operands; i++)
        text_add(t, "%s%s.lane[i]%s", i ? ", " : "", text_operand_names[row->operands][i],
                 row->choice && i == 0 ? " != 0" : "");
    text_add(t, "));\n}\n");
}

static bool are_used(const struct text_uses *uses, int k, int lanes) {
    for (int i = 0; i < ROWS; i++)
        if (uses->vectors[i][kinds[k].dtype] & lanes) return true;
    return false;
}
/* Append all rows of vectors of a kind. */
static void add_rows(struct text *t, const struct text_uses *uses, int k, int lanes, bool operators) {
    for (int i = 0; i < ROWS; i++)
        if (uses->vectors[i][kinds[k].dtype] & lanes)
            add_row(t, text_row_of((enum row_id)i), k, lanes, operators);
}
/* Append all rows of vectors, as operators or as loops over lanes. */
static void add_all(struct text *t, const struct text_uses *uses, const struct text_dialect *dialect,
                    bool operators) {
    for (int k = 0; k < KINDS; k++)
        for (int lanes = 2; lanes <= MOST_LANES; lanes *= 2) {
            if (!are_used(uses, k, lanes)) continue;
            if (operators) add_lane(t, uses, dialect, k, lanes);
            add_rows(t, uses, k, lanes, operators);
            if (operators)
                text_add(t, "#undef LANE\n#undef TYPE\n#undef SCALAR\n#undef LANE_BITS\n#undef LANE_COUNT\n"
                            "#undef WHOLE\n#undef AS_NUMBER\n#undef AS_WHOLE\n#undef AS_NATURAL\n"
                            "#undef LOOKUP\n#undef LOOKUP_4\n");
        }
}
void text_add_vectors(struct text *t, const struct text_uses *uses, const struct text_dialect *dialect) {
    bool any = false, rows = false;
    for (int k = 0; k < KINDS; k++) {
        any = any || uses->lanes[kinds[k].dtype];
        for (int lanes = 2; lanes <= MOST_LANES; lanes *= 2) rows = rows || are_used(uses, k, lanes);
    }
    if (!any) return;
    if (dialect->where) text_add(t, "#if %s\n", dialect->where);
    add_vectors(t, uses, dialect->vectors);
    if (rows) text_add_source(t, dialect->words);
    add_all(t, uses, dialect, true);
    if (!dialect->where) return;
    text_add(t, "#else\n");
    add_vectors(t, uses, dialect->structs);
    add_all(t, uses, dialect, false);
    text_add(t, "#endif\n");
}
