/* Classes of elements: a layer for each. */
#include "plot/plot.h"
#include "base/text.h"

bool plot_classes(struct adding *a, int64_t n, struct classes *out) {
    const int64_t most = 1000; /* classes: far beyond those that colours and a legend can tell */
    *out = (struct classes){0};
    ty_tensor *by = a->style.by;
    if (!by || (ty_ok(by) && ty_dtype_of(by) >= TY_F16 && ty_dtype_of(by) <= TY_F64)) return true;
    const double *values = plot_read_beside(a, "by", by, "the data", n);
    if (!values) return false;
    int32_t *of = plot_room(a, n, sizeof *of);
    for (int64_t i = 0; of && i < n; i++) {
        if (!(values[i] < (double)most))
            return plot_refuse(a, E_ARGUMENT, "by: class %g of element %lld; expected below %lld", values[i],
                               (long long)i, (long long)most);
        of[i] = values[i] >= 0 ? (int32_t)values[i] : -1;
        if (of[i] >= out->count) out->count = of[i] + 1;
    }
    out->of = of;
    return of;
}

const char *plot_class_name(const struct adding *a, int64_t k, char number[CLASS_NAME]) {
    const char *name = plot_name(a, k);
    text_print(number, CLASS_NAME, "%lld", (long long)k);
    return name ? name : number;
}

/* Add the elements of class k as a layer; false sets the fault. */
static bool add_class(struct adding *a, const struct layer_kind *kind, int64_t n, const double *x,
                      const double *y, const struct classes *classes, int32_t k) {
    char number[CLASS_NAME];
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) count += classes->of[i] == k;
    struct layer *l = plot_layer(a, kind, plot_class_name(a, k, number));
    double *px = plot_room(a, count, sizeof *px), *py = plot_room(a, count, sizeof *py);
    if (!l || !px || !py) return false;
    for (int64_t i = 0; i < n; i++)
        if (classes->of[i] == k) px[l->n] = x ? x[i] : (double)i, py[l->n++] = y[i];
    l->x = px, l->y = py;
    return true;
}

bool plot_class_layers(struct adding *a, const struct layer_kind *kind, int64_t n, const double *x,
                       const double *y, const struct classes *classes) {
    for (int32_t k = 0; k < classes->count; k++)
        if (!add_class(a, kind, n, x, y, classes, k)) return false;
    plot_heading(a);
    return true;
}
