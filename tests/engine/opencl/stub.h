/*
 * A library of OpenCL for tests, without a device.  Commands run when they are given, and the only kernel, `copy`,
 * copies words.  Each object is counted, and each call of an entry point can be made to fail.
 */
#ifndef TESTS_ENGINE_OPENCL_STUB_H
#define TESTS_ENGINE_OPENCL_STUB_H
#include <stdbool.h>
#include <stdint.h>

struct stub {
    /* Set by tests. */
    int platforms, devices; /* devices of each platform */
    uint64_t memory, local; /* bytes of a device */
    bool no_doubles, no_compiler;
    const char *driver; /* its version */
    int64_t fail_at;    /* the n-th call from now fails with `code`; 0: none */
    int32_t code;
    bool later; /* commands do not fail when they are given, but when they run */
    bool lost;  /* all calls fail with CL_DEVICE_NOT_AVAILABLE after the one that failed */
    bool refuses_binaries;
    /* Counted. */
    int64_t calls, live, built, loaded; /* live: objects; built: programs from text; loaded: from binaries */
    const char *failed;                 /* entry point of the call that failed; NULL: none */
};
/* Symbol `stub` of the library. */
extern struct stub stub;
#endif
