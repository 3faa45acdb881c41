/* ones(2,2) + 2 as a graph: nothing is computed before printing. */
#include <string.h>
#include <tyto/tyto.h>

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_var(ty_ones(TY_F64, TY_SHAPE(2, 2)), "x");
    ty_tensor *y = ty_add(x, ty_num(2));
    char *text = ty_format(y, (ty_print_options){0});
    bool right = ty_is_promise(y) && text && !strcmp(text, "[[3. 3.]\n [3. 3.]]");
    puts(text ? text : "no text");
    ty_free(text);
    ty_close(scope);
    return !right;
}
