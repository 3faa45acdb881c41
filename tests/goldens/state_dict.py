"""A PyTorch network, its state dict and its output: state_dict.py OUT.def writes the table of tests/nn/test_weights.c.

Parameters and inputs follow the formula of tests/support/layers_help.h, so rows contain names and shapes only.
"""
import math
import sys

import torch
import torch.nn as nn

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def fill(shape, salt):
    n = math.prod(shape)
    return torch.tensor([math.sin(1.3 * i + 0.7 * (salt + 1) + 0.2 * (i % 7)) for i in range(n)]).reshape(shape)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 6, (3, 2), stride=2, padding=1, groups=2)
        self.norm = nn.BatchNorm2d(6)
        self.up = nn.ConvTranspose2d(6, 3, (2, 3), stride=2, bias=False)
        self.line = nn.Conv1d(3, 4, 3)
        self.head = nn.Sequential(nn.Linear(4, 7), nn.Tanh(), nn.Linear(7, 5))

    def forward(self, x):
        h = torch.relu(self.norm(self.conv(x)))
        h = self.up(h).mean(2)
        h = self.line(h).mean(2)
        return self.head(h)


network = Network().eval()
state = {}
for i, (name, value) in enumerate((k, v) for k, v in network.state_dict().items() if v.dim() > 0):
    state[name] = fill(value.shape, i) * 0.5 + (1 if name.endswith("running_var") else 0)
network.load_state_dict(state, strict=False)
forms = ";".join(f"{name} {' '.join(str(n) for n in value.shape)}" for name, value in state.items())
output = network(fill((2, 2, 7, 6), 50))
with open(sys.argv[1], "w") as out:
    out.write(f"/* Written by tests/goldens/state_dict.py with PyTorch {torch.__version__.split('+')[0]}. */\n")
    out.write("#define STATE_DICT")
    for form in forms.split(";"):
        out.write(f' \\\n    "{form};"')
    out.write("\n#define STATE_DICT_OUTPUT")
    flat = [f"{v:.15g}" for v in output.reshape(-1).tolist()]
    for i in range(0, len(flat), 5):
        out.write(" \\\n    " + ", ".join(flat[i : i + 5]) + ("," if i + 5 < len(flat) else ""))
    out.write("\n")
