/* Loss curves over steps: as SVG, and as characters on a terminal. */
#include "tools/command.h"
#include "tools/train/curves.h"
#include "array/number_read.h"
#include "base/text.h"
#include "tools/options/file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 760, HEIGHT = 300, LEFT = 56, TOP = 30, BOTTOM = 46, COLUMNS = 64, ROWS = 14 };

/* Merge pairs of points of the curve into their means, in place, so that each stands for twice as many
   steps; an odd last point is dropped. */
static void halve(struct curve *c) {
    for (int i = 0; i < c->points / 2; i++) {
        c->at[i] = c->at[2 * i + 1];
        c->values[i] = (c->values[2 * i] + c->values[2 * i + 1]) / 2;
    }
    c->points /= 2;
    c->each *= 2;
}

/* Add the loss of `step` to the curve, to its last point or a new one; a loss that is not finite is left
   out. A full curve first halves its points. */
void curve_add(struct curve *c, int64_t step, double loss) {
    if (!isfinite(loss)) return;
    if (!c->each) c->each = 1;
    if (c->points == CURVE_POINTS && c->last == c->each) halve(c);
    if (!c->points || c->last == c->each) c->values[c->points++] = 0, c->last = 0;
    double *value = &c->values[c->points - 1];
    *value += (loss - *value) / (double)++c->last;
    c->at[c->points - 1] = step;
}

/* ---- as text: for each curve points, each, last, then step and loss of each point ---- */

char *curves_text(int n, const struct curve *c) {
    struct text t = {0};
    for (int i = 0; i < n; i++) {
        text_add(&t, "%d %lld %lld\n", c[i].points, (long long)c[i].each, (long long)c[i].last);
        for (int p = 0; p < c[i].points; p++)
            text_add(&t, "%lld %.17g\n", (long long)c[i].at[p], c[i].values[p]);
    }
    return text_take(&t);
}

/* Parse the number at *at into *out and advance *at past it and one blank or line break; false, with *at
   unchanged, if there is no number. */
static bool read_number(const char **at, double *out) {
    struct number number;
    size_t n = strcspn(*at, " \n");
    if (!n || number_read(*at, n, &number) != n) return false;
    *out = number.value;
    *at += n + ((*at)[n] != 0);
    return true;
}

/* Parse a curve at *at, written by curves_text, into *c and advance *at past it; c->name stays. Return
   false if it is invalid; *c may then be partly set. */
static bool read_curve(struct curve *c, const char **at) {
    double points, each, last, step;
    if (!read_number(at, &points) || !read_number(at, &each) || !read_number(at, &last)) return false;
    if (!(points >= 0 && points <= CURVE_POINTS && each >= 0 && each < 0x1p62 && last >= 0 && last <= each))
        return false;
    *c = (struct curve){.name = c->name, .points = (int)points, .each = (int64_t)each, .last = (int64_t)last};
    for (int p = 0; p < c->points; p++) {
        if (!read_number(at, &step) || !(step >= 0 && step < 0x1p62) || !read_number(at, &c->values[p]))
            return false;
        c->at[p] = (int64_t)step;
    }
    return true;
}

bool curves_read(int n, struct curve *c, const char *text) {
    struct curve *read = calloc((size_t)n, sizeof *read);
    bool well = read;
    for (int i = 0; i < n && well; i++) {
        read[i].name = c[i].name;
        well = read_curve(&read[i], &text);
    }
    if (well) memcpy(c, read, (size_t)n * sizeof *c);
    free(read);
    return well;
}

/* ---- the frame ---- */

/* Return the horizontal position, 0..1, of point number `point`, from 0, on an axis of `steps` steps. */
static double across(const struct curve *c, int point, int64_t steps) {
    return (double)c->at[point] / (double)steps;
}
/* Return the vertical position, 0..1 from the bottom, of point number `point`, from 0, on an axis from 0 to
   `most`; losses outside are at the top. */
static double up(const struct curve *c, int point, double most) {
    double loss = c->values[point];
    return loss >= 0 && loss <= most ? loss / most : 1;
}

/* Scales of the axes. */
struct frame {
    int64_t steps;
    double most; /* loss at the top, a round number */
};

/* Return the scales of a plot that holds both curves: the last step, at least 1, and a round loss that no
   finite point exceeds. */
