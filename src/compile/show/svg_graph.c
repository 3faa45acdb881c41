/*
 * Programs as SVG without Graphviz: layers by longest path (Sugiyama, Tagawa & Toda 1981), order within a
 * layer by sweeps of the barycentre rule, edges as curves. Leaves are shown inside the boxes that read them,
 * so only kernels are laid out.
 */
#include "base/alloc.h"
#include "compile/show/describe.h"

enum { BOX = 310, LINE = 14, GAP_X = 30, GAP_Y = 46, MARGIN = 30, SWEEPS = 8, DRAWN = 400 };

/* A kernel's box. */
struct node {
    int layer, lines;
    double x, wish; /* centre; mean centre of its neighbours */
};

/* State of one drawing. */
struct picture {
    struct text *t;
    const struct flow *f;
    struct node *nodes;
    int *order; /* kernels by layer, then by x */
    unsigned char *phases;
    double *top; /* y of each layer */
    int n, nlayers;
};

/* Return the next kernel after `after` that writes elements of input i of kernel k, or -1. */
static int next_writer(const struct picture *p, int k, int i, int after) {
    return flow_next_writer(p->f, &p->f->kernels[k].inputs[i], after, k);
}

static int reads_leaf(const struct picture *p, const struct kernel *k, int i) {
    return p->f->blocks[k->inputs[i].slot].writer < 0;
}

/* Compute the layer of each kernel, one below its producers, its lines of text and the number of layers. */
static void find_layers(struct picture *p) {
    for (int k = 0; k < p->n; k++) {
        const struct kernel *kernel = &p->f->kernels[k];
        int leaves = 0;
        for (int i = 0; i < kernel->ninputs; i++) {
            int writer = next_writer(p, k, i, -1);
            leaves += writer < 0;
            for (; writer >= 0; writer = next_writer(p, k, i, writer))
                if (p->nodes[writer].layer >= p->nodes[k].layer)
                    p->nodes[k].layer = p->nodes[writer].layer + 1;
        }
        p->nodes[k].lines = 1 + kernel->noutputs + leaves;
        if (p->nodes[k].layer >= p->nlayers) p->nlayers = p->nodes[k].layer + 1;
    }
}

/* Sort the numbers of kernels in p->order by layer and wish (the wished position), by stable insertion, as
   there are DRAWN at most. */
static void sort_layers(struct picture *p) {
    for (int i = 1; i < p->n; i++) {
        int k = p->order[i], at = i;
        const struct node *a = &p->nodes[k];
        for (; at > 0; at--) {
            const struct node *b = &p->nodes[p->order[at - 1]];
            if (b->layer < a->layer || (b->layer == a->layer && b->wish <= a->wish)) break;
            p->order[at] = p->order[at - 1];
        }
        p->order[at] = k;
    }
}

/* Place the boxes of each layer from left to right, as close to their wishes as possible. */
static void place_layers(struct picture *p) {
    for (int i = 0; i < p->n;) {
        int layer = p->nodes[p->order[i]].layer, first = i;
        double shift = 0, next = -1e18;
        for (; i < p->n && p->nodes[p->order[i]].layer == layer; i++) {
            struct node *node = &p->nodes[p->order[i]];
            node->x = node->wish > next ? node->wish : next;
            next = node->x + BOX + GAP_X;
            shift += node->wish - node->x;
        }
        for (int j = first; j < i; j++) p->nodes[p->order[j]].x += shift / (i - first);
    }
}

/* Return the mean position of the producers (if `down`, else of the readers) of kernel k; without any, its
   own position. */
static double barycentre(const struct picture *p, int k, bool down) {
    const struct kernel *kernel = &p->f->kernels[k];
    double sum = 0;
    int count = 0;
    for (int i = 0; down && i < kernel->ninputs; i++) {
        for (int w = next_writer(p, k, i, -1); w >= 0; w = next_writer(p, k, i, w))
            sum += p->nodes[w].x, count++;
    }
    for (int i = 0; !down && i < kernel->noutputs; i++) {
        int block = kernel->outputs[i].slot;
        for (int u = p->f->use_start[block]; u < p->f->use_start[block + 1]; u++)
            if (p->f->use_kernel[u] < p->n) sum += p->nodes[p->f->use_kernel[u]].x, count++;
    }
    return count ? sum / count : p->nodes[k].x;
}

