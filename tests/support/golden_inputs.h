/* Inputs like those of tests/goldens/make.py: names, dtypes and shapes are the same, numbers need not be. */
#ifndef TESTS_SUPPORT_GOLDEN_INPUTS_H
#define TESTS_SUPPORT_GOLDEN_INPUTS_H
#include "array/tensor.h"

enum { GOLDEN_INPUTS = 18 };
void golden_inputs(const char *names[GOLDEN_INPUTS], ty_tensor *values[GOLDEN_INPUTS]);
#endif
