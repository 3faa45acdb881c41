/* What a run of the demonstration hands to the table: memory shared by the command and its children. */
#ifndef TOOLS_DEMO_H
#define TOOLS_DEMO_H
#include <stdint.h>
#include <tyto/graph.h>
#include <tyto/nn.h>
#include "tools/curves.h"

enum { DEMO_COMPARED = 50, DEMO_KEPT = 64 };

struct demo_run {
    const char *name;
    bool eager;
    int64_t steps;            /* wanted */
    double losses[DEMO_KEPT]; /* of the first steps */
    struct curve curve;
    int64_t done;
    double last_loss, ms, seconds, accuracy, peak_mb;
    ty_report report;   /* of the compiled step */
    char sentence[512]; /* why it failed, or "" */
};

/* Trains in this process and fills `run`; writes the drawings of a compiled step to `folder`. */
void demo_train(struct demo_run *run, const char *folder);
/* Prints the table; the exit status: failed when accuracy or curves are not as promised. */
int demo_report(const struct demo_run *eager, const struct demo_run *compiled, const char *folder);
#endif
