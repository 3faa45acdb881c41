/* The progress line on a pseudo-terminal is never wider than the terminal. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "tests/support/harness.h"
#include <tyto/nn.h>

/* Open both ends of a terminal with that many columns; false if the system has none. */
static bool make_terminal(int columns, int *master, FILE **file) {
    *master = posix_openpt(O_RDWR | O_NOCTTY);
    if (*master < 0) return false;
    const char *name = !grantpt(*master) && !unlockpt(*master) ? ptsname(*master) : NULL;
    *file = name ? fopen(name, "r+") : NULL;
    struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
    if (*file && !ioctl(*master, TIOCSWINSZ, &size)) return true;
    if (*file) fclose(*file);
    close(*master);
    return false;
}

/* Return the length of the longest piece between two carriage returns or newlines. */
static int widest(const char *text, size_t n) {
    int most = 0, now = 0;
    for (size_t i = 0; i < n; i++) {
        now = text[i] == '\r' || text[i] == '\n' ? 0 : now + 1;
        if (now > most) most = now;
    }
    return most;
}

static void check_width(int columns) {
    static const ty_moment moments[] = {
        {.step = 1, .steps = 1000, .loss = 2.3, .ms = 12.3, .seconds = 1},
        {.step = 999999999, .steps = 1000000000, .loss = 1e300, .ms = 1e9, .seconds = 2},
        {.step = 10, .steps = 10, .loss = 0, .ms = 0, .seconds = 3}};
    FILE *file;
    int master;
    if (!make_terminal(columns, &master, &file)) return;
    ty_progress p = {.file = file};
    char text[4096];
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) ty_progress_draw(&p, &moments[i]);
    ty_progress_end(&p);
    fclose(file);
    ssize_t n =
        0; /* a terminal delivers data as it arrives: the rest comes later, then an error at the end */
    for (ssize_t more;
         n < (ssize_t)sizeof text && (more = read(master, text + n, sizeof text - (size_t)n)) > 0;)
        n += more;
    close(master);
    CHECK(n > 0, "nothing was drawn on %d columns", columns);
    CHECK(columns == 0 || widest(text, (size_t)n) < columns, "%d columns, drawn on %d: %.*s",
          widest(text, (size_t)n), columns, (int)n, text);
    if (columns >= 100)
        CHECK(memmem(text, (size_t)n, "[####", 5) && memmem(text, (size_t)n, "ms/step", 7), "%.*s", (int)n,
              text);
    CHECK(!memmem(text, (size_t)n, "\n", 1), "a line has ended");
}

static void stays_in_the_terminal(void) {
    static const int widths[] = {2, 10, 20, 39, 40, 60, 72, 80, 100, 132, 300, 0};
    CHECK(!setenv("TERM", "xterm", 1), "no environment");
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) check_width(widths[i]);
}

static void files_get_nothing(void) {
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    CHECK(file, "no memory for a file");
    ty_progress p = {.file = file};
    ty_progress_draw(&p, &(ty_moment){.step = 1, .steps = 2});
    ty_progress_end(&p);
    fclose(file);
    free(text);
    CHECK(n == 0, "%zu bytes in a file", n);
    p = (ty_progress){0};
    CHECK(ty_progress_draw(&p, &(ty_moment){.step = 1, .steps = 2}), "no file stopped the run");
}

/* Draw states of a long call on a terminal of that many columns. Return the bytes that it got, of at most `room`. */
static size_t draw_reports(int columns, char *text, size_t room) {
    static const ty_progress_state states[] = {{"solve", 3, 10, 1, false, 0.25},
                                               {"solve", 900000000000, 1000000000000, 2, false, 1e6},
                                               {"read", 5, 0, 1, false, 2},
                                               {"read", 0, 0, 1, false, 3},
                                               {NULL, 1, 2, 1, false, 4},
                                               {"a word far too long for any line, which is cut somewhere "
                                                "before the end of the line on which it is drawn",
                                                1, 2, 1, false, 4},
                                               {"solve", 10, 10, 1, true, 5}};
    FILE *file;
    int master;
    size_t n = 0;
    if (!make_terminal(columns, &master, &file)) return 0;
    ty_progress p = {.file = file};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        CHECK(ty_progress_report(&p, &states[i]), "the report stops the call");
    CHECK(p.width == 0, "%d columns are left", p.width);
    fclose(file);
    for (ssize_t more; n < room && (more = read(master, text + n, room - n)) > 0;) n += (size_t)more;
    close(master);
    return n;
}

/* The line of any call stays in the terminal, says word, units and seconds, and is erased at the end. */
static void reports_of_calls(void) {
    static const int widths[] = {2, 10, 20, 39, 60, 80, 132, 300, 0};
    CHECK(!setenv("TERM", "xterm", 1), "no environment");
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        char text[4096];
        size_t n = draw_reports(widths[i], text, sizeof text);
        if (!n) continue;
        CHECK(!widths[i] || widest(text, n) < widths[i], "%d columns on %d", widest(text, n), widths[i]);
        CHECK(!memmem(text, n, "\n", 1) && text[n - 1] == '\r', "the line is not erased");
        if (widths[i] < 80) continue;
        CHECK(memmem(text, n, "solve  3/10  0.2 s", 18) && memmem(text, n, "read  5  2.0 s", 14) &&
                  memmem(text, n, "[####", 5),
              "%.*s", (int)n, text);
    }
    CHECK(ty_progress_report(NULL, NULL), "NULL stops the call");
}

TESTS_MAIN(TEST(stays_in_the_terminal), TEST(files_get_nothing), TEST(reports_of_calls))
