/* Plots: layouts, layers of every kind, and pictures of hostile data. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/plot.h>
#include <tyto/tyto.h>

#include "plot/chart.h"
#include "plot/shapes.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"

static void release(void *p) { ty_plot_free(p); }
static ty_plot *made(ty_plot_options o) { return test_own(ty_plot_new(o), release); }
static ty_tensor *f64s(int64_t n, const double *x) { return ty_from(TY_F64, 1, &n, x); }

/* ---- colours ---- */

static double lightness(struct colour c) {
    return 0.2126 * pow(c.r / 255.0, 2.2) + 0.7152 * pow(c.g / 255.0, 2.2) + 0.0722 * pow(c.b / 255.0, 2.2);
}

static void colour_maps(void) {
    static struct colour_map m;
    for (int dark = 0; dark < 2; dark++) {
        ty_plot *p = made((ty_plot_options){.dark = dark});
        if (*ty_plot_error(p)) return;
        p->values = (struct bounds){-1, 3}, p->map = MAP_VALUES;
        colour_map_make(&m, p);
        for (int i = 1; i < 256; i++)
            CHECK(lightness(m.colours[i]) >= lightness(m.colours[i - 1]) - 0.004, "colour %d is darker", i);
        CHECK(lightness(m.colours[255]) > 5 * lightness(m.colours[0]), "ends are too similar");
        struct colour low = colour_map_at(&m, -INFINITY), none = colour_map_at(&m, NAN);
        CHECK(!memcmp(&low, &m.colours[0], sizeof low) && !memcmp(&none, &m.missing, sizeof none), "ends");
    }
}

/* ---- pictures ---- */

/* A growing text. */
struct bytes {
    size_t n;
    char *data;
};
static bool append(void *context, const void *bytes, size_t n) {
    struct bytes *b = context;
    char *more = realloc(b->data, b->n + n + 1);
    if (!more) return false;
    memcpy(more + b->n, bytes, n);
    b->data = more, b->n += n;
    more[b->n] = 0;
    return true;
}

/* Return the plot as SVG; NULL if it failed.  The caller frees it with free. */
static char *svg_of(ty_plot *p) {
    struct bytes b = {0};
    ty_tensor *error = NULL;
    bool well = ty_plot_send(p, (ty_sink){&b, append}, "svg", &error);
    CHECK(well == !error, "the result and the error differ");
    if (well) return b.data;
    free(b.data);
    return NULL;
}

/* Check that the plot is drawn as SVG with the words, as pixels, and as text. */
static void check_drawn(ty_plot *p, const char *what, const char *words) {
    char *svg = svg_of(p);
    CHECK(test_starving() || svg, "%s: %s", what, ty_plot_error(p));
    CHECK(!svg || !words || strstr(svg, words), "%s: the picture lacks \"%s\"", what, words);
    CHECK(!svg || !strstr(svg, "nan"), "%s: a coordinate is no number", what);
    free(svg);
    ty_tensor *x = ty_plot_image(p, 1);
    CHECK(test_starving() || (ty_ok(x) && ty_rank(x) == 3 && ty_shape(x)[2] == 4), "%s: %s", what,
          ty_error(x));
    for (int colours = 0; colours < TY_PLOT_COLOURS; colours += 3) {
        ty_plot_text_options o = {.columns = 60, .colours = (ty_plot_colours)colours, .ascii = !colours};
        char *text = ty_plot_to_string(p, o);
        CHECK(test_starving() || text, "%s: no text", what);
        for (const char *at = text; at && *at && !colours; at++)
            CHECK(!(*at & 0x80), "%s: a character beyond ASCII", what);
        ty_free(text);
    }
}

static void lines(void) {
    static const double x[] = {1, 2, 3, 4, 5, 6}, y[] = {1, NAN, 3, INFINITY, -INFINITY, 2};
    ty_plot *p = made((ty_plot_options){.title = "Voltage", .x = "time (s)", .y = "voltage (V)"});
    bool line = ty_plot_line(p, f64s(6, x), f64s(6, y), (ty_plot_style){.name = "measured"});
    bool points = ty_plot_points(p, f64s(6, x), f64s(6, y), (ty_plot_style){.name = "model"});
    CHECK(test_starving() || (line && points), "%s", ty_plot_error(p));
    check_drawn(p, "lines", "measured");
    check_drawn(p, "lines", "time (s)");
    ty_tensor *matrix = ty_iota(TY_F32, 2, (int64_t[]){5, 3}, 0);
    static const char *const names[] = {"one", "two", "three"};
    p = made((ty_plot_options){.dark = true});
    ty_plot_line(p, NULL, matrix, (ty_plot_style){.names = names, .nnames = 3});
    check_drawn(p, "columns", "three");
}

