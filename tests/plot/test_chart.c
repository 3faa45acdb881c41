/* Layouts of charts: words stay whole where the page has room, legends leave room to the data, classes differ. */
#include <math.h>
#include <string.h>
#include <tyto/plot.h>
#include <tyto/tyto.h>

#include "plot/chart.h"
#include "plot/shapes.h"
#include "tests/support/harness.h"

static void release(void *p) { ty_plot_free(p); }
static ty_plot *made(ty_plot_options o) { return test_own(ty_plot_new(o), release); }
static ty_tensor *steps(int64_t n) { return ty_iota(TY_F64, 1, &n, 0); }

/* Draw the plot on a scene; the caller ends it. */
static void draw(struct scene *s, ty_plot *p) {
    scene_begin(s, p->o.width, p->o.height, (struct colour){255, 255, 255, 255});
    if (!*ty_plot_error(p)) chart_draw(s, p, (struct chart_form){0});
}

static bool is_written(const struct scene *s, const char *words) {
    for (const struct shape *shape = s->first; shape; shape = shape->next)
        if (shape->kind == SHAPE_TEXT && !strcmp(shape->text, words)) return true;
    return false;
}

/* Check that a picture of the plot has each of the words as a text of its own. */
static void check_words(ty_plot *p, const char *const *words) {
    struct scene s;
    draw(&s, p);
    for (; *words; words++) CHECK(test_starving() || is_written(&s, *words), "\"%s\" is not written", *words);
    scene_end(&s);
}

/* A name as long as the longest has just its own room in the legend. */
static void names(void) {
    static const char *const words[] = {"train",   "validation", "a", "generalisation",
                                        "of what", "mmmmm",      NULL};
    for (int i = 0; words[i]; i++) {
        ty_plot *p = made((ty_plot_options){.width = 640, .height = 480});
        ty_plot_line(p, NULL, steps(9), (ty_plot_style){.name = words[i]});
        check_words(p, (const char *const[]){words[i], NULL});
    }
}

/* Labels may be longer than their axis while the page has room; a factor beside a label is not covered. */
static void labels(void) {
    ty_plot *p =
        made((ty_plot_options){.width = 195, .height = 146, .x = "petal length", .y = "a density (dB/Hz)"});
    ty_plot_line(p, ty_mul(steps(9), ty_num(1e7)), steps(9), (ty_plot_style){0});
    check_words(p, (const char *const[]){"petal length", "a density (dB/Hz)", "×10⁶", NULL});
    struct scene s;
    draw(&s, p);
    double end = 0, begin = 195;
    for (const struct shape *t = s.first; t; t = t->next) {
        if (t->kind != SHAPE_TEXT) continue;
        double width = scene_text_width(&s, t->size, t->bold, t->text);
        if (!strcmp(t->text, "petal length")) end = t->x[0] + width / 2;
        if (!strcmp(t->text, "×10⁶")) begin = t->x[0] - width;
    }
    CHECK(end < begin, "the label ends at %g, the factor begins at %g", end, begin);
    scene_end(&s);
}

/* Texts that are cut keep their whole. */
static void cut_texts(void) {
    static const char name[] =
        "a name that is far too long for the legend, an axis or a cell of a page as small as this";
    const char *const names[] = {name, name, name};
    for (int kind = 0; kind < 3; kind++) {
        ty_plot *p = made((ty_plot_options){.width = 150, .height = 120, .x = name, .y = name});
        if (kind == 0) ty_plot_line(p, NULL, steps(9), (ty_plot_style){.name = name});
        if (kind == 1) ty_plot_bars(p, 3, names, steps(3), (ty_plot_style){0});
        if (kind == 2) ty_plot_heat(p, ty_eye(TY_F64, 3), (ty_plot_style){.name = name});
        struct scene s;
        int whole = 0, cut = 0;
        draw(&s, p);
        for (const struct shape *t = s.first; t; t = t->next) {
            if (t->kind != SHAPE_TEXT || !strstr(t->text, "…")) continue;
            cut++;
            whole += t->whole && !strcmp(t->whole, name);
        }
        CHECK(test_starving() || (cut > 2 && whole == cut), "kind %d: %d of %d texts", kind, whole, cut);
        scene_end(&s);
    }
}

