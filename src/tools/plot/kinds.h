/* Kinds of plots of `tyto plot`, and how data become layers. */
#ifndef TOOLS_PLOT_KINDS_H
#define TOOLS_PLOT_KINDS_H
#include <tyto/plot.h>
#include "tools/plot/data.h"

enum plot_kind {
    KIND_CHOSEN,
    KIND_LINE,
    KIND_POINTS,
    KIND_HISTOGRAM,
    KIND_BARS,
    KIND_HEAT,
    KIND_IMAGES,
    KIND_SPECTRUM,
    KIND_SPECTROGRAM,
    KIND_CONFUSION,
    KINDS
};
/* Return the name of a kind; NULL for others. */
const char *kind_name(int kind);

/* The data and the choices of a plot. */
struct making {
    struct plot_data *data;
    struct datum by; /* of --by; valid if `grouped` */
    bool grouped;
    int64_t bins, columns;
    double rate;
    bool numbers, share;
    ty_plot_options options; /* to which labels are added */
};
/* Return the kind that fits the data. */
enum plot_kind kind_choose(const struct making *m);
/* Return true, or false after a message on stderr if a given option has no effect on plots of a kind. */
bool kind_takes(const struct making *m, enum plot_kind kind);
/* Return the plot; NULL after a message on stderr.  The caller frees it with ty_plot_free. */
ty_plot *kind_make(struct making *m, enum plot_kind kind);
#endif
