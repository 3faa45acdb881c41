/* The passes over graphs and flows. */
#ifndef COMPILE_PASSES_H
#define COMPILE_PASSES_H
#include <tyto/graph.h>
#include "base/machine/debug.h"
#include "compile/passes/rewrite.h"
#include "compile/flow/flow.h"
#include "compile/page/page.h"

/* Run the graph passes until none acts, for three rounds at most, and record them in `story`, which may
   be NULL. False after a fault, which is in g->fault. */
bool passes_graph(struct graph *g, struct page_story *story);
/* Run the passes over kernels. options->no_fuse omits guards, fuse and rows; no_reuse and incremental
   omit boxes. False after a fault. */
bool passes_flow(struct flow *f, const ty_compile_options *options, bool groups, ty_report *report,
                 struct page_story *story, struct fault *fault);

/* Convert kernels that copy to positions (padding, concatenation) into elementwise kernels with index maps
   (passes/guards.h). False after a fault. */
bool pass_guards(struct flow *f, ty_report *report, struct fault *fault);
/* Merge elementwise kernels with each other and into other kernels. False after a fault. */
bool pass_fuse(struct flow *f, ty_report *report, struct fault *fault);
/* Have kernels write their parts of a concatenation where they belong in its result. False after a fault. */
bool pass_boxes(struct flow *f, ty_report *report, struct fault *fault);
/* Test hook: boxes are used for runs of at least `run` bytes; 0: the default. */
void boxes_force(int64_t run);
/* Check indices by kernels of their own where that lets more kernels write over variables. False after a fault. */
bool pass_checks(struct flow *f, ty_report *report, struct fault *fault);
/* Have the kernel that computes a variable's next value write it in place, or add a copy. False after a
   fault. */
bool pass_update(struct flow *f, ty_report *report, struct fault *fault);
/* Order the kernels so that dependences hold and little memory is alive at once. False after a fault. */
bool pass_order(struct flow *f, ty_report *report, struct fault *fault);

/* Merge kernels that process memory row by row. The kernels stay in an executable order. False after a
   fault. */
bool pass_rows(struct flow *f, ty_report *report, struct fault *fault);

/* Print the time of pass `name`, such as "tyto: fold 1.240 ms", to stderr if TY_DEBUG is above 0. since:
   debug_clock() at the start. */
void debug_pass(const char *name, double since);
#endif
