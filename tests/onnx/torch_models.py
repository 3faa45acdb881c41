"""Networks of PyTorch for export.py: each is built with random weights of a fixed seed, and inputs that fit.

A row of MODELS is a function that returns a Case.  Statistics of batch normalisations are those of a random batch, so
that values neither vanish nor overflow."""
import torch
import torchvision
from torch import nn
from torch.nn import functional as F


class Case:
    """A model and its inputs.  dynamic: {input name: {axis: symbol}}; others: more lists of inputs of other sizes."""

    def __init__(self, model, inputs, names, outputs, dynamic=None, others=()):
        self.model, self.inputs, self.names, self.outputs = model.eval(), inputs, names, outputs
        self.dynamic, self.others = dynamic or {}, others


def picture(*shape, size=8):
    """A smooth random picture: coarse noise, enlarged, and a little fine noise."""
    coarse = torch.randn(*shape[:-2], size, size)
    flat = coarse.reshape(-1, 1, size, size)
    fine = F.interpolate(flat, size=shape[-2:], mode="bicubic", align_corners=False).reshape(shape)
    return fine + 0.1 * torch.randn(shape)


def calibrate(model, run):
    """Set the statistics of batch normalisations to those of one run."""
    norms = [m for m in model.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]
    for m in norms:
        m.momentum = None
        m.reset_running_stats()
        m.train()
    with torch.no_grad():
        run()
    model.eval()


def classifier(name, size=224, batch=1, **more):
    def build():
        model = torchvision.models.get_model(name, weights=None, **more).eval()
        calibrate(model, lambda: model(picture(4, 3, size, size)))
        dynamic = {"x": {0: "batch"}}
        return Case(model, (picture(batch, 3, size, size),), ["x"], ["y"], dynamic, [(picture(2, 3, size, size),)])

    return build


def vit_small():
    model = torchvision.models.VisionTransformer(224, 16, 12, 6, 384, 1536).eval()
    nn.init.normal_(model.heads.head.weight, std=0.05)
    return Case(model, (picture(1, 3, 224, 224),), ["x"], ["y"], {"x": {0: "batch"}}, [(picture(2, 3, 224, 224),)])


class Segments(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torchvision.models.segmentation.deeplabv3_mobilenet_v3_large(
            weights=None, weights_backbone=None, num_classes=21)

    def forward(self, x):
        return self.net(x)["out"]


def deeplab():
    model = Segments().eval()
    calibrate(model, lambda: model(picture(2, 3, 160, 224)))
    dynamic = {"x": {2: "height", 3: "width"}}
    return Case(model, (picture(1, 3, 160, 224),), ["x"], ["y"], dynamic, [(picture(1, 3, 128, 160),)])


# ---- detection ----

class Detector(nn.Module):
    """A detector of torchvision that takes one picture (3, H, W); boxes are in units of 256 pixels, so that all outputs
    have about the same size."""

    def __init__(self, net, masks):
        super().__init__()
        self.net, self.masks = net, masks

    def forward(self, x):
        found = self.net([x])
        found = found[1][0] if isinstance(found, tuple) else found[0]
        rest = (found["masks"],) if self.masks else ()
        return found["boxes"] / 256, found["labels"], found["scores"], *rest


def detector(name, height, width, masks=False, spread=(), **more):
    """spread: layers whose weights grow, so that scores lie far from each other and rounding does not
    change their order."""
    def build():
        net = getattr(torchvision.models.detection, name)(weights=None, weights_backbone=None, **more).eval()
        calibrate(net, lambda: net([picture(3, height, width).sigmoid() for _ in range(2)]))
        with torch.no_grad():
            for layer, factor in spread:
                net.get_submodule(layer).weight.mul_(factor)
        outputs = ["boxes", "labels", "scores"] + ["masks"] * masks
        dynamic = {"x": {1: "height", 2: "width"}}
        return Case(Detector(net, masks), (picture(3, height, width).sigmoid(),), ["x"], outputs, dynamic,
                    [(picture(3, height - 32, width + 32).sigmoid(),)])

    return build


# ---- sequences ----

class Packed(nn.Module):
    def __init__(self, kind, padded):
        super().__init__()
        self.net = kind(12, 20, num_layers=2, bidirectional=True, batch_first=True)
        self.padded = padded

    def forward(self, x, lengths):
        if self.padded:
            return self.net(x)[0].mean(1) + lengths.sum()
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, state = self.net(packed)
        y, _ = nn.utils.rnn.pad_packed_sequence(y, batch_first=True)
        return y, state[0] if isinstance(state, tuple) else state


class Recurrent(nn.Module):
    def __init__(self, kind, **more):
        super().__init__()
        self.net, self.head = kind(32, 64, num_layers=2, **more), nn.LazyLinear(10)

    def forward(self, x):
        y, state = self.net(x)
        return self.head(y), state[0] if isinstance(state, tuple) else state


def recurrent(kind, **more):
    def build():
        model = Recurrent(kind, **more)
        model(torch.randn(5, 3, 32))
        x = torch.randn(20, 3, 32)
        return Case(model, (x,), ["x"], ["y", "state"], {"x": {0: "steps", 1: "batch"}}, [(torch.randn(9, 2, 32),)])

    return build


def packed(kind):
    def build():
        x = torch.randn(4, 9, 12)
        outputs = ["y", "state"]
        return Case(Packed(kind, False), (x, torch.tensor([9, 4, 7, 1])), ["x", "lengths"], outputs,
                    {"x": {0: "batch", 1: "steps"}, "lengths": {0: "batch"}},
                    [(torch.randn(3, 6, 12), torch.tensor([2, 6, 5]))])

    return build


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, activation="gelu")
        self.embed, self.net = nn.Embedding(100, 64), nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)

    def forward(self, ids):
        return self.net(self.embed(ids), src_key_padding_mask=ids == 0)


