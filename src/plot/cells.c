/* Cells as text: characters for dots and pixels, escape sequences for colours (ECMA-48, and xterm's 38;5 and 38;2). */
#include "plot/cells.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/utf8.h"
#include "plot/font.h"

enum { NEUTRAL = 24 }; /* most difference of channels of a grey, out of 255 */

/* The colours that the terminal writes in, as parameters of escape sequences; "": its own. */
struct state {
    const struct terminal *terminal;
    struct colour background;
    char ink[24], paper[24];
};

static double light(struct colour c) { return (0.299 * c.r + 0.587 * c.g + 0.114 * c.b) / 255; }

/* Return the difference of two colours, weighted as the eye sees them. */
static int apart(struct colour c, int r, int g, int b) {
    int dr = c.r - r, dg = c.g - g, db = c.b - b;
    return 3 * dr * dr + 4 * dg * dg + 2 * db * db;
}

/* Return the nearest of the 16 colours of xterm. */
static int nearest_16(struct colour c) {
    static const uint8_t known[16][3] = {{0, 0, 0},       {205, 0, 0},   {0, 205, 0},   {205, 205, 0},
                                         {0, 0, 238},     {205, 0, 205}, {0, 205, 205}, {229, 229, 229},
                                         {127, 127, 127}, {255, 0, 0},   {0, 255, 0},   {255, 255, 0},
                                         {92, 92, 255},   {255, 0, 255}, {0, 255, 255}, {255, 255, 255}};
    int best = 0;
    for (int i = 1; i < 16; i++)
        if (apart(c, known[i][0], known[i][1], known[i][2]) <
            apart(c, known[best][0], known[best][1], known[best][2]))
            best = i;
    return best;
}

/* Return the nearest level, 0..5, of xterm's cube: 0, 95, 135, ..., 255. */
static int level(int v) { return v < 48 ? 0 : v < 115 ? 1 : (v - 35) / 40; }
static int level_value(int i) { return i ? 55 + 40 * i : 0; }

/* Return the nearest of xterm's 256 colours but the first 16, which users change: its cube or its greys. */
static int nearest_256(struct colour c) {
    int r = level(c.r), g = level(c.g), b = level(c.b), mean = (c.r + c.g + c.b) / 3;
    int grey = mean > 238 ? 23 : mean < 8 ? 0 : (mean - 3) / 10, value = 8 + 10 * grey;
    bool is_grey = apart(c, value, value, value) < apart(c, level_value(r), level_value(g), level_value(b));
    return is_grey ? 232 + grey : 16 + 36 * r + 6 * g + b;
}

/* Write the parameters for a colour to `out`; `paper`: of the background. */
static void parameters(char out[24], const struct state *s, struct colour c, bool paper) {
    int sixteen = nearest_16(c);
    if (s->terminal->colours == TERMINAL_TRUE)
        text_print(out, 24, "%d;2;%d;%d;%d", paper ? 48 : 38, c.r, c.g, c.b);
    else if (s->terminal->colours == TERMINAL_256)
        text_print(out, 24, "%d;5;%d", paper ? 48 : 38, nearest_256(c));
    else
        text_print(out, 24, "%d", (sixteen < 8 ? 30 + sixteen : 82 + sixteen) + (paper ? 10 : 0));
}

/* Write the parameters of lines and text: greys are the terminal's own colour, or dim if they are near the background,
   because the terminal's background is unknown. */
static void ink_of(char out[24], const struct state *s, struct colour c) {
    int low = c.r < c.g ? c.r : c.g, high = c.r > c.g ? c.r : c.g;
    low = c.b < low ? c.b : low, high = c.b > high ? c.b : high;
    if (high - low > NEUTRAL)
        parameters(out, s, c, false);
    else
        text_print(out, 24, "%s", fabs(light(c) - light(s->background)) < 0.4 ? "90" : "");
}

/* Append the sequence that changes the colours to the given ones, unless they are in use. */
static void change(struct text *t, struct state *s, const char *ink, const char *paper) {
    if (s->terminal->colours == TERMINAL_PLAIN) return;
    bool ends = (s->ink[0] && !ink[0]) || (s->paper[0] && !paper[0]);
    if (ends) text_add(t, "\x1b[0m"), s->ink[0] = s->paper[0] = 0;
    if (strcmp(s->ink, ink)) text_add(t, "\x1b[%sm", ink);
    if (strcmp(s->paper, paper)) text_add(t, "\x1b[%sm", paper);
    memmove(s->ink, ink, strlen(ink) + 1);
    memmove(s->paper, paper, strlen(paper) + 1);
}

static void add_letter(struct text *t, uint32_t point) {
    char letter[4];
    text_add_bytes(t, letter, utf8_write(letter, point));
}

/* ---- characters ---- */

