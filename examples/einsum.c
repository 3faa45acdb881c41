/* Einsum of several operands: the best order is found, constants are packed once, gradients flow. */
#include <math.h>
#include <tyto/tyto.h>

/* A tensor train: the element (i, j, k) of a three-dimensional array that is never formed. */
static const char *const train = "ia,ajb,bk,i,j,k->";

int main(void) {
    ty_scope *scope = ty_open();
    int64_t shapes[6][3] = {{60, 8}, {8, 50, 8}, {8, 40}, {60}, {50}, {40}};
    int ranks[6] = {2, 3, 2, 1, 1, 1};
    ty_tensor *x[6];
    for (int i = 0; i < 6; i++) x[i] = ty_uniform(TY_F64, ranks[i], shapes[i], ty_key((uint64_t)i));

    /* Left as it stands this would be 60 * 50 * 40 * 8 * 8 products; the path needs a fraction of that. */
    ty_einsum_operand operands[6];
    for (int i = 0; i < 6; i++)
        operands[i] =
            (ty_einsum_operand){ranks[i], shapes[i], i < 3 ? x[i] : NULL}; /* the train is constant */
    ty_einsum_plan *plan = ty_einsum_plan_new(train, TY_F64, 6, operands, (ty_einsum_options){0});
    char *path = ty_einsum_plan_text(plan);
    if (path) fputs(path, stdout);
    ty_free(path);
    double value = ty_item(ty_einsum_plan_run(plan, 6, x));
    ty_einsum_report report;
    ty_einsum_plan_report(plan, &report);
    ty_einsum_plan_free(plan);

    /* The gradient by the first vector is the contraction of all others. */
    ty_tensor *first = ty_track(x[3], "first"), *gradient;
    ty_tensor *with[6] = {x[0], x[1], x[2], first, x[4], x[5]};
    bool well = ty_grad(ty_einsum_of(train, 6, with, (ty_einsum_options){0}), 1, &first, &gradient);
    double again = well ? ty_item(ty_dot_product(gradient, x[3])) : NAN;
    printf("%.10g, and %.10g by its gradient; %.0f additions and multiplications\n", value, again,
           report.flops);

    /* Sizes that do not fit give poison with the reason. */
    ty_tensor *bad = ty_einsum("ij,jk->ik", ty_ones(TY_F32, TY_SHAPE(3, 4)), ty_ones(TY_F32, TY_SHAPE(5, 6)));
    printf("error: %s\n", ty_error(bad));
    well = well && !ty_ok(bad) && fabs(value - again) < 1e-9 * fabs(value) && report.flops < 60 * 50 * 40;
    ty_close(scope);
    return !well;
}