/* The same picture of equal elements in other dtypes and layouts. */
static void operands(void) {
    int64_t n = 12;
    ty_tensor *x = ty_iota(TY_F64, 1, &n, 0);
    ty_tensor *same[] = {x,
                         ty_cast(x, TY_F32),
                         ty_cast(x, TY_F16),
                         ty_cast(x, TY_U8),
                         ty_cast(x, TY_I64),
                         ty_slice(ty_repeat(x, 2, 0), 0, 0, 24, 2),
                         ty_flip(ty_flip(x, 0), 0),
                         ty_lazy(x),
                         ty_cast(x, TY_F8_E4M3FN)};
    char *first = NULL;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        ty_plot *p = made((ty_plot_options){0});
        ty_plot_line(p, same[i], same[i], (ty_plot_style){0});
        char *svg = svg_of(p);
        CHECK(test_starving() || svg, "operand %zu: %s", i, ty_plot_error(p));
        if (!first) {
            first = svg;
            continue;
        }
        CHECK(test_starving() || !svg || !strcmp(svg, first), "operand %zu is drawn otherwise", i);
        free(svg);
    }
    free(first);
}

static void few(void) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, 5};
    for (int64_t n = 0; n <= 4; n++)
        for (int log = 0; log < 2; log++) {
            ty_plot *p = made((ty_plot_options){.y_log = log, .x_log = log});
            ty_plot_line(p, NULL, f64s(n, odd), (ty_plot_style){0});
            ty_plot_points(p, f64s(n, odd), f64s(n, odd),
                           (ty_plot_style){.by = f64s(n, odd), .name = "value"});
            check_drawn(p, "few", n < 4 ? "no data" : NULL);
            p = made((ty_plot_options){.x_log = log});
            ty_plot_histogram(p, f64s(n, odd), (ty_plot_style){0});
            check_drawn(p, "few in a histogram", "count");
            if (n < 4) check_drawn(p, "none in a histogram", "no data");
            p = made((ty_plot_options){0});
            ty_plot_curves(p, NULL, f64s(n, odd), (ty_plot_style){.name = "loss"});
            check_drawn(p, "a short curve", n < 4 ? NULL : "loss: least 5 at 3");
        }
    ty_plot *p = made((ty_plot_options){0});
    check_drawn(p, "no layer", "no data");
    p = made((ty_plot_options){0});
    ty_plot_line(p, NULL, ty_full(TY_F64, 1, (int64_t[]){10}, 7.5), (ty_plot_style){0});
    check_drawn(p, "constant", "7.5");
}

static void classes(void) {
    static const int32_t by[] = {0, 1, 2, 1, 0, -1};
    static const double x[] = {1, 2, 3, 4, 5, 6};
    static const char *const names[] = {"setosa", "versicolor", "virginica"};
    ty_tensor *codes = ty_from(TY_I32, 1, (int64_t[]){6}, by);
    ty_plot_style s = {.by = codes, .names = names, .nnames = 3, .name = "species"};
    ty_plot *p = made((ty_plot_options){0});
    ty_plot_points(p, f64s(6, x), f64s(6, x), s);
    check_drawn(p, "classes", "virginica");
    check_drawn(p, "classes", "species");
    char *text = ty_plot_to_string(p, (ty_plot_text_options){.columns = 50});
    CHECK(test_starving() || (text && strstr(text, "a setosa") && strstr(text, "b versicolor")), "%s", text);
    ty_free(text);
    p = made((ty_plot_options){0});
    ty_plot_line(p, NULL, f64s(6, x), s);
    check_drawn(p, "lines", "virginica");
    check_drawn(p, "lines", "species");
    p = made((ty_plot_options){0});
    s.bins = 4, s.share = true;
    ty_plot_histogram(p, f64s(6, x), s);
    check_drawn(p, "histograms", "versicolor");
    p = made((ty_plot_options){.dark = true});
    ty_plot_bars(p, 3, names, f64s(3, x), (ty_plot_style){0});
    check_drawn(p, "bars", "setosa");
    p = made((ty_plot_options){0});
    ty_plot_bars(p, 3, names, ty_reshape(f64s(6, x), 2, (int64_t[]){3, 2}),
                 (ty_plot_style){.names = names, .nnames = 2});
    check_drawn(p, "bars side by side", "virginica");
}

