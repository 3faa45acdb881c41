"""PyTorch's layers and their gradients: layers.py OUT.def writes the rows of tests/nn/test_layers_golden.c.

Operands and parameters follow a formula that the test shares (`fill`), so a row contains names and shapes of the state
dict, the results, and the gradient of the first operand.  For each parameter's gradient it has the sum, and the sum of
products with the parameter, which do not depend on the order of axes.
"""
import math
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)
rows = []


def fill(shape, salt):
    n = math.prod(shape)
    return torch.tensor([math.sin(1.3 * i + 0.7 * (salt + 1) + 0.2 * (i % 7)) for i in range(n)]).reshape(shape)


def whole(shape, modulus):
    return torch.tensor([(5 * i + 3) % modulus for i in range(math.prod(shape))]).reshape(shape)


def words(shape):
    return " ".join(str(n) for n in shape)


def numbers(values):
    text, line = "", "    ("
    for i, v in enumerate(values):
        part = f"{v:.15g}" + (", " if i + 1 < len(values) else ")")
        if len(line) + len(part) > 108:
            text, line = text + line.rstrip() + "\n", "     "
        line += part
    return text + line


def flat(results):
    results = results if isinstance(results, (list, tuple)) else [results]
    return torch.cat([r.reshape(-1) for r in results])


def row(name, module, operands, function=None, results_of_states=False):
    """operands: shapes, or (shape, modulus) of integers.  function(module, *operands) gives tensors."""
    state = {}
    if module is not None:
        for i, (key, value) in enumerate((k, v) for k, v in module.state_dict().items() if v.dim() > 0):
            state[key] = fill(value.shape, i) * 0.5
            if key.endswith("running_var"):
                state[key] = state[key] + 1
        module.load_state_dict(state, strict=False)
    x, forms = [], []
    for i, o in enumerate(operands):
        integer = len(o) == 2 and isinstance(o[0], tuple)
        x.append(whole(*o) if integer else fill(o, 50 + i).requires_grad_())
        forms.append(f"%{o[1]} {words(o[0])}" if integer else words(o))
    y = flat(function(module, *x) if function else module(*x))
    (y * fill(y.shape, 90)).sum().backward()
    forms = ";".join(forms)
    names = ";".join(f"{k} {words(v.shape)}" for k, v in state.items())
    first = next((t for t in x if t.requires_grad), None)
    moments = []
    for key, p in (module.named_parameters() if module is not None else []):
        moments += [p.grad.sum().item(), (p.grad * p).sum().item()]
    out = y.tolist()
    if results_of_states:
        out += flat([v for k, v in module.state_dict().items() if "running" in k]).tolist()
    rows.append(f'GOLDEN({name}, "{forms}",\n    "{names}",\n{numbers(out)},\n'
                f'{numbers(first.grad.reshape(-1).tolist() if first is not None and first.grad is not None else [0])},\n'
                f'{numbers(moments or [0])})')


# ---- norms ----
row("batch_norm", nn.BatchNorm2d(3), [(2, 3, 2, 2)], results_of_states=True)
row("batch_norm_last", nn.BatchNorm1d(3, eps=1e-3, momentum=0.3), [(5, 3)], results_of_states=True)
row("batch_norm_inference", nn.BatchNorm2d(3).eval(), [(2, 3, 2, 2)])
row("layer_norm", nn.LayerNorm(5), [(2, 3, 5)])
row("layer_norm_axes", nn.LayerNorm((3, 5), eps=1e-2, bias=False), [(2, 3, 5)])
row("rms_norm", nn.RMSNorm(5, eps=1e-6), [(2, 3, 5)])
row("group_norm", nn.GroupNorm(2, 4), [(2, 4, 3)])
row("instance_norm", nn.InstanceNorm2d(3, affine=True), [(2, 3, 2, 3)])
row("instance_norm_plain", nn.InstanceNorm1d(3), [(2, 3, 4)])

# ---- words ----
row("embedding", nn.Embedding(7, 3), [((2, 4), 7)])


# ---- recurrence ----
row("rnn", nn.RNN(3, 4, batch_first=True), [(2, 5, 3)], lambda m, x: list(m(x)))
row("rnn_relu", nn.RNN(3, 2, num_layers=2, nonlinearity="relu", bias=False), [(4, 2, 3)], lambda m, x: list(m(x)))


def lstm_all(m, x, h, c):
    y, (h, c) = m(x, (h, c))
    return [y, h, c]


row("lstm", nn.LSTM(3, 2, num_layers=2, bidirectional=True, batch_first=True),
    [(2, 4, 3), (4, 2, 2), (4, 2, 2)], lstm_all)
row("gru", nn.GRU(3, 3, num_layers=2, batch_first=True), [(2, 4, 3), (2, 2, 3)], lambda m, x, h: list(m(x, h)))


def packed(m, x):
    lengths = torch.tensor([4, 2, 1])
    y, h = m(nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True))
    y, _ = nn.utils.rnn.pad_packed_sequence(y, batch_first=True, total_length=x.shape[1])
    return [y] + (list(h) if isinstance(h, tuple) else [h])


