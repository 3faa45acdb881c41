/* Axes: grid, ticks, labels, and the bar of colours. */
#include <math.h>
#include "plot/chart.h"

/* Return the greatest width of the labels of an axis. */
static double widest(const struct chart *c, const struct axis *a) {
    double most = 0;
    for (int i = 0; i < a->ticks.n; i++)
        most = fmax(most, chart_width(c, SIZE_TICK, false, a->ticks.labels[i]));
    int64_t each = a->each > 1 ? a->each : 1;
    for (int64_t i = 0; i < a->words.n && i < 10000; i += each)
        most = fmax(most, chart_width(c, SIZE_TICK, false, a->words.words[i]));
    return most;
}

/* Return true if two neighbouring labels of a horizontal axis overlap. */
static bool overlap(const struct chart *c, const struct axis *a) {
    double gap = chart_dx(c, 5, 1), end = -INFINITY;
    for (int i = 0; i < a->ticks.n; i++) {
        double half = chart_width(c, SIZE_TICK, false, a->ticks.labels[i]) / 2;
        double x = scale_at(&a->scale, a->ticks.at[i]);
        if (x - half < end) return true;
        end = x + half + gap;
    }
    return false;
}

/* Choose how many of the words of an axis of this length are written, and how. */
static void choose_words(const struct chart *c, struct axis *a, bool across, double length) {
    double step = length / (double)a->words.n, line = chart_line(c, SIZE_TICK) * (c->form.cells ? 1 : 0.9);
    a->each = 1;
    double wide = widest(c, a) + chart_dx(c, 4, 1);
    a->turned = across && wide > step && !c->form.cells;
    double need = !across || a->turned ? line : fmin(wide, chart_dx(c, 40, 4));
    a->each = (int64_t)fmax(1, ceil(need / step - 1e-9));
}

void axis_choose(const struct chart *c, struct axis *a, bool across, double length) {
    if (a->words.n) {
        choose_words(c, a, across, length);
        a->ticks.n = a->ticks.nminor = 0;
        a->ticks.factor[0] = 0;
        return;
    }
    /* about as many as matplotlib has: 4 on 100 points, 8 on 400; on terminals one in 12 columns or 3 rows */
    double apart = across ? 12 * SCENE_CELL_WIDTH : 3 * SCENE_CELL_HEIGHT;
    double many = c->form.cells ? length / apart + 1 : 0.4 * sqrt(length) + 1;
    int wanted = (int)fmin(fmax(many, 2), TICKS_MOST / 4.0);
    do {
        ticks_choose(&a->ticks, &a->scale, wanted, c->form.ascii);
    } while (across && wanted-- > 2 && overlap(c, a));
    for (int i = 1; across && overlap(c, a) && i < a->ticks.n; i += 2) a->ticks.labels[i][0] = 0;
}

/* Words may take this share of the page. */
static double most_room(const struct chart *c, bool across) {
    return across ? c->s->height * 0.3 : c->s->width * 0.35;
}

double axis_room(const struct chart *c, const struct axis *a, bool across) {
    double line = chart_line(c, SIZE_TICK), words = fmin(widest(c, a), most_room(c, across));
    if (!across)
        return words + chart_dx(c, 7, 2) + (a->label && !c->form.cells ? chart_line(c, SIZE_LABEL) + 3 : 0);
    double labels = a->turned ? words : line;
    bool named = a->label || *a->ticks.factor;
    return labels + chart_dy(c, 5, 1) + (named ? chart_line(c, SIZE_LABEL) : 0);
}

/* ---- drawing ---- */

static void line(const struct chart *c, double x0, double y0, double x1, double y1, struct colour colour,
                 double width) {
    scene_line(c->s, 2, (double[]){x0, x1}, (double[]){y0, y1}, (struct stroke){colour, width, 0, 0});
}

/* Return true if a layer covers the whole area, so that lines would cut it. */
static bool covered(const ty_plot *p) {
    for (const struct layer *l = p->first; l; l = l->next)
        if (l->kind == &layer_grid) return true;
    return false;
}

static void grid_of(const struct chart *c, const struct axis *a, bool across) {
    struct place p = c->area;
    for (int i = 0; i < a->ticks.n + a->ticks.nminor; i++) {
        bool minor = i >= a->ticks.n;
        double at = scale_at(&a->scale, minor ? a->ticks.minor[i - a->ticks.n] : a->ticks.at[i]);
        struct colour colour = colour_fade(c->theme->grid, minor ? 0.45 : 1);
        if (across)
            line(c, at, p.y, at, p.y + p.h, colour, 0.7);
        else
            line(c, p.x, at, p.x + p.w, at, colour, 0.7);
    }
}