/* Counts of a histogram, read from its layer. */
static void counts(void) {
    static const double x[] = {0, 0.5, 1, 1, 2, 4, NAN, INFINITY};
    ty_plot *p = made((ty_plot_options){0});
    ty_plot_histogram(p, f64s(8, x), (ty_plot_style){.bins = 4});
    if (*ty_plot_error(p) || !p->first) return;
    static const double known[] = {2, 2, 1, 1};
    CHECK(p->first->n == 4 && !memcmp(p->first->y, known, sizeof known), "counts %g %g %g %g", p->first->y[0],
          p->first->y[1], p->first->y[2], p->first->y[3]);
    p = made((ty_plot_options){0}); /* integers: an interval for each */
    ty_plot_histogram(p, ty_from(TY_I32, 1, (int64_t[]){5}, (int32_t[]){3, 4, 4, 6, 3}), (ty_plot_style){0});
    if (*ty_plot_error(p) || !p->first) return;
    CHECK(p->first->n == 4 && p->first->x[0] == 2.5 && p->first->y[0] == 2 && p->first->y[2] == 0,
          "%lld intervals", (long long)p->first->n);
    double tenths[60];
    for (int i = 0; i < 60; i++) tenths[i] = 0.3 + 0.1 * i;
    p = made((ty_plot_options){0}); /* other numbers: the edges of intervals of 1 are integers */
    ty_plot_histogram(p, f64s(60, tenths), (ty_plot_style){0});
    if (*ty_plot_error(p) || !p->first) return;
    CHECK(p->first->n == 7 && p->first->x[0] == 0 && p->first->x[1] == 1, "%lld intervals from %g to %g",
          (long long)p->first->n, p->first->x[0], p->first->x[1]);
}

static void matrices(void) {
    static const double counted[] = {8, 2, 0, 1, 5, 0, 0, 0, 0};
    static const char *const names[] = {"cat", "dog", "horse"};
    ty_tensor *x = ty_reshape(f64s(9, counted), 2, (int64_t[]){3, 3});
    ty_plot *p = made((ty_plot_options){0});
    ty_plot_confusion(p, x, (ty_plot_style){.names = names, .nnames = 3});
    check_drawn(p, "confusion", "horse");
    check_drawn(p, "confusion", "predicted");
    p = made((ty_plot_options){.dark = true});
    ty_plot_heat(p, ty_div(ty_sub(x, ty_num(2)), x),
                 (ty_plot_style){.numbers = true, .diverging = true, .name = "share"});
    check_drawn(p, "heat", "share");
    p = made((ty_plot_options){0});
    ty_plot_heat(p, ty_zeros(TY_F32, 2, (int64_t[]){0, 4}), (ty_plot_style){0});
    check_drawn(p, "an empty matrix", "no data");
    p = made((ty_plot_options){0});
    ty_plot_heat(p, ty_iota(TY_F32, 2, (int64_t[]){3000, 2}, 0), (ty_plot_style){0});
    check_drawn(p, "a tall matrix", NULL);
    static const double odd[][2] = {{1, 1 + 2.3e-16}, {1e17, 1e17 + 16}, {1e308, -1e308}, {0, 1e-320}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        p = made((ty_plot_options){0});
        ty_plot_heat(p, ty_reshape(f64s(2, odd[i]), 2, (int64_t[]){1, 2}), (ty_plot_style){0});
        check_drawn(p, "odd values", NULL);
    }
}

static void images(void) {
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    ty_tensor *grey = ty_iota(TY_U8, 3, (int64_t[]){5, 6, 7}, 2),
              *rgb = ty_iota(TY_F32, 4, (int64_t[]){2, 4, 4, 3}, 1);
    ty_plot *p = made((ty_plot_options){.title = "Digits"});
    ty_plot_images(p, grey, (ty_plot_style){.names = names, .nnames = 5, .columns = 3});
    check_drawn(p, "images", "Digits");
    CHECK(test_starving() || !ty_plot_line(p, NULL, f64s(1, (double[]){1}), (ty_plot_style){0}),
          "a line over images");
    p = made((ty_plot_options){0});
    ty_plot_images(p, rgb, (ty_plot_style){0});
    check_drawn(p, "colours", NULL);
    p = made((ty_plot_options){0});
    ty_plot_images(p, ty_zeros(TY_U8, 3, (int64_t[]){1000, 2, 2}), (ty_plot_style){0});
    check_drawn(p, "many images", "the first 400 of 1000");
    p = made((ty_plot_options){0});
    ty_plot_images(p, ty_zeros(TY_U8, 3, (int64_t[]){0, 2, 2}), (ty_plot_style){0});
    check_drawn(p, "no images", "no data");
}

