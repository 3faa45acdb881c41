/* Scenes as pixels: coverage of shapes of known areas, strokes, clips, far and invalid coordinates, images, PNG. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "io/output.h"
#include "plot/font.h"
#include "plot/scene.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"

static const struct colour black = {0, 0, 0, 255}, white = {255, 255, 255, 255}, nothing = {0, 0, 0, 0};
static const struct stroke no_line = {{0, 0, 0, 0}, 0, 0, 0};
static struct scene s;

static void end_scene(void *scene) { scene_end(scene); }

/* Begin a white scene, freed when the test ends. */
static void begin(double width, double height) {
    scene_end(&s);
    scene_begin(&s, width, height, white);
    test_own(&s, end_scene);
}

/* Return the pixels at a scale, freed when the test ends. */
static const uint8_t *pixels(double scale, int *columns, int *rows) {
    uint8_t *p = scene_raster(&s, scale, columns, rows);
    CHECK(p, "%s", s.fault.text);
    return test_own(p, mem_free);
}

/* Return the sum of black over all pixels, in pixels. */
static double ink(double scale) {
    int columns, rows;
    const uint8_t *p = pixels(scale, &columns, &rows);
    double sum = 0;
    for (int i = 0; i < columns * rows; i++) sum += (255 - p[4 * i]) / 255.0;
    return sum;
}

/* Fail unless the red of a pixel is at most 1 away from a value. */
static void check_pixel(const uint8_t *p, int columns, int x, int y, double want) {
    int got = p[4 * (y * columns + x)];
    CHECK(fabs(got - want) <= 1, "pixel %d, %d is %d, not %.1f", x, y, got, want);
}

static double overlap(double low, double high, int at) { return fmax(0, fmin(high, at + 1) - fmax(low, at)); }

static void rectangles(void) {
    for (int round = 0; round < test_some(50, 10, 2); round++) {
        struct test_round r = test_round();
        double x0 = test_uniform(-2, 5), x1 = x0 + test_uniform(0.1, 6), y0 = test_uniform(-2, 5),
               y1 = y0 + test_uniform(0.1, 6);
        begin(8, 8);
        scene_area(&s, 4, (double[]){x0, x1, x1, x0}, (double[]){y0, y0, y1, y1}, black);
        int columns, rows;
        const uint8_t *p = pixels(1, &columns, &rows);
        CHECK(columns == 8 && rows == 8, "%d x %d pixels", columns, rows);
        for (int y = 0; y < 8; y++)
            for (int x = 0; x < 8; x++)
                check_pixel(p, 8, x, y, 255 * (1 - overlap(x0, x1, x) * overlap(y0, y1, y)));
        test_round_end(r);
    }
}

/* The pixels along the diagonal of a square are half covered. */
static void triangles(void) {
    begin(8, 8);
    scene_area(&s, 3, (double[]){0, 8, 0}, (double[]){0, 8, 8}, black);
    int columns, rows;
    const uint8_t *p = pixels(1, &columns, &rows);
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) check_pixel(p, 8, x, y, x < y ? 0 : x > y ? 255 : 127.5);
}

/* Sums of coverage are areas: of random triangles in any orientation, of stars, of polygons cut by the page. */
static void areas(void) {
    for (int round = 0; round < test_some(100, 20, 2); round++) {
        struct test_round r = test_round();
        double x[3], y[3];
        for (int i = 0; i < 3; i++) x[i] = test_uniform(1, 63), y[i] = test_uniform(1, 63);
        double area = fabs((x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])) / 2;
        begin(64, 64);
        scene_area(&s, 3, x, y, black);
        double got = ink(1);
        CHECK(fabs(got - area) < 0.35, "%g instead of %g", got, area); /* 190 edge pixels, rounded by 1/510 */
        test_round_end(r);
    }
}

/* The non-zero rule: a pentagram is filled in its middle, and a ring of two orientations has a hole. */
static void winding(void) {
    double x[5], y[5];
    for (int i = 0; i < 5; i++)
        x[i] = 32 + 30 * sin(i * 4 * M_PI / 5), y[i] = 32 - 30 * cos(i * 4 * M_PI / 5);
    begin(64, 64);
    scene_area(&s, 5, x, y, black);
    int columns, rows;
    check_pixel(pixels(1, &columns, &rows), 64, 32, 32, 0);
    begin(64, 64);
    scene_area(&s, 10, (double[]){0, 64, 64, 0, 0, 16, 16, 48, 48, 16},
               (double[]){0, 0, 64, 64, 0, 16, 48, 48, 16, 16}, black);
    const uint8_t *p = pixels(1, &columns, &rows);
    check_pixel(p, 64, 32, 32, 255);
    check_pixel(p, 64, 8, 32, 0);
}

