/* The network that trains in the demonstration, after the chapter on computation graphs of Owl's book. */
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/nn.h>

ty_model *ty_lenet(ty_model_options options) {
    const ty_layer_value steps[] = {
        TY_LAYER(scale, .factor = 1.0 / 256),
        TY_LAYER(conv2d, .size = {5, 5}, .channels = 32, .activation = ty_relu, .same = true),
        TY_LAYER(max_pool2d, .size = {2, 2}),
        TY_LAYER(dropout, .p = 0.1),
        TY_LAYER(fully_connected, .units = 1024, .activation = ty_relu),
        TY_LAYER(linear, .units = 10)};
    return ty_model_sequence(sizeof steps / sizeof *steps, steps, options);
}