/* A cut does not part a letter from its accents. */
static void cut_accents(void) {
    char name[8 * 90 + 1] = "";
    for (int i = 0; i < 90; i++) strcat(name, "e\xcc\x81\xcc\x82");
    struct scene s;
    scene_begin(&s, 200, 100, (struct colour){255, 255, 255, 255});
    struct chart c = {.s = &s};
    for (double width = 20; width < 190; width += 3.7) {
        const char *cut = chart_fit(&c, SIZE_TICK, false, name, width);
        size_t n = strlen(cut);
        CHECK(test_starving() || (n % 5 == 3 && !strcmp(cut + n - 3, "…")), "width %g: %zu bytes", width, n);
    }
    scene_end(&s);
}

static void titles(void) {
    ty_plot *p =
        made((ty_plot_options){.width = 195, .height = 146, .title = "Price of something over time"});
    ty_plot_line(p, NULL, steps(9), (ty_plot_style){0});
    check_words(p, (const char *const[]){"Price of something", "over time", NULL});
    p = made((ty_plot_options){.title = "Price of something over time"});
    ty_plot_line(p, NULL, steps(9), (ty_plot_style){0});
    check_words(p, (const char *const[]){"Price of something over time", NULL});
}

/* On a narrow page the legend lies above the area, on a wide one beside it. */
static void legends(void) {
    static const char *const four[] = {"sine", "cosine", "damped", "noise"};
    static const double pages[][2] = {{195, 146}, {640, 140}};
    for (int i = 0; i < 2; i++) {
        ty_plot *p = made((ty_plot_options){.width = pages[i][0], .height = pages[i][1]});
        /* 0, -1, 1, -2, ...: a zigzag that leaves no free corner */
        ty_tensor *k = ty_iota(TY_F64, 2, (int64_t[]){50, 4}, 0);
        ty_plot_line(p, NULL, ty_cos(ty_mul(k, ty_num(1.3))), (ty_plot_style){.names = four, .nnames = 4});
        struct scene s;
        scene_begin(&s, pages[i][0], pages[i][1], (struct colour){255, 255, 255, 255});
        struct chart *c = *ty_plot_error(p) ? NULL : chart_laid_out(&s, p, (struct chart_form){0});
        bool laid = c && !s.fault.set;
        int side = laid ? (int)c->legend.side : 0;
        struct place area = laid ? c->area : (struct place){0};
        scene_end(&s);
        CHECK(!laid || side == (i ? LEGEND_BESIDE : LEGEND_ABOVE), "page %d: side %d", i, side);
        CHECK(!laid || area.w * area.h > 0.35 * pages[i][0] * pages[i][1], "page %d: the area is %g x %g", i,
              area.w, area.h);
    }
}

/* Numbers in cells need the room of the bar on a narrow page. */
static void bars_of_colours(void) {
    for (int wide = 0; wide < 2; wide++) {
        ty_plot *p = made((ty_plot_options){.width = wide ? 640 : 195, .height = wide ? 480 : 146});
        ty_plot_confusion(p, ty_eye(TY_F64, 3), (ty_plot_style){0});
        struct scene s;
        draw(&s, p);
        CHECK(test_starving() || is_written(&s, "share of the true class") == wide, "width %g", p->o.width);
        scene_end(&s);
    }
}