row("lstm_lengths", nn.LSTM(2, 2, bidirectional=True, batch_first=True), [(3, 5, 2)], packed)
row("gru_lengths", nn.GRU(2, 2, bidirectional=True, batch_first=True), [(3, 5, 2)], packed)

# ---- attention ----
row("attention", None, [(2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 2)], lambda m, q, k, v: F.scaled_dot_product_attention(q, k, v))
row("attention_causal", None, [(1, 2, 5, 3), (1, 2, 5, 3), (1, 2, 5, 3)],
    lambda m, q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True))
row("attention_mask", None, [(2, 2, 3, 2), (2, 2, 4, 2), (2, 2, 4, 2), (2, 1, 3, 4)],
    lambda m, q, k, v, mask: F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=0.3))
row("attention_bool", None, [(2, 2, 3, 2), (2, 2, 4, 2), (2, 2, 4, 2), ((2, 1, 3, 4), 3)],
    lambda m, q, k, v, mask: F.scaled_dot_product_attention(q, k, v, attn_mask=mask > 0))
row("attention_grouped", None, [(2, 4, 3, 2), (2, 2, 5, 2), (2, 2, 5, 2)],
    lambda m, q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True))
row("multi_head", nn.MultiheadAttention(6, 2, batch_first=True), [(2, 4, 6)], lambda m, x: m(x, x, x)[0])
row("multi_head_causal", nn.MultiheadAttention(4, 2, batch_first=True, bias=False), [(2, 3, 4)],
    lambda m, x: m(x, x, x, attn_mask=nn.Transformer.generate_square_subsequent_mask(3))[0])
row("multi_head_cross", nn.MultiheadAttention(4, 2, batch_first=True), [(2, 3, 4), (2, 5, 4), (2, 5, 4)],
    lambda m, x, k, v: m(x, k, v, key_padding_mask=torch.arange(5) >= torch.tensor([[4], [2]]))[0])
for norm_first in False, True:
    row("encoder_first" if norm_first else "encoder",
        nn.TransformerEncoderLayer(4, 2, 6, dropout=0, activation="gelu", norm_first=norm_first, batch_first=True),
        [(2, 3, 4)])


def turned(x, pairs, base=10000.0):
    half = x.shape[-1] // 2
    angle = torch.arange(x.shape[-2])[:, None] * base ** (-torch.arange(half) / half)
    a, b = (x[..., 0::2], x[..., 1::2]) if pairs else (x[..., :half], x[..., half:])
    z = torch.complex(a, b) * torch.polar(torch.ones_like(angle), angle)
    return torch.stack([z.real, z.imag], -1).flatten(-2) if pairs else torch.cat([z.real, z.imag], -1)


row("rotary", None, [(2, 3, 6)], lambda m, x: turned(x, False))
row("rotary_pairs", None, [(2, 3, 6)], lambda m, x: turned(x, True, 100.0))


def alibi(m, q, k, v):
    slopes = torch.tensor([2.0 ** -2, 2.0 ** -4, 2.0 ** -6, 2.0 ** -8, 2.0 ** -1, 2.0 ** -3])[:, None, None]
    bias = -slopes * (torch.arange(5)[:, None] - torch.arange(5)).abs()
    return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)


row("alibi", None, [(1, 6, 5, 2), (1, 6, 5, 2), (1, 6, 5, 2)], alibi)

# ---- activations ----
for name, f in [("relu", F.relu), ("leaky_relu", F.leaky_relu), ("elu", F.elu), ("selu", F.selu), ("celu", F.celu),
                ("gelu", F.gelu), ("gelu_tanh", lambda x: F.gelu(x, approximate="tanh")), ("silu", F.silu),
                ("mish", F.mish), ("softplus", F.softplus), ("softsign", F.softsign),
                ("softmax", lambda x: F.softmax(x, -1)), ("log_softmax", lambda x: F.log_softmax(x, -1)),
                ("sigmoid", F.sigmoid), ("log_sigmoid", F.logsigmoid), ("hard_sigmoid", lambda x: F.relu6(x + 3) / 6),  # theirs has a sixth of f32
                ("hard_swish", lambda x: x * F.relu6(x + 3) / 6), ("tanh", torch.tanh), ("relu6", F.relu6),
                ("trelu", lambda x: F.threshold(x, 1, 0))]:
    row("activation_" + name, None, [(2, 7)], lambda m, x, f=f: f(3.5 * x))
row("prelu", nn.PReLU(), [(2, 3, 2)])
row("prelu_channels", nn.PReLU(3), [(2, 3, 2)])

