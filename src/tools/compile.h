/* tyto compile: options of exported trainings. */
#ifndef TOOLS_COMPILE_H
#define TOOLS_COMPILE_H
#include <tyto/export_c.h>
#include "tools/network/network.h"

/* How an exported step trains: the options of tyto train. */
struct compile_training {
    bool wanted;
    int optimiser, loss; /* indices of names; -1: not given */
    double rate, decay, clip;
    uint64_t seed;
    ty_loss_options loss_options;
};
/* Write the training of a network on batches of examples to a C file; false after a message on stderr. */
bool compile_training(const struct network *n, const struct compile_training *s, int64_t batch,
                      const char *path, ty_export_options options, ty_export_report *report);
#endif
