/* A function, its slope, and a mistake. */
#include <tyto/tyto.h>

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_var(ty_linspace(TY_F64, 0, 2, 5), "x");
    ty_tensor *y = ty_mul(ty_sin(x), ty_exp(ty_neg(x))); /* a graph: nothing is computed yet */
    ty_tensor *slope;
    ty_grad(y, 1, &x, &slope); /* the gradient is a graph too */
    ty_print(stdout, slope);   /* compiled and run here */
    ty_tensor *wrong = ty_matmul(slope, ty_eye(TY_F64, 3));
    printf("%s\n", ty_error(wrong)); /* a failure is a value with a sentence */
    bool right = ty_ok(slope) && !ty_ok(wrong);
    ty_close(scope);
    return !right;
}
