/* Public functions of loaders. */
#include "data/loader.h"
#include "array/progress.h"
#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include "base/options.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "base/context/stop.h"
#include "base/threads/cancel.h"
#include "ops/core/kernel/devices.h"

enum { BATCH = 32, PREFETCH = 2, MOST_THREADS = 256, MOST_PREFETCH = 1 << 16 };

static ty_loader no_memory = {.fault = {true, E_MEMORY, "out of memory: a loader could not be made"}};
static ty_loader null_loader = {.fault = {true, E_ARGUMENT, "loader: the loader is NULL"}};
static ty_loader *loader_of(const ty_loader *l) { return l ? (ty_loader *)(uintptr_t)l : &null_loader; }

/* ---- construction ---- */

/* Set l's sizes, in examples, of epoch and batch and its number of batches from the options and the set;
   false sets the loader's fault. */
static bool choose_sizes(ty_loader *l) {
    const ty_loader_options *o = &l->options;
    int64_t n = ty_dataset_size(l->set);
    l->epoch_size = o->order == TY_SAMPLED && o->samples ? o->samples : n;
    l->batch = o->batch == TY_ALL_EXAMPLES ? l->epoch_size : o->batch ? o->batch : BATCH;
    if ((int)o->order < 0 || o->order > TY_SAMPLED)
        return fault_set(&l->fault, E_ARGUMENT, "loader: unknown order %d", (int)o->order);
    if (n < 1) return fault_set(&l->fault, E_ARGUMENT, "loader: the data set has no examples");
    if (l->batch < 1 || l->epoch_size < 1)
        return fault_set(&l->fault, E_ARGUMENT,
                         "loader: batches of %" PRId64 " from %" PRId64
                         " examples; expected 1 or more of each",
                         l->batch, l->epoch_size);
    if (l->batch > l->epoch_size) l->batch = o->drop_last ? l->batch : l->epoch_size;
    l->batches = o->drop_last ? l->epoch_size / l->batch : (l->epoch_size - 1) / l->batch + 1;
    return l->batches || fault_set(&l->fault, E_ARGUMENT,
                                   "loader: batches of %" PRId64 " from %" PRId64
                                   " examples without the last partial one (drop_last) leave no batch",
                                   l->batch, l->epoch_size);
}

/* Set l's numbers of threads and slots from the options; 0 means defaults, -1 threads none. False sets the
   loader's fault. */
static bool choose_threads(ty_loader *l) {
    const ty_loader_options *o = &l->options;
    if (o->threads < -1 || o->threads > MOST_THREADS || o->prefetch < 0 || o->prefetch > MOST_PREFETCH)
        return fault_set(
            &l->fault, E_ARGUMENT,
            "loader: %d threads and %d batches ahead; expected -1 to %d threads and 0 to %d batches",
            o->threads, o->prefetch, MOST_THREADS, MOST_PREFETCH);
    l->nthreads = o->threads > 0 ? o->threads : o->threads ? 0 : ty_threads() / 2;
    if (l->nthreads > MOST_THREADS) l->nthreads = MOST_THREADS;
    l->nslots = !l->nthreads ? 1 : o->prefetch ? o->prefetch : PREFETCH;
    return true;
}

/* Return a copy of n steps, which the caller frees; NULL sets the loader's fault. A step without a function
   also sets the fault, but the copy is returned. */
static ty_image_step *copy_steps(ty_loader *l, int n, const ty_image_step *steps) {
    if (n < 0 || (n && !steps)) {
        fault_set(&l->fault, E_ARGUMENT, "loader: %d steps%s; expected 0 or more and their array", n,
                  steps ? "" : ", NULL");
        return NULL;
    }
    ty_image_step *copy = mem_array((size_t)n + 1, sizeof *copy);
    if (!copy) fault_memory(&l->fault, (size_t)n * sizeof *copy);
    for (int i = 0; i < n && copy; i++) {
        copy[i] = steps[i];
        if (!steps[i].apply) fault_set(&l->fault, E_ARGUMENT, "loader: step %d has no function", i);
        OPTIONS_UNUSED(&steps[i], "loader: a step", &l->fault);
    }
    return copy;
}

/* Copy the options' steps for inputs and target into l->steps; false sets the loader's fault. */
static bool choose_steps(ty_loader *l) {
    const ty_loader_options *o = &l->options;
    if (o->ntarget_steps && l->set->nfields < 2)
        return fault_set(&l->fault, E_ARGUMENT,
                         "loader: steps for a target are given, but the set has one field");
    l->steps[0] = copy_steps(l, o->nsteps, o->steps);
    l->steps[1] = copy_steps(l, o->ntarget_steps, o->target_steps);
    return !l->fault.set;
}

/* Allocate the slots, their states and the array of threads; false sets the loader's fault: no memory. */
static bool make_room(ty_loader *l) {
    if ((uint64_t)l->batch > SIZE_MAX / 2) return fault_memory(&l->fault, SIZE_MAX);
    l->slots = mem_array((size_t)l->nslots, sizeof *l->slots);
    l->threads = mem_array((size_t)l->nthreads + 1, sizeof *l->threads);
    if (!l->slots || !l->threads) return fault_memory(&l->fault, (size_t)l->nslots * sizeof *l->slots);
    for (int i = 0; i < l->nslots; i++) {
        l->slots[i].states = mem_array((size_t)l->batch, 1);
        if (!l->slots[i].states) return fault_memory(&l->fault, (size_t)l->batch);
    }
    return true;
}