void axes_grid(const struct chart *c) {
    if (c->form.cells || covered(c->plot)) return;
    grid_of(c, &c->across, true);
    grid_of(c, &c->up, false);
}

/* Write the labels of the ticks of the horizontal axis, or its words. */
static void label_across(const struct chart *c) {
    const struct axis *a = &c->across;
    double y = c->area.y + c->area.h + chart_dy(c, 6, 1),
           step = c->area.w / (double)(a->words.n ? a->words.n : 1);
    for (int i = 0; i < a->ticks.n; i++) {
        double x = scale_at(&a->scale, a->ticks.at[i]);
        scene_text(c->s, x, y, SIZE_TICK, ANCHOR_MIDDLE, BASELINE_TOP, 0, c->theme->soft, false,
                   a->ticks.labels[i]);
        if (!c->form.cells) line(c, x, y - 6, x, y - 2.5, c->theme->axis, 0.8);
    }
    for (int64_t i = 0; i < a->words.n; i += a->each) {
        double x = scale_at(&a->scale, (double)i),
               room = a->turned ? most_room(c, true) : step * (double)a->each;
        const char *word = chart_fit(c, SIZE_TICK, false, a->words.words[i], room - chart_dx(c, 0, 1));
        if (a->turned)
            scene_text(c->s, x + SIZE_TICK * 0.36, y, SIZE_TICK, ANCHOR_END, BASELINE_LETTERS, 90,
                       c->theme->soft, false, word);
        else
            scene_text(c->s, x, y, SIZE_TICK, ANCHOR_MIDDLE, BASELINE_TOP, 0, c->theme->soft, false, word);
        chart_whole(c, word, a->words.words[i]);
    }
}

/* Write the labels of the ticks of the vertical axis, or its words. */
static void label_up(const struct chart *c) {
    const struct axis *a = &c->up;
    double x = c->area.x - chart_dx(c, 6, 2);
    for (int i = 0; i < a->ticks.n; i++) {
        double y = scale_at(&a->scale, a->ticks.at[i]);
        scene_text(c->s, x, y, SIZE_TICK, ANCHOR_END, BASELINE_MIDDLE, 0, c->theme->soft, false,
                   a->ticks.labels[i]);
        if (!c->form.cells) line(c, x + 2.5, y, x + 6, y, c->theme->axis, 0.8);
    }
    for (int64_t i = 0; i < a->words.n; i += a->each) {
        const char *word = chart_fit(c, SIZE_TICK, false, a->words.words[i], most_room(c, false));
        scene_text(c->s, x, scale_at(&a->scale, (double)i), SIZE_TICK, ANCHOR_END, BASELINE_MIDDLE, 0,
                   c->theme->soft, false, word);
        chart_whole(c, word, a->words.words[i]);
    }
}

/* Write the names of the axes, and their factors. */
static void name_axes(const struct chart *c) {
    struct place p = c->area;
    double bottom = p.y + p.h + axis_room(c, &c->across, true), left = p.x - axis_room(c, &c->up, false);
    double pad = chart_dx(c, 4, 0), end = c->s->width - pad, x = p.x + p.w / 2, middle = p.y + p.h / 2;
    if (*c->across.ticks.factor) /* it stands at the end of the same line */
        end = p.x + p.w - chart_width(c, SIZE_TICK, false, c->across.ticks.factor) - chart_dx(c, 8, 1);
    if (c->across.label) {
        const char *text = chart_centred(c, SIZE_LABEL, false, c->across.label, pad, end, &x);
        scene_text(c->s, x, bottom - chart_dy(c, 2, 0), SIZE_LABEL, ANCHOR_MIDDLE, BASELINE_LETTERS, 0,
                   c->theme->text, false, text);
        chart_whole(c, text, c->across.label);
    }
    if (*c->across.ticks.factor)
        scene_text(c->s, p.x + p.w, bottom - chart_dy(c, 2, 0), SIZE_TICK, ANCHOR_END, BASELINE_LETTERS, 0,
                   c->theme->soft, false, c->across.ticks.factor);
    double y = p.y - chart_dy(c, 5, 0) - (c->form.cells ? SCENE_CELL_HEIGHT / 2 : 0);
    if (*c->up.ticks.factor)
        scene_text(c->s, p.x, y, SIZE_TICK, ANCHOR_START, BASELINE_LETTERS, 0, c->theme->soft, false,
                   c->up.ticks.factor);
    if (!c->up.label) return;
    if (c->form.cells)
        scene_text(c->s, 0, y, SIZE_LABEL, ANCHOR_START, BASELINE_LETTERS, 0, c->theme->text, false,
                   chart_fit(c, SIZE_LABEL, false, c->up.label, p.w / 2));
    else {
        const char *text = chart_centred(c, SIZE_LABEL, false, c->up.label, pad, c->s->height - pad, &middle);
        scene_text(c->s, left + SIZE_LABEL * 0.8, middle, SIZE_LABEL, ANCHOR_MIDDLE, BASELINE_LETTERS, 90,
                   c->theme->text, false, text);
        chart_whole(c, text, c->up.label);
    }
}

