/*
 * Loaders.  Batches have numbers, epoch after epoch; a ring of slots holds those that are being made, from the next to be
 * handed out on.  A thread takes one example of the first slot that has any left, makes it, and copies it to its row of
 * the batch; whoever finishes a batch wakes the one who waits for it.  The caller of ty_loader_next does the same while
 * its batch lacks examples that nobody has begun; so a loader without threads is one whose caller does it all.
 *
 * One static lock guards all loaders, for moments, so that a fork leaves them whole.  The child has no threads: what they
 * had begun is made again.
 */
#ifndef DATA_LOADER_H
#define DATA_LOADER_H
#include <pthread.h>
#include <tyto/data.h>
#include "base/lock.h"
#include "data/dataset.h"
#include "data/draw.h"

enum state { STATE_LEFT, STATE_BEGUN, STATE_MADE };

/* A batch that is being made. */
struct slot {
    int64_t number;      /* of the batch; -1: free */
    int64_t count, left; /* examples; those that are not made */
    int64_t next;        /* none before it is left to begin */
    uint8_t *states;     /* of each example */
    ty_tensor *parts[TY_MOST_FIELDS];
    bool differs; /* examples do not have the same forms */
    int64_t bad;  /* place of the first example with a fault; -1: none */
    struct fault fault;
};

struct ty_loader {
    struct fault fault;
    ty_dataset *set;
    ty_loader_options options;
    ty_image_step *steps[2]; /* of fields 0 and 1 */
    const char *engine;
    int64_t epoch_size, batch, batches; /* examples, examples a batch, batches of an epoch */
    int nslots, nthreads;
    struct slot *slots;
    pthread_t *threads;
    pthread_cond_t work,
        made;             /* something to begin, or to end for; a batch or the last begun example is made */
    int64_t next;         /* number of the batch to hand out */
    bool pausing;         /* the end of an epoch was not told yet */
    int busy;             /* threads that are at an example */
    bool stopped, ending; /* nothing is to be begun; threads end */
    struct ty_loader *newer, *older; /* in the list of all loaders */
};

/* One example that was taken. */
struct job {
    struct slot *slot;
    int64_t number, place;
};

/* Examples of batch `number`. */
int64_t loader_count(const ty_loader *loader, int64_t number);
/* Makes an example without a lock: its rows of the slot's parts. */
void loader_make(ty_loader *loader, struct job job);
/* The sentence of a batch whose examples have different forms, found by making them again. */
void loader_explain(const ty_loader *loader, int64_t number, struct fault *fault);

/* Starts threads, as many as can be had; joins them. */
void loader_start(ty_loader *loader);
void loader_join(ty_loader *loader);
/* Waits until no thread is at an example, and forgets what was made; the place is `next` from then on. */
void loader_restart(ty_loader *loader, uint64_t seed, int64_t next, bool pausing);
/* Waits for the next batch, helps with it, and hands its parts over: tensors with a reference each, or a sentence. */
bool loader_await(ty_loader *loader, ty_tensor **parts, struct fault *fault);
/* Installs parts that were made for a slot, unless others did before; false: they are to be dropped. */
bool loader_install(struct slot *slot, ty_tensor *const *parts, int n);
void loader_differs(struct slot *slot);
void loader_blame(struct slot *slot, int64_t place, const struct fault *fault);
#endif
