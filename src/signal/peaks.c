/*
 * Peaks of a signal, and what SciPy's find_peaks measures on them: each condition removes peaks in SciPy's order.  The
 * least elements between a peak and the next higher ones come from stacks of falling elements, in one pass to each
 * side, so that long slopes take no more time than short ones.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include <tyto/signal.h>
#include "base/alloc.h"
#include "base/list.h"
#include "base/context/stop.h"
#include "base/options.h"
#include "ops/core/structure.h"

enum { LOOK = 1 << 16 /* elements between two looks for requests to stop: some 0.1 ms */ };

/* One peak; ends are positions between elements. */
struct peak {
    int64_t at, plateau;           /* middle of the plateau, rounded down, and its length */
    int64_t left_base, right_base; /* least elements before a higher element */
    double height, prominence, width, width_height, left, right;
    bool dropped;
};

/* n numbers: one for all elements, or one for each; NULL: none. */
struct limit {
    const double *values;
    int64_t n;
};

/* A search in n elements. */
struct search {
    const double *x;
    int64_t n, count;
    struct peak *peaks;
    ty_peaks_options o;
    struct limit least, most; /* heights */
    struct fault *fault;
};

/* Append the peaks of x: elements higher than those before and behind their plateau.  False without memory or at a
   request to stop. */
static bool find_maxima(struct search *s) {
    int64_t room = 0;
    for (int64_t i = 1; i + 1 < s->n; i++) {
        if (i % LOOK == 0 && !stop_check(s->fault)) return false;
        if (!(s->x[i - 1] < s->x[i])) continue;
        int64_t after = i + 1;
        while (after + 1 < s->n && s->x[after] == s->x[i]) after++;
        if (s->x[after] < s->x[i]) {
            struct peak peak = {.at = (i + after - 1) / 2, .height = s->x[i], .plateau = after - i};
            if (!list_append(s->peaks, s->count, room, peak)) return fault_memory(s->fault, sizeof peak);
        }
        i = after - 1;
    }
    return true;
}

static void remove_dropped(struct search *s) {
    int64_t left = 0;
    for (int64_t i = 0; i < s->count; i++)
        if (!s->peaks[i].dropped) s->peaks[left++] = s->peaks[i];
    s->count = left;
}

/* ---- conditions on single peaks ---- */

/* True if a measure is not at least the one that a condition asks for; 0 asks for none.  Next to infinite elements measures
   are NaN, which meets no condition. */
static bool fails(double measure, double least) { return least != 0 && !(measure >= least); }

/* Return the limit of the height of element `at`, or `none`. */
static double limit_at(struct limit l, int64_t at, double none) {
    return l.values ? l.values[l.n == 1 ? 0 : at] : none;
}

static void keep_high(struct search *s) {
    for (int64_t i = 0; i < s->count; i++) {
        struct peak *p = &s->peaks[i];
        double height = s->x[p->at], left = height - s->x[p->at - 1], right = height - s->x[p->at + 1];
        p->dropped = p->plateau < s->o.plateau || fails(fmin(left, right), s->o.threshold);
        p->dropped |= s->o.most_plateau && p->plateau > s->o.most_plateau;
        p->dropped |= s->o.most_threshold != 0 && !(fmax(left, right) <= s->o.most_threshold);
        p->dropped |=
            !(height >= limit_at(s->least, p->at, -INFINITY) && height <= limit_at(s->most, p->at, INFINITY));
    }
    remove_dropped(s);
}

/* ---- distance ---- */

