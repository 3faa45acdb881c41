/* Small networks and data for the tests of src/nn; all are freed when the test ends. */
#ifndef TESTS_SUPPORT_NN_HELP_H
#define TESTS_SUPPORT_NN_HELP_H
#include "tests/support/harness.h"
#include <tyto/nn.h>

/* Free the model when the test ends; returns it. */
ty_model *nn_own_model(ty_model *model);
/* Free the trainer when the test ends; returns it. */
ty_trainer *nn_own_trainer(ty_trainer *trainer);
/* Return a model of every layer with parameters or random numbers, on images (8,8,1), four classes. */
ty_model *nn_small_model(bool lazy);
/* Make the parameters for inputs of the shape; fails the test on error. */
void nn_build(ty_model *model, int rank, const int64_t *shape);
/* Return the small model with its parameters. */
ty_model *nn_built_model(bool lazy);
/* Return n images u8[n,8,8,1] of four classes that a small network can separate, and labels u8[n]. */
void nn_small_data(int64_t n, ty_tensor **images, ty_tensor **labels);
/* Return a trainer of a small model on 60 images in batches of 12. */
ty_trainer *nn_small_trainer(bool lazy, ty_optimiser optimiser);
/* Do n steps with their losses in losses[i]; fails the test if a step fails. */
void nn_steps(ty_trainer *trainer, int n, double *losses);
/* Return the path of a file of the test's own, removed when the test ends. */
const char *nn_file(const char *name);
#endif
