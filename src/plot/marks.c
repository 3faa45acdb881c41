/* Marks as pixels.  Of many small marks, each is a copy of one of 64 that were drawn before. */
#include "plot/marks.h"
#include "base/alloc.h"
#include "plot/shapes.h"

enum {
    PARTS = 8,     /* places in a pixel, along each axis, at which marks are drawn before */
    FEW = 256,     /* fewer marks are drawn where they are, exactly */
    MOST_SIDE = 24 /* pixels of a copied mark */
};

#define A 0.11 /* half the width of the bars of plus and cross */
#define B 0.5
#define C 0.0778 /* A / sqrt(2) */
#define D 0.354  /* B / sqrt(2) */
const struct mark_outline mark_outlines[MARKS] = {
    [MARK_SQUARE] = {4,
                     {{-0.44, -0.44}, {0.44, -0.44}, {0.44, 0.44}, {-0.44, 0.44}}}, /* the area of the disc */
    [MARK_DIAMOND] = {4, {{0, -0.6}, {0.6, 0}, {0, 0.6}, {-0.6, 0}}},
    [MARK_TRIANGLE] = {3, {{0, -0.6}, {0.58, 0.42}, {-0.58, 0.42}}},
    [MARK_DOWN] = {3, {{0, 0.6}, {-0.58, -0.42}, {0.58, -0.42}}},
    [MARK_PLUS] = {12,
                   {{-A, -B},
                    {A, -B},
                    {A, -A},
                    {B, -A},
                    {B, A},
                    {A, A},
                    {A, B},
                    {-A, B},
                    {-A, A},
                    {-B, A},
                    {-B, -A},
                    {-A, -A}}},
    [MARK_CROSS] = {12,
                    {{0, -2 * C},
                     {D - C, -D - C},
                     {D + C, C - D},
                     {2 * C, 0},
                     {D + C, D - C},
                     {D - C, D + C},
                     {0, 2 * C},
                     {C - D, D + C},
                     {-D - C, D - C},
                     {-2 * C, 0},
                     {-D - C, C - D},
                     {C - D, -D - C}}},
};

static void add_outline(struct canvas *c, const struct shape *shape, double x, double y, double size) {
    const struct mark_outline *outline = &mark_outlines[shape->mark];
    double points[MARK_POINTS][2];
    for (int k = 0; k < outline->n; k++)
        points[k][0] = x + size * outline->points[k][0], points[k][1] = y + size * outline->points[k][1];
    canvas_polygon(c, outline->n, (const double(*)[2])points);
    if (!outline->n) canvas_disc(c, x, y, size / 2, 1);
    if (shape->mark == MARK_RING) canvas_disc(c, x, y, size * (0.5 - RING_LINE), -1);
}

/* Marks at places of a pixel: the coverage of side x side pixels each, the centre in the middle one. */
struct stamps {
    int side;
    float *cover;
};

static void put_cover(void *context, int x, int y, struct colour colour, float opacity) {
    const struct stamps *s = context;
    (void)colour;
    s->cover[y * s->side + x] = opacity;
}

/* Draw all stamps into memory for them, which the caller frees.  NULL if marks are large or memory is short; the marks
   are then drawn one by one. */
static float *stamps_new(struct stamps *s, const struct shape *shape, double size) {
    s->side = 2 * (int)ceil(size * 0.6 + 1) + 1;
    if (s->side > MOST_SIDE) return NULL;
    size_t area = (size_t)s->side * (size_t)s->side, cells = area + 2 * (size_t)s->side;
    float *memory = mem_array(PARTS * PARTS * area + cells, sizeof *memory);
    if (!memory) return NULL;
    struct canvas c = {.columns = s->side,
                       .rows = s->side,
                       .right = s->side,
                       .bottom = s->side,
                       .put = put_cover,
                       .context = s,
                       .cells = memory + PARTS * PARTS * area,
                       .first = INT32_MAX,
                       .highest = INT32_MAX,
                       .last = -1,
                       .lowest = -1};
    for (int i = 0; i < PARTS * PARTS; i++) {
        s->cover = memory + (size_t)i * area;
        double x = (i % PARTS + 0.5) / PARTS, y = (i / PARTS + 0.5) / PARTS;
        add_outline(&c, shape, s->side / 2 + x, s->side / 2 + y, size);
        canvas_fill(&c, shape->colour);
    }
    s->cover = memory;
    return memory;
}

/* Blend the stamp that is nearest to (x, y). */
static void put_stamp(struct canvas *c, const struct stamps *s, double x, double y, struct colour colour) {
    int left = (int)floor(x), top = (int)floor(y);
    int part = (int)((y - top) * PARTS) * PARTS + (int)((x - left) * PARTS);
    const float *cover = s->cover + (int64_t)part * s->side * s->side;
    left -= s->side / 2, top -= s->side / 2;
    for (int row = 0; row < s->side; row++)
        for (int i = 0; i < s->side; i++, cover++) {
            bool inside =
                left + i >= c->left && left + i < c->right && top + row >= c->top && top + row < c->bottom;
            if (*cover > 0 && inside) canvas_blend(c, left + i, top + row, colour, *cover);
        }
}

void marks_paint(struct canvas *c, const struct shape *shape, double scale) {
    double size = shape->size * scale;
    struct stamps stamps;
    float *memory = shape->n < FEW ? NULL : stamps_new(&stamps, shape, size);
    for (int64_t i = 0; i < shape->n; i++) {
        double x = shape->x[i] * scale, y = shape->y[i] * scale;
        struct colour colour = shape->colours ? shape->colours[i] : shape->colour;
        bool seen = x + size > c->left && x - size < c->right && y + size > c->top && y - size < c->bottom;
        if (!seen) continue;
        if (memory) {
            put_stamp(c, &stamps, x, y, colour);
            continue;
        }
        add_outline(c, shape, x, y, size);
        canvas_fill(c, colour);
    }
    mem_free(memory);
}
