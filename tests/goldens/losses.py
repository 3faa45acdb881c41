"""PyTorch's losses and their gradients by the first operand: losses.py >losses.def, the table of tests/nn/test_loss.c.

    LOSS(name, special options, single losses, their mean, the gradient of their sum)

Operands are the ramps of ramp() below, which the test also makes, so the table contains results only.
"""
import math

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
N, C = 4, 5


def ramp(n, scale, shift, step):
    """n numbers between -scale and scale plus shift that do not repeat soon."""
    return torch.tensor([scale * math.sin(step * (i + 1)) + shift for i in range(n)])


x = ramp(N * C, 2, 0.1, 1.7).reshape(N, C)
y = ramp(N * C, 1.5, -0.2, 2.3).reshape(N, C)
z = ramp(N * C, 1, 0.3, 0.9).reshape(N, C)
p = torch.sigmoid(x)
logs, log_shares = x - 3, y - 3
labels = torch.tensor([3, 0, 4, 1])
some = torch.tensor([3, -100, 4, 1])
weight = torch.tensor([0.5, 1.0, 2.0, 0.25, 1.5])
signs = torch.where(y > 0, 1.0, -1.0)
flags = (y > 0).double()
shares = torch.softmax(y, 1)
counts = torch.floor(y.abs() * 3)
row_signs = signs[:, 0]


def huber(x, delta, **more):
    return F.huber_loss(x, y, delta=delta, **more)


def focal(x, alpha, gamma, reduction):
    q = torch.sigmoid(x)
    loss = F.binary_cross_entropy_with_logits(x, flags, reduction="none")
    loss = loss * (1 - (q * flags + (1 - q) * (1 - flags))) ** gamma
    loss = loss * (alpha * flags + (1 - alpha) * (1 - flags))
    return {"none": loss, "mean": loss.mean()}[reduction]


def soft(x, reduction):
    return F.soft_margin_loss(x, signs, reduction=reduction)


def plain(each):
    def reduced(x, reduction):
        loss = each(x)
        return {"none": loss, "mean": loss.mean()}[reduction]

    return reduced


T, S = 6, 3
ctc_labels = torch.tensor([[1, 2, 2], [3, 0, 0], [1, 1, 4], [2, 0, 0]])  # blank is 0; behind the lengths anything
ctc_lengths = torch.tensor([6, 4, 6, 3])
ctc_counts = torch.tensor([3, 1, 3, 0])
sequence = ramp(T * N * C, 2, 0, 1.1).reshape(T, N, C)  # logits: PyTorch's gradient by their log_softmax is another's


def ctc(s, labels, blank, reduction):
    return F.ctc_loss(torch.log_softmax(s, 2), labels, ctc_lengths, ctc_counts, blank=blank, reduction=reduction)

