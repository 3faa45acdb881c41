/* Random graphs of 5 to 40 operators on f32; equal seeds make equal graphs. */
#ifndef TESTS_SUPPORT_RANDOM_GRAPHS_H
#define TESTS_SUPPORT_RANDOM_GRAPHS_H
#include <tyto/tyto.h>

enum { RANDOM_INPUTS = 5, RANDOM_RESULTS = 3 + RANDOM_INPUTS };

/* Write random values of all inputs. */
void random_inputs(ty_tensor **values);
/* Write the last result, two others, and with `gradients` the gradients of their sum by each input.
   Returns their number. */
int random_results(uint64_t seed, ty_tensor *const *inputs, bool gradients, ty_tensor **results);
#endif
