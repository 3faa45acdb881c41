/* Steps that are algorithms: the text of their file, and a function that calls it for each work item. */
#include <string.h>

#include "array/dtype.h"
#include "base/arena.h"
#include "base/text.h"
#include "engine/algorithm/algorithm.h"
#include "engine/text/render.h"
#include "engine/text/source.h"
#include "engine/text/text.h"

/* Note the rows that an algorithm calls.  False, with the fault set, if the device lacks their dtype. */
static bool note_rows(const struct algorithm *a, ty_dtype dtype, struct text_device device,
                      struct text_uses *uses, struct fault *fault) {
    bool doubles = dtype == TY_F64;
    for (const char *at = a->rows; *at;) {
        char name[32];
        size_t length = strcspn(at, " ");
        text_print(name, sizeof name, "%.*s", (int)length, at);
        at += length + (at[length] == ' ');
        if (!strcmp(name, "single")) {
            uses->singles = true;
            continue;
        }
        enum row_id row = text_row(name);
        if (row == ROWS) return fault_set(fault, E_INTERNAL, "%s: there is no row %s", a->name, name);
        uses->row[row][dtype] = true;
        doubles = doubles || text_row_doubles(row, dtype);
    }
    if (device.f64) uses->doubles = true; /* texts use them where there are any */
    return !doubles || device.f64 ||
           fault_set(fault, E_UNSUPPORTED, "the device has no f64, in which %s computes", a->name);
}

/* True if an algorithm before number `end` has this file, and the program has its function for a dtype. */
static bool has_file(const struct text_uses *uses, int end, const char *file, int dtype) {
    for (int i = 0; i < end; i++)
        if (uses->algorithm[i][dtype] && !strcmp(algorithm_table[i].file, file)) return true;
    return false;
}

/* Append the parameters of files: the type, unsigned words as wide, and two numbers. */
static void add_type(struct text *t, ty_dtype dtype) {
    const char *type = text_type(dtype);
    text_add(t, "#define TYPE %s\n#define WORD u%d\n", type, 8 * (int)dtype_table[dtype].size);
    for (int i = 0; i < 2; i++)
        if (dtype_is(dtype, CLASS_COMPLEX))
            text_add(t, "#define %s PAIR_C%s(%d, 0)\n", i ? "TYPE_ONE" : "TYPE_ZERO",
                     dtype == TY_C64 ? "64" : "128", i);
        else
            text_add(t, "#define %s %d\n", i ? "TYPE_ONE" : "TYPE_ZERO", i);
}
void render_algorithms(struct text *t, const struct text_uses *uses) {
    for (int i = 0; i < ALGORITHMS; i++)
        for (int dtype = 0; dtype < TY_DTYPES; dtype++) {
            const char *file = algorithm_table[i].file;
            if (!uses->algorithm[i][dtype] || has_file(uses, i, file, dtype)) continue;
            add_type(t, (ty_dtype)dtype);
            text_add_source(t, file);
            text_add(t, "#undef TYPE\n#undef WORD\n#undef TYPE_ZERO\n#undef TYPE_ONE\n");
        }
}

/* Append the step from its parameters on: its first value is the number of work items. */
static void add_step(struct text *t, const struct algorithm *a, const ty_nest_step *step,
                     const struct text_kernel *k) {
    for (int i = 0; i < k->nslots; i++)
        text_add(t, "%sMEMORY %schar *m%d, u64 o%d", i ? ", " : "", k->writes >> i & 1 ? "" : "const ", i, i);
    render_cell(t, k);
    for (int i = 0; i < k->nvalues; i++) text_add(t, ", u64 c%d", i);
    text_add(t, ") {\n");
    render_look(t, k);
    text_add(t, "EACH_ITEM(i64, item, 0, (i64)c0) {\n%s_%s(item", a->name, text_type(step->dtype));
    for (int i = 0; i < k->nslots; i++)
        text_add(t, ", (MEMORY %s%s *)(m%d + o%d)", k->writes >> i & 1 ? "" : "const ",
                 text_type(algorithm_dtype(a->memory[i], step->dtype)), i, i);
    for (int i = 1; i < k->nvalues; i++) text_add(t, ", c%d", i);
    text_add(t, ");\n}\n}\n");
}

/* Set the arguments and work items of a step. */
static bool set_call(const struct algorithm *a, const ty_nest_step *step, struct text_kernel *k,
                     struct arena *arena, struct fault *fault) {
    size_t n = (size_t)step->nvalues + 1;
    int32_t *slots = arena_copy(arena, step->slots, (size_t)step->nslots * sizeof *slots);
    uint64_t *values = arena_array(arena, n, sizeof *values);
    if (!slots || !values) return fault_memory(fault, n * sizeof *values);
    values[0] = (uint64_t)step->items;
    for (int i = 0; i < step->nvalues; i++) values[i + 1] = step->values[i];
    k->slots = slots, k->values = values, k->nslots = step->nslots, k->nvalues = (int)n;
    for (int i = 0; i < k->nslots; i++) k->writes |= (uint64_t)algorithm_writes(a->memory[i]) << i;
    k->algorithm = a->name;
    k->ndims = 1, k->items = k->global[0] = step->items, k->global[1] = k->global[2] = 1;
    return true;
}

bool render_algorithm(struct text *t, const ty_nest_step *step, struct text_uses *uses,
                      struct text_device device, struct text_kernel *k, struct arena *arena,
                      struct fault *fault) {
    /* of whole kernels only the name is known, which a function may have, too */
    enum algorithm_id id = step->items < 0 ? ALGORITHMS : algorithm_find(step->algorithm);
    if (id == ALGORITHMS) return fault_set(fault, E_UNSUPPORTED, "%s has no text yet", step->algorithm);
    const struct algorithm *a = &algorithm_table[id];
    k->stops = device.stops;
    if (!note_rows(a, step->dtype, device, uses, fault) || !set_call(a, step, k, arena, fault)) return false;
    uses->algorithm[id][step->dtype] = true;
    add_step(t, a, step, k);
    return true;
}
