/* Losses of tyto train. */
#ifndef TOOLS_TRAIN_LOSS_H
#define TOOLS_TRAIN_LOSS_H
#include <tyto/nn.h>

typedef ty_tensor *(*loss_function)(ty_tensor *prediction, ty_tensor *target);
/* Return the name of loss i, from 0; NULL behind the last one. */
const char *loss_name(int i);
/* Return loss i: 0 is the cross entropy, 1 the mean squared error. */
loss_function loss_at(int i);
/* Return true if loss i compares numbers, so that its targets are not classes. */
bool loss_of_numbers(int i);
/* Return the cross entropy in which classes count equally, however many of the labels, i32 [n], they have.  The weights
   are of the last call, and the scope owns them. */
loss_function loss_balanced(ty_tensor *labels, int64_t classes);
#endif
