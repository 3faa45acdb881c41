/* Creating and rearranging tensors: views if strides allow, else one pass over memory. */
#include <tyto/tyto.h>

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *square = ty_magic(TY_I32, 4), *parts[2], *grid[2];
    ty_tensor *axes[] = {ty_arange(TY_F32, 0, 3, 1), ty_steps(TY_F32, 10, 10, 2)};

    bool printed = ty_print(stdout, square);
    printed &= ty_split(square, 2, 1, parts) && ty_print(stdout, parts[1]);
    printed &= ty_print(stdout, ty_roll(square, 2, (int64_t[]){1, -1}, (int64_t[]){0, 1}));
    printed &= ty_print(stdout, ty_tile(ty_at(square, ":1, :2"), 2, (int64_t[]){2, 3}));
    printed &= ty_print(stdout, ty_rotate(square, 1, 0, 1));
    printed &= ty_meshgrid(2, axes, true, grid) && ty_print(stdout, ty_stack(2, grid, -1));
    printed &= ty_print(
        stdout, ty_sum(ty_slide(square, 2, (int64_t[]){2, 2}, NULL), ty_axes_of(2, (int[]){-2, -1}, false)));

    bool magic = ty_item(ty_ptp(ty_sum(square, ty_axis(0)), TY_ALL)) == 0;
    ty_close(scope);
    return !(printed && magic);
}