/* A line covers its length times its width and a disc's area at its ends; dashes leave out their gaps. */
static void strokes(void) {
    for (int round = 0; round < test_some(40, 10, 2); round++) {
        struct test_round r = test_round();
        double x[] = {test_uniform(10, 90), test_uniform(10, 90)},
               y[] = {test_uniform(10, 90), test_uniform(10, 90)};
        double length = hypot(x[1] - x[0], y[1] - y[0]), width = test_uniform(0.5, 12);
        begin(100, 100);
        scene_line(&s, 2, x, y, (struct stroke){black, width, 0, 0});
        double want = length * width + M_PI * width * width / 4, got = ink(1);
        CHECK(fabs(got - want) < 0.02 * want + 0.5, "width %g, length %g: %g instead of %g", width, length,
              got, want);
        begin(100, 100);
        scene_line(&s, 2, x, y, (struct stroke){black, width, 3, 2});
        double dashes = floor(length / 5) * 3 + fmin(fmod(length, 5), 3);
        got = ink(1), want = dashes * width;
        CHECK(fabs(got - want) < 0.02 * want + 0.5, "dashes %g, width %g: %g instead of %g", dashes, width,
              got, want);
        test_round_end(r);
    }
}

/* A curve of many short pieces is as dark as a ring, and a sharp corner is round. */
static void corners(void) {
    enum { N = 721 };
    double x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = 50 + 40 * cos(i * M_PI / 360), y[i] = 50 + 40 * sin(i * M_PI / 360);
    begin(100, 100);
    scene_line(&s, N, x, y, (struct stroke){black, 3, 0, 0});
    double want = 2 * M_PI * 40 * 3, got = ink(1);
    CHECK(fabs(got - want) < 0.01 * want, "%g instead of %g", got, want);
    begin(100, 100);
    scene_line(&s, 3, (double[]){10, 50, 10}, (double[]){50, 51, 52}, (struct stroke){black, 20, 0, 0});
    int columns, rows;
    const uint8_t *p = pixels(1, &columns, &rows);
    check_pixel(p, 100, 58, 51, 0);
    check_pixel(p, 100, 62, 51, 255);
}

/* Boxes, and horizontal and vertical lines fill whole pixels. */
static void whole_pixels(void) {
    begin(20, 20);
    scene_box(&s, 2.3, 3.4, 5.5, 6.3, black, no_line);
    scene_line(&s, 2, (double[]){12.3, 12.3}, (double[]){2, 18}, (struct stroke){black, 0.7, 0, 0});
    scene_line(&s, 2, (double[]){14, 18}, (double[]){9.8, 9.8}, (struct stroke){black, 2.2, 0, 0});
    int columns, rows, dark = 0;
    const uint8_t *p = pixels(1, &columns, &rows);
    for (int i = 0; i < 400; i++) {
        CHECK(p[4 * i] == 0 || p[4 * i] == 255, "pixel %d is %d", i, p[4 * i]);
        dark += p[4 * i] == 0;
    }
    CHECK(dark == 6 * 7 + 16 + 2 * 6, "%d dark pixels", dark);
    CHECK(p[4 * (3 * 20 + 2)] == 0 && p[4 * (9 * 20 + 7)] == 0 && p[4 * (10 * 20 + 7)] == 255,
          "the box is elsewhere");
}

static void marks(void) {
    static const double areas[] = {
        M_PI / 4, M_PI / 4 * (1 - 0.56 * 0.56), 0.88 * 0.88, 0.72, 0.5916, 0.5916, 0.3916, 0.3916};
    for (int mark = 0; mark < MARKS; mark++) {
        begin(60, 60);
        scene_marks(&s, 1, (double[]){30.3}, (double[]){29.6}, (enum mark)mark, 40, black, NULL);
        double got = ink(1) / 1600;
        CHECK(fabs(got - areas[mark]) < 0.004, "mark %d: %g instead of %g", mark, got, areas[mark]);
    }
    begin(60, 20);
    scene_marks(&s, 4, (double[]){10, NAN, INFINITY, 50}, (double[]){10, 10, 10, 10}, MARK_SQUARE, 10, black,
                (struct colour[]){black, black, black, {255, 0, 0, 255}});
    int columns, rows;
    const uint8_t *p = pixels(1, &columns, &rows);
    check_pixel(p, 60, 10, 10, 0);
    check_pixel(p, 60, 50, 10, 255);
    CHECK(p[4 * (10 * 60 + 50) + 1] == 0, "the last mark is not red");
}