static struct frame frame_of(const struct curve *a, const struct curve *b) {
    struct frame f = {0};
    for (int i = 0; i < 2; i++) {
        const struct curve *c = i ? b : a;
        if (c->points && c->at[c->points - 1] > f.steps) f.steps = c->at[c->points - 1];
        for (int p = 0; p < c->points; p++)
            if (isfinite(c->values[p])) f.most = fmax(f.most, c->values[p]);
    }
    double step = pow(10, floor(log10(f.most > 0 ? f.most : 1)));
    f.most = step * fmax(1, ceil(f.most / step));
    f.steps = f.steps > 0 ? f.steps : 1;
    return f;
}

/* ---- the picture ---- */

/* Append the grid, the labels of both axes and their names as SVG. */
static void add_axes(struct text *t, const struct frame *f) {
    for (int i = 0; i <= 4; i++) {
        double x = LEFT + WIDTH * i / 4.0, y = TOP + HEIGHT - HEIGHT * i / 4.0;
        text_add(
            t,
            "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n<text x=\"%d\" "
            "y=\"%.1f\" "
            "text-anchor=\"end\">%.3g</text>\n<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>\n",
            LEFT, LEFT + WIDTH, y, y, LEFT - 6, y + 4, f->most * i / 4, x, TOP + HEIGHT + 16,
            (double)f->steps * i / 4);
    }
    text_add(t, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">step</text>\n", LEFT + WIDTH / 2,
             TOP + HEIGHT + 36);
}

/* Append the curve as an SVG polyline in the given colour and stroke width, and its name in column `row`,
   from 0, of the legend. */
static void add_curve(struct text *t, const struct curve *run, const struct frame *f, const char *colour,
                      double width, int row) {
    text_add(t, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" points=\"", colour, width);
    for (int p = 0; p < run->points; p++)
        text_add(t, "%.1f,%.1f ", LEFT + WIDTH * across(run, p, f->steps),
                 TOP + HEIGHT - HEIGHT * up(run, p, f->most));
    text_add(t, "\"/>\n<text x=\"%d\" y=\"%d\" fill=\"%s\">loss, %s</text>\n", LEFT + 120 * row, TOP - 12,
             colour, run->name);
}

/* Write both curves as an SVG picture to the file `path`; false after a message on stderr. */
static bool draw(const struct curve *a, const struct curve *b, const struct frame *f, const char *path) {
    struct text t = {0};
    text_add(&t,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
             "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
             LEFT + WIDTH + 30, TOP + HEIGHT + BOTTOM);
    add_axes(&t, f);
    /* The wide curve is drawn first, so that both show where they coincide. */
    if (b->points) add_curve(&t, b, f, "#d8803b", 3, 1);
    add_curve(&t, a, f, "#1b4f9c", 1.2, 0);
    text_add(&t, "</svg>\n");
    return file_write_text(path, text_take(&t));
}

/* ---- the terminal ---- */

/* Print both curves as a picture of characters. */
static void print(const struct curve *a, const struct curve *b, const struct frame *f) {
    char rows[ROWS][COLUMNS + 1];
    memset(rows, ' ', sizeof rows);
    for (int i = 0; i < 2; i++) {
        const struct curve *run = i ? a : b;
        for (int p = 0; p < run->points; p++) {
            int x = (int)(across(run, p, f->steps) * (COLUMNS - 1) + 0.5);
            char *place = &rows[(int)((1 - up(run, p, f->most)) * (ROWS - 1) + 0.5)][x];
            *place = i && *place != ' ' && *place != *a->name ? '#' : i ? *a->name : '*';
        }
    }
    printf(b->points ? "loss (%c %s, * %s, # both)\n" : "loss (%c %s)\n", *a->name, a->name, b->name);
    for (int r = 0; r < ROWS; r++)
        printf("%8.3f |%.*s\n", f->most * (ROWS - 1 - r) / (ROWS - 1), COLUMNS, rows[r]);
    printf("%8s +%.*s\n%8s 0%*lld steps\n\n", "", COLUMNS,
           "----------------------------------------------------------------------", "", COLUMNS - 1,
           (long long)f->steps);
}

bool curves_draw(const struct curve *a, const struct curve *b, const char *path) {
    struct frame f = frame_of(a, b);
    if (isatty(STDOUT_FILENO)) print(a, b, &f);
    return !path || draw(a, b, &f, path);
}
