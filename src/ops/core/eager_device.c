/* Eager execution on devices.  The device has the result, and operands are copied to it.  The host does not wait, unless
   the operator may refuse values. */
#include "array/remote.h"
#include "base/alloc.h"
#include "ops/core/eager.h"
#include "ops/core/kernel/cell.h"
#include "ops/core/kernel/prepared.h"
#include "ops/core/watch.h"

/* Launch p on addresses of device memory, with a workspace of its own. */
static bool start(struct context_thread *t, struct device *d, struct prepared *p, void *const *slots,
                  struct fault *fault) {
    size_t bytes = p->kernel.workspace;
    void *workspace = bytes ? device_allocate(d, bytes, fault) : NULL;
    bool done = (workspace || !bytes) && eager_start(t, p, slots, workspace, fault);
    device_free(d, workspace);
    return done;
}

/* As start, for a kernel that may refuse values; the refusal is known at the end. */
static bool start_refusing(struct context_thread *t, struct device *d, struct prepared *p, void *const *slots,
                           struct fault *fault) {
    char copy[DEVICE_CELL];
    struct device_cell cell;
    if (!cell_open(d, &cell, fault)) return false;
    cell.number = 1;
    t->cell = &cell;
    bool done = start(t, d, p, slots, fault);
    t->cell = NULL;
    int refused = done ? cell_read(d, &cell, copy, fault) : 0;
    if (refused > 0) d->family->refusal(d, &p->kernel, copy, fault);
    cell_close(d, &cell);
    return done && !refused;
}

/* Launch p for y = op(inputs). */
static bool launch(struct device *d, struct prepared *p, const ty_tensor *y, const struct infer *in,
                   struct fault *fault) {
    struct context_thread *t = thread_now();
    void **slots = mem_array((size_t)in->ninputs + 2, sizeof *slots);
    bool done = slots || fault_memory(fault, sizeof *slots);
    done = done && launch_allowed(t, &p->kernel, fault);
    for (int i = 0; i < in->ninputs && done; i++)
        done = (slots[i] = tensor_at(in->inputs[i], d, fault)) != NULL;
    done = done && (slots[in->ninputs] = tensor_at(y, d, fault));
    if (done)
        done = (op_may_refuse(in->op, in->attr) && !p->kernel.away ? start_refusing : start)(t, d, p, slots,
                                                                                             fault);
    mem_free(slots);
    return done;
}

bool eager_compute_on(const ty_tensor *y, const struct infer *in, struct fault *fault) {
    struct context_thread *t = thread_now();
    const struct device_cell *outer = t->cell; /* of a run that has called a function of the user's */
    t->cell = NULL;
    struct device *d = buffer_device(y->buffer);
    struct prepared *p = eager_shared(d->engine, y, in, fault);
    bool done = p && launch(d, p, y, in, fault);
    if (p) prepared_release(p);
    t->cell = outer;
    return done;
}