/* Place all boxes: layers from top to bottom, positions in them by sweeps towards the neighbours' mean. */
static void arrange(struct picture *p) {
    find_layers(p);
    for (int k = 0; k < p->n; k++) p->order[k] = k;
    sort_layers(p);
    place_layers(p);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int k = 0; k < p->n; k++) p->nodes[k].wish = barycentre(p, k, sweep % 2 == 0);
        sort_layers(p);
        place_layers(p);
    }
    double least = 1e18;
    for (int k = 0; k < p->n; k++) least = p->nodes[k].x < least ? p->nodes[k].x : least;
    for (int k = 0; k < p->n; k++) p->nodes[k].x += MARGIN + BOX / 2 - least;
    for (int k = 0; k < p->n; k++) {
        double *below = &p->top[p->nodes[k].layer + 1], height = p->nodes[k].lines * LINE + 10 + GAP_Y;
        if (height > *below) *below = height;
    }
    p->top[0] = MARGIN;
    for (int i = 0; i < p->nlayers; i++) p->top[i + 1] += p->top[i];
}

/* ---- drawing ---- */

static double top_of(const struct picture *p, int k) { return p->top[p->nodes[k].layer]; }
static double bottom_of(const struct picture *p, int k) {
    return top_of(p, k) + p->nodes[k].lines * LINE + 10;
}

/* Draw the edge from kernel `writer` to kernel k, with shape and dtype of the operand that k reads. */
static void draw_edge(const struct picture *p, int writer, int k, const struct operand *x_read) {
    double x = p->nodes[writer].x, y = bottom_of(p, writer), u = p->nodes[k].x, v = top_of(p, k),
           bend = (v - y) / 2;
    text_add(p->t,
             "<path d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\" fill=\"none\" stroke=\"#888888\" "
             "marker-end=\"url(#tip)\"><title>",
             x, y, x, y + bend, u, v - bend, u, v);
    describe_operand(p->t, x_read);
    text_add(p->t, "</title></path>\n");
}

/* Draw the edges into kernel k. */
static void draw_edges(const struct picture *p, int k) {
    const struct kernel *kernel = &p->f->kernels[k];
    for (int i = 0; i < kernel->ninputs; i++) {
        for (int writer = next_writer(p, k, i, -1); writer >= 0; writer = next_writer(p, k, i, writer))
            draw_edge(p, writer, k, &kernel->inputs[i]);
    }
}

/* Draw the next line of text, `words`, in the box of kernel k, and free `words`. *line, the number of lines
   before, is advanced; `style` has SVG attributes. */
static void draw_line(const struct picture *p, int k, int *line, const char *style, struct text *words) {
    char *taken = text_take(words);
    text_add(p->t, "<text x=\"%.1f\" y=\"%.1f\"%s>", p->nodes[k].x, top_of(p, k) + 4 + LINE * ++*line, style);
    if (taken) describe_xml(p->t, taken);
    text_add(p->t, "</text>\n");
    p->t->failed |= !taken;
    mem_free(taken);
}

static const char *const phase_fills[] = {"", "#3b78d8", "#d8803b", "#3ba55d"};

