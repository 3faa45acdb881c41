/* Runs a function on a thread whose stack is too small for recursion over a long graph. */
#ifndef TESTS_SMALL_STACK_H
#define TESTS_SMALL_STACK_H
#include <pthread.h>
#include "tests/support/harness.h"

/* Call run(context) on a stack of 256 KiB, and wait for its end. */
static inline void on_small_stack(void *(*run)(void *context), void *context) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    CHECK(!pthread_create(&thread, &attributes, run, context), "no thread");
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}
#endif
