/* The layout of a chart: room for titles, labels, the legend and the bar of colours around the area of the data. */
#include "plot/chart.h"
#include <math.h>
#include <string.h>
#include "base/utf8.h"

void chart_at(const struct chart *c, double x, double y, double *px, double *py) {
    *px = scale_at(&c->across.scale, c->flipped ? y : x);
    *py = scale_at(&c->up.scale, c->flipped ? x : y);
}

double chart_line(const struct chart *c, double size) {
    return c->form.cells ? SCENE_CELL_HEIGHT : size * 1.35;
}
double chart_width(const struct chart *c, double size, bool bold, const char *text) {
    return scene_text_width(c->s, size, bold, text);
}

const char *chart_fit(const struct chart *c, double size, bool bold, const char *text, double width) {
    const char *end = c->form.ascii ? ".." : "…";
    size_t n = strlen(text), low = 0, high = n < 1000 ? n : 1000; /* letters beyond fit on no page */
    if (n <= 1000 && chart_width(c, size, bold, text) <= width) return text;
    char *cut = arena_alloc(&c->s->arena, high + 8);
    if (!cut) {
        fault_memory(&c->s->fault, high + 8);
        return "";
    }
    while (low < high) { /* the greatest number of bytes that fits */
        size_t middle = (low + high + 1) / 2, at = middle;
        while (at && ((unsigned char)text[at] & 0xc0) == 0x80) at--;
        memcpy(cut, text, at);
        strcpy(cut + at, end);
        if (chart_width(c, size, bold, cut) <= width)
            low = middle;
        else
            high = middle - 1;
    }
    while (low && ((unsigned char)text[low] & 0xc0) == 0x80) low--;
    while (low && text[low - 1] == ' ') low--;
    memcpy(cut, text, low);
    strcpy(cut + low, end);
    return cut;
}

/* ---- ranges ---- */

/* Set the scales' ranges to those of the data and of the options. */
static void fit(struct chart *c, struct axis *x, struct axis *y) {
    const ty_plot *p = c->plot;
    struct bounds bx = BOUNDS_EMPTY, by = BOUNDS_EMPTY;
    for (const struct layer *l = p->first; l; l = l->next) l->kind->extend(l, p, &bx, &by);
    const double room = p->tight ? 0 : 0.04; /* of the range: marks at the ends stay whole */
    x->scale.log = x->log = p->o.x_log, y->scale.log = y->log = p->o.y_log;
    x->scale.whole = p->whole_x, y->scale.whole = p->whole_y;
    x->words = p->x, y->words = p->y;
    x->label = p->o.x, y->label = p->o.y;
    c->empty = bx.low > bx.high || by.low > by.high;
    if (x->words.n) bx = (struct bounds){-0.5, (double)x->words.n - 0.5};
    if (y->words.n) by = (struct bounds){-0.5, (double)y->words.n - 0.5};
    scale_fit(&x->scale, bx, x->words.n ? 0 : room);
    scale_fit(&y->scale, by, y->words.n ? 0 : room);
    for (const struct layer *l = p->first; l; l = l->next)
        if (l->kind == &layer_boxes) { /* bars stand on the axis */
            if (!y->log && by.low == 0) y->scale.low = 0;
            if (!y->log && by.high == 0 && by.low < 0) y->scale.high = 0;
        }
    if (p->o.x_low < p->o.x_high) x->scale.low = p->o.x_low, x->scale.high = p->o.x_high;
    if (p->o.y_low < p->o.y_high) y->scale.low = p->o.y_low, y->scale.high = p->o.y_high;
}

/* Return true if all words of x fit below the area, of this width. */
static bool words_fit(const struct chart *c, double width) {
    const struct categories *x = &c->plot->x;
    for (int64_t i = 0; i < x->n; i++)
        if (chart_width(c, SIZE_TICK, false, x->words[i]) > width / (double)x->n - chart_dx(c, 4, 1))
            return false;
    return true;
}

/* ---- layout ---- */

/* Room around the area, in points. */
struct sides {
    double left, right, top, bottom;
};

/* Return the room that is needed for the axes as they are, for titles, legend and bar of colours. */
static struct sides sides_of(struct chart *c, const struct legend *l) {
    const ty_plot *p = c->plot;
    double pad = chart_dx(c, 11, 0), bar = p->valued ? bar_room(c) : 0;
    struct sides s = {pad, pad + chart_dx(c, 3, 1), pad, pad};
    if (p->o.title) s.top += chart_line(c, SIZE_TITLE) + chart_dy(c, 5, 0);
    bool above = *c->up.ticks.factor || (p->valued && *c->values.ticks.factor) ||
                 (c->form.cells && (c->up.label || (p->valued && p->value_name)));
    if (above) s.top += chart_line(c, SIZE_TICK);
    if (l->n && c->form.cells) s.top += l->height;
    s.bottom += axis_room(c, &c->across, true);
    s.left += axis_room(c, &c->up, false);
    if (bar > 0) s.right = pad + bar;
    if (l->n && l->outside && !c->form.cells) s.right += l->width + chart_dx(c, 10, 1);
    if (!p->valued && !l->outside && c->across.ticks.n) { /* half of the last label */
        const char *last = c->across.ticks.labels[c->across.ticks.n - 1];
        s.right = fmax(s.right, pad + chart_width(c, SIZE_TICK, false, last) / 2 - chart_dx(c, 8, 1));
    }
    return s;
}