static void signals(void) {
    int64_t n = 4000;
    ty_tensor *t = ty_div(ty_iota(TY_F64, 1, &n, 0), ty_num(1000)),
              *x = ty_sin(ty_mul(t, ty_num(2 * 3.14159265358979 * 125)));
    ty_plot *p = made((ty_plot_options){0});
    ty_plot_spectrum(p, x, 1000, (ty_plot_style){0});
    check_drawn(p, "spectrum", "frequency (Hz)");
    const struct layer *l = p->first;
    int64_t most = 0;
    for (int64_t i = 0; l && i < l->n; i++)
        if (l->y[i] > l->y[most]) most = i;
    CHECK(!l || fabs(l->x[most] - 125) < 1, "the peak is at %g Hz", l->x[most]);
    p = made((ty_plot_options){.dark = true});
    ty_plot_spectrogram(p, x, 0, (ty_plot_style){0});
    check_drawn(p, "spectrogram", "frequency (cycles/sample)");
    p = made((ty_plot_options){0});
    ty_plot_spectrum(p, ty_zeros(TY_F32, 1, &n), 0, (ty_plot_style){0});
    check_drawn(p, "silence", "no data");
}

static void many(void) {
    int64_t n = test_some(1000000, 100000, 3000);
    ty_tensor *x = ty_iota(TY_F32, 1, &n, 0), *y = ty_sin(x);
    for (int kind = 0; kind < 3; kind++) {
        ty_plot *p = made((ty_plot_options){0});
        if (kind == 0) ty_plot_line(p, x, y, (ty_plot_style){0});
        if (kind == 1) ty_plot_points(p, ty_cos(x), y, (ty_plot_style){0});
        if (kind == 2) ty_plot_points(p, ty_cos(x), y, (ty_plot_style){.by = y});
        char *svg = svg_of(p);
        CHECK(test_starving() || svg, "many: %s", ty_plot_error(p));
        CHECK(!svg || strlen(svg) < 5000000, "the picture of many points has %zu bytes",
              svg ? strlen(svg) : 0);
        bool squares = kind == 1 && n > 20000;
        CHECK(!svg || !squares || strstr(svg, "l 1.5 0l 0 1.5l-1.5 0z"),
              "squares of 1.5 points do not touch");
        free(svg);
    }
}

/* The line that is drawn has no more points than the layer, however many share a strip of the page. */
static void thinned(void) {
    const int64_t most = test_some(6000, 6000, 1500);
    for (int64_t n = 1500; n <= most; n += 300) {
        ty_plot *p = made((ty_plot_options){0});
        ty_plot_line(p, NULL, ty_sin(ty_div(ty_iota(TY_F64, 1, &n, 0), ty_num(200))), (ty_plot_style){0});
        struct scene s;
        scene_begin(&s, 460, 345, (struct colour){255, 255, 255, 255});
        if (!*ty_plot_error(p)) chart_draw(&s, p, (struct chart_form){0});
        for (const struct shape *shape = s.first; shape; shape = shape->next)
            CHECK(shape->n <= n, "%lld points of %lld", (long long)shape->n, (long long)n);
        scene_end(&s);
    }
}

/* Marks that are smaller than pixels take no more memory for it. */
static void small_marks(void) {
    int64_t n = 6000;
    ty_tensor *x = ty_iota(TY_F32, 1, &n, 0);
    for (double size = 1; size > 1e-12; size *= 0.01) {
        ty_plot *p = made((ty_plot_options){0});
        ty_plot_points(p, x, x, (ty_plot_style){.size = size});
        char *svg = svg_of(p);
        CHECK(test_starving() || svg, "marks of %g points", size);
        free(svg);
    }
}

/* The sample of a wide line lies in the legend. */
static void wide_lines(void) {
    ty_plot *p = made((ty_plot_options){0});
    ty_plot_line(p, NULL, f64s(2, (double[]){1, 2}), (ty_plot_style){.size = 900, .name = "wide"});
    char *svg = svg_of(p), *first = svg ? strstr(svg, "stroke-width=\"900\"") : NULL;
    CHECK(!svg || (first && !strstr(first + 1, "stroke-width=\"900\"")), "the sample is 900 points wide");
    free(svg);
}

