/*
 * Per-example gradients of a batch in one program.  Each is clipped to a norm of 1 before averaging, so that no example
 * moves the weights further than the others, as in differentially private training.
 */
#include <tyto/tyto.h>

enum { EXAMPLES = 8, INPUTS = 4, STEPS = 2000 };

/* Compute the gradient of one example's squared error by the weights. */
static void gradient(void *context, ty_tensor *const *x, ty_tensor **y) {
    ty_tensor *w = context, *error = ty_sub(ty_sum(ty_mul(x[0], w), TY_ALL), x[1]);
    ty_grad(ty_square(error), 1, &w, y);
}

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *inputs = ty_normal(TY_F32, TY_SHAPE(EXAMPLES, INPUTS), ty_key(1));
    ty_tensor *truth = ty_from(TY_F32, TY_SHAPE(INPUTS), (float[]){1, -2, 3, 0.5f});
    ty_tensor *targets = ty_matmul(inputs, truth), *w = ty_var(ty_zeros(TY_F32, TY_SHAPE(INPUTS)), "w"),
              *each;

    ty_vmap(gradient, w, 2, (ty_tensor *[]){inputs, targets}, NULL, 1, &each, NULL); /* [EXAMPLES, INPUTS] */
    ty_tensor *norm = ty_sqrt(ty_sum(ty_square(each), ty_axes_of(1, (int[]){1}, true)));
    ty_tensor *clipped = ty_div(each, ty_max(norm, ty_num(1)));
    ty_tensor *moved = ty_sub(w, ty_mul(ty_mean(clipped, ty_axis(0)), ty_num(0.2)));

    ty_update update = {w, moved};
    ty_program *program = ty_compile(0, NULL, (ty_compile_options){.updates = &update, .nupdates = 1});
    for (int i = 0; i < STEPS && ty_run(program); i++) continue;
    ty_print(stdout, w);
    ty_tensor *off = ty_amax(ty_abs(ty_sub(ty_eval(w), truth)), TY_ALL);
    double error = ty_item(off);
    ty_program_free(program);
    ty_close(scope);
    return !(error < 1e-3);
}
