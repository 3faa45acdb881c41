/* Reading and replacing parts of a tensor by ranges, index tensors and masks; results are new tensors. */
#include <tyto/tyto.h>

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_reshape(ty_arange(TY_I32, 0, 12, 1), TY_SHAPE(3, 4));
    ty_tensor *columns = ty_from(TY_I64, TY_SHAPE(3), (int64_t[]){3, 0, 0});
    ty_tensor *odd = ty_eq(ty_mod(x, ty_int(2)), ty_int(1));

    bool printed = ty_print(stdout, ty_at(x, "1:, ::-2"));                       /* a view */
    printed &= ty_print(stdout, ty_get(x, TY_ITEMS(TY_AT(-1), TY_OF(columns)))); /* x[-1, columns] */
    printed &= ty_print(stdout, ty_set(x, TY_ITEMS(TY_OF(odd)), ty_int(0)));     /* x[odd] = 0 */
    printed &=
        ty_print(stdout, ty_set_by(x, TY_ITEMS(TY_WHOLE, TY_OF(columns)), TY_SCATTER_ADD, ty_int(100)));
    printed &= ty_print(stdout, ty_pad_around(x, 1, (int64_t[]){1}, TY_PAD_REFLECT));
    printed &= ty_print(stdout, ty_at(x, "0, 4")); /* an error message */

    bool right = ty_item(ty_sum(ty_at(x, "1:, ::-2"), TY_ALL)) == 32;
    ty_close(scope);
    return !(printed && right);
}
