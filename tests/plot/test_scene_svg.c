/* Scenes as SVG: well-formed XML, escapes, numbers, clips, images, and pages that stay small. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/utf8.h"
#include "io/output.h"
#include "plot/scene.h"
#include "tests/support/harness.h"

static const struct colour black = {0, 0, 0, 255}, white = {255, 255, 255, 255}, half = {0, 0, 255, 128};
static const struct stroke thin = {{0, 0, 0, 255}, 1, 0, 0};
static struct scene s;

static void end_scene(void *scene) { scene_end(scene); }
static void begin(double width, double height) {
    scene_end(&s);
    scene_begin(&s, width, height, white);
    test_own(&s, end_scene);
}

/* Return the page, freed when the test ends. */
static const char *svg(const char *title) {
    static struct fault fault;
    fault = (struct fault){0};
    struct output out;
    output_to_memory(&out, &fault);
    bool well = scene_svg(&s, title, &out);
    char *text = well ? text_take(&out.memory) : NULL;
    output_end(&out, false);
    CHECK(text, "%s%s", s.fault.text, fault.text);
    return test_own(text, mem_free);
}

/* Fail unless elements are closed in order, attributes are quoted, and no character needs an escape. */
static void check_xml(const char *text) {
    char open[32][16];
    int depth = 0;
    CHECK(utf8_is(text, strlen(text)), "no UTF-8");
    for (const char *at = text; *at;) {
        CHECK((unsigned char)*at >= ' ' || *at == '\n', "a control character");
        if (*at == '&')
            CHECK(strspn(at + 2, "0123456789") && at[2 + strspn(at + 2, "0123456789")] == ';', "%.20s", at);
        if (*at++ != '<') continue;
        bool closes = *at == '/';
        at += closes;
        size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz");
        CHECK(n && n < 16 && depth < 31, "the element %.20s", at);
        if (closes) {
            CHECK(depth && !strncmp(open[depth - 1], at, n) && !open[depth - 1][n] && at[n] == '>',
                  "</%.20s closes another", at);
            depth--;
            at += n + 1;
            continue;
        }
        memcpy(open[depth], at, n), open[depth][n] = 0;
        for (at += n; *at == ' ';) {
            at++;
            at += strspn(at, "abcdefghijklmnopqrstuvwxyzABR-:");
            CHECK(at[0] == '=' && at[1] == '"', "an attribute without a value: %.20s", at);
            size_t value = strcspn(at + 2, "\"<");
            CHECK(at[2 + value] == '"', "an open value: %.20s", at);
            at += value + 3;
        }
        bool empty = *at == '/';
        CHECK(at[empty] == '>', "no end of <%s: %.20s", open[depth], at);
        depth += !empty;
        at += 1 + empty;
    }
    CHECK(depth == 0, "%d elements are open", depth);
}

static void check_has(const char *text, const char *part) {
    CHECK(strstr(text, part), "no %s in %.2000s", part, text);
}

static void shapes(void) {
    begin(100, 50.125);
    scene_line(&s, 4, (double[]){1, 2.126, 3, 3}, (double[]){1, 1.5, -7, 0.004},
               (struct stroke){half, 1.5, 4, 2});
    scene_line(&s, 2, (double[]){1, 9}, (double[]){5, 5}, thin);
    scene_area(&s, 3, (double[]){0, 1, 1}, (double[]){0, 0, 1}, half);
    scene_box(&s, 1, 2, 3, 4, black, (struct stroke){half, 2, 0, 0});
    scene_clip(&s, 10, 20, 30, 20);
    scene_marks(&s, 2, (double[]){11, 12}, (double[]){13, 14}, MARK_DISC, 3, black, NULL);
    scene_marks(&s, 2, (double[]){11, 12}, (double[]){13, 14}, MARK_SQUARE, 10, half, NULL);
    scene_unclip(&s);
    scene_text(&s, 5, 6, 10, ANCHOR_END, BASELINE_MIDDLE, 0, black, true, "x");
    scene_text(&s, 5, 6, 10, ANCHOR_START, BASELINE_LETTERS, 90, black, false, "y");
    const char *text = svg("t");
    check_xml(text);
    check_has(text, "viewBox=\"0 0 100 50.13\"");
    check_has(text, "system-ui, sans-serif");
    check_has(text, "<title>t</title>");
    check_has(
        text,
        "d=\"m 1 1l 1.13 0.5l 0.87-8.5l 0 7\" fill=\"none\" stroke=\"#0000ff\" stroke-opacity=\"0.502\" "
        "stroke-width=\"1.5\" stroke-linecap=\"butt\" stroke-dasharray=\"4 2\"");
    check_has(text, "stroke-linecap=\"square\" shape-rendering=\"crispEdges\"");
    check_has(text, "d=\"m 0 0l 1 0l 0 1z\" fill=\"#0000ff\" fill-opacity=\"0.502\"");
    check_has(text, "<rect x=\"1\" y=\"2\" width=\"3\" height=\"4\" fill=\"#000000\" stroke=\"#0000ff\"");
    check_has(text, "<svg x=\"10\" y=\"20\" width=\"30\" height=\"20\" viewBox=\"10.00 20.00 30.00 20.00\"");
    check_has(text, "stroke-width=\"3\"><path d=\"m 11 13h0m 1 1h0\"/></g>");
    check_has(
        text,
        "<path d=\"m 6.6 8.6l 8.8 0l 0 8.8l-8.8 0z\"/><path d=\"m 7.6 9.6l 8.8 0"); /* each over the last */
    check_has(text,
              "dy=\"0.36em\" font-size=\"10\" fill=\"#000000\" text-anchor=\"end\" font-weight=\"bold\">x<");
    check_has(text, "rotate(-90.00)");
}

