/* f(x, y) = sum((x sin(x + x) + 1 sqrt(x) / 7) relu(y)) and its gradient, which is a graph as well. */
#include <math.h>
#include <tyto/tyto.h>

static ty_tensor *f(ty_tensor *x, ty_tensor *y) {
    ty_tensor *waves = ty_mul(x, ty_sin(ty_add(x, x)));
    ty_tensor *root = ty_div(ty_mul(ty_num(1), ty_sqrt(x)), ty_num(7));
    return ty_sum(ty_mul(ty_add(waves, root), ty_relu(y)), TY_ALL);
}

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_var(ty_ones(TY_F64, TY_SHAPE(2, 2)), "x");
    ty_tensor *y = ty_var(ty_scalar(TY_F64, 2), "y");
    ty_tensor *z = f(x, y), *gradients[2];
    ty_grad(z, 2, (ty_tensor *[]){x, y}, gradients);
    double slope = ty_item(gradients[1]);
    printf("f     = %.17g\ndf/dy = %.17g\ndf/dx =\n", ty_item(z), slope);
    bool printed = ty_print(stdout, gradients[0]);
    if (!ty_ok(z)) printf("%s\n", ty_error(z));
    ty_close(scope);
    return !(printed && fabs(slope - 4.20861827873129801) <= 1e-15 * slope);
}
