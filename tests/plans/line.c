/* Prints a plan in one line. */
#include <inttypes.h>
#include "contract/loops.h"
#include "tests/plans/plans.h"

const char plans_head[] =
    "# What the contraction compiler decides, one line for each contraction and machine (tests/plans makes "
    "it;\n"
    "# ./dev plans shows what a change moves, ./dev plans --accept writes it anew).  Columns:\n"
    "#\n"
    "#   contraction   equation with sizes, or layer of a network; #2: its second part\n"
    "#   machine       and threads (tests/plans/machines.c)\n"
    "#   primitive     swapped: left is the caller's right operand\n"
    "#   dimensions    type and size, as the passes leave them; the first M is M0, the second M1\n"
    "#   loops         outermost first, each with its step; *: threads share it; spans: sums of K apart\n"
    "#   box           what the primitive computes at once, in its order\n"
    "#   left, right   read in place, or copied: panels, footprint, whole; @i: kept for a step of loop i,\n"
    "#                 @all: to the end\n"
    "#   out           past: written past the caches\n"
    "#   time          predicted, of all threads\n";

static const char *const primitive_names[] = {"gemm", "brgemm", "lanes", "flat", "scalar"};
static const char *const packing_names[] = {"in place", "panels", "footprint", "whole"};

/* Append a name such as "M0"; the number counts dimensions of its type, and is omitted if there is one
   only. */
static void add_name(const ty_contraction *c, int dim, struct text *to) {
    int before = 0, all = 0;
    for (int d = 0; d < c->ndims; d++) {
        if (c->dims[d].type != c->dims[dim].type) continue;
        all++;
        before += d < dim;
    }
    text_add(to, "%c", "CMNK"[c->dims[dim].type]);
    if (all > 1) text_add(to, "%d", before);
}

static void add_loops(const ty_contraction *c, int begin, int end, struct text *to) {
    for (int i = begin; i < end; i++) {
        text_add(to, " ");
        add_name(c, c->loops[i].dim, to);
        text_add(to, ":%" PRId64 "%s", c->loops[i].step, c->loops[i].exec == TY_EXEC_SHARED ? "*" : "");
    }
}

static void add_packing(const ty_contraction *c, int side, struct text *to) {
    text_add(to, " %s", packing_names[c->packing[side].kind]);
    if (c->packing[side].kind == TY_PACK_NONE) return;
    if (c->packing[side].loop < 0)
        text_add(to, "@all");
    else
        text_add(to, "@%d", c->packing[side].loop);
}

void plans_describe(const ty_contraction *c, struct text *to) {
    int walked = contraction_walked(c);
    text_add(to, "%s%s |", primitive_names[c->primitive], c->swapped ? " swapped" : "");
    for (int d = 0; d < c->ndims; d++)
        text_add(to, " %c%" PRId64, "CMNK"[c->dims[d].type], c -> dims[d].size);
    text_add(to, " | loops");
    add_loops(c, 0, walked, to);
    if (c->spans > 1) text_add(to, " spans %" PRId64, c->spans);
    text_add(to, " | box");
    add_loops(c, walked, c->nloops, to);
    text_add(to, " | left");
    add_packing(c, TY_LEFT, to);
    text_add(to, ", right");
    add_packing(c, TY_RIGHT, to);
    text_add(to, "%s | %.3g ms", c->bypass ? ", out past" : "", 1e3 * c->seconds);
}
