"""The network of bench/lenet.c in PyTorch: prints the milliseconds of each step, one per line."""
import argparse
import sys
import time

import peer_threads

options = argparse.ArgumentParser()
options.add_argument("--threads", type=int, default=1)
options.add_argument("--steps", type=int, default=20)
options.add_argument("--warm", type=int, default=3)
options.add_argument("--batch", type=int, default=100)
options.add_argument("--probe", action="store_true")
options = options.parse_args()
peer_threads.prepare(options.threads)

import torch  # reads what was prepared
from torch import nn


def probe():
    """Prints the version and what the BLAS underneath does: GFLOP/s of a product of 768 x 768 matrices."""
    a = torch.rand(768, 768)
    torch.mm(a, a)
    begin = time.perf_counter()
    torch.mm(a, a)
    print(torch.__version__, f"{2e-9 * 768 ** 3 / (time.perf_counter() - begin):.1f}")


def main():
    wrong = peer_threads.limit(options.threads, torch)
    if wrong:
        sys.exit("torch: %s stays at %d threads where %d were asked for" % (*wrong[0], options.threads))
    if options.probe:
        return probe()
    torch.manual_seed(1)

    images = torch.randint(0, 256, (2000, 1, 28, 28), dtype=torch.uint8)
    labels = torch.randint(0, 10, (2000,))
    model = nn.Sequential(
        nn.Conv2d(1, 32, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.1),
        nn.Flatten(), nn.Linear(32 * 14 * 14, 1024), nn.ReLU(), nn.Linear(1024, 10))
    optimiser = torch.optim.Adagrad(model.parameters(), lr=0.005)
    order = torch.randperm(len(images))
    per_epoch = len(images) // options.batch

    for step in range(-options.warm, options.steps):
        begin = time.perf_counter()
        first = step % per_epoch * options.batch
        rows = order[first:first + options.batch]
        optimiser.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(model(images[rows].float() / 256), labels[rows])
        loss.backward()
        optimiser.step()
        loss.item()
        if step >= 0:
            print(f"{1e3 * (time.perf_counter() - begin):.6f}")


if __name__ == "__main__":
    main()