/* Many marks of one shape look like as many shapes of one mark: edges move by at most 1/16 of a pixel. */
static void many_marks(void) {
    enum { MANY = 400 };
    double x[MANY], y[MANY];
    for (int i = 0; i < MANY; i++)
        x[i] = i % 20 * 10 + test_uniform(-3, 3), y[i] = i / 20 * 10 + test_uniform(-3, 3);
    for (int mark = 0; mark < MARKS; mark++) {
        struct test_round r = test_round();
        int columns, rows;
        begin(200, 200);
        scene_marks(&s, MANY, x, y, (enum mark)mark, 4, black, NULL);
        const uint8_t *p = pixels(1, &columns, &rows);
        begin(200, 200);
        for (int i = 0; i < MANY; i++) scene_marks(&s, 1, x + i, y + i, (enum mark)mark, 4, black, NULL);
        const uint8_t *q = pixels(1, &columns, &rows);
        for (int i = 0; i < 40000; i++)
            CHECK(abs(p[4 * i] - q[4 * i]) <= 48, "mark %d: %d, not %d", mark, p[4 * i], q[4 * i]);
        test_round_end(r);
    }
}

/* Colours are blended as sRGB numbers; on a transparent page they stay as they are. */
static void opacity(void) {
    begin(4, 4);
    for (int i = 0; i < 2; i++) scene_box(&s, 0, 0, 4, 4, (struct colour){0, 0, 0, 128}, no_line);
    int columns, rows;
    check_pixel(pixels(1, &columns, &rows), 4, 1, 1, 255 * (127 / 255.0) * (127 / 255.0));
    scene_end(&s);
    scene_begin(&s, 4, 4, nothing);
    scene_box(&s, 0, 0, 2, 4, (struct colour){200, 100, 50, 128}, no_line);
    const uint8_t *p = pixels(1, &columns, &rows);
    CHECK(p[0] == 200 && p[1] == 100 && p[2] == 50 && p[3] == 128, "%d %d %d %d", p[0], p[1], p[2], p[3]);
    CHECK(p[12 + 3] == 0, "the rest is not transparent");
}

/* A clip cuts everything, and the page too. */
static void clips(void) {
    begin(40, 40);
    scene_clip(&s, 10, 10, 20, 20);
    scene_area(&s, 4, (double[]){-9, 99, 99, -9}, (double[]){-9, -9, 99, 99}, black);
    CHECK(fabs(ink(1) - 400) < 1e-9, "%g pixels", ink(1));
    scene_unclip(&s);
    scene_area(&s, 3, (double[]){20, 4000, 20}, (double[]){-4000, 20, 4000}, black);
    CHECK(fabs(ink(1) - 1000) < 1, "%g pixels", ink(1)); /* 200 of the clipped area lie left of x = 20 */
}

