#include "base/threads/thread_end.h"
#include <pthread.h>

static pthread_key_t key; /* not NULL on a thread with a non-empty list */
static bool made;
static _Thread_local struct thread_end *newest;

/* Call the hooks of the ending thread, newest first. A hook may call the library and so list another one. */
static void end_all(void *unused) {
    (void)unused;
    while (newest) {
        struct thread_end *what = newest;
        newest = what->older;
        what->listed = false;
        what->end();
    }
}

__attribute__((constructor)) static void begin(void) { made = !pthread_key_create(&key, end_all); }
__attribute__((destructor)) static void end(void) {
    if (made) pthread_key_delete(key);
}

bool thread_at_end(struct thread_end *what) {
    if (what->listed) return true;
    if (!made || pthread_setspecific(key, &key)) return false;
    what->listed = true;
    what->older = newest;
    newest = what;
    return true;
}
