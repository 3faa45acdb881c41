/*
 * Runs rendered programs in tests, without an engine: on the first device of an OpenCL library, or as C99 through the
 * compiler of the machine. Both load their library at run time.
 */
#ifndef TESTS_SUPPORT_DEVICE_H
#define TESTS_SUPPORT_DEVICE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/text/text.h"

/* Memory of a slot, which a step reads and writes. */
struct device_memory {
    void *data;
    size_t bytes;
    uint64_t origin; /* byte at which the slot's element 0 lies */
};
struct device;

/* Return the OpenCL device, or NULL with the reason in words. One is opened for the process. */
struct device *device_opencl(const char **why);
/* Return the C99 compiler, or NULL with the reason in words. */
struct device *device_c99(const char **why);
/* Run a test on the device that `find` returns.  Without one, or where allocations fail, print why and skip it. */
void device_test(void run(struct device *d), struct device *(*find)(const char **why));
const struct text_dialect *device_dialect(const struct device *d);
/* Build a program and run all of its steps on memory[slot]; data is copied to the device and back. False with a message
   in words[room] if it cannot be built or run. A step that refuses ends the run: *cell is the error
   cell of step 1 of the run, without the value, *step its number. */
bool device_run(struct device *d, const struct text_program *p, const struct device_memory *memory, int slots,
                struct text_cell *cell, int *step, char *words, size_t room);
#endif
