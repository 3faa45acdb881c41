/* Distributions: densities and tails, quantiles, draws, gradients through draws, multivariate ones, errors. */
#include <math.h>
#include <stdio.h>
#include <tyto/tyto.h>

/* Evidence lower bound: the mean of log p(x, z) - log q(z), with z drawn from q. */
static ty_tensor *bound(ty_tensor *shape, ty_tensor *scale, ty_tensor *key) {
    ty_tensor *q[] = {shape, scale};
    ty_tensor *z = ty_draw(TY_DISTRIBUTION_GAMMA, TY_F64, TY_SHAPE(1000), 2, q, key);
    ty_tensor *count = ty_num(7), *prior[] = {ty_num(2), ty_num(1)};
    ty_tensor *joint = ty_add(ty_logpdf(TY_DISTRIBUTION_GAMMA, z, 2, prior),
                              ty_logpdf(TY_DISTRIBUTION_POISSON, count, 1, &z));
    return ty_add(ty_mean(joint, TY_ALL), ty_distribution_entropy(TY_DISTRIBUTION_GAMMA, 2, q));
}

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(3), (double[]){-1, 0, 40});
    ty_tensor *none = ty_cdf(TY_DISTRIBUTION_NORMAL, x, 0, NULL); /* mean 0, deviation 1 */
    ty_tensor *p[] = {ty_num(1.5), ty_from(TY_F64, TY_SHAPE(2, 1), (double[]){1, 2})};
    ty_tensor *tail = ty_logsf(TY_DISTRIBUTION_NORMAL, x, 2, p); /* [2,3]: -745.7 at 40 */
    bool printed = ty_print(stdout, none) && ty_print(stdout, tail);

    ty_tensor *degrees = ty_num(4);
    ty_tensor *bounds =
        ty_ppf(TY_DISTRIBUTION_T, ty_from(TY_F64, TY_SHAPE(2), (double[]){0.025, 0.975}), 1, &degrees);
    printed &= ty_print(stdout, bounds);

    ty_tensor *wrong[] = {ty_num(0), ty_num(-1)};
    printf("%s\n", ty_error(ty_pdf(TY_DISTRIBUTION_NORMAL, x, 2, wrong)));
    /* pdf: normal takes deviation > 0, but here mean is 0, deviation is -1 */

    ty_tensor *logs[] = {ty_track(ty_scalar(TY_F64, 1), "log shape"),
                         ty_track(ty_scalar(TY_F64, 0), "log scale")};
    ty_tensor *gradients[2];
    for (uint64_t step = 0; step < 200; step++) {
        ty_grad(bound(ty_exp(logs[0]), ty_exp(logs[1]), ty_fold(ty_key(1), step)), 2, logs, gradients);
        for (int i = 0; i < 2; i++)
            ty_assign(logs[i], ty_add(logs[i], ty_mul(gradients[i], ty_num(0.05))), NULL);
    }
    double shape = ty_item(ty_exp(logs[0])), scale = ty_item(ty_exp(logs[1]));
    printf("%.2f %.2f\n", shape, scale); /* the posterior's are 9 and 0.5 */

    ty_tensor *mean = ty_zeros(TY_F64, TY_SHAPE(2));
    ty_tensor *covariance = ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){2, 1, 1, 3});
    ty_tensor *normal[] = {mean, covariance};
    ty_tensor *y = ty_multivariate_draw(TY_MULTIVARIATE_NORMAL, TY_F64, TY_SHAPE(1000), 2, normal,
                                        ty_key(7)); /* [1000,2] */
    ty_tensor *fit = ty_mean(ty_multivariate_logpdf(TY_MULTIVARIATE_NORMAL, y, 2, normal), TY_ALL);
    printed &= ty_print(stdout, fit);
    printed &= ty_print(stdout, ty_multivariate_entropy(TY_MULTIVARIATE_NORMAL, 2, normal)); /* near -fit */

    ty_tensor *weights = ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 1, 2});
    ty_tensor *faces = ty_draw(TY_DISTRIBUTION_CATEGORICAL, TY_F64, TY_SHAPE(10), 1, &weights, ty_key(2));
    printed &= ty_print(stdout, faces);
    ty_close(scope);
    return !(printed && fabs(shape * scale - 4.5) < 0.2 && fabs(shape - 9) < 1);
}
