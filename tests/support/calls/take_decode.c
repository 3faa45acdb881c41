/* Menus of language models. */
#include <tyto/decode.h>
#include <tyto/zoo.h>
#include "tests/support/calls/take.h"

static void end_model(void *model) { ty_model_free(model); }

/* A decoder of a model of one block for five tokens, which has read up to three of them. */
TAKE(owned_ty_decoder_p, ty_decoder *) {
    const ty_network_options sizes = {.classes = 5, .blocks = 1, .heads = 1, .units = 4, .places = 8};
    const int64_t shape[] = {1, 8}, read = calls_choose(c, 4);
    int way = calls_refusal(c, 2);
    ty_model *model =
        calls_own(c, ty_network_model(&ty_network_gpt, sizes, (ty_model_options){.lazy = calls_choose(c, 2)}),
                  end_model);
    ty_tensor *x = ty_zeros(TY_I32, 2, shape);
    (void)name;
    if (way != 1) ty_model_build(model, 1, &x, NULL);
    ty_decoder *d = ty_decoder_new(way == 2 ? NULL : model);
    ty_decoder_read(d, ty_zeros(TY_I32, 1, &read), NULL);
    return d;
}
HANDLE(ty_decoder_p, ty_decoder, ty_decoder_free)

TAKE(ty_draw_options, ty_draw_options) {
    return (ty_draw_options){.temperature = take_real_option(c, 1),
                             .top_k = take_option(c, 2),
                             .top_p = take_real_option(c, 0.5),
                             .seed = take_uint64_t(c, name),
                             .tokens = take_option(c, 3)};
}
