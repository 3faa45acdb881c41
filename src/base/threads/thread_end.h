/* Hooks that run when a thread ends, to free its thread-local objects. */
#ifndef BASE_THREAD_END_H
#define BASE_THREAD_END_H
#include <stdbool.h>

/* A _Thread_local hook.  `end` runs on the ending thread, whose thread-local variables still exist.  The hook
   listed last runs first. */
struct thread_end {
    void (*end)(void);
    bool listed;
    struct thread_end *older;
};
/* Have what->end() called when the calling thread ends; listing it again does nothing. False if the system
   has no memory for it; it is not called then. */
bool thread_at_end(struct thread_end *what);
#endif
