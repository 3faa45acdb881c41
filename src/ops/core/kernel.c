/* Table of kernel kinds, checks of kernels, and the choice of the engine. */
#include "ops/core/kernel.h"
#include <string.h>
#include "ops/core/attributes.h"
#include "ops/core/guard.h"
#include "ops/core/op.h"

#define ANY KERNEL_ANY
#define NOTHING 0, 0
#define ONE(type) sizeof(type), 0
#define AXES(type) 0, sizeof(type)
#define KERNEL(NAME, name, ncore, attributes, doc) [KERNEL_##NAME] = {#name, ncore, attributes, doc},
#define CONTROL KERNEL
const struct kernel_kind_info kernel_kinds[KERNEL_KINDS] = {
    [KERNEL_NONE] = {"none", ANY, NOTHING, "leaves and views: no work"},
#include "ops/core/kernels.def"
};

const char *kernel_kind_name(enum kernel_kind kind) {
    return (unsigned)kind < KERNEL_KINDS ? kernel_kinds[kind].name : "?";
}

bool kernel_kind_refuses(enum kernel_kind kind) {
    static const bool refusing[KERNEL_KINDS] = {
        [KERNEL_GATHER] = true,   [KERNEL_SCATTER] = true, [KERNEL_NONZERO] = true, [KERNEL_RESAMPLE] = true,
        [KERNEL_SUPPRESS] = true, [KERNEL_SAMPLE] = true,  [KERNEL_UNPOOL] = true,  [KERNEL_POOL_TAKE] = true,
        [KERNEL_MATRIX] = true,   [KERNEL_SPARSE] = true};
    return refusing[kind];
}

bool kernel_writes_boxes(const struct kernel *k) {
    static const bool dense[KERNEL_KINDS] = {[KERNEL_NONE] = true,
                                             [KERNEL_NONZERO] = true,
                                             [KERNEL_LOOP] = true,
                                             [KERNEL_BRANCH] = true,
                                             [KERNEL_ROWS] = true};
    return !dense[k->kind];
}

bool kernel_may_overwrite(const struct kernel *k, int i) {
    bool replaces = (k->kind == KERNEL_PLACE || k->kind == KERNEL_SCATTER) && !k->program &&
                    k->inputs[0].dtype == k->core_dtype;
    bool rows = i < 32 && (k->overwrites >> i & 1);
    return k->kind == KERNEL_MAP || k->kind == KERNEL_COPY || i >= k->ncore || (replaces && i == 0) || rows;
}

/* Return the number of leading axes along which a kernel of this kind may be split; guards are ignored. */
static int rows_of_kind(const struct kernel *k) {
    const struct reduce_attr *reduce = k->attr;
    const struct scan_attr *scan = k->attr;
    const struct sort_attr *sort = k->attr;
    switch (k->kind) {
    case KERNEL_MAP:
    case KERNEL_COPY:
        return k->outputs->layout.rank;
    case KERNEL_REDUCE:
        return reduce->axes ? __builtin_ctzll(reduce->axes) : k->inputs->layout.rank;
    case KERNEL_SCAN:
        return scan->kind == SCAN_FILTER ? 0 : scan->axis; /* its coefficients have no rows */
    case KERNEL_SORT:
        return sort->axis;
    default:
        return 0;
    }
}

/* Return the number of leading axes along which the kernel may be split: each row of the outputs depends only
   on the same row of the inputs. Axes from the first one on along which an operand is guarded do not count,
   since rows differ there. */
int kernel_rows(const struct kernel *k) {
    int rows = rows_of_kind(k);
    for (int i = 0; i < k->ninputs; i++) {
        int axis = k->inputs[i].guard ? guard_axis(&k->inputs[i]) : rows;
        if (axis < rows) rows = axis;
    }
    return rows;
}

bool kernel_check(const struct kernel *k, struct fault *fault) {
    const struct kernel_kind_info *kind = &kernel_kinds[k->kind];
    if (kind->ncore != KERNEL_ANY && k->ncore != kind->ncore)
        return fault_set(fault, "%s: a kernel of kind %s takes %d core input%s, not %d (kernels.def)",
                         k->op->name, kind->name, kind->ncore, kind->ncore == 1 ? "" : "s", k->ncore);
    size_t wanted = kind->bytes_an_axis ? kind->bytes_an_axis * (size_t)k->inputs->layout.rank : kind->bytes;
    if (kind->bytes_an_axis ? k->attr_bytes == wanted : k->attr_bytes >= wanted) return true;
    return fault_set(fault, "%s: a kernel of kind %s takes %zu bytes of attributes, not %zu (kernels.def)",
                     k->op->name, kind->name, wanted, k->attr_bytes);
}

/* ---- engines ---- */

static _Thread_local const struct engine *chosen;

const struct engine *engine_find(const char *name) {
    for (const struct engine *const *engine = engine_table; *engine; engine++)
        if (!strcmp((*engine)->name, name)) return *engine;
    return NULL;
}
const struct engine *engine_current(void) { return chosen ? chosen : engine_table[0]; }
const char *ty_engine_name(void) { return engine_current()->name; }

bool ty_use_engine(const char *name) {
    const struct engine *engine = name ? engine_find(name) : NULL;
    if (engine) chosen = engine;
    return engine != NULL;
}
