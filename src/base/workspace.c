#include "base/workspace.h"
#include <stdatomic.h>
#include <tyto/core.h>
#include "base/context/context.h"
#include "base/machine/environment.h"

static bool allows(const char *value) {
    int64_t bytes;
    return environment_number(value, INT64_MAX, &bytes);
}
const struct environment_row environment_workspace = {"TY_WORKSPACE", "a number of bytes, 0 for no limit",
                                                      allows, "Most bytes of workspace of one contraction."};

/* Return the default bound of workspace in bytes: TY_WORKSPACE, read at the first call; 0 (no bound) if
   not set. */
static int64_t default_bytes(void) {
    static _Atomic int64_t known = -1;
    int64_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (bytes >= 0) return bytes;
    const char *value = environment_value(&environment_workspace);
    bytes = 0;
    if (value) environment_number(value, INT64_MAX, &bytes);
    atomic_store_explicit(&known, bytes, memory_order_relaxed);
    return bytes;
}

void ty_set_workspace(int64_t bytes) { atomic_store(&context_now()->workspace, bytes > 0 ? bytes : 0); }
int64_t ty_workspace(void) { return workspace_most(); }

int64_t workspace_most_of(const struct context_thread *t) {
    int64_t bytes = atomic_load_explicit(&t->now->workspace, memory_order_relaxed);
    return bytes ? bytes : default_bytes();
}
int64_t workspace_most(void) { return workspace_most_of(thread_now()); }
