/* The losses of both runs over their steps: a picture, and on a terminal lines of characters. */
#include "tools/demo.h"
#include "base/text.h"
#include "tools/file.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 760, HEIGHT = 300, LEFT = 56, TOP = 30, BOTTOM = 46, COLUMNS = 64, ROWS = 14 };

void demo_curve_add(struct demo_run *run, int64_t step, double loss) {
    int64_t apart = demo_curve_apart(run), point = (step - 1) / apart;
    run->curve[point] += (loss - run->curve[point]) / (double)((step - 1) % apart + 1);
    run->points = (int)point + 1;
}

/* Step and loss of a point, in units of the whole picture; a loss that is none lies at the top. */
static double across(const struct demo_run *run, int point, int64_t steps) {
    return (double)((point + 1) * demo_curve_apart(run)) / (double)steps;
}
static double up(const struct demo_run *run, int point, double most) {
    double loss = run->curve[point];
    return loss >= 0 && loss <= most ? loss / most : 1;
}

struct frame {
    int64_t steps;
    double most; /* loss at the top: a round number */
};

static struct frame frame_of(const struct demo_run *a, const struct demo_run *b) {
    struct frame f = {a->done > b->done ? a->done : b->done, 0};
    for (int i = 0; i < 2; i++)
        for (int p = 0; p < (i ? b : a)->points; p++)
            if (isfinite((i ? b : a)->curve[p])) f.most = fmax(f.most, (i ? b : a)->curve[p]);
    double step = pow(10, floor(log10(f.most > 0 ? f.most : 1)));
    f.most = step * fmax(1, ceil(f.most / step));
    f.steps = f.steps > 0 ? f.steps : 1;
    return f;
}

/* ---- the picture ---- */

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

static void add_curve(struct text *t, const struct demo_run *run, const struct frame *f, const char *colour,
                      double width, int row) {
    text_add(t, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" points=\"", colour, width);
    for (int p = 0; p < run->points; p++)
        text_add(t, "%.1f,%.1f ", LEFT + WIDTH * across(run, p, f->steps),
                 TOP + HEIGHT - HEIGHT * up(run, p, f->most));
    text_add(t, "\"/>\n<text x=\"%d\" y=\"%d\" fill=\"%s\">loss, %s</text>\n", LEFT + 120 * row, TOP - 12,
             colour, run->name);
}

static bool draw(const struct demo_run *a, const struct demo_run *b, const struct frame *f,
                 const char *folder) {
    char path[4096];
    struct text t = {0};
    text_add(&t,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
             "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
             LEFT + WIDTH + 30, TOP + HEIGHT + BOTTOM);
    add_axes(&t, f);
    add_curve(&t, b, f, "#d8803b", 3, 1); /* the wide one first: where they are one, both are seen */
    add_curve(&t, a, f, "#1b4f9c", 1.2, 0);
    text_add(&t, "</svg>\n");
    if (snprintf(path, sizeof path, "%s/loss.svg", folder) < (int)sizeof path)
        return file_write_text(path, text_take(&t));
    text_drop(&t);
    return complain("%s: the name of the folder is too long", folder) == 0;
}

/* ---- the terminal ---- */

static void print(const struct demo_run *a, const struct demo_run *b, const struct frame *f) {
    char rows[ROWS][COLUMNS + 1];
    memset(rows, ' ', sizeof rows);
    for (int i = 0; i < 2; i++) {
        const struct demo_run *run = i ? a : b;
        for (int p = 0; p < run->points; p++) {
            int x = (int)(across(run, p, f->steps) * (COLUMNS - 1) + 0.5);
            char *place = &rows[(int)((1 - up(run, p, f->most)) * (ROWS - 1) + 0.5)][x];
            *place = i && *place != ' ' ? '#' : i ? 'e' : '*';
        }
    }
    printf("loss (e %s, * %s, # both)\n", a->name, b->name);
    for (int r = 0; r < ROWS; r++)
        printf("%8.3f |%.*s\n", f->most * (ROWS - 1 - r) / (ROWS - 1), COLUMNS, rows[r]);
    printf("%8s +%.*s\n%8s 0%*lld steps\n\n", "", COLUMNS,
           "----------------------------------------------------------------------", "", COLUMNS - 1,
           (long long)f->steps);
}

bool demo_curves(const struct demo_run *a, const struct demo_run *b, const char *folder) {
    struct frame f = frame_of(a, b);
    if (isatty(STDOUT_FILENO)) print(a, b, &f);
    return draw(a, b, &f, folder);
}
