/* The order of the passes is the order of these tables. */
#include "compile/passes.h"
#include "array/progress.h"
#include "base/context/stop.h"
#include "graph/walk.h"

enum { ROUNDS = 3 };

static const struct {
    const char *name;
    bool (*run)(struct graph *g);
} graph_passes[] = {
    {"fold", pass_fold}, /* first, so that others see constants */
    {"algebra", pass_algebra},
    {"cse", pass_cse},     /* algebra makes nodes equal */
    {"loops", pass_loops}, /* last: loops are compared by their operands */
};

static bool pass_classes(struct flow *f, ty_report *report, struct fault *fault) {
    (void)report;
    return flow_classify(f, fault);
}

/* Pass: rewrite operands of boxes as operands of the larger blocks. It runs last: until then each box is a
   block of its own. False, with the fault set, on failure. */
static bool lay(struct flow *f, ty_report *report, struct fault *fault) {
    (void)report;
    return flow_lay_boxes(f, fault);
}

static const struct {
    const char *name;
    bool (*run)(struct flow *f, ty_report *report, struct fault *fault);
} flow_passes[] = {
    {"classes", pass_classes}, /* before passes that merge kernels */
    {"guards", pass_guards},   /* before fuse, which merges its kernels */
    {"classes", pass_classes}, /* guards adds blocks */
    {"fuse", pass_fuse},
    {"boxes", pass_boxes},   /* after fuse: the writer of each value is known */
    {"checks", pass_checks}, /* likewise */
    {"update", pass_update},
    {"order", pass_order},
    {"classes", pass_classes}, /* update adds blocks */
    {"rows", pass_rows},       /* after order: related kernels are neighbours */
    {"lay", lay},
};

/* Return the number of changes that graph passes have made so far. */
static int64_t acted(const ty_report *r) { return r->folded + r->simplified + r->merged; }

/* Verify the graph after a pass, in debug builds; in others do nothing. False, with the fault set, if it is
   invalid. */
static bool verify(struct graph *g) {
#ifdef NDEBUG
    (void)g;
    return true;
#else
    struct walk w = {0};
    bool well = walk_order(&w, g->n, g->roots, g->fault) && graph_verify(&w, g->fault);
    walk_drop(&w);
    return well;
#endif
}

/* Record the pass, which made acted() - `before` changes, and the present number of nodes in the story, which
   may be NULL. False, with the fault set, on failure. */
static bool tell(struct page_story *story, const char *pass, int64_t before, const struct graph *g) {
    struct walk w = {0};
    bool done = !story || walk_order(&w, g->n, g->roots, g->fault);
    if (done) story_row(story, pass, acted(g->report) - before, w.count);
    walk_drop(&w);
    return done;
}

bool passes_graph(struct graph *g, struct page_story *story) {
    int64_t before = -1;
    for (int round = 0; round < ROUNDS && acted(g->report) - g->alike != before; round++) {
        before = acted(g->report) - g->alike;
        for (size_t i = 0; i < sizeof graph_passes / sizeof *graph_passes; i++) {
            double start = debug_clock();
            int64_t until = acted(g->report);
            if (!stop_check(g->fault) || !graph_passes[i].run(g) || !verify(g) ||
                !progress_occasion(g->fault))
                return false;
            if (!tell(story, graph_passes[i].name, until, g)) return false;
            debug_pass(graph_passes[i].name, start);
        }
    }
    return true;
}

bool passes_flow(struct flow *f, const ty_compile_options *options, bool groups, ty_report *report,
                 struct page_story *story, struct fault *fault) {
    for (size_t i = 0; i < sizeof flow_passes / sizeof *flow_passes; i++) {
        double start = debug_clock();
        bool fuses = flow_passes[i].run == pass_fuse || flow_passes[i].run == pass_rows ||
                     flow_passes[i].run == pass_guards;
        if (options->no_fuse && fuses) continue;
        if (!groups && flow_passes[i].run == pass_rows) continue;
        /* the writers of one block must run together, which an incremental program does not ensure */
        if ((options->no_reuse || options->incremental) && flow_passes[i].run == pass_boxes) continue;
        int before = f->nkernels;
        if (!stop_check(fault) || !flow_passes[i].run(f, report, fault) || !progress_occasion(fault))
            return false;
        story_row(story, flow_passes[i].name, before - f->nkernels, f->nkernels);
        debug_pass(flow_passes[i].name, start);
    }
    return true;
}
