/* An engine for tests: lowers each kernel to nests, renders them, and runs the program on a device (device.h). */
#ifndef TESTS_SUPPORT_TEXT_ENGINE_H
#define TESTS_SUPPORT_TEXT_ENGINE_H
#include "tests/support/device.h"

/* Use it on this thread until ty_use_engine is called.  Kernels without a text run on `cpu`. */
void text_engine_use(struct device *d);
/* Return the number of kernels that ran as texts. */
int64_t text_engine_made(void);
#endif
