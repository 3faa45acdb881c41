/* Explicit Runge-Kutta steps: Dormand and Prince with dense output (L. Shampine 1986), and the classical
   method. */
#include <tyto/contract.h>
#include "numeric/ode.h"

enum { STAGES = 7 };

static const double at[STAGES] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
static const double of_stages[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
static const double of_error[STAGES] = {-71.0 / 57600,    0,           71.0 / 16695, -71.0 / 1920,
                                        17253.0 / 339200, -22.0 / 525, 1.0 / 40};
/* weights by powers 1 to 4 of the fraction of the step */
static const double of_powers[4][STAGES] = {
    {1, 0, 0, 0, 0, 0, 0},
    {-8048581381.0 / 2820520608, 0, 131558114200.0 / 32700410799, -1754552775.0 / 470086768,
     127303824393.0 / 49829197408, -282668133.0 / 205662961, 40617522.0 / 29380423},
    {8663915743.0 / 2820520608, 0, -68118460800.0 / 10900136933, 14199869525.0 / 1410260304,
     -318862633887.0 / 49829197408, 2019193451.0 / 616988883, -110615467.0 / 29380423},
    {-12715105075.0 / 11282082432, 0, 87487479700.0 / 32700410799, -10690763975.0 / 1880347072,
     701980252875.0 / 199316789632, -1453857185.0 / 822651844, 69997945.0 / 29380423}};

ty_tensor *ode_sum(ty_tensor *y, int n, const double *factors, ty_tensor *const *slopes) {
    for (int i = 0; i < n; i++) {
        if (factors[i] == 0) continue;
        ty_tensor *one = ty_mul(slopes[i], ty_num(factors[i]));
        y = y ? ty_add(y, one) : one;
    }
    return y;
}

struct ode_step ode_rk45(const struct ode *e, ty_tensor *t, ty_tensor *y, ty_tensor *k, ty_tensor *h) {
    ty_tensor *slopes[STAGES] = {k}, *length = ty_cast(h, e->dtype), *end = y;
    for (int i = 1; i < STAGES; i++) {
        end = ty_add(y, ty_mul(length, ode_sum(NULL, i, of_stages[i], slopes)));
        slopes[i] = ode_slope(e, ty_add(t, ty_mul(h, ty_num(at[i]))), end);
    }
    ty_tensor *powers = ty_cast(ty_from(TY_F64, TY_SHAPE(4, STAGES), of_powers), e->dtype);
    ty_tensor *all = ty_stack(STAGES, slopes, 0);
    ty_tensor *bend = ty_mul(length, ty_tensordot(powers, all, 1, (int64_t[]){1}, (int64_t[]){0}));
    return (struct ode_step){.y = end,
                             .slope = slopes[STAGES - 1],
                             .error = ty_mul(length, ode_sum(NULL, STAGES, of_error, slopes)),
                             .dense = ty_concat(2, ((ty_tensor *[]){ty_expand(y, 0), bend}), 0)};
}

ty_tensor *ode_rk4(const struct ode *e, ty_tensor *t, ty_tensor *y, ty_tensor *h) {
    ty_tensor *length = ty_cast(h, e->dtype), *half = ty_mul(length, ty_num(0.5));
    ty_tensor *middle = ty_add(t, ty_mul(h, ty_num(0.5)));
    ty_tensor *k1 = ode_slope(e, t, y), *k2 = ode_slope(e, middle, ty_add(y, ty_mul(half, k1)));
    ty_tensor *k3 = ode_slope(e, middle, ty_add(y, ty_mul(half, k2)));
    ty_tensor *k4 = ode_slope(e, ty_add(t, h), ty_add(y, ty_mul(length, k3)));
    static const double weights[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    return ty_add(y, ty_mul(length, ode_sum(NULL, 4, weights, (ty_tensor *[]){k1, k2, k3, k4})));
}
