"""Networks by name, with the names of parameters of torchvision.

    model = zoo.model("resnet50").load("resnet50.safetensors", layout="pytorch")
"""

import functools

from tyto._core import c
from tyto._base import attributes_of
from tyto.nn import Model

__all__ = ["NAMES", "example", "model", "open"]

# The entries of zoo.def.
NAMES = ("mlp", "lenet", "vgg16", "squeezenet", "resnet18", "resnet50", "resnet101",
         "inception_v3", "mobilenet_v2", "densenet121", "unet", "char_lstm", "gru_classifier",
         "gpt", "gpt2", "vae", "dcgan_generator", "dcgan_discriminator", "style_transfer",
         "mask_rcnn")


def _check(name):
    if name not in NAMES:
        raise ValueError(f"there is no network {name!r}; there are {', '.join(NAMES)}")


def example(name, n=1):
    """Return a promise of n inputs of a network, of zeros, of its usual shape and dtype."""
    _check(name)
    return c.network_input(name, n)


def model(name, *, build=True, classes=None, blocks=None, heads=None, units=None, places=None,
          lazy=True, **options):
    """Return the model of a network.

    build: make its parameters for inputs of the usual shape.  classes: their number; of language
    models: of tokens.  blocks, heads, units, places: sizes of gpt and gpt2.  Further options are
    those of nn.Model, such as seed and dtype.
    """
    _check(name)
    make = functools.partial(c.network_model, name, classes=classes, blocks=blocks, heads=heads,
                             units=units, places=places, lazy=lazy, **options)
    made = Model.of(make(), make)
    if build:
        x = example(name)
        made.build(x if places is None or x.ndim < 2 else x[:, :places])
    return made


def open(path, *, lazy=True, **options):
    """Return the model that a file of weights or a checkpoint names, with its weights."""
    return Model.of(c.network_open(path, lazy=lazy, **options))


__getattr__, __dir__ = attributes_of(__name__)
