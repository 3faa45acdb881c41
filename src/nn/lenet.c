/* The network that trains in the demonstration, after the chapter on computation graphs of Owl's book. */
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/nn.h>
#include <tyto/pool.h>

ty_model *ty_lenet(ty_model_options options) {
    ty_model *m = ty_model_new(TY_SHAPE(28, 28, 1), options);
    ty_layer_scale(m, 1.0 / 256);
    ty_layer_conv2d(m,
                    (ty_conv2d_layer){.size = {5, 5}, .channels = 32, .activation = ty_relu, .same = true});
    ty_layer_max_pool2d(m, (ty_pool){.size = {2, 2}});
    ty_layer_dropout(m, 0.1);
    ty_layer_fully_connected(m, (ty_linear_layer){.units = 1024, .activation = ty_relu});
    ty_layer_linear(m, (ty_linear_layer){.units = 10});
    return m;
}
