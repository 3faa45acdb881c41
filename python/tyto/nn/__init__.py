"""Networks: layers, models, losses, metrics and training.

    model = nn.Sequential(nn.linear(64, activation="relu"), nn.linear(10))
    model.fit(x, y, epochs=5, optimiser=optim.adam(1e-3))
"""

from tyto._base import attributes_of
from tyto.nn import init, losses, metrics  # noqa: F401
from tyto.nn._layers import *  # noqa: F401,F403
from tyto.nn._layers import Place
from tyto.nn._layers import __all__ as _kinds
from tyto.nn._model import Model, Sequential, read, value_and_grad
from tyto.nn._trainer import Epoch, Trainer

__all__ = ["Epoch", "Model", "Place", "Sequential", "Trainer", "init", "losses", "metrics", "read",
           "value_and_grad", *_kinds]


__getattr__, __dir__ = attributes_of(__name__)
