/* Results of a run of the demonstration, in memory shared by the command and its child processes. */
#ifndef TOOLS_TRAIN_DEMO_H
#define TOOLS_TRAIN_DEMO_H
#include <stdint.h>
#include <tyto/graph.h>
#include <tyto/nn.h>
#include "tools/train/curves.h"

enum { DEMO_COMPARED = 50, DEMO_KEPT = 64 };

/* Settings and results of one run. */
struct demo_run {
    const char *name;
    bool eager;
    int64_t steps;            /* requested number of steps */
    double losses[DEMO_KEPT]; /* losses of the first steps */
    struct curve curve;
    int64_t done;
    double last_loss, ms, seconds, accuracy, peak_mb;
    ty_report report;    /* report on the compiled step */
    char sentence[1024]; /* reason of a failure, or "" */
};

/* Train in this process and fill `run`, whose sentence tells a failure; drawings of a compiled step go to
   `folder`. */
void demo_train(struct demo_run *run, const char *folder);
/* Print the table, draw the curves in `folder`, and return the exit status: failed if accuracy or loss
   curves miss their bounds. */
int demo_report(const struct demo_run *eager, const struct demo_run *compiled, const char *folder);
#endif
