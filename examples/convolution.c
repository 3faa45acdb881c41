/* A convolution with bias and activation compiled into one kernel, its gradients, and the same by Winograd.
 */
#include <tyto/tyto.h>

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *image =
                  ty_uniform(TY_F32, TY_SHAPE(1, 28, 28, 32), ty_key(1)), /* batch, height, width, channels */
        *kernel = ty_sub(ty_uniform(TY_F32, TY_SHAPE(3, 3, 32, 64), ty_key(2)), ty_num(0.5)),
              *bias = ty_zeros(TY_F32, TY_SHAPE(64));
    ty_conv same = {.same = true}, fast = {.same = true, .winograd = 4},
            halved = {.same = true, .stride = {2, 2}};

    /* Record, compile and run: the kernel is a constant of the program, the image may change between runs. */
    ty_tensor *x = ty_var(image, "image");
    ty_tensor *y = ty_relu(ty_add(ty_conv2d(x, kernel, same), bias)),
              *z = ty_relu(ty_add(ty_conv2d(x, kernel, fast), bias));
    ty_program *program = ty_compile(2, (ty_tensor *[]){y, z}, (ty_compile_options){0});
    bool well = ty_run(program);
    char *text = ty_program_text(program);
    if (text) fputs(text, stdout);
    ty_free(text);
    double largest = ty_item(ty_amax(ty_output(program, 0), TY_ALL));
    double apart = ty_item(ty_amax(ty_abs(ty_sub(ty_output(program, 0), ty_output(program, 1))), TY_ALL));
    printf("Winograd's differs by %.1e of the largest value\n", apart / largest);
    ty_program_free(program);

    /* Gradients are contractions, too. */
    ty_tensor *w = ty_track(kernel, "kernel"), *gradient;
    well &= ty_grad(ty_sum(ty_conv2d(image, w, halved), TY_ALL), 1, &w, &gradient);
    well &= ty_print(stdout, ty_at(gradient, "1, 1, :4, 0"));
    ty_close(scope);
    return !(well && apart < 1e-4 * largest);
}
