/* The legend: inside the area where it covers least of the data, else beside it; above the area on terminals. */
#include <math.h>
#include <stdio.h>
#include "plot/chart.h"

/* ---- occupancy ---- */

/* Set *column, *row to the cell of a position; return false outside of the area. */
static bool cell_of(const struct chart *c, double px, double py, int *column, int *row) {
    double x = (px - c->area.x) / c->area.w * OCCUPANCY_COLUMNS,
           y = (py - c->area.y) / c->area.h * OCCUPANCY_ROWS;
    if (!(x >= 0 && x <= OCCUPANCY_COLUMNS && y >= 0 && y <= OCCUPANCY_ROWS)) return false;
    *column = (int)fmin(x, OCCUPANCY_COLUMNS - 1), *row = (int)fmin(y, OCCUPANCY_ROWS - 1);
    return true;
}

void occupancy_point(const struct chart *c, struct occupancy *o, double px, double py, double weight) {
    int column, row;
    if (cell_of(c, px, py, &column, &row)) o->cells[row][column] += (float)weight;
}

void occupancy_line(const struct chart *c, struct occupancy *o, double px, double py, double qx, double qy) {
    double length = fmax(fabs(qx - px) / c->area.w, fabs(qy - py) / c->area.h) * OCCUPANCY_COLUMNS;
    if (!(length < 1e4)) return; /* NaN, or far outside */
    int n = (int)length + 1;
    for (int i = 0; i <= n; i++) occupancy_point(c, o, px + (qx - px) * i / n, py + (qy - py) * i / n, 1);
}

void occupancy_box(const struct chart *c, struct occupancy *o, double px, double py, double qx, double qy) {
    for (int r = 0; r < OCCUPANCY_ROWS; r++)
        for (int k = 0; k < OCCUPANCY_COLUMNS; k++) {
            double x = c->area.x + c->area.w * (k + 0.5) / OCCUPANCY_COLUMNS;
            double y = c->area.y + c->area.h * (r + 0.5) / OCCUPANCY_ROWS;
            if (x >= fmin(px, qx) && x <= fmax(px, qx) && y >= fmin(py, qy) && y <= fmax(py, qy))
                o->cells[r][k]++;
        }
}

/* ---- layout ---- */

#define SAMPLE_WIDTH 16.0
static double row_height(const struct chart *c) { return chart_dy(c, 14, 1); }
static double sample_room(const struct chart *c) { return chart_dx(c, SAMPLE_WIDTH + 6, 3); }

static double entry_width(const struct chart *c, const struct legend *l) {
    return sample_room(c) + l->name + (l->side == LEGEND_ABOVE ? chart_dx(c, 8, 2) : 0);
}

void legend_measure(const struct chart *c, struct legend *l) {
    bool above = l->side == LEGEND_ABOVE;
    double pad = chart_dx(c, 7, 0), most = c->s->width * (c->form.cells ? 0.5 : 0.34);
    l->n = 0, l->name = 0;
    for (const struct layer *layer = c->plot->first; layer; layer = layer->next)
        if (layer->name && !c->plot->o.legendless) {
            l->n++;
            l->name = fmax(l->name, fmin(chart_width(c, SIZE_TICK, false, layer->name), most));
        }
    const char *heading = l->n ? c->plot->heading : NULL;
    l->headed = heading;
    if (heading)
        l->name = fmax(l->name, fmin(chart_width(c, SIZE_TICK, false, heading), most) - sample_room(c));
    double entry = entry_width(c, l);
    l->n += l->headed;
    l->columns = above ? (int)fmax(1, floor((c->s->width - 2 * pad) / entry)) : 1;
    /* 3 tenths of the page above the area, more beside it, where the area keeps its height */
    int rows = (int)fmax(1, c->s->height * (above ? 0.3 : 0.6) / row_height(c));
    int needed = (l->n + l->columns - 1) / l->columns;
    if (rows > needed) rows = needed;
    l->shown = l->n <= rows * l->columns ? l->n : rows * l->columns - 1;
    l->width = above ? c->s->width : entry + 2 * pad;
    l->height = rows * row_height(c) + pad;
}

