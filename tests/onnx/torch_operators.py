"""Small modules for export.py, one for each operator of PyTorch that exporters write in several ways."""
import torch
from torch import nn
from torch.nn import functional as F
from torch_models import Case


class Of(nn.Module):
    """A function as a module; layers: modules whose weights it uses."""

    def __init__(self, f, *layers):
        super().__init__()
        self.f, self.layers = f, nn.ModuleList(layers)

    def forward(self, x0, x1=None, x2=None):
        return self.f(*(x for x in (x0, x1, x2) if x is not None), *self.layers)


def of(f, *shapes, layers=lambda: (), axes=None, other=None):
    """A case of a function of random tensors of shapes; axes: {axis: symbol} of the first; other: its other shape."""
    def build():
        inputs = tuple(torch.randn(s) if isinstance(s, tuple) else s for s in shapes)
        model = Of(f, *layers())
        names = [f"x{i}" for i in range(len(inputs))]
        y = model(*inputs)
        outputs = [f"y{i}" for i in range(len(y))] if isinstance(y, (tuple, list)) else ["y"]
        others = [(torch.randn(other), *inputs[1:])] if other else []
        return Case(model, inputs, names, outputs, {"x0": axes} if axes else None, others)

    return build


def resized(**how):
    return of(lambda x: F.interpolate(x, **how), (2, 3, 10, 14), axes={2: "h", 3: "w"}, other=(2, 3, 8, 9))


def sized(mode, **more):
    return of(lambda x: F.interpolate(x, size=(7, 25), mode=mode, **more), (1, 2, 10, 14), axes={2: "h", 3: "w"},
              other=(1, 2, 13, 9))


def put(x):
    y = x.clone()
    y[:, 1:3] = 5.0
    y[x > 1] = -1.0
    y[0, :, 2] += x[1, :, 0]
    return y


