/* Plots, their options and styles. */
#include <math.h>
#include <string.h>
#include "tests/support/calls/take.h"

/* Choose a side of a page: small ones, as pictures of large ones take long, and refused ones. */
static double take_side(struct calls *c) {
    static const double menu[] = {0, 96, 120, 95, -1, INFINITY, NAN, 1e300};
    return menu[calls_choose(c, 4) < 3 ? 1 : calls_choose(c, 8)];
}

TAKE(ty_plot_options, ty_plot_options) {
    static const char *const menu[] = {NULL, "title", "", "time (s)", "\xff\n", "ten: \xe2\x80\xa6"};
    (void)name;
    ty_plot_options o = {.title = menu[calls_choose(c, 6)], .x = menu[calls_choose(c, 6)]};
    o.y = menu[calls_choose(c, 6)];
    o.width = take_side(c), o.height = take_side(c);
    o.x_low = take_real_option(c, 0), o.x_high = take_real_option(c, 0);
    o.y_low = take_real_option(c, 0), o.y_high = take_real_option(c, 0);
    int flags = calls_choose(c, 16);
    o.x_log = flags & 1, o.y_log = flags & 2, o.dark = flags & 4, o.legendless = flags & 8;
    return o;
}

TAKE(ty_plot_style, ty_plot_style) {
    static const char *const names[] = {"a", NULL, "", "\xff"};
    (void)name;
    ty_plot_style o = {
        .name = names[calls_choose(c, 4)], .nnames = take_option(c, 0), .nrows = take_option(c, 0)};
    if (o.nnames >= 0 && o.nnames <= 4) o.names = names;
    if (o.nrows >= 0 && o.nrows <= 4) o.rows = names;
    o.by = calls_choose(c, 2) ? calls_tensor(c, "by") : NULL;
    o.low = take_real_option(c, 0), o.high = take_real_option(c, 0);
    o.bins = take_option(c, 0), o.columns = take_option(c, 0), o.size = take_real_option(c, 0);
    int flags = calls_choose(c, 8);
    o.numbers = flags & 1, o.diverging = flags & 2, o.share = flags & 4;
    return o;
}

TAKE(ty_plot_text_options, ty_plot_text_options) {
    (void)name;
    ty_plot_text_options o = {.columns = (int)take_option(c, 0), .rows = (int)take_option(c, 0)};
    o.colours = (ty_plot_colours)take_enumerator(c, TY_PLOT_COLOURS);
    o.ascii = calls_choose(c, 2);
    return o;
}

/* A side that is too small, limits in the wrong order, a failed layer. */
TAKE(owned_ty_plot_p, ty_plot *) {
    int way = calls_refusal(c, 3);
    (void)name;
    ty_plot *p = ty_plot_new((ty_plot_options){.width = way == 1 ? 1 : 120, .height = 96, .x_low = way == 2});
    if (way == 3) ty_plot_line(p, NULL, ty_poison("none"), (ty_plot_style){0});
    return p;
}
HANDLE(ty_plot_p, ty_plot, ty_plot_free)
