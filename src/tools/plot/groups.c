#include "tools/plot/groups.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/create.h>

enum { NAME_ROOM = 32 };

void plot_groups_drop(struct groups *g) {
    free(g->names);
    free(g->texts);
    *g = (struct groups){0};
}

/* Insert v into the ascending values[0 .. *n) unless it is there; return false if there is no room. */
static bool insert(double *values, int64_t *n, int64_t most, double v) {
    int64_t at = 0;
    while (at < *n && values[at] < v) at++;
    if (at < *n && values[at] == v) return true;
    if (*n == most) return false;
    memmove(values + at + 1, values + at, (size_t)(*n - at) * sizeof *values);
    values[at] = v;
    ++*n;
    return true;
}

/* Give the groups the codes and names of n numbers v, if they are at most `most` whole ones. */
static bool number(struct groups *g, int64_t n, const double *v, int64_t most, bool truth) {
    double *values = malloc((size_t)(most + 1) * sizeof *values);
    int32_t *codes = malloc((size_t)(n + 1) * sizeof *codes);
    int64_t count = 0, i = 0;
    bool well = values && codes;
    for (; i < n && well; i++)
        if (isfinite(v[i]) && (v[i] != floor(v[i]) || !insert(values, &count, most, v[i]))) break;
    bool whole = well && i == n && count;
    if (whole) {
        g->names = malloc((size_t)count * sizeof *g->names);
        g->texts = malloc((size_t)count * NAME_ROOM);
        well = g->names && g->texts;
    }
    for (int64_t k = 0; whole && well && k < count; k++) {
        g->names[k] = g->texts + k * NAME_ROOM;
        if (truth)
            strcpy(g->texts + k * NAME_ROOM, values[k] != 0 ? "true" : "false");
        else
            text_print(g->texts + k * NAME_ROOM, NAME_ROOM, "%.15g", values[k]);
    }
    for (int64_t k = 0; whole && well && k < n; k++) {
        codes[k] = -1;
        for (int64_t j = 0; j < count && isfinite(v[k]); j++)
            if (values[j] == v[k]) codes[k] = (int32_t)j;
    }
    if (whole && well) {
        g->codes = ty_from(TY_I32, 1, (int64_t[]){n}, codes);
        g->count = count;
    }
    free(values);
    free(codes);
    return well || complain("out of memory") == EXIT_SUCCESS;
}

bool plot_groups_of(const struct datum *d, int64_t most, struct groups *g) {
    *g = (struct groups){0};
    if (ty_rank(d->x) != 1)
        return complain("%s has %d axes; expected 1", d->label, ty_rank(d->x)) == EXIT_SUCCESS;
    if (d->nwords) {
        g->names = malloc((size_t)d->nwords * sizeof *g->names);
        if (!g->names) return complain("out of memory") == EXIT_SUCCESS;
        memcpy(g->names, d->words, (size_t)d->nwords * sizeof *g->names);
        g->codes = d->x, g->count = d->nwords;
        return true;
    }
    int64_t n = ty_size(d->x);
    double *v = malloc((size_t)(n + 1) * sizeof *v);
    bool well = v && (!n || (ty_read)(d->x, TY_F64, v));
    if (!well) complain("%s could not be read: out of memory", d->label);
    well = well && number(g, n, v, most, ty_dtype_of(d->x) == TY_BOOL);
    free(v);
    return well;
}

/* Add each of n elements to the sums and counts of its cell. */
static void add_up(const struct groups *g, int64_t n, int64_t k, const int32_t *row, const int32_t *column,
                   const double *v, double *sums, double *counts) {
    for (int64_t i = 0; i < n; i++) {
        int32_t r = row[i], c = column ? column[i] : 0;
        if (r < 0 || c < 0 || r >= g->count || (v && isnan(v[i]))) continue;
        sums[r * k + c] += v ? v[i] : 1;
        counts[r * k + c]++;
    }
}

ty_tensor *plot_groups_table(const struct groups *g, const struct groups *by, ty_tensor *values) {
    int64_t n = ty_size(g->codes), k = by ? by->count : 1;
    if ((by && ty_size(by->codes) != n) || (values && ty_size(values) != n))
        return ty_poison("columns of %lld and %lld rows; expected equal numbers", (long long)n,
                         (long long)ty_size(by && ty_size(by->codes) != n ? by->codes : values));
    size_t cells = (size_t)(g->count * k) + 1, rows = (size_t)n + 1;
    double *sums = calloc(2 * cells, sizeof *sums), *v = malloc(rows * sizeof *v);
    int32_t *codes = malloc(2 * rows * sizeof *codes);
    bool well = sums && v && codes && (!n || (ty_read)(g->codes, TY_I32, codes)) &&
                (!n || !by || (ty_read)(by->codes, TY_I32, codes + rows)) &&
                (!n || !values || (ty_read)(values, TY_F64, v));
    ty_tensor *table = ty_poison("out of memory");
    if (well) {
        add_up(g, n, k, codes, by ? codes + rows : NULL, values ? v : NULL, sums, sums + cells);
        for (size_t i = 0; i < cells && values; i++) sums[i] /= sums[cells + i]; /* NaN of none */
        table = ty_from(TY_F64, 2, (int64_t[]){g->count, k}, sums);
    }
    free(sums);
    free(v);
    free(codes);
    return table;
}
