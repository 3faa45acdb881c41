#!/usr/bin/env python3
"""Networks of the zoo against torchvision's, with the same random weights: tests/goldens/zoo.py TYTO [NETWORK...]

torchvision makes each network; random weights and running statistics are written to a safetensors file.  tyto predict
reads them by torchvision's names, and its results for a random image are compared.  Needs torch and torchvision.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

import numpy as np
import torch
import torchvision
import torchvision.models as models

NETWORKS = {
    "vgg16": lambda: models.vgg16(),
    "squeezenet": lambda: models.squeezenet1_1(),
    "resnet18": lambda: models.resnet18(),
    "resnet50": lambda: models.resnet50(),
    "inception_v3": lambda: models.inception_v3(aux_logits=False, init_weights=False),
    "mobilenet_v2": lambda: models.mobilenet_v2(),
    "densenet121": lambda: models.densenet121(),
}
SIZES = {"inception_v3": 299}
SPREAD = 40
TOLERANCE = 2e-4  # of the largest result: sums of f32 in another order, through some hundred layers


def write_safetensors(path, tensors):
    header, at = {}, 0
    for name, value in tensors.items():
        size = value.nbytes
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for value in tensors.values():
            file.write(np.ascontiguousarray(value).tobytes())


def compare(tyto, name, folder):
    torch.manual_seed(1)
    net = NETWORKS[name]().eval()
    for key, value in net.state_dict().items():
        if key.endswith("running_mean"):
            value.normal_(0, 0.1)
        elif key.endswith("running_var"):
            value.uniform_(0.5, 1.5)
    weights = {k: v.numpy() for k, v in net.state_dict().items() if v.dtype == torch.float32}
    write_safetensors(folder + "/weights.safetensors", weights)
    size = SIZES.get(name, 224)
    image = np.random.default_rng(2).normal(size=(1, size, size, 3)).astype(np.float32)
    np.save(folder + "/image.npy", image)
    with torch.no_grad():
        expected = net(torch.from_numpy(image.transpose(0, 3, 1, 2).copy())).numpy()
    subprocess.run([tyto, "predict", name, "--weights", folder + "/weights.safetensors", "--layout", "pytorch",
                    "--input", folder + "/image.npy", "--output", folder + "/result.npy"], check=True)
    found = np.load(folder + "/result.npy")
    error = np.abs(found - expected).max() / np.abs(expected).max()
    well = found.shape == expected.shape and error < TOLERANCE
    print(f"{name:14} {error:.1e} {'well' if well else 'WRONG'}")
    return well


def compare_objects(tyto, name, folder):
    """Mask R-CNN: the same boxes, classes and scores, in the order of scores; masks of the boxes."""
    from torchvision.models.detection import MaskRCNN
    from torchvision.models.detection.backbone_utils import resnet_fpn_backbone

    torch.manual_seed(1)
    backbone = resnet_fpn_backbone(backbone_name="resnet101", weights=None, trainable_layers=5)
    net = MaskRCNN(backbone, num_classes=91, min_size=256, max_size=256, image_mean=[0, 0, 0], image_std=[1, 1, 1]).eval()
    net.rpn._pre_nms_top_n = {"training": 1000, "testing": 1000}
    for part in net.modules():
        if isinstance(part, torchvision.ops.FrozenBatchNorm2d):
            part.eps = 1e-5
    with torch.no_grad():
        for part in net.modules():  # else a hundred layers of drawn weights end in numbers near 1e5
            if hasattr(part, "bn3"):
                part.bn3.weight.fill_(0.2)
        net.roi_heads.box_predictor.cls_score.weight.mul_(SPREAD)  # so that some classes stand out
    weights = {k: v.numpy() for k, v in net.state_dict().items() if v.dtype == torch.float32}
    write_safetensors(folder + "/weights.safetensors", weights)
    image = np.random.default_rng(2).normal(size=(1, 256, 256, 3)).astype(np.float32)
    np.save(folder + "/image.npy", image)
    with torch.no_grad():
        (expected,) = net([torch.from_numpy(image[0].transpose(2, 0, 1).copy())])
    subprocess.run([tyto, "predict", name, "--weights", folder + "/weights.safetensors", "--layout", "pytorch",
                    "--input", folder + "/image.npy", "--output", folder + "/result.npz"], check=True)
    found = np.load(folder + "/result.npz")
    n = len(expected["scores"])
    errors = [np.abs(found[key][:n] - expected[word].numpy()).max() if n else 1
              for key, word in (("0", "boxes"), ("1", "labels"), ("2", "scores"))]
    well = n > 10 and errors[0] < 0.1 and errors[1] == 0 and errors[2] < 1e-3
    print(f"{name:14} {n} objects, boxes {errors[0]:.1e}, classes {errors[1]}, scores {errors[2]:.1e} {'well' if well else 'WRONG'}")
    return well


def main():
    tyto, names = sys.argv[1], sys.argv[2:] or list(NETWORKS) + ["mask_rcnn"]
    with tempfile.TemporaryDirectory() as folder:
        results = [(compare if name in NETWORKS else compare_objects)(tyto, name, folder) for name in names]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
