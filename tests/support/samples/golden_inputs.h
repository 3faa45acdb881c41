/* Inputs with the names, dtypes and shapes of those in tests/goldens/make.py; values may differ. */
#ifndef TESTS_SUPPORT_GOLDEN_INPUTS_H
#define TESTS_SUPPORT_GOLDEN_INPUTS_H
#include "array/tensor.h"

enum { GOLDEN_INPUTS = 18 };
/* Fill names and values of all inputs. */
void golden_inputs(const char *names[GOLDEN_INPUTS], ty_tensor *values[GOLDEN_INPUTS]);
#endif
