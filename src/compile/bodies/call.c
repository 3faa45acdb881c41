/* Call kernels: a launch runs a function of the user on copies of the operands, or on slices of the operands. */
#include "base/alloc.h"
#include "compile/routine.h"
#include "control/call.h"
#include "control/slices.h"
#include "ops/core/kernel/away.h"

/* A launch allocates its tensors, since the function may keep them.  The workspace has the results that nobody reads. */
static bool prepare(struct kernel *k, const struct compiling *c, struct arena *arena) {
    const struct call_attr *a = k->attr;
    int64_t *unread = arena_array(arena, (size_t)a->m, sizeof *unread), bytes = 0;
    if (!unread) return fault_memory(c->fault, (size_t)a->m * sizeof *unread);
    for (int i = 0; i < k->noutputs; i++)
        if (k->results[i] < a->m) unread[k->results[i]] = -1;
    for (int64_t i = 0; i < a->m; i++) {
        if (unread[i] < 0) continue;
        ty_form form = call_form(a, i);
        unread[i] = bytes;
        bytes += plan_aligned(shape_size(form.rank, form.shape) * (int64_t)dtype_table[form.dtype].size);
    }
    k->prepared = unread;
    k->width = 1;
    k->workspace = (size_t)bytes;
    return true;
}

static void drop(struct kernel *k) { (void)k; }

/* Return a value with the elements of operand i of k, owned by the caller; NULL if memory runs out. */
static ty_tensor *operand_value(const struct kernel *k, int i, void *const *slots) {
    const struct operand *o = &k->inputs[i];
    ty_tensor *x = tensor_new_value(o->dtype, o->layout.rank, o->layout.shape);
    size_t bytes = x ? tensor_bytes(x) : 0;
    if (bytes) memcpy(tensor_data(x), operand_base(o, slots), bytes);
    return x;
}

/* Set data[] to the addresses of the results of kernel k.  Outputs behind its results only order calls
   (flow_lower.c). */
static void find_results(const struct kernel *k, void *const *slots, char *workspace, void **data) {
    const struct call_attr *a = k->attr;
    const int64_t *unread = k->prepared;
    for (int i = 0; i < a->m; i++)
        if (unread[i] >= 0) data[i] = workspace + unread[i];
    for (int i = 0; i < k->noutputs; i++)
        if (k->results[i] < a->m) data[k->results[i]] = operand_base(&k->outputs[i], slots);
}

/* Run the function of kernel k on copies of its operands.  Inputs behind these only order calls (flow_lower.c).  False,
   with the fault set, on failure. */
static bool run_on_copies(const struct kernel *k, void *const *slots, void *const *data,
                          struct fault *fault) {
    const struct call_attr *a = k->attr;
    int n = (int)a->n;
    ty_tensor **x = mem_array((size_t)n + 1, sizeof *x);
    bool done = x != NULL;
    for (int i = 0; i < n && done; i++) done = (x[i] = operand_value(k, i, slots)) != NULL;
    if (!done) fault_memory(fault, sizeof *x);
    done = done && call_run(a, n, x, data, fault);
    for (int i = 0; x && i < n; i++)
        if (x[i]) ty_release(x[i]);
    mem_free(x);
    return done;
}

/* Run the function of kernel k, whose operands are the host's.  False, with the fault set, on failure. */
static bool launch_here(const struct kernel *k, void *const *slots, void *workspace, struct fault *fault) {
    const struct call_attr *a = k->attr;
    void *one = NULL, **data = a->m == 1 ? &one : mem_array((size_t)a->m, sizeof *data);
    if (!data) return fault_memory(fault, (size_t)a->m * sizeof *data);
    find_results(k, slots, workspace, data);
    bool done = a->slices.f ? slices_run(k, slots, data[0], fault) : run_on_copies(k, slots, data, fault);
    if (data != &one) mem_free(data);
    return done;
}

/* Run the function of kernel k, whose operands are in device memory.  False, with the fault set, on failure. */
static bool launch_away(const struct kernel *k, void *const *slots, struct fault *fault) {
    struct away a = {0};
    void *workspace = k->workspace ? mem_data_alloc(k->workspace) : NULL;
    bool done = workspace || !k->workspace || fault_memory(fault, k->workspace);
    done = done && away_open(&a, k, slots, fault) && launch_here(&a.kernel, a.slots, workspace, fault) &&
           away_deliver(&a, fault);
    away_close(&a);
    mem_data_free(workspace, k->workspace);
    return done;
}

/* Run the function of kernel k.  False, with the fault set, on failure. */
static bool launch(const struct kernel *k, void *const *slots, void *workspace, struct fault *fault) {
    return k->device ? launch_away(k, slots, fault) : launch_here(k, slots, workspace, fault);
}

const struct control_kind control_call = {.prepare = prepare, .launch = launch, .drop = drop};
