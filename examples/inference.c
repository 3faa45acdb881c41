/* Tests, the bootstrap, a regression by Markov chains: the program of docs/statistics.md, whose lines of code are taken
   from it. */
#include <math.h>
#include <tyto/tyto.h>

/* Data of a regression: points x and a value y at each. */
struct data {
    ty_tensor *x, *y;
};

/* Return the log density of q = {intercept, slope, log of the noise} given the data. */
static ty_tensor *posterior(void *context, ty_tensor *q) {
    const struct data *d = context;
    ty_tensor *intercept = ty_at(q, "0"), *slope = ty_at(q, "1"), *log_noise = ty_at(q, "2");
    ty_tensor *expected = ty_add(intercept, ty_mul(slope, d->x));
    ty_tensor *parameters[] = {expected, ty_exp(log_noise)};
    ty_tensor *likelihood = ty_sum(ty_logpdf(TY_DISTRIBUTION_NORMAL, d->y, 2, parameters), TY_ALL);
    ty_tensor *wide[] = {ty_num(0), ty_num(10)};
    ty_tensor *prior = ty_sum(ty_logpdf(TY_DISTRIBUTION_NORMAL, q, 2, wide), TY_ALL);
    return ty_add(likelihood, prior);
}

static ty_tensor *median(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_median(x[0], ty_axis(0));
}

/* Draw the mean of normal data given their precision, and the precision given their mean, for four chains. */
static ty_tensor *mean_given(void *context, ty_tensor *const *x, ty_tensor *key) {
    const struct data *d = context;
    ty_tensor *error = ty_rsqrt(ty_mul(x[1], ty_num((double)ty_size(d->y))));
    return ty_add(ty_mean(d->y, TY_ALL), ty_mul(error, ty_normal(TY_F64, TY_SHAPE(4), key)));
}
static ty_tensor *precision_given(void *context, ty_tensor *const *x, ty_tensor *key) {
    const struct data *d = context;
    ty_tensor *apart = ty_sub(d->y, ty_expand(x[0], 1));
    ty_tensor *half = ty_mul(ty_sum(ty_square(apart), ty_axis(1)), ty_num(0.5));
    ty_tensor *shape = ty_num(0.5 * (double)ty_size(d->y));
    return ty_div(ty_random_gamma(TY_F64, TY_SHAPE(4), shape, key), half);
}

static bool tests(void) {
    double first[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    double second[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    ty_tensor *a = ty_from(TY_F64, TY_SHAPE(10), first), *b = ty_from(TY_F64, TY_SHAPE(10), second);
    ty_test t = ty_ttest_ind(a, b, -1, (ty_test_options){.welch = true});
    bool printed = ty_print(stdout, t.statistic); /* -1.8608.. */
    printed &= ty_print(stdout, t.p);             /* 0.0793.. */
    printed &= ty_print(stdout, t.freedom);       /* 17.776.. */

    ty_test u = ty_mannwhitneyu(a, b, -1, (ty_test_options){.alternative = TY_LESS});
    printed &= ty_print(stdout, u.p);

    /* 1000 samples of 20 elements at once */
    ty_tensor *many = ty_normal(TY_F64, TY_SHAPE(1000, 20), ty_key(1));
    ty_test ks = ty_kstest(many, TY_DISTRIBUTION_NORMAL, 0, NULL, -1, (ty_test_options){0});
    ty_tensor *rejected = ty_mean(ty_cast(ty_lt(ks.p, ty_num(0.05)), TY_F64), TY_ALL);
    printed &= ty_print(stdout, rejected); /* about 0.05 */

    ty_bootstrap_parts ends = ty_bootstrap(median, NULL, 1, &a, ty_key(2), (ty_bootstrap_options){0});
    printed &= ty_print(stdout, ends.low);
    printed &= ty_print(stdout, ends.high);
    return printed && fabs(ty_item(t.p) - 0.07939) < 1e-5;
}

static bool chains(struct data *d) {
    ty_tensor *start = ty_normal(TY_F64, TY_SHAPE(4, 3), ty_key(7)); /* four chains */
    ty_samples s = ty_nuts(posterior, d, start, ty_key(8), (ty_sampler_options){.draws = 1000});
    ty_axes all = ty_axes_of(2, (int[]){0, 1}, false);
    bool printed = ty_print(stdout, ty_mean(s.draws, all)); /* near 1, 2, log 0.5 */
    printed &= ty_print(stdout, ty_std(s.draws, all, 1));
    printed &= ty_print(stdout, ty_split_rhat(s.draws));      /* near 1 */
    printed &= ty_print(stdout, ty_effective_size(s.draws));  /* of 4000 */
    printed &= ty_print(stdout, ty_sum(s.divergent, TY_ALL)); /* 0 */
    double slope = ty_item(ty_at(ty_mean(s.draws, all), "1"));
    return printed && fabs(slope - 2) < 0.2;
}

static bool gibbs(struct data *d) {
    ty_conditional turns[] = {mean_given, precision_given};
    ty_tensor *from[] = {ty_zeros(TY_F64, TY_SHAPE(4)), ty_ones(TY_F64, TY_SHAPE(4))}, *draws[2];
    bool well = ty_gibbs(2, turns, d, from, ty_key(9), (ty_sampler_options){.draws = 500}, draws);
    return well && ty_print(stdout, ty_mean(draws[0], TY_ALL)); /* [500,4] draws of the mean */
}

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_linspace(TY_F64, -1, 1, 60), *noise = ty_normal(TY_F64, TY_SHAPE(60), ty_key(5));
    ty_tensor *y = ty_add(ty_add(ty_num(1), ty_mul(ty_num(2), x)), ty_mul(ty_num(0.5), noise));
    struct data d = {x, y};
    bool well = tests();
    well = chains(&d) && well;
    well = gibbs(&d) && well;
    ty_close(scope);
    return !well;
}
