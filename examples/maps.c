/* Elementwise functions, and a custom map over several tensors in one pass. */
#include <math.h>
#include <tyto/tyto.h>

/* Compute exp(-x * x / 2) * y + noise; shapes broadcast. */
static ty_tensor *bell(void *context, ty_tensor *const *x) {
    const double *noise = context;
    ty_tensor *weight = ty_exp(ty_mul(ty_square(x[0]), ty_num(-0.5)));
    return ty_add(ty_mul(weight, x[1]), ty_num(*noise));
}

int main(void) {
    double noise = 0.25;
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_linspace(TY_F32, -2, 2, 5), *y = ty_from(TY_F32, TY_SHAPE(2, 1), (float[]){1, 10});
    ty_tensor *z = ty_fuse(bell, &noise, 2, (ty_tensor *[]){x, y});

    bool printed = ty_print(stdout, z);
    printed &= ty_print(stdout, ty_clip(ty_tanh(x), ty_num(-0.9), ty_num(0.9))); /* f32: numbers are weak */
    printed &= ty_print(stdout, ty_where(ty_gt(x, ty_num(0)), ty_log1p(x), x));
    printed &= ty_print(stdout, ty_digamma(ty_steps(TY_F64, 1, 1, 4)));
    printed &= ty_print(stdout, ty_is_close(ty_square(ty_sqrt(y)), y, 1e-6, 0, false));

    bool right =
        fabs(ty_item(ty_at(z, "0, 2")) - 1.25) < 1e-6 && fabs(ty_item(ty_at(z, "1, 2")) - 10.25) < 1e-5;
    ty_close(scope);
    return !(printed && right);
}
