/* Expressions in text over tensors, with the library's functions; errors name a column. */
#include <math.h>
#include <tyto/expression.h>
#include <tyto/tyto.h>

int main(void) {
    static const char *const names[] = {"x", "w"};
    ty_scope *scope = ty_open();
    ty_tensor *values[] = {ty_normal(TY_F64, TY_SHAPE(4, 3), ty_key(1)),
                           ty_var(ty_ones(TY_F64, TY_SHAPE(3)), "w")},
              *g;

    ty_tensor *loss =
        ty_expression("mean((x @ w - x.sum(axis=1)) ** 2)", 2, names, values); /* w is a promise */
    bool printed = ty_print(stdout, loss);
    bool differentiated = ty_grad(loss, 1, &values[1], &g);
    printed &= ty_print(stdout, g);
    printed &=
        ty_print(stdout, ty_expression("y = x - mean(x); y[:, ::2].sort(axis=0)[-1]", 2, names, values));
    printed &= ty_print(stdout, ty_expression("sum(x, axis=2) + 1", 2, names, values));
    printed &= ty_print(stdout, ty_expression("sine(x)", 2, names, values));

    bool right = fabs(ty_item(loss)) < 1e-12;
    ty_close(scope);
    return !(printed && differentiated && right);
}