/* A peak by its height. */
struct rank {
    double height;
    int64_t index;
};
static int by_height(const void *a, const void *b) {
    const struct rank *p = a, *q = b;
    if (p->height != q->height) return p->height < q->height ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

/* Remove peaks nearer than the distance to a higher one, from the highest on; of equal ones the later stays. */
static bool keep_distant(struct search *s) {
    if (s->o.distance <= 1 || !s->count) return true;
    struct rank *ranks = mem_array((size_t)s->count, sizeof *ranks);
    if (!ranks) return fault_memory(s->fault, (size_t)s->count * sizeof *ranks);
    for (int64_t i = 0; i < s->count; i++) ranks[i] = (struct rank){s->x[s->peaks[i].at], i};
    qsort(ranks, (size_t)s->count, sizeof *ranks, by_height);
    for (int64_t r = s->count - 1; r >= 0; r--) {
        int64_t i = ranks[r].index, at = s->peaks[i].at;
        if (s->peaks[i].dropped) continue;
        for (int64_t k = i - 1; k >= 0 && at - s->peaks[k].at < s->o.distance; k--)
            s->peaks[k].dropped = true;
        for (int64_t k = i + 1; k < s->count && s->peaks[k].at - at < s->o.distance; k++)
            s->peaks[k].dropped = true;
    }
    mem_free(ranks);
    remove_dropped(s);
    return true;
}

/* ---- prominence ---- */

/* An element of a stack whose values fall; least: index of the least element since the one below it in the stack. */
struct fall {
    int64_t at, least;
};

/* Set the bases of all peaks on one side: step 1 walks to the right and sets the left ones. */
static bool set_bases(struct search *s, struct fall *stack, int step) {
    int64_t top = 0, next = step > 0 ? 0 : s->count - 1;
    for (int64_t k = 0; k < s->n; k++) {
        int64_t i = step > 0 ? k : s->n - 1 - k, least = i;
        if (k % LOOK == LOOK - 1 && !stop_check(s->fault)) return false;
        while (top && s->x[stack[top - 1].at] <= s->x[i]) {
            top--;
            if (s->x[stack[top].least] < s->x[least]) least = stack[top].least;
        }
        stack[top++] = (struct fall){i, least};
        if (next < 0 || next >= s->count || s->peaks[next].at != i) continue;
        if (step > 0)
            s->peaks[next].left_base = least;
        else
            s->peaks[next].right_base = least;
        next += step;
    }
    return true;
}

/* Set a base in the window around each peak: least element up to a higher one, at most `reach` elements away. */
static bool set_near_bases(struct search *s, int64_t reach) {
    for (int64_t i = 0; i < s->count; i++) {
        struct peak *p = &s->peaks[i];
        if (!stop_check(s->fault)) return false;
        p->left_base = p->right_base = p->at;
        for (int64_t k = p->at; k >= 0 && p->at - k <= reach && s->x[k] <= s->x[p->at]; k--)
            if (s->x[k] < s->x[p->left_base]) p->left_base = k;
        for (int64_t k = p->at; k < s->n && k - p->at <= reach && s->x[k] <= s->x[p->at]; k++)
            if (s->x[k] < s->x[p->right_base]) p->right_base = k;
    }
    return true;
}

static bool keep_prominent(struct search *s) {
    bool well;
    if (s->o.window) {
        well = set_near_bases(s, s->o.window / 2);
    } else {
        struct fall *stack = s->count ? mem_array((size_t)s->n, sizeof *stack) : NULL;
        if (s->count && !stack) return fault_memory(s->fault, (size_t)s->n * sizeof *stack);
        well = !s->count || (set_bases(s, stack, 1) && set_bases(s, stack, -1));
        mem_free(stack);
    }
    for (int64_t i = 0; i < s->count && well; i++) {
        struct peak *p = &s->peaks[i];
        p->prominence = s->x[p->at] - fmax(s->x[p->left_base], s->x[p->right_base]);
        p->dropped = fails(p->prominence, s->o.prominence);
    }
    remove_dropped(s);
    return well;
}

/* ---- width ---- */

/* Return where the line through x crosses `height` on the way from `at` to `base`. */
static double crossing(const struct search *s, int64_t at, int64_t base, double height) {
    int64_t i = at, step = base < at ? -1 : 1;
    while (i != base && height < s->x[i]) i += step;
    if (!(s->x[i] < height)) return (double)i;
    return (double)i - (double)step * (height - s->x[i]) / (s->x[i - step] - s->x[i]);
}

static bool keep_wide(struct search *s) {
    double share = s->o.relative_height != 0 ? s->o.relative_height : 0.5;
    for (int64_t i = 0; i < s->count; i++) {
        struct peak *p = &s->peaks[i];
        if (!stop_check(s->fault)) return false;
        p->width_height = s->x[p->at] - p->prominence * share;
        p->left = crossing(s, p->at, p->left_base, p->width_height);
        p->right = crossing(s, p->at, p->right_base, p->width_height);
        p->width = p->right - p->left;
        p->dropped = fails(p->width, s->o.width);
    }
    remove_dropped(s);
    return true;
}

/* ---- the whole ---- */

static ty_peaks poisoned(ty_tensor *bad) {
    ty_peaks y;
    ty_tensor **all = (ty_tensor **)(void *)&y;
    for (size_t i = 0; i < sizeof y / sizeof *all; i++) all[i] = i ? tensor_share(bad) : bad;
    return y;
}

/* Return the values of x as f64 without gaps, else poison. */
static ty_tensor *values_of(ty_tensor *x) { return ty_contiguous(ty_cast(ty_detach(ty_eval(x)), TY_F64)); }

/* Return NULL if operands and options are valid, else poison. */
static ty_tensor *refuse_peaks(ty_tensor *x, const ty_peaks_options *o) {
    ty_tensor *all[] = {x, o->height, o->most_height};
    for (int i = 0; i < 3; i++) {
        if (i && !all[i]) continue;
        ty_tensor *both[] = {x, all[i]}, *bad = first_poison_in("find_peaks", i ? 2 : 1, both);
        if (bad) return bad;
        if (dtype_is(ty_dtype_of(all[i]), CLASS_COMPLEX))
            return refuse("find_peaks", i ? 2 : 1, both, E_DTYPE, "expected real numbers");
        if (!i && ty_rank(x) != 1)
            return refuse("find_peaks", 1, &x, E_SHAPE, "expected a vector, not %d axes", ty_rank(x));
        if (ty_size(all[i]) != 1 && (ty_rank(all[i]) != 1 || ty_size(all[i]) != ty_size(x)))
            return refuse("find_peaks", 2, both, E_SHAPE,
                          "the height must be a number, or one for each element");
    }
    if (o->distance < 0 || o->window < 0 || o->plateau < 0 || o->most_plateau < 0 || o->window == 1)
        return refuse(
            "find_peaks", 1, &x, E_ARGUMENT,
            "a distance of %lld, a plateau of %lld, a window of %lld elements; expected 0 or more, and "
            "windows of 2 or more",
            (long long)o->distance, (long long)(o->plateau < 0 ? o->plateau : o->most_plateau),
            (long long)o->window);
    if (!(o->relative_height >= 0 && o->relative_height < INFINITY))
        return refuse("find_peaks", 1, &x, E_ARGUMENT, "the relative height is %g; expected 0 or more",
                      o->relative_height);
    if (isnan(o->threshold) || isnan(o->most_threshold) || isnan(o->prominence) || isnan(o->width))
        return refuse("find_peaks", 1, &x, E_ARGUMENT, "a threshold, a prominence or a width is NaN");
    return NULL;
}

/* Return a field of all peaks: `of` is its place in struct peak, 8 bytes. */
static ty_tensor *column(const struct search *s, ty_dtype dtype, size_t of) {
    ty_tensor *y = tensor_new_value(dtype, 1, &s->count);
    if (!y) return tensor_out_of_memory();
    char *to = tensor_data(y);
    for (int64_t i = 0; i < s->count; i++) memcpy(to + 8 * i, (const char *)&s->peaks[i] + of, 8);
    return tensor_return(y);
}
#define COLUMN(dtype, field) column(s, dtype, offsetof(struct peak, field))

static ty_peaks results(const struct search *s) {
    ty_peaks y = {.at = COLUMN(TY_I64, at),
                  .heights = COLUMN(TY_F64, height),
                  .prominences = COLUMN(TY_F64, prominence),
                  .left_bases = COLUMN(TY_I64, left_base),
                  .right_bases = COLUMN(TY_I64, right_base),
                  .widths = COLUMN(TY_F64, width),
                  .width_heights = COLUMN(TY_F64, width_height),
                  .left_ends = COLUMN(TY_F64, left),
                  .right_ends = COLUMN(TY_F64, right),
                  .plateaus = COLUMN(TY_I64, plateau)};
    return y;
}

ty_peaks ty_find_peaks_sized(ty_tensor *x, const ty_peaks_options *given, size_t given_size) {
    OPTIONS_PARTS(ty_peaks, ty_peaks_options, o, given, given_size);
    FLOATING_DEFAULT;
    struct fault fault;
    fault_clear(&fault);
    ty_tensor *bad = refuse_peaks(x, &o);
    if (bad) return poisoned(bad);
    ty_tensor *values[] = {x, o.height, o.most_height};
    struct limit of[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        if (!values[i]) continue;
        values[i] = values_of(values[i]);
        if (!ty_ok(values[i])) return poisoned(tensor_share_in("find_peaks", values[i]));
        of[i] = (struct limit){ty_data(values[i]), ty_size(values[i])};
    }
    struct search s = {
        .x = of[0].values, .n = of[0].n, .o = o, .least = of[1], .most = of[2], .fault = &fault};
    bool well = find_maxima(&s);
    if (well) keep_high(&s);
    well = well && keep_distant(&s) && keep_prominent(&s) && keep_wide(&s);
    ty_peaks y = well ? results(&s) : poisoned(tensor_fault(&fault));
    mem_free(s.peaks);
    return y;
}
