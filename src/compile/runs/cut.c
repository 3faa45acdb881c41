/* Operands narrowed to boxes. */
#include "compile/runs/cut.h"
#include "base/number.h"
#include "ops/core/guard.h"
#include "ops/core/kernel/kernel_lower.h"
#include "ops/core/kernel/link.h"
#include "ops/core/kernel/prepared.h"

_Alignas(64) char cut_zeros[64];

/* Narrow the guard of x, which has the old shape, to the box `part`; an operand that is outside of it everywhere reads
   zeros. False, with no fault set, if memory runs out. */
static bool cut_guard(const struct flow *f, struct operand *x, const struct box *part, struct arena *arena) {
    if (!x->guard) return true;
    struct guard *guard = guard_copy(x->layout.rank, NULL, x->guard, arena);
    bool outside = false, inside = true;
    for (int i = 0; guard && i < x->layout.rank; i++) {
        guard->low[i] = greater(guard->low[i] - part->low[i], 0);
        guard->high[i] = lesser(guard->high[i], part->high[i]) - part->low[i];
        outside = outside || guard->low[i] >= guard->high[i];
        inside = inside && guard->low[i] == 0 && guard->high[i] == x->layout.shape[i];
    }
    x->guard = inside || outside ? NULL : guard;
    if (outside) x->slot = f->nblocks;
    if (outside) x->layout.offset = 0;
    for (int i = 0; outside && i < x->layout.rank; i++) x->layout.strides[i] = 0;
    return guard;
}

/* Replace x by its elements at the indices in `part`. False, with no fault set, if memory runs out. */
static bool cut_operand(const struct flow *f, struct operand *x, const struct box *part,
                        struct arena *arena) {
    struct layout layout;
    if (!layout_copy(&layout, &x->layout, arena)) return false;
    x->layout = layout;
    x->passing = false;
    for (int i = 0; i < part->rank; i++) {
        x->layout.offset += part->low[i] * x->layout.strides[i];
        x->layout.shape[i] = part->high[i] - part->low[i];
    }
    return cut_guard(f, x, part, arena);
}

/* Make `cut` compute box b of k's outputs. False if it cannot or memory runs out. */
static bool cut_to(const struct flow *f, struct kernel *cut, const struct kernel *k, const struct box *b,
                   struct arena *arena) {
    struct box part;
    *cut = *k;
    cut->shared = NULL;
    cut->constant = 0;
    cut->keeps = false;
    cut->inputs = arena_copy(arena, k->inputs, sizeof *k->inputs * (size_t)k->ninputs);
    cut->outputs = arena_copy(arena, k->outputs, sizeof *k->outputs * (size_t)k->noutputs);
    if (!cut->outputs || (k->ninputs && !cut->inputs)) return false;
    for (int i = 0; i < k->ninputs; i++)
        if (kernel_needed(k, i, b, &part) && !cut_operand(f, &cut->inputs[i], &part, arena)) return false;
    for (int i = 0; i < k->noutputs; i++) {
        kernel_output_box(k, 0, b, i, &part);
        if (!cut_operand(f, &cut->outputs[i], &part, arena)) return false;
    }
    return !kernel_table[k->kind].recut || kernel_table[k->kind].recut(cut, k, b, arena);
}

/* Prepare a cut kernel. False if that fails, or if it would keep bytes. */
static bool prepare(struct kernel *cut, const struct engine *engine) {
    struct fault fault;
    fault_clear(&fault);
    cut->shared = prepared_for(engine, cut, &fault);
    if (!cut->shared) return false;
    cut->width = cut->shared->kernel.width;
    cut->workspace = prepared_workspace(cut);
    cut->kept = cut->shared->kernel.kept;
    return !cut->kept;
}

struct cut *cut_kernel(const struct flow *f, const struct kernel *k, const struct boxes *boxes,
                       struct arena *arena) {
    struct cut *list = NULL;
    for (int i = 0; i < boxes->n; i++) {
        struct cut *cut = arena_alloc(arena, sizeof *cut);
        bool made = cut && cut_to(f, &cut->kernel, k, &boxes->list[i], arena);
        if (cut) cut->next = list, list = cut;
        if (made && prepare(&cut->kernel, k->shared->engine)) continue;
        cut_drop(list);
        return NULL;
    }
    return list;
}

void cut_drop(struct cut *list) {
    for (; list; list = list->next)
        if (list->kernel.shared) prepared_release(list->kernel.shared);
}
