/*
 * A differential equation inside the graph: a damped oscillator x'' = -k x - c x' is integrated by 400 Runge-Kutta
 * steps in one scan.  Its stiffness and damping are estimated from observations by the Gauss-Newton method, with
 * gradients through all steps.  The program is compiled once; a step of the loop allocates nothing.
 */
#include <math.h>
#include <tyto/tyto.h>

enum { STEPS = 400, EVERY = 25, SEEN = STEPS / EVERY };
static const double H = 0.05;

/* Return the derivative of (x, v); p is (k, c). */
static ty_tensor *slope(ty_tensor *state, ty_tensor *p) {
    ty_tensor *x = ty_at(state, "0"), *v = ty_at(state, "1");
    ty_tensor *force = ty_neg(ty_add(ty_mul(ty_at(p, "0"), x), ty_mul(ty_at(p, "1"), v)));
    return ty_stack(2, (ty_tensor *[]){v, force}, 0);
}

static void runge_kutta(void *context, ty_step *s) {
    ty_tensor *p = context, *y = s->carry[0], *half = ty_num(H / 2);
    ty_tensor *a = slope(y, p), *b = slope(ty_add(y, ty_mul(a, half)), p);
    ty_tensor *c = slope(ty_add(y, ty_mul(b, half)), p), *d = slope(ty_add(y, ty_mul(c, ty_num(H))), p);
    ty_tensor *sum = ty_add(ty_add(a, d), ty_mul(ty_add(b, c), ty_num(2)));
    s->next[0] = ty_add(y, ty_mul(sum, ty_num(H / 6)));
    s->y[0] = ty_at(s->next[0], "0");
}

/* Return the position after every EVERY-th step. */
static ty_tensor *positions(ty_tensor *p) {
    ty_tensor *start = ty_from(TY_F64, TY_SHAPE(2), (double[]){1, 0}), *last, *x;
    ty_scan(runge_kutta, p, (ty_scan_spec){.ncarry = 1, .carry = &start, .ny = 1, .length = STEPS}, &last, &x,
            NULL);
    return ty_slice(x, 0, EVERY - 1, STEPS, EVERY);
}

/* Return the Jacobian of the positions: a row for each, with its derivatives by k and c. */
static ty_tensor *jacobian(ty_tensor *x, ty_tensor *p) {
    ty_tensor *rows[SEEN];
    for (int i = 0; i < SEEN; i++) ty_grad(ty_gather(x, ty_int(i), 0), 1, &p, &rows[i]);
    return ty_stack(SEEN, rows, 0);
}

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *truth = ty_from(TY_F64, TY_SHAPE(2), (double[]){2.5, 0.3}), *observed = positions(truth);
    ty_tensor *p = ty_var(ty_from(TY_F64, TY_SHAPE(2), (double[]){2.2, 0.1}), "p"), *x = positions(p);
    ty_tensor *outputs[] = {ty_sub(observed, x), jacobian(x, p)};
    ty_program *program = ty_compile(2, outputs, (ty_compile_options){0});
    double error = 1;
    for (int i = 0; i < 8 && ty_run(program); i++) {
        double r[SEEN], j[SEEN][2], a = 0, b = 0, c = 0, u = 0, v = 0, now[2];
        ty_read(ty_output(program, 0), TY_F64, r);
        ty_read(ty_output(program, 1), TY_F64, j);
        ty_read(p, TY_F64, now);
        for (int k = 0; k < SEEN; k++) { /* the normal equations of two unknowns */
            a += j[k][0] * j[k][0], b += j[k][0] * j[k][1], c += j[k][1] * j[k][1];
            u += j[k][0] * r[k], v += j[k][1] * r[k];
        }
        double determinant = a * c - b * b, dk = (c * u - b * v) / determinant,
               dc = (a * v - b * u) / determinant;
        printf("k = %.10f  c = %.10f\n", now[0], now[1]);
        ty_assign(p, ty_from(TY_F64, TY_SHAPE(2), (double[]){now[0] + dk, now[1] + dc}), NULL);
        error = fabs(now[0] - 2.5) + fabs(now[1] - 0.3);
    }
    ty_report report;
    ty_program_report(program, &report);
    printf("%lld kernels for %d steps forward and %d times back\n", (long long)report.kernels, STEPS, SEEN);
    ty_program_free(program);
    ty_close(scope);
    return !(error < 1e-9);
}