rows = [
    ("l1", "", x, lambda x, reduction: F.l1_loss(x, y, reduction=reduction)),
    ("l2", "", x, lambda x, reduction: F.mse_loss(x, y, reduction=reduction)),
    ("huber", "", x, lambda x, reduction: huber(x, 1, reduction=reduction)),
    ("huber", ".delta = 0.5", x, lambda x, reduction: huber(x, 0.5, reduction=reduction)),
    ("smooth_l1", ".delta = 0.25", x, lambda x, reduction: F.smooth_l1_loss(x, y, beta=0.25, reduction=reduction)),
    ("smooth_l1", ".delta = TY_ZERO", x, lambda x, reduction: F.smooth_l1_loss(x, y, beta=0, reduction=reduction)),
    ("log_cosh", "", x, plain(lambda x: torch.log(torch.cosh(x - y)))),
    ("hinge", "", x, plain(lambda x: torch.relu(1 - signs * x))),
    ("squared_hinge", ".margin = 0.5", x, plain(lambda x: torch.relu(0.5 - signs * x) ** 2)),
    ("soft_margin", "", x, soft),
    ("multi_hinge", "", x, lambda x, reduction: F.multi_margin_loss(x, labels, reduction=reduction)),
    ("multi_hinge", ".power = 2, .margin = 0.7, .weight = weight", x,
     lambda x, reduction: F.multi_margin_loss(x, labels, p=2, margin=0.7, weight=weight, reduction=reduction)),
    ("cross_entropy", "", x, lambda x, reduction: F.cross_entropy(x, labels, reduction=reduction)),
    ("cross_entropy", ".weight = weight, .smoothing = 0.1", x,
     lambda x, reduction: F.cross_entropy(x, labels, weight=weight, label_smoothing=0.1, reduction=reduction)),
    ("cross_entropy", ".weight = weight, .target = some", x,
     lambda x, reduction: F.cross_entropy(x, some, weight=weight, reduction=reduction)),
    ("cross_entropy", ".smoothing = 0.2, .target = some", x,
     lambda x, reduction: F.cross_entropy(x, some, label_smoothing=0.2, reduction=reduction)),
    ("cross_entropy", ".ignores = true, .ignored = 4", x,
     lambda x, reduction: F.cross_entropy(x, labels, ignore_index=4, reduction=reduction)),
    ("cross_entropy", ".target = shares", x, lambda x, reduction: F.cross_entropy(x, shares, reduction=reduction)),
    ("cross_entropy", ".target = shares, .weight = weight, .smoothing = 0.1", x,
     lambda x, reduction: F.cross_entropy(x, shares, weight=weight, label_smoothing=0.1, reduction=reduction)),
    ("nll", ".weight = weight, .prediction = logs", logs, lambda x, reduction: F.nll_loss(x, labels, weight=weight, reduction=reduction)),
    ("bce", ".prediction = p", p, lambda p, reduction: F.binary_cross_entropy(p, flags, reduction=reduction)),
    ("bce_logits", ".weight = weight", x,
     lambda x, reduction: F.binary_cross_entropy_with_logits(x, flags, weight=weight, reduction=reduction)),
    ("bce_logits", ".positive = weight", x,
     lambda x, reduction: F.binary_cross_entropy_with_logits(x, flags, pos_weight=weight, reduction=reduction)),
    ("focal", "", x, lambda x, reduction: focal(x, 0.25, 2, reduction)),
    ("focal", ".alpha = 0.6, .power = 3", x, lambda x, reduction: focal(x, 0.6, 3, reduction)),
    ("kl", ".target = shares, .prediction = logs", logs, lambda x, reduction: F.kl_div(x, shares, reduction=reduction)),
    ("kl", ".logs = true, .prediction = logs, .target = log_shares", logs, lambda x, reduction: F.kl_div(x, log_shares, log_target=True, reduction=reduction)),
    ("poisson", "", x, lambda x, reduction: F.poisson_nll_loss(x, counts, reduction=reduction)),
    ("poisson", ".full = true", x, lambda x, reduction: F.poisson_nll_loss(x, counts, full=True, reduction=reduction)),
    ("poisson", ".rates = true, .prediction = p", p,
     lambda p, reduction: F.poisson_nll_loss(p, counts, log_input=False, reduction=reduction)),
    ("gaussian", "", x, lambda x, reduction: F.gaussian_nll_loss(x, y, p, reduction=reduction)),
    ("gaussian", ".full = true, .epsilon = 0.5", x,
     lambda x, reduction: F.gaussian_nll_loss(x, y, p, full=True, eps=0.5, reduction=reduction)),
    ("triplet", "", x, lambda x, reduction: F.triplet_margin_loss(x, y, z, reduction=reduction)),
    ("triplet", ".power = 3, .margin = 0.4, .swap = true", x,
     lambda x, reduction: F.triplet_margin_loss(x, y, z, p=3, margin=0.4, swap=True, reduction=reduction)),
    ("cosine", "", x, lambda x, reduction: F.cosine_embedding_loss(x, y, row_signs, reduction=reduction)),
    ("cosine", ".margin = 0.1", x,
     lambda x, reduction: F.cosine_embedding_loss(x, y, row_signs, margin=0.1, reduction=reduction)),
    ("ranking", "", x, lambda x, reduction: F.margin_ranking_loss(x, y, signs, reduction=reduction)),
    ("ranking", ".margin = 0.3", x, lambda x, reduction: F.margin_ranking_loss(x, y, signs, margin=0.3, reduction=reduction)),
    ("ctc", "", sequence, lambda s, reduction: ctc(s, ctc_labels, 0, reduction)),
    ("ctc", ".blank = 2", sequence,
     lambda s, reduction: ctc(s, torch.where(ctc_labels == 2, 4, ctc_labels), 2, reduction)),
]


def numbers(values):
    flat = values.detach().reshape(-1).tolist()
    lines, line = [], ""
    for value in flat:
        word = "%.15g" % value + ("," if value is not flat[-1] else "")
        if len(line) + len(word) > 108:
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    return "\n     ".join(lines + [line])


print("/* Written by tests/goldens/losses.py: PyTorch " + torch.__version__.split("+")[0] +
      ".  LOSS(name, what is special, losses, mean, gradient of their sum) */")
for name, options, operand, loss in rows:
    leaf = operand.clone().requires_grad_()
    each = loss(leaf, reduction="none")
    gradient, = torch.autograd.grad(each.sum(), leaf)
    mean = loss(leaf, reduction="mean")
    special = options if options else ".none = true"
    print("LOSS(%s, (%s),\n    (%s),\n    %.15g,\n    (%s))" % (name, special, numbers(each), mean.item(), numbers(gradient)))
