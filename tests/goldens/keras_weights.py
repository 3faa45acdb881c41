"""A Keras network, its weights and its outputs: keras_weights.py OUT.def writes the table of tests/nn/test_weights_keras.c.

Runs on Keras's PyTorch backend.  Weights and inputs follow the formula of tests/support/layers_help.h, so rows contain
names and shapes only.
"""
import math
import os
import sys

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np

L = keras.layers
keras.config.set_floatx("float64")


def fill(shape, salt):
    i = np.arange(math.prod(shape))
    return np.sin(1.3 * i + 0.7 * (salt + 1) + 0.2 * (i % 7)).reshape(shape)


steps = keras.Input((5, 3))
h = L.Bidirectional(L.LSTM(4, return_sequences=True), name="both")(steps)
h = L.GRU(3, return_sequences=True, name="gate")(h)
h = L.SimpleRNN(4, return_sequences=True, name="plain")(h)
h = L.LSTM(2, return_sequences=True, name="deep")(h)
h = L.LSTM(2, return_sequences=True, name="deep_1")(h)
h = L.Bidirectional(L.GRU(2, use_bias=False, return_sequences=True), name="bare")(h)
image = keras.Input((4, 5, 3))
g = L.Conv2DTranspose(3, (2, 3), name="up")(image)
g = L.DepthwiseConv2D(2, depth_multiplier=2, name="deep_wise")(g)
g = L.Conv2D(4, (1, 2), groups=2, name="groups")(g)
g = L.GlobalAveragePooling2D()(g)
network = keras.Model([steps, image], [h, g])
forms = []
for i, weight in enumerate(network.weights):
    weight.assign(fill(weight.shape, i) * 0.5)
    forms.append(f"{weight.path} {' '.join(str(n) for n in weight.shape)}")
outputs = network([fill((2, 5, 3), 50), fill((2, 4, 5, 3), 51)])
flat = np.concatenate([np.asarray(o.detach().cpu()).ravel() for o in outputs])
with open(sys.argv[1], "w") as out:
    out.write(f"/* Written by tests/goldens/keras_weights.py with Keras {keras.__version__}. */\n")
    out.write("#define KERAS_WEIGHTS")
    for form in forms:
        out.write(f' \\\n    "{form};"')
    out.write("\n#define KERAS_OUTPUT")
    numbers = [f"{v:.15g}" for v in flat]
    for i in range(0, len(numbers), 5):
        out.write(" \\\n    " + ", ".join(numbers[i : i + 5]) + ("," if i + 5 < len(numbers) else ""))
    out.write("\n")
