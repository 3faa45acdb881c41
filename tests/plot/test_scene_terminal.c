/* Scenes on terminals: dots, blocks, text, colours, ASCII, and any width. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/utf8.h"
#include "plot/scene.h"
#include "tests/support/harness.h"

static const struct colour black = {0, 0, 0, 255}, white = {255, 255, 255, 255}, red = {205, 0, 0, 255};
static const struct stroke no_line = {{0, 0, 0, 0}, 0, 0, 0}, thin = {{0, 0, 0, 255}, 1, 0, 0};
static struct scene s;

static void end_scene(void *scene) { scene_end(scene); }
static void begin(int columns, int rows) {
    scene_end(&s);
    scene_begin_cells(&s, columns, rows, white);
    test_own(&s, end_scene);
}

/* Return the lines of the page, freed when the test ends. */
static const char *lines(struct terminal terminal) {
    struct text t = {0};
    bool well = scene_terminal(&s, &terminal, &t);
    char *text = text_take(&t);
    test_own(text, mem_free);
    CHECK(well && text, "%s", s.fault.text);
    return text;
}

static const struct terminal plain = {0, TERMINAL_PLAIN, false}, ascii = {0, TERMINAL_PLAIN, true};

static void check_lines(struct terminal terminal, const char *want) {
    const char *got = lines(terminal);
    CHECK(!strcmp(got, want), "\n%sinstead of\n%s", got, want);
}

/* A cell is 6 x 12 points, a dot 3 x 3. */
static void dots(void) {
    begin(3, 2);
    scene_marks(&s, 1, (double[]){1}, (double[]){1}, MARK_DISC, 2, black, NULL);
    scene_marks(&s, 1, (double[]){10}, (double[]){23}, MARK_DISC, 2, black, NULL);
    check_lines(plain, "\xe2\xa0\x81\n \xe2\xa2\x80\n"); /* U+2801, U+2880 */
    check_lines(ascii, "'\n .\n");
    begin(3, 2);
    scene_line(&s, 2, (double[]){0, 18}, (double[]){4, 4}, thin);
    check_lines(plain, "\xe2\xa0\x92\xe2\xa0\x92\xe2\xa0\x92\n\n");
    check_lines(ascii, "---\n\n");
    begin(2, 2);
    scene_line(&s, 2, (double[]){1, 1}, (double[]){0, 24}, thin);
    check_lines(plain, "\xe2\xa1\x87\n\xe2\xa1\x87\n");
    check_lines(ascii, "|\n|\n");
}

/* Areas fill blocks by quarters of a row; a translucent area sets a share of the dots. */
static void areas(void) {
    begin(4, 2);
    scene_box(&s, 0, 0, 6, 24, black, no_line);
    scene_box(&s, 6, 6, 6, 18, black, no_line);
    scene_box(&s, 12, 9, 6, 15, black, no_line);
    scene_box(&s, 18, 12, 3, 12, black, no_line);
    check_lines(plain,
                "\xe2\x96\x88\xe2\x96\x84\xe2\x96\x82\n\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x8c\n");
    check_lines(ascii, "#*_\n###|\n");
    begin(1, 1);
    scene_box(&s, 0, 0, 6, 12, (struct colour){0, 0, 0, 64}, no_line);
    check_lines(plain, "\xe2\xa0\x95\n");
}

static void words(void) {
    begin(12, 4);
    scene_text(&s, 0, 9, 10, ANCHOR_START, BASELINE_LETTERS, 0, black, false, "ab\x1b[31m\xc3\xa9\xff");
    scene_text(&s, 72, 21, 10, ANCHOR_END, BASELINE_LETTERS, 0, black, true, "right");
    scene_text(&s, 36, 30, 30, ANCHOR_MIDDLE, BASELINE_MIDDLE, 0, black, true,
               "\xe2\x88\x92"
               "5\xc2\xb0\xe6\x97\xa5");
    scene_text(&s, 0, 45, 10, ANCHOR_START, BASELINE_LETTERS, 0, black, false, "one");
    scene_text(&s, 12, 45, 10, ANCHOR_START, BASELINE_LETTERS, 0, black, false,
               "lost"); /* would cover the first */
    scene_text(&s, 70, 45, 10, ANCHOR_START, BASELINE_LETTERS, 0, black, false, "moved");
    check_lines(plain, "ab[31m\xc3\xa9\xef\xbf\xbd\n       right\n    \xe2\x88\x92"
                       "5\xc2\xb0\xe6\x97\xa5\none    moved\n");
    check_lines(ascii, "ab[31me?\n       right\n    -5o?\none    moved\n");
    begin(3, 4);
    scene_text(&s, 3, 24, 10, ANCHOR_MIDDLE, BASELINE_MIDDLE, 90, black, false, "up");
    scene_text(&s, 6, 6, 10, ANCHOR_START, BASELINE_MIDDLE, 0, black, false, "too long");
    check_lines(plain, "too\nu\np\n\n");
}