bool legend_place(const struct chart *c, struct legend *l) {
    static const double places[][2] = {{1, 0},   {0, 0},   {1, 1},   {0, 1},
                                       {0.5, 0}, {0.5, 1}, {1, 0.5}, {0, 0.5}};
    struct occupancy *o = arena_alloc(&c->s->arena, sizeof *o);
    if (!o) return !fault_memory(&c->s->fault, sizeof *o);
    for (const struct layer *layer = c->plot->first; layer; layer = layer->next)
        layer->kind->occupy(layer, c, o);
    double all = 0, least = INFINITY, gap = 6;
    for (int r = 0; r < OCCUPANCY_ROWS; r++)
        for (int k = 0; k < OCCUPANCY_COLUMNS; k++) all += o->cells[r][k];
    if (l->width + 2 * gap > c->area.w * 0.6 || l->height + 2 * gap > c->area.h) return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        double x = c->area.x + gap + places[i][0] * (c->area.w - l->width - 2 * gap);
        double y = c->area.y + gap + places[i][1] * (c->area.h - l->height - 2 * gap), covered = 0;
        for (int r = 0; r < OCCUPANCY_ROWS; r++)
            for (int k = 0; k < OCCUPANCY_COLUMNS; k++) {
                double px = c->area.x + c->area.w * (k + 0.5) / OCCUPANCY_COLUMNS - x;
                double py = c->area.y + c->area.h * (r + 0.5) / OCCUPANCY_ROWS - y;
                if (px >= -4 && px <= l->width + 4 && py >= -4 && py <= l->height + 4)
                    covered += o->cells[r][k];
            }
        if (covered < least) least = covered, l->place = (struct place){x, y, l->width, l->height};
    }
    return least <= all * 0.004; /* a few points may lie behind the legend, a part of the data not */
}

/* ---- letters ---- */

bool legend_lettered(const struct layer *l, const struct chart *c) {
    return c->form.cells && c->form.plain && l->name && c->legend.n > 1;
}

void legend_letter(const struct layer *l, struct chart *c, double x, double y) {
    char letter[] = {(char)('a' + l->colour % 26), 0};
    scene_text(c->s, x, y, SIZE_TICK, ANCHOR_MIDDLE, BASELINE_MIDDLE, 0, c->theme->text, false, letter);
}

/* ---- drawing ---- */

/* Draw the entry of a layer; NULL: the text alone. */
static void draw_entry(struct chart *c, const struct legend *l, const struct layer *layer, const char *text,
                       struct place at) {
    double row = row_height(c), sample = layer ? sample_room(c) : 0;
    if (layer) layer->kind->sample(layer, c, at.x, at.y, chart_dx(c, SAMPLE_WIDTH, 2), row);
    const char *whole = text;
    text = chart_fit(c, SIZE_TICK, false, text, l->name + sample_room(c) - sample);
    scene_text(c->s, at.x + sample, at.y + row / 2, SIZE_TICK, ANCHOR_START, BASELINE_MIDDLE, 0,
               layer ? c->theme->text : c->theme->soft, false, text);
    chart_whole(c, text, whole);
}

/* Return the next layer with a name, from `layer` on; NULL after the last. */
static const struct layer *next_named(const struct layer *layer) {
    while (layer && !layer->name) layer = layer->next;
    return layer;
}

void legend_draw(struct chart *c, const struct legend *l) {
    double pad = chart_dx(c, 7, 0), entry = entry_width(c, l);
    const struct layer *layer = next_named(c->plot->first);
    char more[32];
    struct place p = l->place;
    if (l->side == LEGEND_INSIDE)
        scene_box(c->s, p.x, p.y, p.w, p.h, colour_fade(c->theme->page, 0.86),
                  (struct stroke){c->theme->grid, 0.8, 0, 0});
    for (int i = 0; i < l->shown; i++) {
        struct place at = {p.x + pad + i % l->columns * entry, p.y + pad / 2 + i / l->columns * row_height(c),
                           0, 0};
        bool heading = !i && l->headed;
        if (!heading && !layer) return;
        draw_entry(c, l, heading ? NULL : layer, heading ? c->plot->heading : layer->name, at);
        if (!heading) layer = next_named(layer->next);
    }
    if (l->shown == l->n) return;
    struct place at = {p.x + pad + l->shown % l->columns * entry,
                       p.y + pad / 2 + l->shown / l->columns * row_height(c), 0, 0};
    snprintf(more, sizeof more, "%d more", l->n - l->shown);
    draw_entry(c, l, NULL, more, at);
}