/* Far points keep the direction of lines and the sides of areas; NaN and infinities interrupt lines. */
static void far_points(void) {
    static const double far[] = {1e4, 1e7, 1e12, 1e300, 1.7e308};
    for (int i = 0; i < 5; i++) {
        double d = far[i];
        begin(100, 100);
        scene_area(&s, 3, (double[]){-d, d, -d}, (double[]){-d, d, d}, black);
        double got = ink(1); /* doubles have no digits for the page beyond 1e16 */
        CHECK(d > 1e12 || fabs(got - 5000) < 60, "%g: an area of %g pixels", d, got);
        begin(100, 100);
        scene_line(&s, 2, (double[]){-d, d}, (double[]){-d, d}, (struct stroke){black, 2, 0, 0});
        got = ink(1);
        CHECK(d > 1e12 || fabs(got - 100 * sqrt(2) * 2) < 6, "%g: a line of %g pixels", d, got);
    }
    begin(100, 100);
    scene_line(&s, 7, (double[]){10, 20, NAN, 40, 50, INFINITY, 80}, (double[]){50, 51, 50, 50, 51, 50, 50},
               (struct stroke){black, 4, 0, 0});
    double want = 2 * (hypot(10, 1) * 4 + M_PI * 4) + M_PI * 4, got = ink(1);
    CHECK(fabs(got - want) < 1, "%g instead of %g", got, want);
    scene_line(&s, 3, (double[]){NAN, NAN, NAN}, (double[]){1, 2, 3}, (struct stroke){black, 4, 0, 0});
    scene_line(&s, 2, (double[]){1, 2}, (double[]){1, 3}, (struct stroke){black, NAN, 0, 0});
    scene_box(&s, NAN, 0, 1, 1, black, no_line);
    scene_text(&s, INFINITY, 0, 10, ANCHOR_START, BASELINE_LETTERS, 0, black, false, "x");
    scene_text(&s, 0, 0, NAN, ANCHOR_START, BASELINE_LETTERS, 0, black, false, "x");
    CHECK(!s.fault.set && fabs(ink(1) - got) < 1e-9, "invalid numbers draw something");
}

/* A line of a million points is thinned, and looks the same as all of them. */
static void long_lines(void) {
    enum { MANY = 100000 };
    double *x = test_room(MANY * sizeof *x), *y = test_room(MANY * sizeof *y);
    for (int i = 0; i < MANY; i++) x[i] = 100.0 * i / MANY, y[i] = 50 + 40 * sin(i * 0.7) * i / MANY;
    begin(100, 100);
    scene_line(&s, MANY, x, y, (struct stroke){black, 1, 0, 0});
    double got = ink(2);
    begin(100, 100);
    for (int i = 0; i + 5000 <= MANY; i += 4999)
        scene_line(&s, 5000, x + i, y + i, (struct stroke){black, 1, 0, 0});
    double want = ink(2);
    CHECK(fabs(got - want) < 0.01 * want, "%g instead of %g", got, want);
}

/* A line that crosses itself everywhere is drawn where pixels are free, and looks the same as its parts. */
static void crowded_lines(void) {
    enum { MANY = 40000, PART = 10000 };
    double *x = test_room(MANY * sizeof *x), *y = test_room(MANY * sizeof *y);
    for (int i = 0; i < MANY; i++) {
        double far = i % 997 ? 1 : 2.2, turn = test_uniform(0, 7), radius = far * test_uniform(0, 45);
        x[i] = 100 + radius * cos(turn), y[i] = 80 + radius * sin(turn);
        if (i % 5000 == 100 || i % 5000 == 102) x[i] = y[i] = NAN; /* i % 5000 == 101 is alone */
        if (i % 5000 == 101) x[i] = 20 + i / 500.0, y[i] = 150;
    }
    for (int form = 0; form < 3; form++) { /* whole, clipped, a zigzag */
        struct test_round r = test_round();
        bool clipped = form == 1;
        for (int i = 0; i < MANY && form == 2; i++) x[i] = i % 2 ? 160 : 40, y[i] = 20 + 120.0 * i / MANY;
        int columns, rows;
        begin(200, 160);
        if (clipped) scene_clip(&s, 90, 70, 71, 53);
        scene_line(&s, MANY, x, y, (struct stroke){black, 1.3, 0, 0});
        const uint8_t *p = pixels(2, &columns, &rows);
        begin(200, 160);
        if (clipped) scene_clip(&s, 90, 70, 71, 53);
        for (int i = 0; i < MANY; i += PART)
            scene_line(&s, PART + (i + PART < MANY), x + i, y + i, (struct stroke){black, 1.3, 0, 0});
        const uint8_t *q = pixels(2, &columns, &rows);
        double got = 0, want = 0;
        for (int i = 0; i < columns * rows; i++) {
            got += 255 - p[4 * i], want += 255 - q[4 * i];
            CHECK((q[4 * i] < 250 || p[4 * i] > 235) && (q[4 * i] > 5 || p[4 * i] < 20),
                  "pixel %d, %d: %d, not %d", i % columns, i / columns, p[4 * i], q[4 * i]);
        }
        CHECK(want > 0 && fabs(got - want) < 0.01 * want, "%g instead of %g", got, want);
        test_round_end(r);
    }
}

