/* Programs as HTML pages: the parts that write the page's JSON. */
#ifndef COMPILE_PAGE_PAGE_H
#define COMPILE_PAGE_PAGE_H
#include <tyto/profile.h>
#include "base/map.h"
#include "compile/flow/flow.h"
#include "compile/memory/memory_plan.h"
#include "graph/walk.h"

/* The text of page.html, as an array made by the build (cmake/Page.cmake). */
extern const unsigned char page_template[];

/* State shared by all kernels of a page. */
struct page {
    const ty_profile *profile; /* may be NULL; `rows` maps profile_key(name) to its row */
    struct map rows;
    /* the engine's descriptions of kernels, each once; plan_of maps prepared kernels to indices in it */
    struct text plans;
    struct map plan_of;
    int nplans;
};

/* Append f as a JSON object with kernels, blocks, memory regions of the plan and the routines inside kernels. */
void page_flow(struct text *t, const struct flow *f, const struct memory_plan *plan, struct page *page);

/*
 * The history of a compilation, kept for ty_compile_options.keep_graph, as members of a JSON object. "before"
 * and "after" are the graphs around the graph passes. "passes" has the number of changes of each pass and the
 * nodes left, "lowered" the kernels after each later pass. All functions ignore a NULL story.
 */
struct page_story {
    struct text text;
    bool opened; /* the list has an entry already */
};
/* Append a graph with n outputs as member `name` of the story. story NULL: do nothing. */
void story_graph(struct page_story *story, const char *name, const struct walk *w, int n,
                 ty_tensor *const *roots);
/* Open the list named `list` in the story's JSON object. story NULL: do nothing. */
void story_open(struct page_story *story, const char *list);
/* Append an entry for a pass to the open list. acted: changes by the pass; count: nodes or kernels after it.
   story NULL: do nothing. */
void story_row(struct page_story *story, const char *pass, int64_t acted, int64_t count);
/* Close the list that story_open opened. story NULL: do nothing. */
void story_close(struct page_story *story);
/* True if the story's text is complete, or story is NULL. False, with a fault, if there was no memory for it. */
bool story_end(const struct page_story *story, struct fault *fault);
#endif
