/*
 * The engine `far`, for tests: two devices, "far:0" and "far:1", with memory of their own and queues that threads
 * execute.  They compute by `cpu`.  Each entry point can be told to fail, and a device to be slow, to lack
 * kinds and dtypes, to have little memory, or to be lost.
 */
#ifndef TESTS_SUPPORT_FAR_H
#define TESTS_SUPPORT_FAR_H
#include "ops/core/kernel/devices.h"

enum far_call {
    FAR_COUNT,
    FAR_DESCRIBE,
    FAR_OPEN,
    FAR_ALLOCATE,
    FAR_STREAM,
    FAR_RECORD,
    FAR_WAIT,
    FAR_UPLOAD,
    FAR_DOWNLOAD,
    FAR_COPY,
    FAR_ZERO,
    FAR_PREPARE,
    FAR_LAUNCH,
    FAR_CALLS
};
/* Settings of both devices; all zero: as it is at the start. */
struct far_settings {
    uint64_t kinds;                        /* bit k: kernels of kind k are lacking */
    uint32_t dtypes;                       /* bit d: dtype d is lacking; read when a device is opened */
    int64_t memory;                        /* bytes; 0: 1 GiB */
    int slow;                              /* microseconds of each launch */
    bool none;                             /* there are no devices */
    bool errs;                             /* each first result of a kernel gets a wrong byte */
    bool lost;                             /* each command fails when it is executed */
    void (*shows)(const struct kernel *k); /* called before k is prepared; NULL: nothing is called */
};
extern struct far_settings far;

/* Register the engine until the end of the test, which closes its devices. */
void far_begin(void);
/* Register the engine, and let the thread compute on far:0. */
void far_use(void);
/* Let the n-th call of an entry point from now on fail, from 1; 0: none. */
void far_fail(enum far_call call, int64_t n);
/* Return the number of calls of an entry point since far_begin or the last far_fail of it. */
int64_t far_calls(enum far_call call);
/* Return the number of blocks of device memory. */
int64_t far_blocks(void);
#endif