static void colours(void) {
    begin(2, 1);
    scene_box(&s, 0, 0, 6, 12, red, no_line);
    scene_box(&s, 6, 0, 6, 12, black, no_line);
    struct terminal t = {0, TERMINAL_16, false};
    check_lines(t, "\x1b[31m\xe2\x96\x88\x1b[0m\xe2\x96\x88\n");
    t.colours = TERMINAL_256;
    check_lines(t, "\x1b[38;5;160m\xe2\x96\x88\x1b[0m\xe2\x96\x88\n");
    t.colours = TERMINAL_TRUE;
    check_lines(t, "\x1b[38;2;205;0;0m\xe2\x96\x88\x1b[0m\xe2\x96\x88\n");
    check_lines(plain, "\xe2\x96\x88\xe2\x96\x88\n");
    begin(1, 1);
    scene_text(&s, 0, 6, 9, ANCHOR_START, BASELINE_MIDDLE, 0, (struct colour){220, 220, 220, 255}, false,
               "x");
    check_lines(t, "\x1b[90mx\x1b[0m\n"); /* pale on the page is dim on any terminal */
}

static void images(void) {
    static const uint8_t pixels[] = {205, 0, 0, 255, 0, 0, 0, 255, 0, 0, 205, 255, 255, 255, 255, 255};
    begin(2, 1);
    scene_image(&s, 0, 0, 12, 12, 2, 2, pixels);
    check_lines((struct terminal){0, TERMINAL_TRUE, false},
                "\x1b[38;2;205;0;0m\x1b[48;2;0;0;205m\xe2\x96\x80\x1b[38;2;0;0;0m\x1b[48;2;255;255;"
                "255m\xe2\x96\x80\x1b[0m\n");
    check_lines(plain, "\xe2\x96\x93\xe2\x96\x92\n");
    check_lines(ascii, "%+\n");
    scene_text(&s, 0, 6, 9, ANCHOR_START, BASELINE_MIDDLE, 0, white, false, "7");
    check_lines((struct terminal){0, TERMINAL_16, true}, "\x1b[97m\x1b[44m7\x1b[0m\x1b[107m \x1b[0m\n");
}

/* Return the number of characters of the widest line, without escape sequences; count lines. */
static int widest(const char *text, int *count) {
    int most = 0, width = 0;
    for (*count = 0; *text;) {
        uint32_t c;
        if (*text == '\x1b') {
            text += strcspn(text, "m") + 1;
            continue;
        }
        size_t n = utf8_read(text, 4, &c);
        CHECK(n, "invalid UTF-8");
        text += n;
        width = c == '\n' ? 0 : width + 1;
        *count += c == '\n';
        most = width > most ? width : most;
    }
    return most;
}

/* Pages of any width, filled with everything: no line is longer than the screen. */
static void any_width(void) {
    static const int sizes[] = {1, 2, 7, 20, 80, 400, 1000};
    double x[200], y[200];
    for (int i = 0; i < 7; i++)
        for (int mode = 0; mode < 8; mode++) {
            struct test_round r = test_round();
            scene_end(&s);
            scene_begin(&s, 300, 200, white);
            test_own(&s, end_scene);
            for (int k = 0; k < 200; k++)
                x[k] = test_uniform(-50, 350), y[k] = test_between(0, 9) ? test_uniform(-50, 250) : NAN;
            scene_line(&s, 200, x, y, (struct stroke){red, 1, 0, 0});
            scene_area(&s, 200, x, y, (struct colour){0, 200, 0, 90});
            scene_marks(&s, 200, x, y, MARK_TRIANGLE, 12, black, NULL);
            scene_image(&s, 250, 150, 100, 100, 1, 1, (uint8_t[]){1, 2, 3, 255});
            for (int k = 0; k < 50; k++)
                scene_text(&s, x[k], 100, 9, (enum anchor)(k % 3), BASELINE_TOP, k % 2 * 90, black, false,
                           "\xe6\x97\xa5 label of a long name");
            const char *text =
                lines((struct terminal){sizes[i], (enum terminal_colours)(mode % 4), mode > 3});
            int count, width = widest(text, &count);
            CHECK(width <= sizes[i] && count == (sizes[i] + 2) / 3, "%d columns: %d x %d", sizes[i], width,
                  count);
            CHECK(mode % 4 || !strchr(text, '\x1b'), "a colour");
            for (const char *at = text; mode > 3 && *at; at++)
                CHECK((unsigned char)*at < 127, "not ASCII: %.10s", at);
            test_round_end(r);
        }
}

static void limits(void) {
    struct text t = {0};
    scene_begin_cells(&s, 0, 5, white);
    CHECK(s.fault.set && !scene_terminal(&s, &plain, &t) && !t.length, "no columns");
    scene_begin_cells(&s, 5, 1001, white);
    CHECK(s.fault.set, "too many rows");
    scene_begin(&s, 10, 10000, white);
    CHECK(!scene_terminal(&s, &(struct terminal){.columns = 80}, &t) && strstr(s.fault.text, "out of range"),
          "%s", s.fault.text);
    begin(3, 2);
    check_lines(plain, "\n\n");
}

TESTS_MAIN(TEST(dots), TEST(areas), TEST(words), TEST(colours), TEST(images), TEST(any_width), TEST(limits))
