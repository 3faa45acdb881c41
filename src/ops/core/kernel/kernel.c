/* Table of kernel kinds, checks of kernels, and the choice of the engine. */
#include "ops/core/kernel/kernel.h"
#include <string.h>
#include "base/context/context.h"
#include "ops/core/attributes.h"
#include "ops/core/guard.h"
#include "ops/core/kernel/devices.h"
#include "ops/core/kernel/link.h"
#include "ops/core/op.h"
#include "ops/core/kernel/work.h"

/* ---- rows ---- */

static int all_rows(const struct kernel *k) { return k->outputs->layout.rank; }

static int reduce_rows(const struct kernel *k) {
    const struct reduce_attr *a = k->attr;
    return a->axes ? __builtin_ctzll(a->axes) : k->inputs->layout.rank;
}

static int scan_rows(const struct kernel *k) {
    const struct scan_attr *a = k->attr;
    return a->kind == SCAN_FILTER ? 0 : a->axis; /* its coefficients have no rows */
}

static int sort_rows(const struct kernel *k) { return ((const struct sort_attr *)k->attr)->axis; }

/* Return the number of leading axes along which the kernel may be split: each row of the outputs depends only
   on the same row of the inputs. Axes from the first one on along which an operand is guarded do not count,
   since rows differ there. */
int kernel_rows(const struct kernel *k) {
    int (*rows_of_kind)(const struct kernel *) = kernel_table[k->kind].rows;
    int rows = rows_of_kind ? rows_of_kind(k) : 0;
    for (int i = 0; i < k->ninputs; i++) {
        int axis = k->inputs[i].guard ? guard_axis(&k->inputs[i]) : rows;
        if (axis < rows) rows = axis;
    }
    return rows;
}

/* ---- the table ---- */

#define ANY KERNEL_ANY
#define NOTHING .bytes = 0
#define ONE(type) .bytes = sizeof(type)
#define AXES(type) .bytes_an_axis = sizeof(type)
#define KERNEL(NAME, word, inputs, attributes, words, ...)                                                   \
    [KERNEL_##NAME] = {.name = #word, .ncore = inputs, attributes, .doc = words, __VA_ARGS__},
#define CONTROL KERNEL
const struct kernel_row kernel_table[KERNEL_KINDS] = {
    KERNEL(NONE, none, ANY, NOTHING, "leaves and views: no work", .dense = true, .light = true,
           .no_work = "leaves and views compute nothing")
#include "ops/core/kernel/kernels.def"
};

const char *kernel_kind_name(enum kernel_kind kind) {
    return (unsigned)kind < KERNEL_KINDS ? kernel_table[kind].name : "?";
}

const char *kernel_name(const struct kernel *k) { return k->op ? k->op->name : kernel_kind_name(k->kind); }

bool kernel_may_overwrite(const struct kernel *k, int i) {
    const struct kernel_row *kind = &kernel_table[k->kind];
    bool replaces = kind->replaces && !k->program && k->inputs[0].dtype == k->core_dtype;
    bool rows = i < 32 && (k->overwrites >> i & 1);
    return kind->in_place || i >= k->ncore || (replaces && i == 0) || rows;
}

bool kernel_check(const struct kernel *k, struct fault *fault) {
    const struct kernel_row *kind = &kernel_table[k->kind];
    if (kind->ncore != KERNEL_ANY && k->ncore != kind->ncore)
        return fault_set(fault, E_INTERNAL,
                         "%s: a kernel of kind %s takes %d core input%s, not %d (kernels.def)", k->op->name,
                         kind->name, kind->ncore, kind->ncore == 1 ? "" : "s", k->ncore);
    size_t wanted = kind->bytes_an_axis ? kind->bytes_an_axis * (size_t)k->inputs->layout.rank : kind->bytes;
    if (kind->bytes_an_axis ? k->attr_bytes == wanted : k->attr_bytes >= wanted) return true;
    return fault_set(fault, E_INTERNAL,
                     "%s: a kernel of kind %s takes %zu bytes of attributes, not %zu (kernels.def)",
                     k->op->name, kind->name, wanted, k->attr_bytes);
}

/* ---- engines ---- */

static bool refuse(struct kernel *k, struct arena *arena, struct fault *fault) {
    (void)k, (void)arena;
    return fault_set(fault, E_DEVICE, "there is no engine \"%.64s\" any more, which the context has named",
                     context_now()->engine);
}
/* Engine of contexts whose engine was removed, or whose device cannot be opened again: no kernel can be prepared. */
static const struct engine removed = {.name = "removed", .prepare = refuse};

/* Begin with the engine of the thread's context, or of the environment. */
static const struct engine *begin_engine(void) {
    const char *name = context_now()->engine, *asked = *name ? name : environment_value(&environment_engine);
    const struct engine *engine = asked ? engine_find(asked) : NULL;
    if (!engine) engine = *name ? &removed : engine_table[0];
    context_thread.engine = engine;
    return engine;
}
const struct engine *engine_current(void) {
    const struct engine *engine = context_thread.engine;
    return engine ? engine : begin_engine();
}
const char *ty_engine_name(void) { return engine_current()->name; }

bool ty_use_engine(const char *name) {
    const struct engine *engine = name ? engine_find(name) : NULL;
    if (engine) context_thread.engine = engine;
    return engine != NULL;
}
