#include "tests/support/gather.h"

#include <pthread.h>
#include "base/arena.h"
#include "base/list.h"
#include "base/alloc.h"
#include "tests/support/far.h"

/* Kernels that the device has prepared; at most MOST, since a compiler's memory grows with the program. */
enum { MOST = 2000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct arena memory;
static struct kernel **kernels;
static int nkernels, capacity;
static const char *device;

/* Let the device prepare a copy of k, unless it lacks the kernel. */
static void show(const struct kernel *k) {
    struct fault why = {0};
    const struct engine *engine = engine_open(device, &why);
    if (!engine) return;
    struct device *d = engine->device;
    pthread_mutex_lock(&lock);
    struct kernel *copy = nkernels < MOST ? arena_copy(&memory, k, sizeof *k) : NULL;
    if (copy) copy->device = d;
    if (copy && d->family->prepare(d, copy, &memory, &why) && !list_append(kernels, nkernels, capacity, copy))
        d->family->drop(d, copy);
    pthread_mutex_unlock(&lock);
}

void gather_use(const char *name) {
    device = name;
    far.shows = show;
    far_use();
}

int gather_end(void) {
    far.shows = NULL;
    return nkernels;
}

void gather_drop(void) {
    for (int i = 0; i < nkernels; i++) kernels[i]->device->family->drop(kernels[i]->device, kernels[i]);
    mem_free(kernels);
    kernels = NULL;
    nkernels = capacity = 0;
    arena_drop(&memory);
}
