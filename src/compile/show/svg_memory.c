/*
 * Memory plans as SVG: kernels in order from left to right, offsets from top to bottom, a coloured rectangle
 * per region. Tooltips list the blocks of a region; a red line marks the lower bound.
 */
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "compile/show/describe.h"

enum { WIDTH = 1000, HEIGHT = 560, LEFT = 90, TOP = 60, RIGHT = 30, BOTTOM = 60, TICKS = 8 };

struct canvas {
    struct text *t;
    const struct ty_program *p;
    double column, row; /* pixels per kernel; pixels per byte */
};

static double y_of(const struct canvas *c, int64_t offset) { return TOP + (double)offset * c->row; }
static double x_of(const struct canvas *c, int kernel) { return LEFT + kernel * c->column; }

/* Append the names and results of the kernels that write to a region of memory. */
static void add_tenants(const struct canvas *c, int region) {
    const struct flow *f = &c->p->flow;
    for (int k = c->p->plan.regions[region].first; k <= c->p->plan.regions[region].last; k++) {
        for (int i = 0; i < f->kernels[k].noutputs; i++) {
            if (c->p->plan.of_block[f->kernels[k].outputs[i].slot] != region) continue;
            text_add(c->t, "b%d ", f->kernels[k].outputs[i].slot);
            describe_operand(c->t, &f->kernels[k].outputs[i]);
            text_add(c->t, " made by kernel %d: ", k);
            describe_kernel(c->t, &f->kernels[k]);
            text_add(c->t, "&#10;");
        }
    }
}

/* Draw region i of the arena as a rectangle: kernels from left to right, addresses upwards. */
static void add_region(const struct canvas *c, int i) {
    const struct region *r = &c->p->plan.regions[i];
    double width = (r->last - r->first + 1) * c->column, height = (double)r->bytes * c->row;
    text_add(c->t,
             "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" stroke=\"#333333\" "
             "stroke-width=\"0.4\" fill=\"",
             x_of(c, r->first), y_of(c, r->offset), width, height);
    describe_colour(c->t, i, r->block < 0 ? 85 : 65);
    text_add(c->t, "\"><title>");
    if (r->block < 0)
        text_add(c->t, "workspace of kernel %d&#10;", r->first);
    else
        add_tenants(c, i);
    describe_bytes(c->t, r->bytes);
    text_add(c->t, " at %lld, kernels %d to %d</title></rect>\n", (long long)r->offset, r->first, r->last);
}

/* Return the least step of 1, 2, 5, 10, 20, .. kernels that gives at most TICKS ticks for n kernels. */
static int kernels_a_tick(int n) {
    int64_t ten = 1, step = 1;
    for (int i = 0; step * TICKS < n; i++) {
        step = ten * (int[]){2, 5, 10}[i % 3];
        if (i % 3 == 2) ten *= 10;
    }
    return (int)step;
}

/* Draw the axes; ticks are powers of two in bytes, and 1, 2 or 5 times a power of ten in kernels. */
static void add_axes(const struct canvas *c) {
    int kernels = c->p->flow.nkernels;
    int64_t bytes = c->p->plan.arena_bytes, apart = PLAN_ALIGN;
    while (apart <= bytes / TICKS) apart *= 2;
    for (int64_t offset = 0; offset <= bytes; offset += apart) {
        text_add(c->t,
                 "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n<text x=\"%d\" "
                 "y=\"%.1f\" text-anchor=\"end\">",
                 LEFT, LEFT + WIDTH, y_of(c, offset), y_of(c, offset), LEFT - 6, y_of(c, offset) + 4);
        describe_bytes(c->t, offset);
        text_add(c->t, "</text>\n");
    }
    int step = kernels_a_tick(kernels);
    for (int k = 0; k < kernels; k += step)
        text_add(c->t, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n",
                 x_of(c, k) + c->column / 2, TOP + HEIGHT + 16, k);
    text_add(c->t, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">time: kernels in order</text>\n",
             LEFT + WIDTH / 2, TOP + HEIGHT + 38);
    text_add(c->t,
             "<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">offset in the "
             "arena</text>\n",
             TOP + HEIGHT / 2);
}

/* Draw the title: size of the arena, numbers of blocks and kernels, and the comparison with the bounds. */
static void add_head(const struct canvas *c) {
    const ty_report *r = &c->p->report;
    text_add(c->t, "<text x=\"%d\" y=\"24\" font-size=\"15\">", LEFT);
    describe_bytes(c->t, r->arena_bytes);
    text_add(c->t, " for %lld blocks of %lld kernels; alive at once ", (long long)r->blocks,
             (long long)r->kernels);
    describe_bytes(c->t, r->live_bound);
    double gap = r->live_bound ? 100.0 * (double)(r->arena_bytes - r->live_bound) / (double)r->live_bound : 0;
    text_add(c->t, ", gap %.1f %%; each in bytes of its own ", gap);
    describe_bytes(c->t, r->unplanned_bytes);
    text_add(c->t, "</text>\n");
}

/* Draw a dashed line at the most bytes alive at once. */
static void add_bound(const struct canvas *c) {
    double y = y_of(c, c->p->plan.live_bound);
    text_add(c->t,
             "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#cc0000\" stroke-width=\"1.5\" "
             "stroke-dasharray=\"6 3\">"
             "<title>most bytes alive at once: no plan in this order takes less</title></line>\n",
             LEFT, LEFT + WIDTH, y, y);
    text_add(c->t,
             "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"#cc0000\">most alive at once</text>\n",
             LEFT + WIDTH, y - 5);
}

char *ty_program_memory_svg(const ty_program *p) {
    FLOATING_DEFAULT;
    p = program_of(p);
    struct text t = {0};
    struct canvas c = {&t, p, (double)WIDTH / (p->flow.nkernels ? p->flow.nkernels : 1),
                       (double)HEIGHT / (p->plan.arena_bytes ? (double)p->plan.arena_bytes : 1)};
    text_add(&t,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
             "font-size=\"11\">\n"
             "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
             LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM);
    if (p->broken.set) {
        text_add(&t, "<text x=\"%d\" y=\"24\">", LEFT);
        describe_xml(&t, p->broken.text);
        text_add(&t, "</text>\n");
    } else {
        add_head(&c);
        add_axes(&c);
        for (int i = 0; i < p->plan.nregions && !t.failed; i++) add_region(&c, i);
        add_bound(&c);
    }
    text_add(&t, "</svg>\n");
    return text_take(&t);
}