static void long_names(void) {
    static char name[4001];
    for (int i = 0; i < 1000; i++) memcpy(name + 4 * i, i % 7 ? "a\xc3\xa4x" : "\xff\n\x1b ", 4);
    const char *const names[] = {name, name + 4, name + 1};
    ty_plot *p = made((ty_plot_options){.title = name, .x = name, .y = name, .width = 120, .height = 100});
    ty_plot_line(p, NULL, ty_iota(TY_F64, 2, (int64_t[]){4, 3}, 0),
                 (ty_plot_style){.names = names, .nnames = 3, .name = name});
    check_drawn(p, "long names", "…");
    p = made((ty_plot_options){0});
    ty_plot_bars(p, 3, names, f64s(3, (double[]){1, 2, 3}), (ty_plot_style){0});
    check_drawn(p, "bars of long names", "…");
    p = made((ty_plot_options){0});
    ty_plot_heat(p, ty_zeros(TY_F64, 2, (int64_t[]){3, 3}),
                 (ty_plot_style){.names = names, .nnames = 3, .rows = names, .nrows = 3});
    check_drawn(p, "a matrix of long names", "…");
}

/* ---- layout ---- */

/* Labels of a horizontal axis do not overlap, in pictures of all widths. */
static void overlaps(void) {
    for (double width = 96; width < 900; width *= 1.7)
        for (double size = 1e-9; size < 1e12; size *= 37) {
            ty_plot *p = made((ty_plot_options){.width = width, .height = 120});
            ty_plot_line(p, f64s(2, (double[]){-size, 1.7 * size}), f64s(2, (double[]){0, size}),
                         (ty_plot_style){0});
            struct scene s;
            scene_begin(&s, width, 120, (struct colour){255, 255, 255, 255});
            struct chart *c = *ty_plot_error(p) ? NULL : chart_laid_out(&s, p, (struct chart_form){0});
            double end = -INFINITY;
            for (int i = 0; c && i < c->across.ticks.n; i++) {
                double half = chart_width(c, SIZE_TICK, false, c->across.ticks.labels[i]) / 2;
                double x = scale_at(&c->across.scale, c->across.ticks.at[i]);
                if (!half) continue;
                CHECK(x - half > end, "width %g, range %g: labels overlap", width, size);
                end = x + half;
            }
            CHECK(!c || (c->area.x >= 0 && c->area.x + c->area.w <= width + 0.01 && c->area.w > 0),
                  "the area leaves the page");
            scene_end(&s);
        }
}

/* A power of 10 above the bar of colours has room. */
static void factors(void) {
    ty_plot *p = made((ty_plot_options){0});
    ty_plot_heat(p, ty_reshape(f64s(2, (double[]){-3e9, 4e9}), 2, (int64_t[]){1, 2}), (ty_plot_style){0});
    struct scene s;
    scene_begin(&s, 460, 345, (struct colour){255, 255, 255, 255});
    struct chart *c = *ty_plot_error(p) ? NULL : chart_laid_out(&s, p, (struct chart_form){0});
    CHECK(!c || (*c->values.ticks.factor && c->area.y > chart_line(c, SIZE_TICK) + 5),
          "the area begins at %g", c->area.y);
    scene_end(&s);
}

/* ---- failures ---- */

static void expect_refusal(ty_plot *p, bool done, const char *words) {
    CHECK(test_starving() || (!done && strstr(ty_plot_error(p), words)), "expected \"%s\", got \"%s\"", words,
          ty_plot_error(p));
    char *text = ty_plot_to_string(p, (ty_plot_text_options){0});
    CHECK(done || !text, "a failed plot was drawn");
    ty_free(text);
}

