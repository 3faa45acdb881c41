#include <stdio.h>
#include <tyto/tyto.h>

int main(void) {
    ty_scope *s = ty_open();
    ty_tensor *x = ty_var(ty_linspace(TY_F64, 0, 1, 5), "x"); /* a promise: nothing runs yet */
    ty_tensor *y = ty_sum(ty_sin(ty_mul(x, x)), TY_ALL), *g;
    if (!ty_grad(y, 1, &x, &g)) fprintf(stderr, "%s\n", ty_error(g)); /* g: a promise, too */
    ty_print(stdout, g);                                              /* compiled, planned, run */
    ty_assign(x, ty_ones(TY_F64, TY_SHAPE(5)), NULL);
    ty_print(stdout, g);
    ty_print(stdout, ty_add(x, ty_ones(TY_F64, TY_SHAPE(3)))); /* a failure is a value */
    ty_close(s);
}
