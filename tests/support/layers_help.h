/* Operands for tests of layers: described in text, filled by a formula that tests/goldens/layers.py shares. */
#ifndef TESTS_SUPPORT_LAYERS_HELP_H
#define TESTS_SUPPORT_LAYERS_HELP_H
#include "tests/support/nn_help.h"

/* A name and a shape, as in "weight 3 4". "%7 2 4" has no name: integers below 7. */
struct layers_form {
    char name[64];
    int rank, modulus;
    int64_t shape[8];
};
/* Parse the part of `text` before ';', as in "weight 3 4;bias 3", with a name of less than 64 bytes.  Returns the
   rest, or NULL. */
const char *layers_form(const char *text, struct layers_form *form);
/* Return an f64 tensor whose element i is factor * sin(1.3 i + 0.7 (salt + 1) + 0.2 (i mod 7)) + shift. */
ty_tensor *layers_fill(int rank, const int64_t *shape, int salt, double factor, double shift);
/* Make the operands of a description, variables unless they are integers; returns their number. */
int layers_operands(const char *text, bool lazy, ty_tensor **x);
#endif
