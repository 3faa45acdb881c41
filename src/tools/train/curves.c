/* Loss curves over steps. */
#include "tools/command.h"
#include "tools/options/message.h"
#include "tools/options/result.h"
#include "tools/train/curves.h"
#include "array/number_read.h"
#include "base/text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/plot.h>
#include <tyto/create.h>
#include <unistd.h>

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

/* ---- the picture ---- */

/* Add a curve to the plot with lines of this width. */
static void add(ty_plot *p, const struct curve *c, double width) {
    int64_t n = c->points;
    ty_tensor *steps = ty_from(TY_I64, 1, &n, c->at), *values = ty_from(TY_F64, 1, &n, c->values);
    ty_plot_curves(p, steps, values, (ty_plot_style){.name = c->name, .size = width});
}

bool curves_draw(const struct curve *a, const struct curve *b, const char *path) {
    ty_scope *scope = ty_open();
    ty_plot *p = ty_plot_new((ty_plot_options){.x = "step", .y = "loss"});
    ty_tensor *error = NULL;
    /* The wide curve is drawn first, so that both show if they coincide. */
    if (b->points) add(p, b, 3);
    add(p, a, 1.2);
    if (isatty(STDOUT_FILENO) && !result_json()) ty_plot_print(stdout, p);
    bool well = !path || ty_plot_write(p, path, &error);
    if (!well) complain_of(error);
    ty_plot_free(p);
    ty_close(scope);
    return well;
}
