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

TESTS_MAIN(TEST(stays_in_the_terminal), TEST(files_get_nothing))
