/*
 * Scenes on terminals.  A cell has 2 x 4 dots of Braille; a shape sets dots and colours the cells that it touches.
 * Cells that areas fill become blocks, images have two pixels a cell, and text lies over everything.  Translucent
 * areas set a part of the dots.  Without UTF-8, a character of ASCII stands for the number and the place of dots.
 */
#include "plot/cells.h"
#include <string.h>
#include "base/alloc.h"
#include "base/math/scalar.h"
#include "plot/paint.h"
#include "plot/shapes.h"

enum { ACROSS = 2, DOWN = 4, MOST = 1000 };

struct screen {
    struct paint paint; /* a pixel is a dot */
    int columns, rows;
    bool ascii, solid;
    struct cell *cells;
};

static struct cell *cell_at(const struct screen *s, double column, double row) {
    bool inside = column >= 0 && column < s->columns && row >= 0 && row < s->rows;
    return inside ? &s->cells[(int)row * s->columns + (int)column] : NULL;
}

/* Set a dot of the shape if enough of it is covered; of a translucent one some dots, in the order of `order`. */
static void put_dot(void *context, int x, int y, struct colour colour, float opacity) {
    static const uint8_t order[DOWN][ACROSS] = {{0, 4}, {6, 2}, {1, 5}, {7, 3}};
    struct screen *s = context;
    struct cell *cell = cell_at(s, x / ACROSS, y / DOWN);
    if (opacity < 0.5f || !cell || colour.a * 8 < order[y % DOWN][x % ACROSS] * 255 + 1) return;
    uint8_t bit = (uint8_t)(1 << (y % DOWN * ACROSS + x % ACROSS));
    cell->dots |= bit;
    cell->solid = s->solid ? cell->solid | bit : cell->solid & (uint8_t)~bit;
    cell->ink = colour;
}

/* Set a dot at a place in dots, if the clip contains it. */
static void dot(struct screen *s, double x, double y, struct colour colour) {
    const struct canvas *c = &s->paint.canvas;
    if (x >= c->left && x < c->right && y >= c->top && y < c->bottom) put_dot(s, (int)x, (int)y, colour, 1);
}

/* Set the dots of a segment, one in each column or row.  Both ends are at most SCENE_FAR away. */
static void segment(struct screen *s, double x0, double y0, double x1, double y1, struct colour colour) {
    const struct canvas *c = &s->paint.canvas;
    bool steep = fabs(y1 - y0) > fabs(x1 - x0);
    double from = steep ? y0 : x0, to = steep ? y1 : x1, other = steep ? x0 : y0, slope;
    slope = from == to ? 0 : ((steep ? x1 : y1) - other) / (to - from);
    double low = fmax(floor(fmin(from, to)), steep ? c->top : c->left);
    double high = fmin(floor(fmax(from, to)), (steep ? c->bottom : c->right) - 1);
    for (double at = low; at <= high; at++) {
        double middle = fmin(fmax(at + 0.5, fmin(from, to)), fmax(from, to)),
               across = other + (middle - from) * slope;
        dot(s, steep ? across : at, steep ? at : across, colour);
    }
}

static void draw_line(struct screen *s, const struct shape *p) {
    double scale = s->paint.scale;
    for (int64_t i = 0; i < p->n; i++) {
        int64_t j = i && !isnan(p->x[i - 1]) ? i - 1 : i;
        if (!isnan(p->x[i]))
            segment(s, p->x[j] * scale, p->y[j] * scale, p->x[i] * scale, p->y[i] * scale, p->stroke.colour);
    }
}

/* Draw marks of less than 3 dots as one dot, others as they are. */
static void draw_marks(struct screen *s, const struct shape *p) {
    if (p->size * s->paint.scale >= 3) {
        paint_shape(&s->paint, p);
        return;
    }
    for (int64_t i = 0; i < p->n; i++) {
        struct colour colour = p->colours ? p->colours[i] : p->colour;
        if (colour.a) colour.a = 255;
        dot(s, floor(p->x[i] * s->paint.scale), floor(p->y[i] * s->paint.scale), colour);
    }
}

static void draw_image(struct screen *s, const struct shape *p) {
    double scale = s->paint.scale, left = p->place.x * scale / ACROSS, top = p->place.y * scale * 2 / DOWN;
    double w = p->place.w * scale / ACROSS, h = p->place.h * scale * 2 / DOWN; /* in columns, in half rows */
    const struct canvas *c = &s->paint.canvas;
    left = floor(left + 0.5), top = floor(top + 0.5);
    w = fmax(floor(w + 0.5), 1), h = fmax(floor(h + 0.5), 1);
    for (double y = fmax(top, c->top / 2); y < fmin(top + h, c->bottom / 2); y++)
        for (double x = fmax(left, c->left / ACROSS); x < fmin(left + w, (c->right + 1) / ACROSS); x++) {
            struct cell *cell = cell_at(s, x, floor(y / 2));
            struct colour colour = image_mean(p, (x - left) / w, (y - top) / h, 1 / w, 1 / h);
            if (!cell || colour.a < 128) continue;
            bool lower = floor(y / 2) * 2 != y;
            *(lower ? &cell->lower : &cell->upper) = colour;
            cell->imaged |= lower ? 2 : 1;
        }
}