def windows(x):
    """Shifted windows, as in Swin."""
    n, h, w, c = x.shape
    x = torch.roll(x, (-2, -1), (1, 2)).reshape(n, h // 4, 4, w // 4, 4, c)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, c)


def attention(x, net):
    return net(x, x, x, need_weights=True)


OPERATORS = {
    "resize_nearest": resized(scale_factor=2.0, mode="nearest"),
    "resize_bilinear": resized(scale_factor=1.5, mode="bilinear", align_corners=False),
    "resize_corners": resized(scale_factor=2.0, mode="bilinear", align_corners=True),
    "resize_bicubic": resized(scale_factor=0.5, mode="bicubic", align_corners=False),
    "resize_kept_scale": resized(scale_factor=1.3, mode="bilinear", recompute_scale_factor=True),
    "resize_antialias": sized("bilinear", antialias=True),
    "resize_sized": sized("bilinear", align_corners=False),
    "resize_sized_nearest": sized("nearest"),
    "pool_adaptive": of(lambda x: (F.adaptive_avg_pool2d(x, 1), F.adaptive_avg_pool2d(x, (3, 4)),
                                   F.adaptive_max_pool2d(x, (3, 2))), (2, 3, 12, 16), axes={0: "n"},
                        other=(1, 3, 12, 16)),
    "pool_ceil": of(lambda x: (F.max_pool2d(x, 3, 2, 1, ceil_mode=True),
                               F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False)), (1, 2, 11, 14)),
    "pool_indices": of(lambda x: F.max_pool2d(x, 2, return_indices=True), (2, 3, 8, 8)),
    "grid_sample": of(lambda x, g: F.grid_sample(x, g.tanh(), padding_mode="border", align_corners=False),
                      (2, 3, 9, 8), (2, 5, 6, 2)),
    "pixel_shuffle": of(lambda x: F.pixel_unshuffle(F.pixel_shuffle(x, 2), 3), (1, 8, 6, 6)),
    "norms": of(lambda x, a, b, c: (a(x), b(x), c(x.transpose(1, -1))), (2, 8, 5, 6), axes={0: "n"}, other=(3, 8, 5, 6),
                layers=lambda: (nn.GroupNorm(4, 8), nn.InstanceNorm2d(8, affine=True), nn.LayerNorm(8))),
    "conv_shapes": of(lambda x, a, b, c: c(b(a(x))), (1, 6, 12, 12), axes={2: "h"}, other=(1, 6, 16, 12),
                      layers=lambda: (nn.Conv2d(6, 12, 3, 2, 2, 2, groups=3, padding_mode="zeros"),
                                      nn.ConvTranspose2d(12, 4, 3, 2, 1, 1, groups=2),
                                      nn.Conv2d(4, 4, (1, 5), padding="same", padding_mode="reflect"))),
    "conv_lines": of(lambda x, a, b: b(a(x)), (2, 4, 20), axes={2: "t"}, other=(2, 4, 31),
                     layers=lambda: (nn.Conv1d(4, 6, 5, 2, 2), nn.ConvTranspose1d(6, 3, 4, 2, 1))),
    "conv_volumes": of(lambda x, a: F.max_pool3d(a(x), 2), (1, 2, 6, 8, 8),
                       layers=lambda: (nn.Conv3d(2, 4, 3, padding=1),)),
    "attention": of(attention, (2, 7, 16), axes={1: "t"}, other=(2, 5, 16),
                    layers=lambda: (nn.MultiheadAttention(16, 4, batch_first=True),)),
    "attention_causal": of(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
                           (2, 4, 6, 8), (2, 4, 6, 8), (2, 4, 6, 8)),
    "activations": of(lambda x: (F.gelu(x), F.silu(x), F.hardswish(x), F.mish(x), F.softplus(x), F.elu(x), F.selu(x),
                                 F.leaky_relu(x, 0.2), F.hardsigmoid(x), F.glu(x, 1), F.log_softmax(x, 1), F.relu6(x)),
                      (3, 10), axes={0: "n"}, other=(5, 10)),
    "index_put": of(put, (3, 4, 5)),
    "indices": of(lambda x, i: (x[i], x[:, i, i], x.index_select(1, i), torch.take_along_dim(x, i.view(1, -1, 1), 1),
                                x[..., ::2], x[:, -1], x.flip(2)), (4, 4, 5), torch.tensor([2, 0, 3])),
    "masks": of(lambda x: (x.masked_fill(x > 0.5, -1e9).softmax(-1), torch.where(x > 0, x, x.exp()), x.tril(),
                           x.triu(1), x.clamp(-1.0, 0.5), (x > 0).sum(1), (x > 2).any(), (x < 9).all(1)), (5, 6),
                axes={0: "n"}, other=(3, 6)),
    "nonzero": of(lambda x: (x[x > 0], (x > 0).nonzero(), x[(x > 0).any(1)]), (5, 6), axes={0: "n"}, other=(3, 6)),
    "order": of(lambda x: (*x.sort(1, descending=True), *x.topk(3, 1), x.argmax(1), x.argsort(0), *x.max(1),
                           x.cumsum(1)), (4, 6), axes={0: "n"}, other=(7, 6)),
    "reductions": of(lambda x: (x.mean((1, 2)), x.std(1), x.var(2, unbiased=False), x.norm(dim=1), x.amax((0, 2)),
                                x.logsumexp(1), x.prod(2), x.norm()), (3, 4, 5), axes={0: "n"}, other=(2, 4, 5)),
    "scatter": of(lambda x, i: (x.scatter(1, i, 2.0), x.scatter_add(1, i, x), x.gather(1, i)), (3, 5),
                  torch.tensor([[0, 2], [4, 4], [1, 3]])),
    "einsum": of(lambda x, y: (torch.einsum("bij,bkj->bik", x, y), torch.outer(x[0, 0], y[0, 0]),
                               torch.baddbmm(x @ y.transpose(1, 2), x, y.transpose(1, 2))),
                 (2, 3, 4), (2, 3, 4)),
    "windows": of(windows, (2, 8, 8, 3)),
    "unfold": of(lambda x: F.unfold(x, 3, padding=1), (1, 3, 6, 8)),
    "fold": of(lambda x: F.fold(F.unfold(x, 2, stride=2), (6, 8), 2, stride=2), (1, 3, 6, 8)),
    "split": of(lambda x: (*x.chunk(3, 1), *x.split([1, 2, 4], 1), torch.stack(x.unbind(0)), x.unfold(1, 3, 2)),
                (2, 7)),
    "shapes": of(lambda x: x.reshape(x.shape[0], -1).view(x.shape[0], 2, -1).expand(-1, 2, -1).flatten(1).repeat(2, 1)
                 + torch.arange(x.shape[0] * 2)[:, None] + x.new_full((1,), x.shape[1]), (3, 4, 5),
                 axes={0: "n", 1: "m"}, other=(2, 6, 5)),
    "pads": of(lambda x: (F.pad(x, (1, 2, 0, 1)), F.pad(x, (2, 1), mode="replicate"), F.pad(x, (2, 1), mode="circular"),
                          F.pad(x, (-1, -1))), (2, 3, 6)),
    "embedding_bag": of(lambda i, e: (e(i), F.one_hot(i, 12).float()), torch.tensor([[1, 5, 2], [7, 0, 11]]),
                        layers=lambda: (nn.EmbeddingBag(12, 4, mode="mean"),)),
    "complex_fft": of(lambda x: torch.view_as_real(torch.fft.rfft(x)), (3, 16)),
    "spectrum": of(lambda x: torch.stft(x, 16, 4, window=torch.hann_window(16), return_complex=False), (2, 64)),
    "half": of(lambda x, a: a(x.half()), (2, 8), layers=lambda: (nn.Linear(8, 6).half(),)),
    "numbers": of(lambda x: (x.floor().long() // 2, x.double().round(), torch.remainder(x, 0.7), torch.fmod(x, 0.7),
                             x.int() % 3, torch.atan2(x, x.roll(1, 0)), x.erf(), x.sign(), x.abs().log1p()), (4, 5)),
    "cdist": of(lambda x, y: torch.cdist(x, y), (3, 4), (5, 4)),
    "buckets": of(lambda x: torch.bucketize(x, torch.tensor([-1.0, 0, 1])), (4, 7)),
}
