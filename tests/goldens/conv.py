"""PyTorch's convolutions and their gradients: conv.py OUT.npz writes cases for tests/goldens/conv.c.

Case k is k_x, k_w, k_dy, k_y, k_dx, k_dw (channels first) and k_is, its attributes in the order of ATTRIBUTES,
with three numbers for each attribute of axes.
"""
import itertools
import sys
import warnings

import numpy as np
import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")
torch.set_num_threads(1)
random = np.random.default_rng(11)
DTYPES = ["f4", "f8", "c16"]
ATTRIBUTES = ["axes", "transposed", "same", "groups", "stride", "dilation", "low", "high", "output_padding"]
ROUNDS = 6  # random cases of each dtype, number of axes, plain and transposed


def some(low, high):
    return int(random.integers(low, high + 1))


def values(shape, dtype):
    parts = random.uniform(-1, 1, (2, *shape)).astype("f8")
    return (parts[0] + 1j * parts[1] if dtype == "c16" else parts[0]).astype(dtype)


def case(size, kernel, dtype="f8", batch=1, inside=2, outside=3, transposed=0, same=0, groups=1, **lists):
    """inside and outside: channels of x and y in one group."""
    axes = len(size)
    one = dict(dtype=dtype, axes=axes, transposed=transposed, same=same, groups=groups)
    for name, usual in ("stride", 1), ("dilation", 1), ("low", 0), ("high", 0), ("output_padding", 0):
        one[name] = list(lists.get(name, [usual] * axes))
    one["x"] = (batch, groups * inside, *size)
    one["w"] = (groups * inside, outside, *kernel) if transposed else (groups * outside, inside, *kernel)
    return one


def result_size(one):
    for i in range(one["axes"]):
        size, span = one["x"][2 + i], (one["w"][2 + i] - 1) * one["dilation"][i] + 1
        cut = one["low"][i] + one["high"][i]
        if one["transposed"]:
            yield (size - 1) * one["stride"][i] + span - cut + one["output_padding"][i]
        else:
            yield (size + cut - span) // one["stride"][i] + 1


def random_case(axes, transposed, dtype):
    """Options of every kind at once; those that leave nothing are drawn again."""
    while True:
        kernel = [int(random.choice([1, 2, 3, 3, 4, 5])) for _ in range(axes)]
        stride = [some(1, 3) for _ in range(axes)]
        dilation = [int(random.choice([1, 1, 2, 3])) for _ in range(axes)]
        spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
        groups, inside = (some(5, 18), 1) if random.random() < 0.3 else (some(1, 3), some(1, 5))
        one = case([some(1, [0, 24, 11, 6][axes]) for _ in range(axes)], kernel, dtype, some(1, 3), inside,
                   some(1, 2 if inside == 1 else 9), transposed, 0, groups, stride=stride, dilation=dilation,
                   low=[some(0, min(s, 4)) for s in spans], high=[some(0, min(s, 4)) for s in spans],
                   output_padding=[some(0, s - 1) if transposed else 0 for s in stride])
        if min(result_size(one)) > 0:
            return one


def edges():
    """What random options hardly meet."""
    yield case([5, 4], [3, 2], batch=0)
    yield case([5, 4], [3, 2], batch=0, transposed=1)
    yield case([1], [1], inside=1, outside=1)
    yield case([1, 1], [1, 1], "f4", inside=7, outside=9)
    yield case([1, 1, 1], [3, 3, 3], low=[1, 1, 1], high=[1, 1, 1])
    yield case([6, 5], [6, 5], "f4", outside=17)  # one place
    yield case([9, 7], [2, 2], stride=[5, 6])  # steps over elements
    yield case([9, 8], [3, 3], low=[-2, 0], high=[1, -3])  # negative padding cuts
    yield case([4], [3], transposed=1, stride=[5], low=[3], high=[2])
    yield case([2, 3], [2, 2], "f4", transposed=1, stride=[3, 4], output_padding=[2, 3])
    yield case([3], [4], low=[9], high=[11], dilation=[2])  # whole windows of padding
    for kernel in [3], [4], [3, 2], [2, 3, 3]:
        yield case([7, 8, 5][:len(kernel)], kernel, "f4", same=1, dilation=[2, 1, 1][:len(kernel)])
    yield case([8, 8], [3, 3], "f4", batch=2, inside=32, outside=32, low=[1, 1], high=[1, 1])
    yield case([8, 8], [3, 3], "f4", inside=1, groups=32, outside=1, low=[1, 1], high=[1, 1])


def convolve(one, x, w):
    plain = [F.conv1d, F.conv2d, F.conv3d][one["axes"] - 1]
    adjoint = [F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d][one["axes"] - 1]
    stride, dilation, groups = one["stride"], one["dilation"], one["groups"]
    if one["same"]:
        return plain(x, w, None, stride, "same", dilation, groups)
    sides = [s for pair in zip(one["low"][::-1], one["high"][::-1]) for s in pair]
    if not one["transposed"]:
        return plain(F.pad(x, sides), w, None, stride, 0, dilation, groups)

    def of(x, w):
        y = adjoint(x, w, None, stride, 0, one["output_padding"], groups, dilation)
        return F.pad(y, [-s for s in sides])

    if not x.is_complex():
        return of(x, w)
    # PyTorch 1.13 has none of complex numbers
    return torch.complex(of(x.real, w.real) - of(x.imag, w.imag), of(x.real, w.imag) + of(x.imag, w.real))


def run(one):
    """The case's arrays.  PyTorch computes wide: its own rounding is not what is tested."""
    wide = torch.complex128 if one["dtype"] == "c16" else torch.float64
    arrays = {name: values(one[name], one["dtype"]) for name in ("x", "w")}
    x, w = (torch.tensor(arrays[name], dtype=wide, requires_grad=True) for name in ("x", "w"))
    y = convolve(one, x, w)
    arrays["dy"] = values(tuple(y.shape), one["dtype"])
    y.backward(torch.tensor(arrays["dy"], dtype=wide))
    for name, tensor in ("y", y.detach()), ("dx", x.grad), ("dw", w.grad):
        arrays[name] = tensor.numpy().astype(one["dtype"])
    flat = []
    for name in ATTRIBUTES:
        value = one[name]
        flat += value + [0] * (3 - len(value)) if isinstance(value, list) else [value]
    arrays["is"] = np.array(flat, "i8")
    return arrays


def main():
    cases = list(edges())
    for _, axes, transposed, dtype in itertools.product(range(ROUNDS), (1, 2, 3), (0, 1), DTYPES):
        cases.append(random_case(axes, transposed, dtype))
    out, failed = {}, 0
    for k, one in enumerate(cases):
        try:
            out.update(("%03d_%s" % (k - failed, name), array) for name, array in run(one).items())
        except Exception as problem:
            print("conv.py: PyTorch: %s: %s" % (one, problem))
            failed += 1
    np.savez(sys.argv[1], **out)
    return 1 if failed else 0


sys.exit(main())
