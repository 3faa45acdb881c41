/* Small networks and data for the tests of src/nn; everything is given back when the test ends. */
#ifndef TESTS_SUPPORT_NN_HELP_H
#define TESTS_SUPPORT_NN_HELP_H
#include "tests/support/harness.h"
#include <tyto/nn.h>

ty_model *nn_own_model(ty_model *model);
ty_trainer *nn_own_trainer(ty_trainer *trainer);
/* Every layer that has parameters or random numbers, on images (8,8,1), four classes. */
ty_model *nn_small_model(bool lazy);
/* Makes the parameters for inputs of the shape; ends the test when that fails. */
void nn_build(ty_model *model, int rank, const int64_t *shape);
/* The small model, with its parameters. */
ty_model *nn_built_model(bool lazy);
/* n images u8[n,8,8,1] of four classes that a small network can tell apart, labels u8[n]. */
void nn_small_data(int64_t n, ty_tensor **images, ty_tensor **labels);
/* A trainer of a small model on 60 images in batches of 12. */
ty_trainer *nn_small_trainer(bool lazy, ty_optimiser optimiser);
/* Takes n steps, losses[i] each; ends the test when one fails. */
void nn_steps(ty_trainer *trainer, int n, double *losses);
/* The path of a file of the test's own, removed when the test ends. */
const char *nn_file(const char *name);
#endif