/* Draw the box of kernel k with its name, results and leaves. */
static void draw_kernel(const struct picture *p, int k) {
    static const char *const fills[] = {
        [KERNEL_MAP] = "#e8f0fe", [KERNEL_CONTRACT] = "#fde8d8", [KERNEL_REDUCE] = "#e6f4ea"};
    const struct kernel *kernel = &p->f->kernels[k];
    const char *fill =
        kernel->kind < sizeof fills / sizeof *fills && fills[kernel->kind] ? fills[kernel->kind] : "#f3e8fd";
    struct text words = {0};
    int line = 0;
    text_add(
        p->t,
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" rx=\"5\" fill=\"%s\" stroke=\"#555555\"/>\n",
        p->nodes[k].x - BOX / 2, top_of(p, k), BOX, p->nodes[k].lines * LINE + 10, fill);
    if (p->phases[k])
        text_add(
            p->t,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"5\" height=\"%d\" fill=\"%s\"><title>%s</title></rect>\n",
            p->nodes[k].x - BOX / 2 + 1, top_of(p, k) + 4, p->nodes[k].lines * LINE + 2,
            phase_fills[p->phases[k]], phase_names[p->phases[k]]);
    text_add(&words, "%d: ", k);
    describe_kernel(&words, kernel);
    draw_line(p, k, &line, " font-weight=\"bold\"", &words);
    for (int i = 0; i < kernel->noutputs; i++) {
        enum block_kind kind = p->f->blocks[kernel->outputs[i].slot].kind;
        describe_operand(&words, &kernel->outputs[i]);
        if (kind == BLOCK_OUTPUT) text_add(&words, " output");
        if (kind == BLOCK_UPDATE) text_add(&words, " update ");
        if (kind == BLOCK_UPDATE) describe_block(&words, p->f, kernel->outputs[i].slot);
        draw_line(p, k, &line, kind == BLOCK_TEMPORARY ? "" : " fill=\"#0000cc\"", &words);
    }
    for (int i = 0; i < kernel->ninputs; i++) {
        if (!reads_leaf(p, kernel, i)) continue;
        describe_block(&words, p->f, kernel->inputs[i].slot);
        text_add(&words, " ");
        describe_operand(&words, &kernel->inputs[i]);
        draw_line(p, k, &line, " fill=\"#666666\" font-style=\"italic\"", &words);
    }
}

/* Draw the line above the picture: colours of phases if any, and the number of kernels left out. */
static void draw_head(const struct picture *p) {
    bool told = false;
    int x = MARGIN;
    for (int k = 0; k < p->n; k++) told |= p->phases[k] != PHASE_NONE;
    for (int i = PHASE_FORWARD; told && i <= PHASE_UPDATE; i++, x += 90)
        text_add(p->t,
                 "<rect x=\"%d\" y=\"7\" width=\"10\" height=\"10\" fill=\"%s\"/>\n<text x=\"%d\" y=\"16\" "
                 "text-anchor=\"start\">%s</text>\n",
                 x, phase_fills[i], x + 14, phase_names[i]);
    if (p->n < p->f->nkernels)
        text_add(p->t,
                 "<text x=\"%d\" y=\"16\" text-anchor=\"start\">the first %d kernels; %d elided</text>\n", x,
                 p->n, p->f->nkernels - p->n);
}

/* Draw the whole picture as SVG. */
static void draw(struct picture *p) {
    double width = 0;
    for (int k = 0; k < p->n; k++) width = p->nodes[k].x > width ? p->nodes[k].x : width;
    text_add(p->t,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
             "font-size=\"11\" "
             "text-anchor=\"middle\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
             width + BOX / 2 + MARGIN, p->top[p->nlayers] + MARGIN);
    text_add(
        p->t,
        "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" "
        "markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#888888\"/></marker></defs>\n");
    for (int k = 0; k < p->n; k++) draw_edges(p, k);
    for (int k = 0; k < p->n && !p->t->failed; k++) draw_kernel(p, k);
    draw_head(p);
    text_add(p->t, "</svg>\n");
}

char *ty_program_graph_svg(const ty_program *program) {
    program = program_of(program);
    struct text t = {0};
    struct picture p = {.t = &t, .f = &program->flow, .n = program->broken.set ? 0 : program->flow.nkernels};
    if (p.n > DRAWN) p.n = DRAWN;
    size_t n = (size_t)p.n + 2, all = (size_t)program->flow.nkernels + 1;
    p.nodes = mem_array(n, sizeof *p.nodes);
    p.order = mem_array(n, sizeof *p.order);
    p.top = mem_array(n, sizeof *p.top);
    p.phases = mem_array(all, sizeof *p.phases);
    if (p.nodes && p.order && p.top && p.phases) {
        if (p.n) describe_phases(&program->flow, p.phases);
        arrange(&p);
        draw(&p);
    } else {
        t.failed = true;
    }
    mem_free(p.nodes);
    mem_free(p.order);
    mem_free(p.top);
    mem_free(p.phases);
    return text_take(&t);
}
