/* What a thread leaves behind when it ends.  Whoever keeps something for a thread says here how it is given up. */
#ifndef BASE_THREAD_END_H
#define BASE_THREAD_END_H
#include <stdbool.h>

/* _Thread_local; `end` is called on the ending thread, whose thread-local variables are still there.  What was listed
   last goes first. */
struct thread_end {
    void (*end)(void);
    bool listed;
    struct thread_end *older;
};
/* Lists it, once, for the calling thread; false: the system has no room for it. */
bool thread_at_end(struct thread_end *what);
#endif