/* Return a character of ASCII for a letter. */
static uint32_t plain_letter(uint32_t c) {
    static const uint32_t pairs[][2] = {
        {0xa0, ' '},   {0xb0, 'o'},   {0xb2, '2'},    {0xb3, '3'},    {0xb5, 'u'},   {0xb7, '.'},
        {0xb9, '1'},   {0xd7, 'x'},   {0x3bc, 'u'},   {0x2010, '-'},  {0x2011, '-'}, {0x2012, '-'},
        {0x2013, '-'}, {0x2014, '-'}, {0x2018, '\''}, {0x2019, '\''}, {0x201c, '"'}, {0x201d, '"'},
        {0x2022, '*'}, {0x2026, '.'}, {0x2070, '0'},  {0x207b, '-'},  {0x2190, '<'}, {0x2192, '>'},
        {0x2212, '-'}, {0x22c5, '.'}, {0x2264, '<'},  {0x2265, '>'}};
    c = font_base(c);
    if (c < 0x7f) return c;
    if (c >= 0x2074 && c <= 0x2079) return '4' + (c - 0x2074);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] == c) return pairs[i][1];
    return '?';
}

/* Return a character of ASCII that has about the shape of the dots. */
static uint32_t plain_dots(unsigned dots) {
    int n = 0, rows = 0, slope = 0, columns[2] = {0};
    for (int i = 0; i < 8; i++) {
        if (!(dots >> i & 1)) continue;
        n++, columns[i % 2]++;
        rows |= 1 << i / 2;
        slope += (i % 2 ? 1 : -1) * (2 * (i / 2) - 3);
    }
    if (n > 5) return '#';
    if (rows == 1) return n == 1 ? '\'' : '"';
    if (rows == 8) return n == 1 ? '.' : '_';
    if (rows == 2 || rows == 4) return n == 1 ? '.' : '-';
    if (!columns[0] || !columns[1]) return n > 2 ? '|' : ':';
    return slope > 2 ? '\\' : slope < -2 ? '/' : n > 3 ? '*' : ':';
}

/* Return a block if areas alone set the dots and fill rows from below, the upper half, or a column; else a Braille
   character (U+2800 and a bit for each dot, in Unicode's order). */
static uint32_t fine_dots(unsigned dots, unsigned solid) {
    static const uint32_t blocks[][2] = {{0xff, 0x2588}, {0xfc, 0x2586}, {0xf0, 0x2584}, {0xc0, 0x2582},
                                         {0x0f, 0x2580}, {0x55, 0x258c}, {0xaa, 0x2590}};
    static const uint8_t bits[] = {0, 3, 1, 4, 2, 5, 6, 7};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks && dots == solid; i++)
        if (dots == blocks[i][0]) return blocks[i][1];
    uint32_t point = 0x2800;
    for (int i = 0; i < 8; i++) point |= (dots >> i & 1) << bits[i];
    return point;
}

/* ---- cells ---- */

/* Append the two pixels of a cell: as colours of a half block, or as a shade of the difference from the background. */
static void add_pixels(struct text *t, struct state *s, const struct cell *cell) {
    static const uint32_t shades[] = {' ', 0x2591, 0x2592, 0x2593, 0x2588};
    static const char plain[] = " .:-=+*#%@";
    bool ascii = s->terminal->ascii;
    struct colour upper = cell->imaged & 1 ? cell->upper : cell->lower,
                  lower = cell->imaged & 2 ? cell->lower : upper;
    char ink[24] = "", paper[24] = "";
    if (s->terminal->colours == TERMINAL_PLAIN) {
        double shade = fmin(fabs((light(upper) + light(lower)) / 2 - light(s->background)), 1);
        add_letter(t, ascii ? (uint32_t)plain[(int)(shade * 9 + 0.5)] : shades[(int)(shade * 4 + 0.5)]);
    } else if (ascii) {
        parameters(paper, s, lower, true);
        change(t, s, ink, paper);
        text_add(t, " ");
    } else {
        bool half = cell->imaged != 3;
        parameters(ink, s, cell->imaged == 2 ? lower : upper, false);
        if (!half) parameters(paper, s, lower, true);
        change(t, s, ink, paper);
        add_letter(t, cell->imaged == 2 ? 0x2584 : 0x2580);
    }
}

static void add_cell(struct text *t, struct state *s, const struct cell *cell) {
    char ink[24] = "", paper[24] = "";
    if (cell->letter == CELL_HIDDEN) return;
    if (!cell->letter && cell->imaged) {
        add_pixels(t, s, cell);
        return;
    }
    if (cell->letter || cell->dots) ink_of(ink, s, cell->ink);
    if (cell->imaged) { /* a letter on an image has its own colour, however grey */
        parameters(ink, s, cell->ink, false);
        parameters(paper, s, cell->imaged & 2 ? cell->lower : cell->upper, true);
    }
    change(t, s, ink, paper);
    uint32_t c = cell->letter ? cell->letter : ' ';
    if (cell->letter && s->terminal->ascii) c = plain_letter(c);
    if (!cell->letter && cell->dots)
        c = s->terminal->ascii ? plain_dots(cell->dots) : fine_dots(cell->dots, cell->solid);
    add_letter(t, c);
}

void cells_print(const struct cell *cells, int columns, int rows, struct colour background,
                 const struct terminal *terminal, struct text *out) {
    struct state s = {.terminal = terminal, .background = background};
    for (int row = 0; row < rows; row++, cells += columns) {
        int n = columns;
        while (n > 0 && !cells[n - 1].letter && !cells[n - 1].dots && !cells[n - 1].imaged) n--;
        for (int i = 0; i < n; i++) add_cell(out, &s, &cells[i]);
        change(out, &s, "", "");
        text_add(out, "\n");
    }
}