/* Histograms of up to three classes are hatched in different directions, more have different dashes. */
static void hatches(void) {
    for (int64_t classes = 1; classes < 6; classes++) {
        ty_plot *p = made((ty_plot_options){0});
        ty_tensor *by = ty_cast(ty_mod(steps(100), ty_num((double)classes)), TY_I32);
        ty_plot_histogram(p, steps(100), (ty_plot_style){.by = by});
        struct scene s;
        int rising = 0, falling = 0, level = 0, dashed = 0;
        draw(&s, p);
        for (const struct shape *t = s.first; t; t = t->next) {
            if (t->kind != SHAPE_LINE || !t->clipped) continue;
            dashed += t->stroke.dash > 0;
            for (int64_t i = 0; i + 1 < t->n && t->stroke.width < 0.65; i += 3) {
                double rise = t->y[i + 1] - t->y[i];
                rising += rise<0, falling += rise> 0, level += rise == 0;
            }
        }
        bool hatched = classes > 1 && classes < 4;
        CHECK(test_starving() || ((rising > 5) == hatched && (falling > 5) == hatched &&
                                  (level > 5) == (classes == 3) && (dashed > 0) == (classes > 3)),
              "%d classes: %d, %d, %d lines, %d dashed", (int)classes, rising, falling, level, dashed);
        scene_end(&s);
    }
}

/* Boxes that reach far beyond the page are hatched on the page. */
static void far_hatches(void) {
    ty_plot *p = made((ty_plot_options){.y_low = 0, .y_high = 1e-200});
    ty_tensor *by = ty_cast(ty_mod(steps(100), ty_num(2)), TY_I32);
    ty_plot_histogram(p, steps(100), (ty_plot_style){.by = by});
    ty_tensor *image = ty_plot_image(p, 1);
    CHECK(test_starving() || ty_ok(image), "%s", ty_error(image));
}

/* Without colours, letters tell lines, histograms and bars of a terminal apart. */
static void letters(void) {
    static const char *const two[] = {"first", "second"};
    ty_tensor *by = ty_cast(ty_mod(steps(40), ty_num(2)), TY_I32);
    ty_plot_style s = {.by = by, .names = two, .nnames = 2};
    for (int kind = 0; kind < 3; kind++) {
        ty_plot *p = made((ty_plot_options){0});
        if (kind == 0) ty_plot_line(p, NULL, steps(40), s);
        if (kind == 1) ty_plot_histogram(p, steps(40), s);
        if (kind == 2) {
            s.by = NULL;
            ty_plot_bars(p, 2, two, ty_eye(TY_F64, 2), s);
        }
        char *text = ty_plot_to_string(p, (ty_plot_text_options){.columns = 60});
        const char *area = text ? strchr(text, '\n') : NULL;
        CHECK(test_starving() || (area && strchr(area, 'a') && strchr(area, 'b')), "kind %d: %s", kind, text);
        ty_free(text);
        text = ty_plot_to_string(p, (ty_plot_text_options){.columns = 60, .colours = TY_PLOT_COLOURS_256});
        area = text ? strchr(text, '\n') : NULL;
        CHECK(test_starving() || (area && !strchr(area, 'a')), "kind %d has letters beside colours", kind);
        ty_free(text);
    }
}

static uint8_t shade(const uint8_t *pixels, int columns, int x, int y) {
    return pixels[4 * (y * columns + x)];
}

/* A bold e is open on the right between its bar and its end. */
static void open_letters(void) {
    struct scene s;
    int columns = 0, rows = 0, gap = 255;
    scene_begin(&s, 14, 14, (struct colour){255, 255, 255, 255});
    scene_text(&s, 1, 11, SIZE_TITLE, ANCHOR_START, BASELINE_LETTERS, 0, (struct colour){0, 0, 0, 255}, true,
               "e");
    uint8_t *pixels = scene_raster(&s, 2, &columns, &rows);
    int right = -1;
    for (int x = 0; pixels && x < columns; x++)
        for (int y = 0; y < rows; y++)
            if (shade(pixels, columns, x, y) < 128) right = x;
    gap = 0; /* the brightest pixel between the bar and the end, two pixels left of the right edge */
    for (int y = 16; pixels && y < 21; y++) {
        int v = right >= 2 ? shade(pixels, columns, right - 2, y) : 0;
        if (v > gap) gap = v;
    }
    CHECK(!pixels || gap > 120, "the gap has a shade of %d", gap);
    ty_free(pixels);
    scene_end(&s);
}

TESTS_MAIN(TEST(names), TEST(labels), TEST(cut_texts), TEST(cut_accents), TEST(titles), TEST(legends),
           TEST(bars_of_colours), TEST(hatches), TEST(far_hatches), TEST(letters), TEST(open_letters))