ty_loader *ty_loader_new_sized(ty_dataset *set, const ty_loader_options *given, size_t given_size) {
    ty_loader *l = mem_alloc(sizeof *l);
    if (!l) return &no_memory;
    l->set = dataset_retain(set);
    OPTIONS_READ(l->options, given, given_size, &l->fault);
    l->engine = engine_at_host(engine_current())->name;
    l->context = context_retain(context_now());
    if (l->set->fault.set) fault_copy(&l->fault, &l->set->fault);
    if (!l->fault.set && choose_sizes(l) && choose_threads(l) && choose_steps(l) && make_room(l))
        loader_start(l);
    return l;
}

/* Free the slots of the loader with their states and their batches. */
static void drop_slots(ty_loader *l) {
    for (int i = 0; i < l->nslots && l->slots; i++) {
        for (int k = 0; k < l->set->nfields; k++)
            if (l->slots[i].parts[k]) tensor_free_one_reference(l->slots[i].parts[k]);
        mem_free(l->slots[i].states);
    }
    mem_free(l->slots);
}

void ty_loader_free(ty_loader *l) {
    if (!l || l == &no_memory) return;
    if (!l->fault.set) loader_join(l);
    drop_slots(l);
    mem_free(l->threads);
    for (int i = 0; i < 2; i++) mem_free(l->steps[i]);
    ty_dataset_free(l->set);
    context_release(l->context);
    mem_free(l);
}

/* ---- batches ---- */

/* Calls in functions of the user, such as that for progress, would take the batch away. */
#define BUSY "loader: the loader is making a batch for this thread already"

/* Return true if a batch of n fields can be awaited; false sets the fault. The end of each epoch also gives
   false with a fault, once. */
static bool check_next(ty_loader *l, int n, struct fault *fault) {
    if (l->fault.set) return fault_copy(fault, &l->fault);
    if (l->awaiting) return fault_set(fault, E_STATE, BUSY);
    if (n > l->set->nfields)
        return fault_set(fault, E_ARGUMENT, "loader_next: %d fields were requested; the set has %d", n,
                         l->set->nfields);
    if (!l->pausing) return true;
    l->pausing = false;
    return fault_set(fault, E_STATE, "loader: the epoch is over");
}

/* ty_loader_next, while no cancellation holds: other threads make examples of the same batch. */
static bool next(ty_loader *loader, int n, ty_tensor **out) {
    PROGRESS_NAMED("load");
    struct fault fault = {0};
    ty_tensor *parts[TY_MOST_FIELDS];
    ty_loader *l = loader_of(loader);
    if (n < 1 || !out) return false;
    bool more = check_next(l, n, &fault);
    if (more) l->awaiting = true;
    bool done = more && loader_await(l, parts, &fault);
    if (more) l->awaiting = false;
    if (!done) {
        dataset_poison(n, out, &fault);
        return more;
    }
    for (int i = 0; i < l->set->nfields; i++)
        if (i < n)
            out[i] = tensor_return(parts[i]);
        else
            tensor_free_one_reference(parts[i]);
    return true;
}

bool ty_loader_next(ty_loader *loader, int n, ty_tensor **out) {
    FLOATING_DEFAULT;
    int cancel = cancel_hold_off();
    bool more = next(loader, n, out);
    cancel_restore(cancel);
    return more;
}

/* ---- properties and position ---- */

const char *ty_loader_error(const ty_loader *l) {
    return loader_of(l)->fault.set ? loader_of(l)->fault.text : "";
}
ty_tensor *ty_loader_failure(const ty_loader *l) { return tensor_failure(&loader_of(l)->fault); }
int64_t ty_loader_batches(const ty_loader *l) { return loader_of(l)->fault.set ? 0 : l->batches; }
int ty_loader_fields(const ty_loader *l) { return loader_of(l)->fault.set ? 0 : ty_dataset_fields(l->set); }
int ty_loader_threads(const ty_loader *l) { return loader_of(l)->fault.set ? 0 : l->nthreads; }

ty_data_place ty_loader_tell(const ty_loader *loader) {
    const ty_loader *l = loader_of(loader);
    if (l->fault.set) return (ty_data_place){0};
    int64_t epoch = l->next / l->batches, batch = l->next % l->batches;
    return l->pausing ? (ty_data_place){l->options.seed, epoch - 1, l->batches}
                      : (ty_data_place){l->options.seed, epoch, batch};
}

bool ty_loader_seek(ty_loader *loader, ty_data_place place, ty_tensor **error) {
    ty_loader *l = loader_of(loader);
    struct fault fault = l->fault;
    if (l->awaiting) fault_set(&fault, E_STATE, BUSY);
    if (!fault.set && (place.epoch < 0 || place.epoch >= INT64_MAX / 2 / l->batches))
        fault_set(&fault, E_ARGUMENT,
                  "loader_seek: epoch %" PRId64 " is out of range; expected 0 to %" PRId64, place.epoch,
                  INT64_MAX / 2 / l->batches - 1);
    if (!fault.set && (place.batch < 0 || place.batch > l->batches))
        fault_set(&fault, E_INDEX, "loader_seek: batch %" PRId64 " is out of bounds; expected 0..%" PRId64,
                  place.batch, l->batches);
    if (error) *error = tensor_failure(&fault);
    if (fault.set) return false;
    loader_restart(l, place.seed, place.epoch * l->batches + place.batch, place.batch == l->batches);
    return true;
}
