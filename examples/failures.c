/* Handles that have failed: each gives its error as a poisoned tensor, with a code for programs. */
#include <stdio.h>
#include <tyto/contraction.h>
#include <tyto/decode.h>
#include <tyto/onnx.h>
#include <tyto/plot.h>
#include <tyto/tokens.h>
#include <tyto/tyto.h>

/* Print the reason of a failure, and return true if it has the code that is expected. */
static bool told(ty_tensor *failure, ty_code code) {
    printf("%-12s %s\n", ty_code_name(ty_error_code(failure)), ty_error(failure));
    return failure && ty_error_code(failure) == code;
}

int main(void) {
    ty_scope *scope = ty_open();
    ty_contraction *contraction = ty_contraction_new("no equation", NULL, NULL, NULL);
    bool well = ty_contraction_failure(contraction) != NULL;
    puts(ty_error(ty_contraction_failure(contraction)));
    ty_contraction_free(contraction);

    ty_onnx *model = ty_onnx_load("no such file.onnx", (ty_onnx_options){.eager = false});
    well &= told(ty_onnx_failure(model), TY_ERROR_FILE);
    well &= ty_onnx_inputs(model) == 0 && !ty_onnx_metadata(model, "producer_name");
    ty_onnx_port port;
    well &= !ty_onnx_output(model, 0, &port);
    ty_onnx_free(model);

    ty_onnx_value *value = ty_onnx_value_parse(TY_ONNX_TENSOR, "no message", 10);
    const int64_t *shape;
    well &= told(ty_onnx_value_tensor(value), TY_ERROR_FORMAT) && ty_onnx_value_shape(value, &shape) == -1;
    ty_onnx_value_free(value);

    ty_tokenizer *tokenizer = ty_tokenizer_load("no such file.json");
    well &= told(ty_tokenizer_failure(tokenizer), TY_ERROR_FILE);
    ty_tokenizer_free(tokenizer);

    ty_decoder *decoder = ty_decoder_new(NULL); /* it reads with a model */
    well &= ty_decoder_failure(decoder) != NULL;
    puts(ty_error(ty_decoder_failure(decoder)));
    ty_decoder_free(decoder);

    ty_plot *plot = ty_plot_new((ty_plot_options){.title = "Lines of different lengths"});
    ty_plot_line(plot, ty_zeros(TY_F64, TY_SHAPE(3)), ty_zeros(TY_F64, TY_SHAPE(4)), (ty_plot_style){0});
    well &= told(ty_plot_failure(plot), TY_ERROR_SHAPE);
    ty_plot_free(plot);
    ty_close(scope);
    return !well;
}
