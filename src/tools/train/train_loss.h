/* Losses of tyto train. */
#ifndef TOOLS_TRAIN_TRAIN_LOSS_H
#define TOOLS_TRAIN_TRAIN_LOSS_H
#include <tyto/nn.h>
#include "tools/command.h"
#include "tools/network/labels.h"

/* Numbers of losses: the cross entropy and the mean squared error. */
enum { LOSS_OF_CLASSES, LOSS_OF_NUMBERS };
/* Type of an option whose value is a loss. */
extern const struct option_type option_loss;
/* Type of an option NAME=X that sets a number of a ty_loss_options; repeatable. */
extern const struct option_type option_loss_number;
/* Type of an option whose value is the name of an update rule: an index of ty_rules. */
extern const struct option_type option_rule;
/* Return the name of loss i; NULL if there is none. */
const char *loss_name(int i);
/* Return loss i. */
ty_loss loss_at(int i);
/* Return true if loss i compares numbers, so that its targets are not classes. */
bool loss_of_numbers(int i);
/* Return true if loss i compares scores of classes with labels, so that it may weigh classes. */
bool loss_compares_classes(int i);
/* Return weights f32 [classes] of texts such as "a=1,b=3", 1 for other classes; NULL after a message on stderr. */
ty_tensor *loss_weights(const struct option_list *texts, const struct labels *labels, int64_t classes);
#endif
