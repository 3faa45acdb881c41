"""PyTorch's optimisers, and plain loops for those missing there: rules.py >rules.def, the table of tests/nn/test_optimiser.c.

    RULE_CASE(rule, options, parameters after each of the steps 1, 2, 6 and 24)

The loss is sum(sin(x) + x^2 / 4) of five parameters.
"""
import math

import torch

torch.set_default_dtype(torch.float64)
START = [-2.0, -0.5, 0.25, 1.0, 3.0]
MARKS = [1, 2, 6, 24]


def slope(x):
    return torch.cos(x) + x / 2


def of_torch(kind, **options):
    x = torch.tensor(START, requires_grad=True)
    optimiser = kind([x], **options)
    while True:
        optimiser.zero_grad()
        torch.sum(torch.sin(x) + x * x / 4).backward()
        optimiser.step()
        yield x.detach().clone()


def lamb(rate, b1=0.9, b2=0.999, eps=1e-6, decay=0.01):
    x, m, v, t = torch.tensor(START), torch.zeros(5), torch.zeros(5), 0
    while True:
        g, t = slope(x), t + 1
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        way = m / (1 - b1**t) / (torch.sqrt(v / (1 - b2**t)) + eps) + decay * x
        x = x - rate * x.norm() / way.norm() * way
        yield x


def lion(rate, b1=0.9, b2=0.99, decay=0.0):
    x, m = torch.tensor(START), torch.zeros(5)
    while True:
        g = slope(x)
        x = x - rate * (torch.sign(b1 * m + (1 - b1) * g) + decay * x)
        m = b2 * m + (1 - b2) * g
        yield x


def lars(rate, momentum=0.9, trust=1e-3, decay=0.0, eps=1e-8):
    x, v = torch.tensor(START), torch.zeros(5)
    while True:
        g = slope(x)
        local = trust * x.norm() / (g.norm() + decay * x.norm() + eps)
        v = momentum * v + local * rate * (g + decay * x)
        x = x - v
        yield x


o = torch.optim
rows = [
    ("sgd", ".rate = 0.1", of_torch(o.SGD, lr=0.1)),
    ("sgd", ".rate = 0.1, .decay = 0.05", of_torch(o.SGD, lr=0.1, weight_decay=0.05)),
    ("momentum", ".rate = 0.05", of_torch(o.SGD, lr=0.05, momentum=0.9)),
    ("momentum", ".rate = 0.05, .momentum = 0.5, .nesterov = true", of_torch(o.SGD, lr=0.05, momentum=0.5, nesterov=True)),
    ("nesterov", ".rate = 0.05, .decay = 0.1", of_torch(o.SGD, lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.1)),
    ("adagrad", ".rate = 0.3", of_torch(o.Adagrad, lr=0.3)),
    ("adagrad", ".rate = 0.3, .decay = 0.1", of_torch(o.Adagrad, lr=0.3, weight_decay=0.1)),
    ("rmsprop", "", of_torch(o.RMSprop)),
    ("rmsprop", ".rate = 0.05, .beta2 = 0.9, .decay = 0.1", of_torch(o.RMSprop, lr=0.05, alpha=0.9, weight_decay=0.1)),
    ("rmsprop_momentum", ".momentum = 0.8", of_torch(o.RMSprop, momentum=0.8)),
    ("rmsprop_centered", "", of_torch(o.RMSprop, centered=True)),
    ("rmsprop_centered", ".momentum = 0.7", of_torch(o.RMSprop, centered=True, momentum=0.7)),
    ("adadelta", "", of_torch(o.Adadelta)),
    ("adadelta", ".rate = 20, .beta2 = 0.8, .decay = 0.1", of_torch(o.Adadelta, lr=20, rho=0.8, weight_decay=0.1)),
    ("adam", ".rate = 0.1", of_torch(o.Adam, lr=0.1)),
    ("adam", ".rate = 0.1, .momentum = TY_ZERO", of_torch(o.Adam, lr=0.1, betas=(0.0, 0.999))),
    ("adam", ".rate = 0.1, .momentum = 0.8, .decay = 0.1", of_torch(o.Adam, lr=0.1, betas=(0.8, 0.999), weight_decay=0.1)),
    ("adam", ".rate = 0.1, .decay = 0.1, .decoupled = true", of_torch(o.AdamW, lr=0.1, weight_decay=0.1)),
    ("adamw", ".rate = 0.1", of_torch(o.AdamW, lr=0.1)),
    ("amsgrad", ".rate = 0.1, .beta2 = 0.9", of_torch(o.Adam, lr=0.1, betas=(0.9, 0.9), amsgrad=True)),
    ("nadam", ".rate = 0.05", of_torch(o.NAdam, lr=0.05)),
    ("nadam", ".slowdown = 0.1, .decay = 0.01", of_torch(o.NAdam, momentum_decay=0.1, weight_decay=0.01)),
    ("radam", ".rate = 0.1", of_torch(o.RAdam, lr=0.1)),
    ("radam", ".beta2 = 0.99", of_torch(o.RAdam, betas=(0.9, 0.99))),
    ("adamax", ".rate = 0.1", of_torch(o.Adamax, lr=0.1)),
    ("lamb", ".rate = 0.01", lamb(0.01)),
    ("lamb", ".rate = 0.02, .decay = 0.1", lamb(0.02, decay=0.1)),
    ("lion", ".rate = 0.05", lion(0.05)),
    ("lion", ".rate = 0.05, .beta2 = 0.9, .decay = 0.2", lion(0.05, b2=0.9, decay=0.2)),
    ("lars", ".trust = 0.02", lars(0.1, trust=0.02)),
    ("lars", ".rate = 1, .decay = 0.1", lars(1, decay=0.1)),
]

print("/* Written by tests/goldens/rules.py: PyTorch " + torch.__version__.split("+")[0] +
      ".  RULE_CASE(rule, (options), parameters after the steps 1, 2, 6 and 24) */")
for name, options, steps in rows:
    seen = {t: next(steps) for t in range(1, MARKS[-1] + 1)}
    lines = [", ".join("%.15g" % v for v in seen[t].tolist()) for t in MARKS]
    print("RULE_CASE(%s, (.rule = &ty_%s%s),\n    (%s))" % (name, name, ", " + options if options else "", ",\n     ".join(lines)))
