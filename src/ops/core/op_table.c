/* Every operator in one table: the rows, then the structural ones of operators.def. */
#include <string.h>
#include "ops/core/elementwise.h"

#define OPERATOR(symbol) extern const struct op op_##symbol;
#include "ops/core/operators.def"
#undef OPERATOR

const struct op *const op_table[] = {
#define OP1(name, ...) &row_ops[ROW_##name],
#define OP2(name, ...) &row_ops[ROW_##name],
#define OP3(name, ...) &row_ops[ROW_##name],
#include <tyto/elementwise.def>
#define OPERATOR(symbol) &op_##symbol,
#include "ops/core/operators.def"
#undef OPERATOR
    NULL};

const struct op *op_find(const char *name) {
    for (const struct op *const *op = op_table; *op; op++)
        if (!strcmp((*op)->name, name)) return *op;
    return NULL;
}

const char *kernel_kind_name(enum kernel_kind kind) {
    static const char *const names[KERNEL_KINDS] = {
        "none",   "map",      "reduce",   "contract", "pool",    "unpool", "pool_take", "window_add",
        "pad",    "concat",   "gather",   "scatter",  "nonzero", "place",  "scan",      "sort",
        "search", "resample", "suppress", "iota",     "random",  "sample", "copy"};
    return (unsigned)kind < KERNEL_KINDS ? names[kind] : "?";
}

/* ---- which engine computes ---- */

static _Thread_local const struct engine *chosen;

const struct engine *engine_find(const char *name) {
    for (const struct engine *const *engine = engine_table; *engine; engine++)
        if (!strcmp((*engine)->name, name)) return *engine;
    return NULL;
}
const struct engine *engine_current(void) { return chosen ? chosen : engine_table[0]; }
const char *ty_engine_name(void) { return engine_current()->name; }

bool ty_use_engine(const char *name) {
    const struct engine *engine = engine_find(name);
    if (engine) chosen = engine;
    return engine != NULL;
}