/* Write the letters of a text from a cell on, to the right or down.  Nothing is written over other text; a text that is
   longer than the screen is cut. */
static void write_letters(struct screen *s, const struct shape *p, double column, double row, bool down) {
    for (int pass = 0; pass < 2; pass++) {
        const char *text = p->text;
        int at = 0, most = down ? s->rows : s->columns;
        for (uint32_t c; (c = shape_letter(&text));) {
            int cells = letter_cells(c), step = down ? cells > 0 : cells;
            struct cell *cell = cell_at(s, down ? column : column + at, down ? row + at : row);
            bool cut = at + step > most;
            if (!step || cut || !cell) continue;
            if (!pass && cell->letter) return;
            if (pass)
                *cell = (struct cell){c, .ink = p->colour, .imaged = cell->imaged, .upper = cell->upper,
                                      .lower = cell->lower};
            if (pass && step == 2 && at + 1 < most) cell[1].letter = CELL_HIDDEN;
            at += step;
        }
    }
}

static void draw_text(struct screen *s, const struct shape *p) {
    double scale = s->paint.scale, sine = math_sin(p->angle * 3.14159265358979323846 / 180);
    bool down = fabs(sine) > 0.5;
    double middle =
        (0.36 - baseline_shift(p->baseline)) * p->size; /* from the baseline up to the middle of letters */
    double x = p->x[0], y = p->y[0];
    if (down)
        x -= middle * sine;
    else
        y -= middle;
    x = x * scale / ACROSS, y = y * scale / DOWN;
    int n = 0;
    const char *text = p->text;
    for (uint32_t c; (c = shape_letter(&text));) n += down ? letter_cells(c) > 0 : letter_cells(c);
    double share = p->anchor == ANCHOR_START ? 0 : p->anchor == ANCHOR_MIDDLE ? 0.5 : 1;
    if (down && sine > 0) share = 1 - share;
    double along = floor((down ? y : x) - share * n + 0.5), room = (down ? s->rows : s->columns) - n;
    along = fmax(fmin(along, room), 0); /* a text that sticks out moves in */
    write_letters(s, p, down ? floor(x) : along, down ? along : floor(y), down);
}

static void draw(struct screen *s, const struct shape *p) {
    s->solid = p->kind == SHAPE_AREA || p->kind == SHAPE_BOX;
    paint_clip(&s->paint, p);
    if (p->kind == SHAPE_LINE)
        draw_line(s, p);
    else if (p->kind == SHAPE_MARKS)
        draw_marks(s, p);
    else if (p->kind == SHAPE_IMAGE)
        draw_image(s, p);
    else if (p->kind == SHAPE_TEXT)
        draw_text(s, p);
    else
        paint_shape(&s->paint, p);
}

bool scene_terminal(struct scene *s, const struct terminal *terminal, struct text *out) {
    if (s->fault.set) return false;
    struct screen screen = {.columns = s->columns ? s->columns : terminal->columns, .rows = s->rows};
    double scale = ACROSS * screen.columns / s->width,
           rows = s->rows ? s->rows : ceil(s->height * scale / DOWN - 1e-6);
    if (screen.columns < 1 || screen.columns > MOST || rows > MOST)
        return fault_set(&s->fault, E_ARGUMENT, "plot: %d x %.0f characters are out of range; expected 1..%d",
                         screen.columns, rows, MOST);
    screen.rows = (int)rows;
    size_t n = (size_t)screen.columns * (size_t)screen.rows;
    screen.cells = mem_array(n, sizeof *screen.cells);
    screen.paint.scale = scale;
    bool well = screen.cells && paint_begin(&screen.paint, ACROSS * screen.columns, DOWN * screen.rows,
                                            s->first, NULL, &s->fault);
    screen.paint.canvas.put = put_dot;
    screen.paint.canvas.context = &screen;
    for (const struct shape *p = s->first; well && p; p = p->next) draw(&screen, p);
    if (well) cells_print(screen.cells, screen.columns, screen.rows, s->background, terminal, out);
    paint_end(&screen.paint);
    mem_free(screen.cells);
    return (well && !out->failed) || fault_memory(&s->fault, n * sizeof *screen.cells);
}
