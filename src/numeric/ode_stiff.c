/*
 * Rosenbrock steps: RODAS of order 4(3) with six stages, stiffly accurate and L-stable (E. Hairer and G.
 * Wanner, "Solving ordinary differential equations II", 1996, IV.7). Each stage solves a system with the matrix
 * 1 / (gamma h) - df/dy.
 */
#include <tyto/linalg.h>
#include "grad/unused.h"
#include "numeric/ode.h"

enum { STAGES = 6 };
static const double gamma_of = 0.25;
static const double at[STAGES] = {0, 0.386, 0.21, 0.63, 1, 1};
static const double of_time[STAGES] = {0.25, -0.1043, 0.1035, -0.03620000000000023, 0, 0};
/* weights of earlier stages in the argument of f; the last row is that of stage 5 plus stage 5 */
static const double of_stages[STAGES][STAGES - 1] = {
    {0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1}};
static const double of_before[STAGES][STAGES - 1] = {
    {0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054}};
static const double of_dense[2][STAGES - 1] = {
    {10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823, 1.025137723295662},
    {-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386, -6.594389125716872}};

/* ---- f as a function of one operand ---- */

static ty_tensor *by_t(void *context, ty_tensor *const *x) {
    const struct ode_moment *m = context;
    return ode_slope(m->e, x[0], m->y);
}

/* ---- step ---- */

static ty_lu_parts matrix_of(const struct ode *e, struct ode_moment *m, ty_tensor *length) {
    ty_tensor *jacobian;
    bool unused = unused_allow(true); /* f need not use y, nor t below */
    ty_value_and_jacobian(ode_by_y, m, 1, &m->y, 0, NULL, &jacobian);
    unused_allow(unused);
    int64_t n = ty_ok(jacobian) ? ty_size(m->y) : 0;
    ty_tensor *diagonal = ty_div(ty_eye(e->dtype, n), ty_mul(length, ty_num(gamma_of)));
    return ty_lu(ty_sub(diagonal, ty_reshape(jacobian, TY_SHAPE(n, n))));
}

struct ode_step ode_stiff(const struct ode *e, ty_tensor *t, ty_tensor *y, ty_tensor *k, ty_tensor *h) {
    struct ode_moment m = {e, t, y};
    ty_tensor *length = ty_cast(h, e->dtype), *u[STAGES], *value = y, *by_time, *one = ty_ones_like(t);
    ty_lu_parts lu = matrix_of(e, &m, length);
    bool unused = unused_allow(true);
    ty_value_and_jvp(by_t, &m, 1, &t, &one, NULL, &by_time);
    unused_allow(unused);
    for (int i = 0; i < STAGES; i++) {
        value = i ? ode_sum(y, i, of_stages[i], u) : y;
        ty_tensor *right = i ? ode_slope(e, ty_add(t, ty_mul(h, ty_num(at[i]))), value) : k;
        if (i) right = ty_add(right, ty_div(ode_sum(NULL, i, of_before[i], u), length));
        if (of_time[i] != 0) right = ty_add(right, ty_mul(ty_mul(length, by_time), ty_num(of_time[i])));
        u[i] = ode_solved(&lu, e, right);
    }
    ty_tensor *end = ty_add(value, u[STAGES - 1]);
    ty_tensor *c = ode_sum(NULL, STAGES - 1, of_dense[0], u), *d = ode_sum(NULL, STAGES - 1, of_dense[1], u);
    ty_tensor *powers[] = {y, ty_add(ty_sub(end, y), c), ty_sub(d, c), ty_neg(d), ty_zeros_like(y)};
    return (struct ode_step){.y = end,
                             .slope = ode_slope(e, ty_add(t, h), end),
                             .error = u[STAGES - 1],
                             .dense = ty_stack(5, powers, 0)};
}
