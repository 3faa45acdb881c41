/* Public functions that set the hooks of contexts. */
#include <tyto/hooks.h>
#include "array/tensor.h"
#include "base/options.h"
#include "base/context/stop.h"

/* Set *error to a poisoned tensor with the fault, unless error is NULL. Always false. */
static bool refuse(struct fault *fault, ty_tensor **error) {
    if (error) *error = tensor_fault(fault);
    return false;
}

bool ty_context_set_pool_sized(ty_context *context, const ty_thread_pool *pool, size_t size,
                               ty_tensor **error) {
    struct context_hooks *hooks = &context_of(context)->hooks;
    struct fault fault = {0};
    ty_thread_pool known;
    bool read = OPTIONS_READ(known, pool, size, &fault);
    if (read && !known.threads && !known.run) { /* the default */
        hooks_set_pool(hooks, NULL);
        return true;
    }
    if (read && (!known.threads || !known.run))
        fault_set(&fault, E_ARGUMENT, "context_set_pool: %s is NULL; both functions are required",
                  known.threads ? "run" : "threads");
    if (fault.set) return refuse(&fault, error);
    hooks_set_pool(hooks, &(struct thread_pool){known.context, known.threads, known.run});
    return true;
}

void ty_context_set_progress(ty_context *context, bool (*report)(void *data, const ty_progress_state *now),
                             void *data) {
    ty_context *c = context_of(context);
    hooks_set_progress(&c->hooks, (struct progress_hook){report, data});
    if (report)
        atomic_fetch_or(&c->asked, STOP_HEARD);
    else
        atomic_fetch_and(&c->asked, ~STOP_HEARD);
}