static void images(void) {
    static const uint8_t checks[] = {0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 255};
    begin(8, 8);
    scene_image(&s, 0, 0, 8, 8, 2, 2, checks);
    int columns, rows;
    const uint8_t *p = pixels(1, &columns, &rows);
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) check_pixel(p, 8, x, y, x / 4 == y / 4 ? 0 : 255);
    uint8_t large[32 * 32 * 4];
    for (int i = 0; i < 32 * 32; i++) memset(large + 4 * i, i % 2 ? 255 : 1, 4), large[4 * i + 3] = 255;
    begin(4, 4);
    scene_image(&s, 0, 0, 4, 4, 32, 32, large);
    p = pixels(1, &columns, &rows);
    for (int i = 0; i < 16; i++) check_pixel(p, 4, i % 4, i / 4, 128);
}

/* PNG files have the pixels of the raster, and our own reader reads them. */
static void png(void) {
    begin(30, 20);
    scene_text(&s, 15, 10, 12, ANCHOR_MIDDLE, BASELINE_MIDDLE, 0, black, false, "Ag");
    int columns, rows;
    const uint8_t *p = pixels(2, &columns, &rows);
    static struct fault fault;
    fault_clear(&fault), fault.set = false;
    struct output out;
    output_to_memory(&out, &fault);
    bool well = scene_png(&s, 2, &out);
    size_t n = out.memory.length;
    char *bytes = well ? text_take(&out.memory) : NULL;
    output_end(&out, false);
    test_own(bytes, mem_free);
    CHECK(bytes, "%s%s", s.fault.text, fault.text);
    ty_tensor *x = CHECK_OK(parse_first(bytes, n, (ty_file_options){.format = "png"}));
    CHECK(ty_shape(x)[0] == 40 && ty_shape(x)[1] == 60 && ty_shape(x)[2] == 3, "another shape");
    const uint8_t *read = ty_data(x);
    for (int i = 0; i < columns * rows; i++)
        for (int k = 0; k < 3; k++) CHECK(read[3 * i + k] == p[4 * i + k], "pixel %d differs", i);
}

static void limits(void) {
    static const double sides[][2] = {{0, 10}, {10, -1}, {NAN, 10}, {INFINITY, 1}, {20001, 1}};
    int columns, rows;
    for (int i = 0; i < 5; i++) {
        begin(sides[i][0], sides[i][1]);
        CHECK(s.fault.set && strstr(s.fault.text, "points is out of range"), "%s", s.fault.text);
        scene_box(&s, 0, 0, 1, 1, black, no_line);
        CHECK(!scene_raster(&s, 1, &columns, &rows), "a scene with a fault was drawn");
    }
    begin(10000, 10000);
    CHECK(!scene_raster(&s, 1, &columns, &rows) && strstr(s.fault.text, "pixels are out of range"), "%s",
          s.fault.text);
    begin(10, 10);
    CHECK(!scene_raster(&s, NAN, &columns, &rows) && s.fault.set, "a scale of NaN");
}

/* ---- text ---- */

static void glyphs(void) {
    CHECK(font_check() > 450, "%d glyphs: a path is wrong, or rows do not ascend", font_check());
    for (uint32_t c = ' '; c < 0x180; c++) {
        bool control = (c >= 0x7f && c < 0xa0);
        if (!control) CHECK(font_known(c), "U+%04X has no glyph", c);
    }
    for (uint32_t c = 0x391; c <= 0x3ce; c++)
        if (c != 0x3a2) CHECK(font_known(c), "U+%04X has no glyph", c);
    static const uint32_t others[] = {0x2212, 0x2013, 0x2014, 0x2026, 0xb7,   0x221a, 0x221e, 0x2264,
                                      0x2265, 0x2260, 0x2202, 0x2211, 0x222b, 0x2192, 0x2190, 0x207b};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(font_known(others[i]), "U+%04X has no glyph", others[i]);
    CHECK(!font_known(0x65e5), "a letter of another script");
}

