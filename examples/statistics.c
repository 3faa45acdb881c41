/* Reductions over axes, scans, quantiles, a histogram. */
#include <math.h>
#include <tyto/tyto.h>

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_normal(TY_F64, TY_SHAPE(1000, 3), ty_key(7)),
              *q = ty_from(TY_F64, TY_SHAPE(3), (double[]){0.25, 0.5, 0.75});
    ty_tensor *whitened = ty_div(ty_sub(x, ty_mean(x, ty_axis(0))), ty_std(x, ty_axis(0), 0));

    bool printed = ty_print(stdout, ty_quantile(x, q, ty_axis(0), "linear"));
    printed &= ty_print(stdout, ty_cov(x, false, 1));
    printed &= ty_print(stdout, ty_norm(x, 2, ty_axes_of(1, (int[]){0}, true)));
    printed &= ty_print(stdout, ty_histogram(ty_at(x, ":, 0"), 8, -4, 4, NULL, false));
    printed &= ty_print(stdout, ty_at(ty_cumsum(ty_at(x, ":, 0"), 0, (ty_running){0}), "::250"));

    double spread = ty_item(ty_mean(ty_square(whitened), TY_ALL));
    ty_close(scope);
    return !(printed && fabs(spread - 1) < 1e-12);
}