void axes_draw(const struct chart *c) {
    struct place p = c->area;
    double y = p.y + p.h;
    if (c->form.cells) { /* in the cells beside the area */
        line(c, p.x - SCENE_CELL_WIDTH / 4, p.y, p.x - SCENE_CELL_WIDTH / 4, y + 1.5, c->theme->axis, 0.8);
        line(c, p.x - SCENE_CELL_WIDTH / 4, y + 1.5, p.x + p.w, y + 1.5, c->theme->axis, 0.8);
    } else if (covered(c->plot)) {
        scene_box(c->s, p.x, p.y, p.w, p.h, (struct colour){0}, (struct stroke){c->theme->axis, 0.8, 0, 0});
    } else {
        line(c, p.x, p.y, p.x, y, c->theme->axis, 0.8);
        line(c, p.x, y, p.x + p.w, y, c->theme->axis, 0.8);
    }
    label_across(c);
    label_up(c);
    name_axes(c);
}

/* ---- the bar of colours ---- */

/* Give the bar's axis its scale and ticks, along the height of the area. */
static void bar_scale(struct chart *c) {
    struct axis *a = &c->values;
    a->scale = (struct scale){
        .low = c->map.range.low, .high = c->map.range.high, .from = c->area.y + c->area.h, .to = c->area.y};
    a->words = (struct categories){0};
    axis_choose(c, a, false, c->area.h);
}

/* Return true if the cells of a layer show their elements. */
static bool has_numbers(const ty_plot *p) {
    for (const struct layer *l = p->first; l; l = l->next)
        if (l->numbers) return true;
    return false;
}

double bar_room(struct chart *c) {
    bool named = c->plot->value_name && !c->form.cells;
    if (!c->plot->valued || c->barless) return 0;
    bar_scale(c);
    double factor = *c->values.ticks.factor ? chart_width(c, SIZE_TICK, false, c->values.ticks.factor) : 0;
    double room = chart_dx(c, 12, 1) + chart_dx(c, 11, 2) +
                  fmax(widest(c, &c->values) + chart_dx(c, 6, 1), factor) +
                  (named ? chart_line(c, SIZE_LABEL) + 2 : 0);
    c->barless = has_numbers(c->plot) && room > c->s->width / 5; /* numbers need the room, and say the same */
    return c->barless ? 0 : room;
}

void bar_draw(struct chart *c, double x) {
    uint8_t pixels[256 * 4];
    struct place p = c->area;
    double w = chart_dx(c, 11, 2);
    bar_scale(c);
    for (int i = 0; i < 256; i++) {
        struct colour colour = c->map.colours[255 - i];
        uint8_t pixel[] = {colour.r, colour.g, colour.b, 255};
        for (int k = 0; k < 4; k++) pixels[4 * i + k] = pixel[k];
    }
    scene_image(c->s, x, p.y, w, p.h, 1, 256, pixels);
    for (int i = 0; i < c->values.ticks.n; i++) {
        double y = scale_at(&c->values.scale, c->values.ticks.at[i]);
        scene_text(c->s, x + w + chart_dx(c, 5, 1), y, SIZE_TICK, ANCHOR_START, BASELINE_MIDDLE, 0,
                   c->theme->soft, false, c->values.ticks.labels[i]);
        if (!c->form.cells) line(c, x + w, y, x + w + 3, y, c->theme->axis, 0.8);
    }
    double y = p.y - chart_dy(c, 5, 0) - (c->form.cells ? SCENE_CELL_HEIGHT / 2 : 0);
    if (*c->values.ticks.factor)
        scene_text(c->s, x, y, SIZE_TICK, ANCHOR_START, BASELINE_LETTERS, 0, c->theme->soft, false,
                   c->values.ticks.factor);
    if (!c->plot->value_name) return;
    if (c->form.cells)
        scene_text(c->s, c->s->width, y, SIZE_LABEL, ANCHOR_END, BASELINE_LETTERS, 0, c->theme->text, false,
                   chart_fit(c, SIZE_LABEL, false, c->plot->value_name, p.w / 2));
    else {
        double middle = p.y + p.h / 2;
        const char *text =
            chart_centred(c, SIZE_LABEL, false, c->plot->value_name, 4, c->s->height - 4, &middle);
        scene_text(c->s, x + bar_room(c) - 15, middle, SIZE_LABEL, ANCHOR_MIDDLE, BASELINE_LETTERS, 90,
                   c->theme->text, false, text);
        chart_whole(c, text, c->plot->value_name);
    }
}
