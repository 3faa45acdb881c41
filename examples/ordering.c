/* Sorting, top k, sets, searching. */
#include <tyto/tyto.h>

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(2, 4), (float[]){3, 1, 2, 1, 7, 9, 8, 7});
    ty_tensor *grades = ty_from(TY_I32, TY_SHAPE(6), (int32_t[]){2, 5, 2, 3, 5, 5});
    ty_unique_parts parts = ty_unique_all(grades);

    bool printed = ty_print(stdout, ty_sort(x, -1, false));
    printed &= ty_print(stdout, ty_argsort(x, -1, true)); /* stable */
    printed &= ty_print(stdout, ty_top_k(x, 2, -1, true));
    printed &= ty_print(stdout, parts.values) && ty_print(stdout, parts.counts);
    printed &= ty_print(stdout, ty_isin(grades, ty_from(TY_I32, TY_SHAPE(2), (int32_t[]){3, 5})));
    printed &= ty_print(stdout, ty_searchsorted(parts.values, grades, false));

    bool right = ty_item(ty_all(ty_eq(ty_gather(parts.values, parts.inverse, 0), grades), TY_ALL)) == 1;
    ty_close(scope);
    return !(printed && right);
}
