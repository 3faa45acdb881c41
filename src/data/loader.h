/*
 * Loaders. Batches are numbered across epochs; a ring of slots holds those in progress, beginning with the next
 * to return. A thread claims one example of the first slot with unclaimed ones, makes it, and copies it into
 * the batch. Whoever finishes a batch wakes the waiting caller. In ty_loader_next the caller makes unclaimed
 * examples of its batch itself, so a loader without threads works alike.
 *
 * One static lock guards all loaders, for short times, so that a fork finds them consistent. The child has no
 * threads; examples that they had claimed are made again.
 */
#ifndef DATA_LOADER_H
#define DATA_LOADER_H
#include <pthread.h>
#include <tyto/context.h>
#include <tyto/data.h>
#include "base/threads/lock.h"
#include "base/ring.h"
#include "data/dataset.h"
#include "data/draw.h"

enum state { STATE_LEFT, STATE_BEGUN, STATE_MADE };

/* A batch in progress. */
struct slot {
    int64_t number;      /* number of the batch; -1: slot is free */
    int64_t count, left; /* examples in the batch, and those not yet made */
    int64_t next;        /* index below which all examples are claimed */
    uint8_t *states;     /* state of each example */
    ty_tensor *parts[TY_MOST_FIELDS];
    bool differs; /* shapes or dtypes of the examples differ */
    int64_t bad;  /* index of the first failed example; -1: none */
    struct fault fault;
};

/* A loader. The static lock of all loaders guards slots, counters and flags; the rest is constant. */
struct ty_loader {
    struct fault fault;
    ty_dataset *set;
    ty_loader_options options;
    ty_image_step *steps[2]; /* steps for fields 0 and 1 */
    const char *engine;  /* of the host: examples have many sizes, and a device compiles kernels for each */
    ty_context *context; /* that of the thread that made the loader; retained */
    int64_t epoch_size, batch, batches; /* examples per epoch, examples per batch, batches per epoch */
    int nslots, nthreads;
    struct slot *slots;
    pthread_t *threads;
    /* `work`: there is an example to claim, or threads must exit. `made`: a batch, or the last claimed
       example, is finished. */
    pthread_cond_t work, made;
    int64_t next;         /* number of the next batch to return */
    bool pausing;         /* the end of the epoch has yet to be reported */
    bool awaiting;        /* the caller's thread is in loader_await, where functions of the user run */
    int busy;             /* threads that are making an example */
    bool stopped, ending; /* `stopped`: claim nothing; `ending`: threads exit */
    struct ring others;   /* ring of all loaders */
};

/* A claimed example: its slot, its batch, and its index in the batch. */
struct job {
    struct slot *slot;
    int64_t number, place;
};

/* Return the number of examples in batch `number`, counted over all epochs; the last one of an epoch may be
   smaller. */
int64_t loader_count(const ty_loader *loader, int64_t number);
/* Make the claimed example of `job` and copy it into its slot's parts, without holding the lock; failures
   go to the slot.  False if the context asked to stop: the example is not made then. */
bool loader_make(ty_loader *loader, struct job job);
/* Set the fault of batch `number`, counted over all epochs, whose examples differ in shape or dtype; makes
   them again to find the first that does. */
void loader_explain(const ty_loader *loader, int64_t number, struct fault *fault);

/* List the loader, initialise its slots and start up to l->nthreads threads; then l->nthreads is the number
   started. */
void loader_start(ty_loader *loader);
/* Stop and join the threads and remove the loader from the list. */
void loader_join(ty_loader *loader);
/* Wait until no thread makes an example, discard all batches, and continue with batch `next`, counted over
   all epochs, under the new seed. `pausing`: report the end of an epoch first. */
void loader_restart(ty_loader *loader, uint64_t seed, int64_t next, bool pausing);
/* Wait for the next batch, making examples meanwhile, and move its fields to parts[], one reference each.
   False sets the fault; then nothing is moved. The batch is skipped in any case but one: the caller's context
   asked to stop. */
bool loader_await(ty_loader *loader, ty_tensor **parts, struct fault *fault);
/* Install n tensors `parts` of a batch in its slot. Return false if another thread did so before; then the
   caller must free its own. parts NULL: return true if parts are installed. */
bool loader_install(struct slot *slot, ty_tensor *const *parts, int n);
/* Record that the examples of a batch differ in shape or dtype. */
void loader_differs(struct slot *slot);
/* Record a fault of the example at index `place` of the slot's batch; of several the lowest index
   counts. */
void loader_blame(struct slot *slot, int64_t place, const struct fault *fault);
#endif