/* Make the area a part of the page, and give the axes their positions and ticks. */
static void set_area(struct chart *c, struct sides s) {
    double w = fmax(c->s->width - s.left - s.right, c->s->width / 4);
    double h = fmax(c->s->height - s.top - s.bottom, c->s->height / 4);
    if (c->form.cells) { /* whole cells */
        w = SCENE_CELL_WIDTH * floor(w / SCENE_CELL_WIDTH),
        h = SCENE_CELL_HEIGHT * floor(h / SCENE_CELL_HEIGHT);
        s.left = SCENE_CELL_WIDTH * ceil(fmin(s.left, c->s->width - w) / SCENE_CELL_WIDTH);
    }
    c->area = (struct place){fmin(s.left, c->s->width - w), fmin(s.top, c->s->height - h), w, h};
    if (c->plot->square) {
        double columns = fabs(c->across.scale.high - c->across.scale.low);
        double rows = fabs(c->up.scale.high - c->up.scale.low), side = fmin(w / columns, h / rows);
        c->area.x += (w - side * columns) / 2, c->area.y += (h - side * rows) / 2;
        c->area.w = side * columns, c->area.h = side * rows;
    }
    struct scale *x = &c->across.scale, *y = &c->up.scale;
    x->from = c->area.x, x->to = c->area.x + c->area.w;
    y->from = c->area.y + c->area.h, y->to = c->area.y;
    if (c->flipped || c->plot->falls) {
        double from = y->from;
        y->from = y->to, y->to = from;
    }
    axis_choose(c, &c->across, true, c->area.w);
    axis_choose(c, &c->up, false, c->area.h);
}

/* Lay out the chart: labels need room, which depends on the ticks, which depend on the room that is left. */
static void lay_out(struct chart *c) {
    struct legend *l = &c->legend;
    double most = c->s->width * 0.9;
    fit(c, &c->across, &c->up);
    bool boxes = c->plot->first && c->plot->first->kind == &layer_boxes;
    c->flipped = boxes && c->plot->x.n && !words_fit(c, most);
    if (c->flipped) fit(c, &c->up, &c->across);
    legend_measure(c, l);
    set_area(c,
             (struct sides){c->s->width * 0.1, c->s->width * 0.1, c->s->height * 0.1, c->s->height * 0.15});
    for (int i = 0; i < 3; i++) set_area(c, sides_of(c, l));
    if (l->n && !c->form.cells && !legend_place(c, l)) {
        l->outside = true;
        for (int i = 0; i < 3; i++) set_area(c, sides_of(c, l));
        double x = c->area.x + c->area.w + (c->plot->valued ? bar_room(c) : 0) + 12;
        l->place = (struct place){x, c->area.y, l->width, l->height};
    }
}

/* ---- drawing ---- */

static void draw_title(struct chart *c) {
    if (!c->plot->o.title) return;
    double x = c->area.x + c->area.w / 2, most = c->s->width - chart_dx(c, 20, 0);
    const char *title = chart_fit(c, SIZE_TITLE, true, c->plot->o.title, most);
    double half = chart_width(c, SIZE_TITLE, true, title) / 2, pad = chart_dx(c, 10, 0);
    x = fmax(fmin(x, c->s->width - pad - half), pad + half); /* centred on the area while it fits the page */
    scene_text(c->s, x, chart_dx(c, 11, 0), SIZE_TITLE, ANCHOR_MIDDLE, BASELINE_TOP, 0, c->theme->text, true,
               title);
}

struct chart *chart_laid_out(struct scene *s, const ty_plot *plot, struct chart_form form) {
    struct chart *c = arena_alloc(&s->arena, sizeof *c);
    if (!c) {
        fault_memory(&s->fault, sizeof *c);
        return NULL;
    }
    *c = (struct chart){.s = s, .plot = plot, .theme = theme_of(plot), .form = form};
    if (plot->valued) colour_map_make(&c->map, plot);
    if (plot->first && plot->first->kind == &layer_images)
        c->area = (struct place){0, 0, s->width, s->height};
    else
        lay_out(c);
    return c;
}

/* Draw the axes, the layers, the bar of colours and the legend. */
static void draw_chart(struct chart *c) {
    struct place p = c->area;
    axes_grid(c);
    scene_clip(c->s, p.x, p.y, p.w, p.h);
    for (const struct layer *l = c->plot->first; l; l = l->next) l->kind->draw(l, c);
    scene_unclip(c->s);
    axes_draw(c);
    if (c->empty)
        scene_text(c->s, p.x + p.w / 2, p.y + p.h / 2, SIZE_LABEL, ANCHOR_MIDDLE, BASELINE_MIDDLE, 0,
                   c->theme->soft, false, "no data");
    if (c->plot->valued) bar_draw(c, p.x + p.w + chart_dx(c, 12, 1));
    if (c->legend.n) legend_draw(c, &c->legend);
}

void chart_draw(struct scene *s, const ty_plot *plot, struct chart_form form) {
    struct chart *c = chart_laid_out(s, plot, form);
    if (!c) return;
    if (plot->first && plot->first->kind == &layer_images)
        plot->first->kind->draw(plot->first, c);
    else
        draw_chart(c);
    draw_title(c);
}
