/* A program as a page of HTML: what its parts add to the JSON that stands in the page. */
#ifndef COMPILE_PAGE_PAGE_H
#define COMPILE_PAGE_PAGE_H
#include <tyto/profile.h>
#include "base/map.h"
#include "compile/flow/flow.h"
#include "compile/memory/memory_plan.h"
#include "graph/walk.h"

/* page.html, which the build makes an array of (cmake/Page.cmake). */
extern const unsigned char page_template[];

/* What the kernels of a page share. */
struct page {
    const ty_profile *profile; /* NULL: none; its rows by their names */
    struct map rows;
    struct text plans; /* what the engine says of kernels, each once: by what was prepared for them */
    struct map plan_of;
    int nplans;
};

/* Adds an object: kernels, blocks, places, and the routines inside of kernels. */
void page_flow(struct text *t, const struct flow *f, const struct memory_plan *plan, struct page *page);
/* Adds an object: the nodes of a graph, and bodies where they are run first. */
void page_graph(struct text *t, const struct walk *w, int n, ty_tensor *const *roots);

/*
 * What ty_compile_options.keep_graph keeps of compiling, as members of JSON: "before" and "after", the graphs around the
 * graph passes; "passes", how often each acted and what it left; "lowered", kernels after each pass over these.  Each
 * function does nothing where `story` is NULL.
 */
struct page_story {
    struct text text;
    bool opened; /* a row of the list stands there already */
};
void story_graph(struct page_story *story, const char *name, const struct walk *w, int n,
                 ty_tensor *const *roots);
void story_open(struct page_story *story, const char *list);
/* count: nodes or kernels after the pass. */
void story_row(struct page_story *story, const char *pass, int64_t acted, int64_t count);
void story_close(struct page_story *story);
/* False after a fault: no memory. */
bool story_end(const struct page_story *story, struct fault *fault);
#endif
