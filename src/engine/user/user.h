/* Engines of the user's own (<tyto/engine.h>), each as a family with one device. */
#ifndef ENGINE_USER_USER_H
#define ENGINE_USER_USER_H
#include <pthread.h>
#include <tyto/engine.h>
#include "ops/core/kernel/devices.h"

enum { USER_NAME = 14, USER_ENGINES = 16 };

/* Memory of engines of one name, which stays its own as long as the process lives: tensors, threads and programs that
   outlive an engine meet a device that is lost, or that of the next engine of this name. */
struct user_engine {
    struct device_family family;
    struct device_only only;
    ty_engine own;
    char name[USER_NAME];  /* "": not used yet */
    bool there;            /* it is registered */
    pthread_rwlock_t gate; /* calls of functions read; unregistering writes */
    _Atomic int64_t prepared, launches;
    _Atomic int64_t
        live; /* kernels, blocks and events that were made and not freed; changed inside of calls */
};

/* A call of functions of an engine. */
struct user_call {
    struct user_engine *engine;
    struct device *device;
    void *context;
    ty_engine_error error;
    int cancel;
};
/* Begin a call of functions of d's engine.  False, with the fault set, if it was unregistered. */
bool user_begin(struct user_call *c, struct device *d, struct fault *fault);
/* End it.  done: the function succeeded.  False, with the fault set, if not. */
bool user_end(struct user_call *c, bool done, const char *function, struct fault *fault);

/* Set the functions of u->family and the facts, for u->own and u->name. */
void user_fill(struct user_engine *u);
/* Kernels (kernels.c). */
bool user_prepare(struct device *d, struct kernel *k, struct arena *arena, struct fault *fault);
void user_drop(struct device *d, struct kernel *k);
bool user_launch(struct device *d, void *stream, const struct kernel *k, const struct device_place *places,
                 struct device_place workspace, const struct device_cell *cell, struct fault *fault);
void user_explain(const struct kernel *k, struct text *t);
/* Copy a few bytes of a place home, after the commands of the stream.  False, with the fault set, on failure. */
bool user_fetch(struct device *d, void *stream, void *to, struct device_place from, size_t bytes,
                struct fault *fault);
#endif
