"""Networks of bench/zoo.c in PyTorch and ONNX Runtime: prints the milliseconds of each run, one per line."""
import argparse
import sys
import time

import peer_threads

options = argparse.ArgumentParser()
options.add_argument("--peer", choices=["torch", "ort"], required=True)
options.add_argument("--network", default="resnet50")
options.add_argument("--mode", choices=["infer", "train"], default="infer")
options.add_argument("--threads", type=int, default=1)
options.add_argument("--runs", type=int, default=10)
options.add_argument("--warm", type=int, default=3)
options.add_argument("--batch", type=int, default=1)
options.add_argument("--side", type=int, default=224)
options.add_argument("--probe", action="store_true")
options = options.parse_args()
peer_threads.prepare(options.threads)

import torch  # reads what was prepared
from torch import nn


class Text(nn.Module):
    """Embedding, recurrence, linear layer."""

    def __init__(self, rows, units, body, classes, last):
        super().__init__()
        self.embedding, self.body, self.last = nn.Embedding(rows, units), body, last
        self.out = nn.Linear(body.hidden_size * (2 if body.bidirectional else 1), classes)

    def forward(self, x):
        y, state = self.body(self.embedding(x))
        if self.last:
            y = torch.cat([state[0], state[1]], 1)
        return self.out(y)


class Block(nn.Module):
    def __init__(self, units, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(units), nn.LayerNorm(units)
        self.qkv, self.project = nn.Linear(units, 3 * units), nn.Linear(units, units)
        self.mlp = nn.Sequential(nn.Linear(units, 4 * units), nn.GELU(), nn.Dropout(0.1), nn.Linear(4 * units, units))
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        n, t, c = x.shape
        q, k, v = (part.view(n, t, self.heads, -1).transpose(1, 2) for part in self.qkv(self.norm1(x)).split(c, 2))
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.drop(self.project(y.transpose(1, 2).reshape(n, t, c)))
        return x + self.drop(self.mlp(self.norm2(x)))


class Gpt(nn.Module):
    def __init__(self, tokens=256, units=384, heads=6, blocks=6, places=256):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(tokens, units), nn.Embedding(places, units)
        self.h, self.ln_f = nn.Sequential(*[Block(units, heads) for _ in range(blocks)]), nn.LayerNorm(units)

    def forward(self, x):
        h = self.wte(x) + self.wpe(torch.arange(x.shape[1]))
        return nn.functional.linear(self.ln_f(self.h(h)), self.wte.weight)


def make():
    """The network, an input and labels."""
    name, batch = options.network, options.batch
    if name == "char_lstm":
        net = Text(256, 64, nn.LSTM(64, 256, 2, batch_first=True), 256, False)
        return net, torch.randint(0, 100, (batch, 64)), torch.randint(0, 2, (batch, 64))
    if name == "gru_classifier":
        net = Text(20000, 128, nn.GRU(128, 128, batch_first=True, bidirectional=True), 2, True)
        return net, torch.randint(0, 100, (batch, 80)), torch.randint(0, 2, (batch,))
    if name == "gpt":
        return Gpt(), torch.randint(0, 100, (batch, 256)), torch.randint(0, 2, (batch, 256))
    import torchvision.models as models
    x = torch.randn(batch, 3, options.side, options.side).to(memory_format=torch.channels_last)
    y = torch.randint(0, 2, (batch,))
    if name == "mask_rcnn":
        from torchvision.models.detection import MaskRCNN
        from torchvision.models.detection.backbone_utils import resnet_fpn_backbone
        body = resnet_fpn_backbone(backbone_name="resnet101", weights=None)
        return MaskRCNN(body, 91, min_size=options.side, max_size=options.side), x, y
    more = {"aux_logits": False, "init_weights": False} if name == "inception_v3" else {}
    return getattr(models, name)(**more).to(memory_format=torch.channels_last), x, y


def time_runs(run):
    for i in range(-options.warm, options.runs):
        begin = time.perf_counter()
        run()
        if i >= 0:
            print(f"{1e3 * (time.perf_counter() - begin):.6f}", flush=True)


def train():
    net, x, y = make()
    optimiser = torch.optim.Adam(net.parameters())

    def step():
        optimiser.zero_grad(set_to_none=True)
        scores = net(x)
        loss = nn.functional.cross_entropy(scores.reshape(-1, scores.shape[-1]), y.reshape(-1))
        loss.backward()
        optimiser.step()
        loss.item()

    time_runs(step)


def infer():
    net, x, _ = make()
    net.eval()
    if options.network == "mask_rcnn":
        x = [x[0]]
    with torch.no_grad():
        time_runs(lambda: net(x))


def infer_ort():
    import io

    import onnxruntime
    net, x, _ = make()
    file = io.BytesIO()
    torch.onnx.export(net.eval(), (x.contiguous(),), file, dynamo=False, input_names=["x"])
    setup = onnxruntime.SessionOptions()
    setup.intra_op_num_threads = options.threads
    session = onnxruntime.InferenceSession(file.getvalue(), setup, providers=["CPUExecutionProvider"])
    feed = {"x": x.contiguous().numpy()}
    time_runs(lambda: session.run(None, feed))


def main():
    if options.probe:
        if options.peer == "ort":
            import onnx  # the export needs it
            import onnxruntime
        return print(torch.__version__ if options.peer == "torch" else onnxruntime.__version__)
    wrong = peer_threads.limit(options.threads, torch)
    if wrong:
        sys.exit("torch: %s stays at %d threads where %d were asked for" % (*wrong[0], options.threads))
    torch.manual_seed(1)
    if options.peer == "ort":
        infer_ort()
    else:
        {"infer": infer, "train": train}[options.mode]()


if __name__ == "__main__":
    main()
