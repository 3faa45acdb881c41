/* sin(x y) with y of shape [1,4] broadcast over x [8,4]: the graph, drawn as Graphviz text. */
#include <math.h>
#include <string.h>
#include <tyto/tyto.h>

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_var(ty_reshape(ty_steps(TY_F64, 0, 0.125, 32), TY_SHAPE(8, 4)), "x");
    ty_tensor *y = ty_var(ty_reshape(ty_steps(TY_F64, 1, 1, 4), TY_SHAPE(1, 4)), "y");
    ty_tensor *z = ty_sin(ty_mul(x, y));
    char *dot = ty_dot(1, &z);
    bool right = dot && strstr(dot, "digraph") && strstr(dot, "sin");
    printf("%s", dot ? dot : "no memory for the drawing\n");
    ty_free(dot);
    const double *values = ty_data(z);
    for (int i = 0; i < 32; i++)
        right = right && values && fabs(values[i] - sin(0.125 * i * (i % 4 + 1))) < 1e-14;
    right = right && ty_print(stdout, z);
    ty_close(scope);
    return !right;
}