def encoder():
    ids = torch.randint(1, 100, (2, 16))
    ids[1, 10:] = 0
    other = torch.randint(1, 100, (3, 11))
    return Case(Encoder(), (ids,), ["ids"], ["y"], {"ids": {0: "batch", 1: "steps"}}, [(other,)])


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.net = nn.Embedding(100, 32), nn.Transformer(32, 4, 2, 2, 64, batch_first=True)

    def forward(self, source, target):
        mask = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).triu(1)
        return self.net(self.embed(source), self.embed(target), tgt_mask=mask) @ self.embed.weight.T


def translator():
    def ids(n, t):
        return torch.randint(0, 100, (n, t))

    return Case(Translator(), (ids(2, 9), ids(2, 7)), ["source", "target"], ["logits"],
                {"source": {0: "batch", 1: "s"}, "target": {0: "batch", 1: "t"}}, [(ids(3, 5), ids(3, 8))])


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, past):
        n, t, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).reshape(n, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        before, all_steps = k.shape[2] - t, k.shape[2]
        steps = torch.arange(all_steps, device=x.device)
        mask = steps[None, :] <= steps[before:, None]
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + self.out(y.transpose(1, 2).reshape(n, t, c))
        x = x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))
        return x, torch.stack([k, v])


class Gpt(nn.Module):
    """A decoder with a cache of keys and values, (layers, 2, N, heads, steps before, width of a head)."""

    def __init__(self, layers=4, width=256, heads=8, words=1000, most=256):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(most, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.shape = nn.LayerNorm(width), (layers, heads, width // heads)
        for p in self.parameters():
            if p.ndim > 1:
                nn.init.normal_(p, std=0.08)

    def forward(self, ids, past):
        before = past.shape[4]
        places = torch.arange(before, before + ids.shape[1], device=ids.device)
        x, caches = self.words(ids) + self.places(places), []
        for i, block in enumerate(self.blocks):
            x, cache = block(x, past[i])
            caches.append(cache)
        return self.norm(x) @ self.words.weight.T, torch.stack(caches)


def gpt():
    model = Gpt()
    layers, heads, width = model.shape

    def inputs(n, t, before):
        return torch.randint(0, 1000, (n, t)), torch.randn(layers, 2, n, heads, before, width)

    return Case(model, inputs(1, 32, 16), ["ids", "past"], ["logits", "present"],
                {"ids": {0: "batch", 1: "steps"}, "past": {2: "batch", 4: "before"}}, [inputs(2, 3, 40)])


# ---- a U-Net ----

class Twice(nn.Sequential):
    def __init__(self, a, b):
        super().__init__(nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True),
                         nn.Conv2d(b, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True))


class UNet(nn.Module):
    def __init__(self, bilinear, width=16):
        super().__init__()
        self.down = nn.ModuleList([Twice(3, width), Twice(width, 2 * width), Twice(2 * width, 4 * width)])
        self.bilinear = bilinear
        self.up = nn.ModuleList(nn.ConvTranspose2d(n, n // 2, 2, 2) for n in (4 * width, 2 * width))
        self.thin = nn.ModuleList(nn.Conv2d(n, n // 2, 1) for n in (4 * width, 2 * width))
        self.join = nn.ModuleList([Twice(4 * width, 2 * width), Twice(2 * width, width)])
        self.head = nn.Conv2d(width, 2, 1)

    def forward(self, x):
        kept = []
        for i, down in enumerate(self.down):
            x = down(F.max_pool2d(x, 2) if i else x)
            kept.append(x)
        for i, join in enumerate(self.join):
            same = kept[-2 - i]
            if self.bilinear:
                y = F.interpolate(self.thin[i](x), size=same.shape[2:], mode="bilinear", align_corners=True)
            else:
                y = self.up[i](x)
                y = F.pad(y, (0, same.shape[3] - y.shape[3], 0, same.shape[2] - y.shape[2]))
            x = join(torch.cat([same, y], 1))
        return self.head(x)


def unet(bilinear):
    def build():
        model = UNet(bilinear)
        calibrate(model, lambda: model(picture(2, 3, 96, 128)))
        dynamic = {"x": {0: "batch", 2: "height", 3: "width"}}
        return Case(model, (picture(1, 3, 96, 128),), ["x"], ["y"], dynamic, [(picture(2, 3, 64, 96),)])

    return build


MODELS = {
    "resnet18": classifier("resnet18"),
    "resnet50": classifier("resnet50"),
    "squeezenet": classifier("squeezenet1_1"),
    "mobilenet_v2": classifier("mobilenet_v2"),
    "mobilenet_v3": classifier("mobilenet_v3_large"),
    "efficientnet_b0": classifier("efficientnet_b0"),
    "densenet121": classifier("densenet121"),
    "shufflenet": classifier("shufflenet_v2_x1_0"),
    "googlenet": classifier("googlenet", aux_logits=False, init_weights=False),
    "convnext_tiny": classifier("convnext_tiny"),
    "swin_tiny": classifier("swin_t"),
    "vit_small": vit_small,
    "deeplab": deeplab,
    "unet": unet(False),
    "unet_bilinear": unet(True),
    "faster_rcnn": detector("fasterrcnn_mobilenet_v3_large_320_fpn", 240, 320, box_detections_per_img=20,
                            spread=[("rpn.head.cls_logits", 30), ("roi_heads.box_predictor.cls_score", 30)]),
    "mask_rcnn": detector("maskrcnn_resnet50_fpn", 192, 256, True, min_size=192, max_size=320,
                          rpn_pre_nms_top_n_test=200, rpn_post_nms_top_n_test=50, box_detections_per_img=10,
                          spread=[("rpn.head.cls_logits", 30), ("roi_heads.box_predictor.cls_score", 30)]),
    "retinanet": detector("retinanet_resnet50_fpn", 192, 256, min_size=192, max_size=320, topk_candidates=100,
                          detections_per_img=20, score_thresh=0.01,
                          spread=[("head.classification_head.cls_logits", 30)]),
    "ssd_lite": detector("ssdlite320_mobilenet_v3_large", 320, 320, topk_candidates=100, detections_per_img=20),
    "lstm": recurrent(nn.LSTM, bidirectional=True),
    "gru": recurrent(nn.GRU),
    "rnn": recurrent(nn.RNN, nonlinearity="relu", bidirectional=True),
    "lstm_packed": packed(nn.LSTM),
    "gru_packed": packed(nn.GRU),
    "encoder": encoder,
    "translator": translator,
    "gpt": gpt,
}
DETECTORS = {"faster_rcnn", "mask_rcnn", "retinanet", "ssd_lite"}