static void widths(void) {
    begin(10, 10);
    double digit = scene_text_width(&s, 10, false, "0");
    for (char c = '1'; c <= '9'; c++)
        CHECK(scene_text_width(&s, 10, false, (char[]){c, 0}) == digit, "digit %c", c);
    CHECK(digit > 5 && digit < 7, "a digit of %g points", digit);
    CHECK(scene_text_width(&s, 10, true, "0") > digit, "bold digits are not wider");
    CHECK(fabs(scene_text_width(&s, 20, false, "00") - 4 * digit) < 1e-9, "widths do not add up");
    CHECK(scene_text_width(&s, 10, false, "") == 0, "an empty text is wide");
    CHECK(scene_text_width(&s, 10, false, "\x1b\n\xe2\x80\xae") == 0, "control characters are wide");
    CHECK(scene_text_width(&s, 10, false, "\xff") > 0, "an invalid byte has no width");
    CHECK(scene_text_width(&s, 10, false, "e\xcc\x81") == scene_text_width(&s, 10, false, "e"),
          "an accent is wide");
    scene_end(&s);
    scene_begin_cells(&s, 20, 5, white);
    CHECK(scene_text_width(&s, 99, true, "ab\xe6\x97\xa5") == 4 * SCENE_CELL_WIDTH, "cells");
}

/* Text lies where its anchor says, its baseline on whole pixels. */
static void places(void) {
    for (int anchor = 0; anchor < 3; anchor++) {
        begin(100, 40);
        scene_text(&s, 50, 20.4, 16, (enum anchor)anchor, BASELINE_LETTERS, 0, black, false, "HHH");
        int columns, rows, left = 100, right = 0, top = 40, bottom = 0;
        const uint8_t *p = pixels(1, &columns, &rows);
        for (int y = 0; y < 40; y++)
            for (int x = 0; x < 100; x++) {
                if (p[4 * (y * 100 + x)] > 200) continue;
                left = x < left ? x : left, right = x > right ? x : right;
                top = y < top ? y : top, bottom = y > bottom ? y : bottom;
            }
        static const int lefts[] = {51, 34, 16};
        CHECK(abs(left - lefts[anchor]) <= 1 && abs(right - left - 32) <= 1, "anchor %d: %d..%d", anchor,
              left, right);
        CHECK(bottom == 19 && top == 8, "anchor %d: rows %d..%d", anchor, top, bottom);
    }
    begin(40, 100);
    scene_text(&s, 20, 50, 16, ANCHOR_START, BASELINE_LETTERS, 90, black, false, "H");
    int columns, rows;
    const uint8_t *p = pixels(1, &columns, &rows);
    int above = 0, below = 0;
    for (int i = 0; i < 4000; i++) *(i / 40 < 50 ? &above : &below) += p[4 * i] < 128;
    CHECK(above > 20 && !below, "a turned text has %d pixels above and %d below its start", above, below);
}

/* Any finite angle is one of 0 to 360 degrees: here all draw the same. */
static void angles(void) {
    static const double same[] = {90, 450, -270, -630, 90 + 360 * 1e12};
    double first = 0;
    for (int i = 0; i < 5; i++) {
        begin(40, 100);
        scene_text(&s, 20, 50, 16, ANCHOR_START, BASELINE_LETTERS, same[i], black, false, "H");
        double got = ink(1);
        if (!i) first = got;
        CHECK(got == first && got > 20, "%g degrees: %g instead of %g", same[i], got, first);
    }
    begin(40, 100);
    scene_text(&s, 20, 50, 16, ANCHOR_START, BASELINE_LETTERS, 1.7e308, black, false, "H");
    CHECK(ink(1) > 20, "a large angle draws nothing");
}

/* An empty scene is a page of its background. */
static void empty(void) {
    begin(5, 5);
    scene_line(&s, 0, NULL, NULL, (struct stroke){black, 1, 0, 0});
    scene_area(&s, 0, NULL, NULL, black);
    scene_marks(&s, 0, NULL, NULL, MARK_DISC, 3, black, NULL);
    scene_text(&s, 2, 2, 5, ANCHOR_START, BASELINE_LETTERS, 0, black, false, "");
    CHECK(ink(1) == 0 && ink(3) == 0, "an empty scene has ink");
}

TESTS_MAIN(TEST(rectangles), TEST(triangles), TEST(areas), TEST(winding), TEST(strokes), TEST(corners),
           TEST(whole_pixels), TEST(marks), TEST(many_marks), TEST(opacity), TEST(clips), TEST(far_points),
           TEST(long_lines), TEST(crowded_lines), TEST(images), TEST(png), TEST(limits), TEST(glyphs),
           TEST(widths), TEST(places), TEST(angles), TEST(empty))