static void escapes(void) {
    begin(100, 50);
    scene_text(&s, 5, 6, 10, ANCHOR_START, BASELINE_LETTERS, 0, black, false,
               "<b>&\"\x01\x1b[0m\xff\xc3\xa9\xe2\x80\xae\xef\xbf\xbe]]>");
    const char *text = svg("</title><script>\n");
    check_xml(text);
    check_has(text, ">&#60;b&#62;&#38;&#34;[0m\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd]]&#62;</text>");
    check_has(text, "<title>&#60;/title&#62;&#60;script&#62;</title>");
}

/* Numbers that are not finite, or far away, never reach the page. */
static void numbers(void) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 1e15, 0, 5, -3};
    double x[64], y[64];
    for (int round = 0; round < test_some(40, 10, 2); round++) {
        struct test_round r = test_round();
        for (int i = 0; i < 64; i++) x[i] = odd[test_between(0, 8)], y[i] = odd[test_between(0, 8)];
        begin(100, 100);
        scene_line(&s, 64, x, y, thin);
        scene_area(&s, 64, x, y, black);
        scene_marks(&s, 64, x, y, (enum mark)test_between(0, MARKS - 1), 4, half, NULL);
        scene_box(&s, x[0], y[0], x[1], y[1], black, thin);
        scene_clip(&s, x[2], y[2], x[3], y[3]);
        const char *text = svg(NULL);
        check_xml(text);
        for (const char *at = text; (at = strpbrk(at, "0123456789")); at += strspn(at, "0123456789"))
            CHECK(strspn(at, "0123456789") < 8, "a long number: %.30s", at);
        CHECK(!strstr(text, "nan") && !strstr(text, "inf"), "%.500s", text);
        test_round_end(r);
    }
}

/* Leave the test out in a build without PNG, where pages have no images. */
static void need_png(void) {
    static struct fault fault;
    fault = (struct fault){0};
    struct output out;
    begin(1, 1);
    output_to_memory(&out, &fault);
    bool well = scene_png(&s, 1, &out);
    output_end(&out, false);
    CHECK(well, "%s", s.fault.text);
}

/* A page of a million marks or points is small, and its text is text. */
static void many(void) {
    need_png();
    enum { SIDE = 640, N = 1000000 };
    if (test_starving()) { /* the same way, in less time */
        begin(40, 30);
        scene_image(&s, 0, 0, 40, 30, SIDE, SIDE, test_room(4 * SIDE * SIDE));
        check_has(svg(NULL), "<image x=\"0\" y=\"0\" width=\"40\" height=\"30\"");
        return;
    }
    double *x = test_room(N * sizeof *x), *y = test_room(N * sizeof *y);
    for (int i = 0; i < N; i++) x[i] = test_uniform(0, 400), y[i] = test_uniform(0, 300);
    begin(400, 300);
    scene_marks(&s, N, x, y, MARK_DISC, 2, half, NULL);
    scene_text(&s, 5, 6, 10, ANCHOR_START, BASELINE_LETTERS, 0, black, false, "over");
    const char *text = svg(NULL);
    CHECK(strlen(text) < 4 << 20, "%zu bytes", strlen(text));
    check_has(text, ">over</text>");
    check_has(text, "<image x=\"0\" y=\"0\" width=\"400\" height=\"300\"");
    for (int i = 0; i < N; i++) x[i] = 400.0 * i / N;
    begin(400, 300);
    scene_line(&s, N, x, y, thin);
    text = svg(NULL);
    CHECK(strlen(text) < 400000 && !strstr(text, "<image"), "%zu bytes", strlen(text));
}

/* Images inside of a page are PNG in base64; those of few pixels stay sharp. */
static void images(void) {
    static const uint8_t pixels[] = {255, 0, 0, 255, 0, 255, 0, 255};
    begin(100, 50);
    scene_image(&s, 10, 20, 30, 15, 2, 1, pixels);
    const char *text = svg(NULL);
    check_xml(text);
    check_has(text, "<image x=\"10\" y=\"20\" width=\"30\" height=\"15\" preserveAspectRatio=\"none\" "
                    "style=\"image-rendering:pixelated\" href=\"data:image/png;base64,iVBORw0KGgo");
}

static void empty(void) {
    begin(5, 5);
    const char *text = svg(NULL);
    check_xml(text);
    CHECK(strlen(text) < 400, "%s", text);
    scene_begin(&s, 0, 0, white);
    struct output out;
    static struct fault fault;
    output_to_memory(&out, &fault);
    CHECK(!scene_svg(&s, NULL, &out) && !out.memory.length, "a page without a size was written");
    output_end(&out, false);
}

/* An output that fails stops the drawing, and its message is the scene's. */
static bool refuse(void *context, const void *bytes, size_t n) {
    (void)context, (void)bytes, (void)n;
    return false;
}
static void outputs(void) {
    begin(50, 50);
    for (int i = 0; i < 20000; i++) scene_box(&s, i % 40, i % 30, 2, 2, black, thin);
    struct fault fault = {0};
    struct output out;
    output_to_sink(&out, (ty_sink){.write = refuse}, &fault);
    bool well = scene_svg(&s, NULL, &out);
    output_end(&out, false);
    CHECK(!well && s.fault.set && fault.set, "the page was written");
}

TESTS_MAIN(TEST(shapes), TEST(escapes), TEST(numbers), TEST(many), TEST(images), TEST(empty), TEST(outputs))
