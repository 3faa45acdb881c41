/* The layout of a chart: room for titles, labels, the legend and the bar of colours around the area of the data. */
#include "plot/chart.h"
#include <math.h>
#include <string.h>
#include "base/utf8.h"
#include "plot/shapes.h"

void chart_at(const struct chart *c, double x, double y, double *px, double *py) {
    *px = scale_at(&c->across.scale, c->flipped ? y : x);
    *py = scale_at(&c->up.scale, c->flipped ? x : y);
}

double chart_line(const struct chart *c, double size) {
    return c->form.cells ? SCENE_CELL_HEIGHT : size * 1.2; /* as browsers space lines */
}
double chart_width(const struct chart *c, double size, bool bold, const char *text) {
    return scene_text_width(c->s, size, bold, text);
}

/* Return true if a letter begins here: no part of a character, and no mark of the letter before. */
static bool begins_letter(const char *at) {
    if (((unsigned char)*at & 0xc0) == 0x80) return false;
    uint32_t point = shape_letter(&at);
    return !point || letter_cells(point) > 0;
}

const char *chart_fit(const struct chart *c, double size, bool bold, const char *text, double width) {
    const char *end = c->form.ascii ? ".." : "…";
    size_t n = strlen(text), low = 0, high = n < 1000 ? n : 1000; /* letters beyond fit on no page */
    width += 1e-6;                                                /* sums that make up a width are rounded */
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
    while (low && !begins_letter(text + low)) low--;
    while (low && text[low - 1] == ' ') low--;
    memcpy(cut, text, low);
    strcpy(cut + low, end);
    return cut;
}

const char *chart_centred(const struct chart *c, double size, bool bold, const char *text, double from,
                          double to, double *middle) {
    text = chart_fit(c, size, bold, text, to - from);
    double half = chart_width(c, size, bold, text) / 2;
    *middle = fmax(fmin(*middle, to - half), from + half);
    return text;
}

/* ---- the title ---- */

/* Return the length of the longest part of a text that fits and ends before a blank; 0 if there is none. */
static size_t fitting(struct chart *c, const char *text, double width) {
    size_t best = 0, most = 1000; /* letters beyond fit on no page */
    char line[1024];
    for (size_t i = 1; text[i] && i < most; i++) {
        if (text[i] != ' ' || text[i - 1] == ' ') continue;
        memcpy(line, text, i);
        line[i] = 0;
        if (chart_width(c, SIZE_TITLE, true, line) > width) break;
        best = i;
    }
    return best;
}

/* Break the title into lines that fit, at blanks; the last one is cut. */
static void break_title(struct chart *c) {
    const char *text = c->plot->o.title;
    double width = c->s->width - chart_dx(c, 20, 0);
    int most = c->form.cells ? 2 : TITLE_LINES;
    while (text && *text && c->titles < most) {
        const char *whole = chart_fit(c, SIZE_TITLE, true, text, width);
        size_t n = whole == text || c->titles + 1 == most ? 0 : fitting(c, text, width);
        char *line = n ? arena_alloc(&c->s->arena, n + 1) : NULL;
        if (n && !line) fault_memory(&c->s->fault, n + 1);
        if (line) memcpy(line, text, n);
        c->title[c->titles++] = line ? line : whole;
        text += n ? n : strlen(text);
        text += strspn(text, " ");
    }
}

double chart_title_room(const struct chart *c) {
    return c->titles ? c->titles * chart_line(c, SIZE_TITLE) + chart_dy(c, 5, 0) : 0;
}

static void draw_title(struct chart *c) {
    double pad = chart_dx(c, 10, 0), y = chart_dx(c, 11, 0);
    for (int i = 0; i < c->titles; i++, y += chart_line(c, SIZE_TITLE)) {
        double x = c->area.x + c->area.w / 2; /* centred on the area while it fits the page */
        const char *line = chart_centred(c, SIZE_TITLE, true, c->title[i], pad, c->s->width - pad, &x);
        scene_text(c->s, x, y, SIZE_TITLE, ANCHOR_MIDDLE, BASELINE_TOP, 0, c->theme->text, true, line);
    }
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
    double pad = chart_dx(c, 11, 0), bar = bar_room(c);
    struct sides s = {pad, pad + chart_dx(c, 3, 1), pad, pad};
    s.top += chart_title_room(c);
    bool above = *c->up.ticks.factor || (bar > 0 && *c->values.ticks.factor) ||
                 (c->form.cells && (c->up.label || (bar > 0 && p->value_name)));
    if (above) s.top += chart_line(c, SIZE_TICK);
    if (l->n && l->side == LEGEND_ABOVE) s.top += l->height;
    s.bottom += axis_room(c, &c->across, true);
    s.left += axis_room(c, &c->up, false);
    if (bar > 0) s.right = pad + bar;
    if (l->n && l->side == LEGEND_BESIDE) s.right += l->width + 10;
    if (!(bar > 0) && l->side != LEGEND_BESIDE && c->across.ticks.n) { /* half of the last label */
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

/* Set the area with the legend at a side: labels need room, which depends on the ticks, which depend on the room that is
   left.  Return the area's size; 0 without a legend. */
static double settle(struct chart *c, enum legend_side side) {
    struct legend *l = &c->legend;
    l->side = side;
    legend_measure(c, l);
    set_area(c,
             (struct sides){c->s->width * 0.1, c->s->width * 0.1, c->s->height * 0.1, c->s->height * 0.15});
    for (int i = 0; i < 3; i++) set_area(c, sides_of(c, l));
    return l->n ? c->area.w * c->area.h : 0;
}

/* Lay out the chart.  A legend that would cover data lies where it leaves more to the area. */
static void lay_out(struct chart *c) {
    struct legend *l = &c->legend;
    double most = c->s->width * 0.9;
    fit(c, &c->across, &c->up);
    bool boxes = c->plot->first && c->plot->first->kind == &layer_boxes;
    c->flipped = boxes && c->plot->x.n && !words_fit(c, most);
    if (c->flipped) fit(c, &c->up, &c->across);
    if (settle(c, c->form.cells ? LEGEND_ABOVE : LEGEND_INSIDE) && !c->form.cells && !legend_place(c, l)) {
        double beside = settle(c, LEGEND_BESIDE), above = settle(c, LEGEND_ABOVE);
        if (beside > above) settle(c, LEGEND_BESIDE);
    }
    double x = c->area.x + c->area.w + bar_room(c) + 12;
    if (l->side == LEGEND_BESIDE) l->place = (struct place){x, c->area.y, l->width, l->height};
    if (l->side == LEGEND_ABOVE)
        l->place = (struct place){0, chart_dy(c, 6, 0) + chart_title_room(c), l->width, l->height};
}

/* ---- drawing ---- */

struct chart *chart_laid_out(struct scene *s, const ty_plot *plot, struct chart_form form) {
    struct chart *c = arena_alloc(&s->arena, sizeof *c);
    if (!c) {
        fault_memory(&s->fault, sizeof *c);
        return NULL;
    }
    *c = (struct chart){.s = s, .plot = plot, .theme = theme_of(plot), .form = form};
    if (plot->valued) colour_map_make(&c->map, plot);
    break_title(c);
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
    if (bar_room(c) > 0) bar_draw(c, p.x + p.w + chart_dx(c, 12, 1));
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