static void failures(void) {
    ty_tensor *x = ty_iota(TY_F64, 1, (int64_t[]){4}, 0), *m = ty_iota(TY_F64, 2, (int64_t[]){4, 3}, 0);
    ty_plot_style none = {0};
    ty_plot *p = made((ty_plot_options){.width = 5});
    expect_refusal(p, ty_plot_line(p, NULL, x, none), "5 by 345.6 points; expected 96 to 7200");
    p = made((ty_plot_options){.y_log = true, .y_low = -1, .y_high = 4});
    expect_refusal(p, false, "the lower limit -1 of the logarithmic axis y");
    p = made((ty_plot_options){0});
    expect_refusal(p, ty_plot_line(p, x, ty_slice(x, 0, 0, 3, 1), none),
                   "plot_line: x has 4 elements and y 3");
    expect_refusal(p, ty_plot_line(p, NULL, x, none), "plot_line: x has 4 elements");
    p = made((ty_plot_options){0});
    expect_refusal(p, ty_plot_line(p, NULL, ty_cast(x, TY_C64), none),
                   "complex numbers have no order; take ty_real or ty_abs");
    p = made((ty_plot_options){0});
    expect_refusal(p, ty_plot_points(p, NULL, m, none), "y has 2 axes; expected 1");
    p = made((ty_plot_options){0});
    expect_refusal(p, ty_plot_heat(p, x, none), "x has 1 axis; expected 2");
    p = made((ty_plot_options){.x_log = true});
    expect_refusal(p, ty_plot_heat(p, m, none), "do not fit logarithmic axes");
    p = made((ty_plot_options){0});
    expect_refusal(p, ty_plot_confusion(p, m, none), "expected as many columns as rows");
    p = made((ty_plot_options){0});
    expect_refusal(p, ty_plot_images(p, ty_zeros(TY_U8, 4, (int64_t[]){1, 2, 2, 2}), none),
                   "2 channels; expected 1, 3 or 4");
    p = made((ty_plot_options){0});
    expect_refusal(p, ty_plot_spectrum(p, x, 0, none), "4 samples; expected at least 8");
    p = made((ty_plot_options){0});
    expect_refusal(p, ty_plot_points(p, NULL, x, (ty_plot_style){.by = ty_cast(m, TY_I32)}), "by has 2 axes");
    p = made((ty_plot_options){0});
    expect_refusal(p, ty_plot_line(p, NULL, x, (ty_plot_style){.by = x}), "by has values, not classes");
    p = made((ty_plot_options){0});
    expect_refusal(p, ty_plot_line(p, NULL, m, (ty_plot_style){.by = x}), "y has 3 columns; expected 1");
    p = made((ty_plot_options){0});
    expect_refusal(p, ty_plot_line(p, NULL, ty_poison("lost"), none), "y: lost");
    p = made((ty_plot_options){0});
    bool most = ty_plot_histogram(p, x, (ty_plot_style){.bins = 100000});
    CHECK(test_starving() || most, "%s", ty_plot_error(p));
    p = made((ty_plot_options){0});
    expect_refusal(p, ty_plot_histogram(p, x, (ty_plot_style){.bins = 100001}),
                   "100001 bins; expected at most 100000");
    expect_refusal(NULL, ty_plot_line(NULL, NULL, x, none), "the plot is NULL");
}

static void files(void) {
    const char *folder = scratch_folder();
    ty_tensor *error = NULL;
    ty_plot *p = made((ty_plot_options){.width = 120, .height = 100});
    ty_plot_line(p, NULL, f64s(3, (double[]){1, 3, 2}), (ty_plot_style){0});
    const char *const names[] = {"plot.svg", "plot.png"};
    for (int i = 0; i < 2; i++) {
        bool done = ty_plot_write(p, scratch_path(folder, names[i]), &error);
        CHECK(test_starving() || done, "%s: %s", names[i], error ? ty_error(error) : "");
    }
    CHECK(!ty_plot_write(p, "plot.gif", &error) && error &&
              (test_starving() || strstr(ty_error(error), "expected svg or png")),
          "gif");
    CHECK(!ty_plot_write(p, "plot", &error) && error, "a name without an ending");
    CHECK(!ty_plot_write(p, "/no/such/folder/x.png", &error) && error, "a folder that is not there");
    CHECK(!ty_plot_write(NULL, "x.png", &error) && error, "NULL");
    ty_tensor *image = ty_plot_image(p, 2);
    CHECK(test_starving() || (ty_ok(image) && ty_shape(image)[0] == 200 && ty_shape(image)[1] == 240),
          "an image");
    CHECK(!ty_ok(ty_plot_image(p, -1)) && !ty_ok(ty_plot_image(p, NAN)) && !ty_ok(ty_plot_image(p, 1e9)),
          "scales");
    CHECK(!ty_plot_print(NULL, p), "NULL for a file");
}

TESTS_MAIN(TEST(colour_maps), TEST(lines), TEST(operands), TEST(few), TEST(classes), TEST(counts),
           TEST(matrices), TEST(images), TEST(signals), TEST(many), TEST(thinned), TEST(small_marks),
           TEST(wide_lines), TEST(long_names), TEST(overlaps), TEST(factors), TEST(failures), TEST(files))