# ---- images ----
row("max_pool1d", None, [(2, 2, 7)], lambda m, x: F.max_pool1d(x, 3, 2, 1))
row("max_pool3d", None, [(1, 2, 4, 3, 4)], lambda m, x: F.max_pool3d(x, 2, (2, 1, 2)))
row("avg_pool1d", None, [(2, 2, 7)], lambda m, x: F.avg_pool1d(x, 2))
row("avg_pool3d", None, [(1, 2, 4, 3, 4)], lambda m, x: F.avg_pool3d(x, 2, 1))
row("adaptive_avg_pool2d", None, [(1, 2, 5, 7)], lambda m, x: F.adaptive_avg_pool2d(x, (2, 3)))
row("adaptive_max_pool1d", None, [(1, 2, 7)], lambda m, x: F.adaptive_max_pool1d(x, 3))
row("global_avg_pool", None, [(2, 3, 2, 2)], lambda m, x: x.mean((2, 3)))
row("global_max_pool", None, [(2, 3, 4)], lambda m, x: x.amax(2))
row("upsampling", None, [(1, 2, 2, 3)], lambda m, x: F.interpolate(x, scale_factor=2))
row("upsampling_linear", None, [(1, 2, 2, 3)], lambda m, x: F.interpolate(x, scale_factor=3, mode="bilinear"))
row("padding", None, [(1, 2, 2, 3)], lambda m, x: F.pad(x, (1, 0, 0, 2)))
row("padding_reflect", None, [(1, 2, 3, 3)], lambda m, x: F.pad(x, (2, 1, 1, 0), mode="reflect"))
row("conv1d_dilated", nn.Conv1d(2, 3, 3, dilation=2, padding=1), [(2, 2, 8)])
row("conv2d_groups", nn.Conv2d(4, 4, (3, 2), stride=(2, 1), groups=2, padding=(1, 0)), [(1, 4, 5, 4)])
row("conv_transpose2d", nn.ConvTranspose2d(2, 3, 3, stride=2, padding=1, output_padding=1), [(1, 2, 3, 2)])
row("linear", nn.Linear(3, 4), [(2, 5, 3)])
row("bilinear", nn.Bilinear(3, 2, 4), [(5, 3), (5, 2)])


class SqueezeExcite(nn.Module):
    def __init__(self, channels, units):
        super().__init__()
        self.squeeze = nn.Linear(channels, units)
        self.excite = nn.Linear(units, channels)

    def forward(self, x):
        share = self.excite(F.relu(self.squeeze(x.mean((2, 3)))))
        return x * torch.sigmoid(share)[:, :, None, None]


class Separable(nn.Module):
    def __init__(self):
        super().__init__()
        self.depthwise = nn.Conv2d(2, 2, 3, stride=2, padding=1, groups=2, bias=False)
        self.norm1 = nn.BatchNorm2d(2)
        self.pointwise = nn.Conv2d(2, 3, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(3)

    def forward(self, x):
        x = F.relu6(self.norm1(self.depthwise(x)))
        return F.relu6(self.norm2(self.pointwise(x)))


class Inverted(nn.Module):
    def __init__(self):
        super().__init__()
        self.expand = nn.Conv2d(2, 6, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(6)
        self.depthwise = nn.Conv2d(6, 6, 3, padding=1, groups=6, bias=False)
        self.norm2 = nn.BatchNorm2d(6)
        self.squeeze = SqueezeExcite(6, 2)
        self.project = nn.Conv2d(6, 2, 1, bias=False)
        self.norm3 = nn.BatchNorm2d(2)

    def forward(self, x):
        h = F.relu6(self.norm1(self.expand(x)))
        h = self.squeeze(F.relu6(self.norm2(self.depthwise(h))))
        return x + self.norm3(self.project(h))


row("squeeze_excite", SqueezeExcite(4, 2), [(2, 4, 2, 3)])
row("depthwise_separable", Separable(), [(2, 2, 4, 3)])
row("inverted_residual", Inverted(), [(2, 2, 3, 3)])


class GraphConv(nn.Module):
    """Kipf and Welling: D^-1/2 (A + I) D^-1/2 X W + b."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(2, 3))
        self.bias = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        a = torch.eye(5)
        for start, end in [(0, 1), (1, 0), (1, 2), (2, 1), (3, 1), (4, 0), (0, 4)]:
            a[end, start] += 1
        root = a.sum(1).rsqrt()
        return root[:, None] * a @ (root[:, None] * x) @ self.weight.T + self.bias


row("graph_conv", GraphConv(), [(5, 3)])
row("graph_conv_edges", GraphConv(), [(2, 5, 3)])


class Bayesian(nn.Module):
    def __init__(self):
        super().__init__()
        for name, shape in ("weight", (2, 3)), ("weight_rho", (2, 3)), ("bias", (2,)), ("bias_rho", (2,)):
            setattr(self, name, nn.Parameter(torch.zeros(shape)))

    def forward(self, x):
        normal, prior = torch.distributions.Normal, torch.distributions.Normal(0.0, 0.5)
        kl = sum(torch.distributions.kl_divergence(normal(m, F.softplus(r)), prior).sum()
                 for m, r in ((self.weight, self.weight_rho), (self.bias, self.bias_rho)))
        return [F.linear(x, self.weight, self.bias), kl]


row("bayesian_linear", Bayesian(), [(4, 3)])

with open(sys.argv[1], "w") as out:
    out.write(f"/* Written by tests/goldens/layers.py: PyTorch {torch.__version__.split('+')[0]}.\n"
              "   GOLDEN(name, operands, state dict, results, gradient of the first operand, sum of each parameter's gradient "
              "and times\n   the parameter) */\n")
    out.write("\n".join(rows) + "\n#undef GOLDEN\n")
