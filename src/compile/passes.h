/* The passes in order, and the debugging that goes with them. */
#ifndef COMPILE_PASSES_H
#define COMPILE_PASSES_H
#include <tyto/graph.h>
#include "base/debug.h"
#include "compile/passes/rewrite.h"
#include "compile/flow/flow.h"
#include "compile/page/page.h"

/* Runs the graph passes until none acts (at most a few rounds), and tells `story` (may be NULL) of each. */
bool passes_graph(struct graph *g, struct page_story *story);
/* Runs the passes over kernels: fuse and boxes unless left out, updates, order. */
bool passes_flow(struct flow *f, const ty_compile_options *options, ty_report *report,
                 struct page_story *story, struct fault *fault);

/* Makes index maps of kernels that copy to places (passes/guards.h). */
bool pass_guards(struct flow *f, ty_report *report, struct fault *fault);
/* Merges elementwise kernels with each other and into others. */
bool pass_fuse(struct flow *f, ty_report *report, struct fault *fault);
/* Lets kernels write parts of a concatenation where they belong. */
bool pass_boxes(struct flow *f, ty_report *report, struct fault *fault);
/* Tests: boxes whose runs have so many bytes are worth it; 0: as usual. */
void boxes_force(int64_t run);
/* Lets the kernel that computes a variable's next value write it, or adds a copy. */
bool pass_update(struct flow *f, ty_report *report, struct fault *fault);
/* Puts the kernels in an order that respects the edges and needs little memory. */
bool pass_order(struct flow *f, ty_report *report, struct fault *fault);

/* Takes kernels that work row by row through memory together; leaves the kernels in order. */
bool pass_rows(struct flow *f, ty_report *report, struct fault *fault);

/* "  fold            1.24 ms" when the level asks for it. */
void debug_pass(const char *name, double since);
#endif
