"""The loader of bench/data.c in torchvision: prints the seconds of each epoch over the folder, one per line."""
import argparse
import sys
import time

import peer_threads

options = argparse.ArgumentParser()
options.add_argument("--folder", default="")
options.add_argument("--threads", type=int, default=1)
options.add_argument("--epochs", type=int, default=2)
options.add_argument("--batch", type=int, default=32)
options.add_argument("--jitter", type=int, default=0)
options.add_argument("--tensors", action="store_true")
options.add_argument("--probe", action="store_true")
options = options.parse_args()
peer_threads.prepare(1)

import torch
import torchvision
from torchvision import datasets, io
from torchvision.transforms import v2

torch.set_num_threads(1)


def decode(path):
    return io.decode_image(path, mode="RGB")


def main():
    if options.probe:
        return print(torchvision.__version__)
    steps = [v2.RandomResizedCrop(224, antialias=True), v2.RandomHorizontalFlip()]
    if options.jitter:
        steps.append(v2.ColorJitter(0.4, 0.4, 0.4, 0.1))
    steps += [v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])]
    loader = {"loader": decode} if options.tensors else {}
    set_ = datasets.ImageFolder(options.folder, v2.Compose(steps), **loader)
    workers = 0 if options.threads == 1 else options.threads
    batches = torch.utils.data.DataLoader(set_, options.batch, shuffle=True, num_workers=workers,
                                          persistent_workers=workers > 0, prefetch_factor=2 if workers else None)
    for epoch in range(-1, options.epochs):
        begin = time.perf_counter()
        for images, labels in batches:
            pass
        if epoch >= 0:
            print(f"{time.perf_counter() - begin:.6f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
