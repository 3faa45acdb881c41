"""Ten minutes with networks: data, a plot, a network, training, evaluation, a C file.

    python3 examples/python/ten_minutes.py [FOLDER]

Files are written to FOLDER, else to a temporary one.
"""

import pathlib
import sys
import tempfile

import tyto as ty
from tyto import data, nn, optim, plot, table

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
folder.mkdir(parents=True, exist_ok=True)

# ---- data: handwritten-like digits, which the library draws --------------------------------------

digits = data.digits(2400, seed=1)
print(digits)
train, validation = digits.split(0.8, 0.2, key=ty.random.key(1))

images, labels = train.arrays()
grid = plot.images(images[:20], title="Digits", names=[str(int(i)) for i in labels[:20]])
grid.save(folder / "digits.svg")


def prepare(examples):
    """Return images as numbers from 0 to 1, and labels."""
    x, y = examples.arrays()
    return ty.astype(x, ty.float32) / 255, y


# ---- a network: layers one behind the other ------------------------------------------------------

network = nn.Sequential(
    nn.conv2d(5, 16, stride=2, activation="relu"),
    nn.batch_norm(),
    nn.conv2d(3, 32, stride=2, activation="relu"),
    nn.flatten(),
    nn.dropout(0.2),
    nn.linear(10),
    seed=1,
).build((1, 28, 28, 1))
print(network.summary())

# ---- training: the step is compiled once; on a terminal a bar shows its progress -----------------

history = network.fit(
    *prepare(train), epochs=6, batch=64, optimiser=optim.adamw(3e-3),
    validation=prepare(validation), accuracy=True, restore=True, progress=True)
for epoch in history:
    print(f"epoch {epoch.epoch}: loss {epoch.loss:.3f}, validation {epoch.validation:.3f}")

curves = plot.line([e.loss for e in history], name="training", title="Loss", x="epoch")
curves.line([e.validation for e in history], name="validation").save(folder / "curves.svg")

# ---- evaluation: digits of another seed ----------------------------------------------------------

x, y = prepare(data.digits(500, seed=2))
scores = network.predict(x, batch=100)
print(f"accuracy on new digits: {float(nn.metrics.accuracy(scores, y)):.3f}")
plot.confusion(nn.metrics.confusion(scores, y), x="predicted", y="true").save(folder / "right.svg")

right = ty.astype(ty.argmax(scores, axis=1) == ty.astype(y, ty.int64), ty.float32)
print(table.Table({"digit": y, "right": right}).group("digit", "size", mean="right"))

# ---- your own loss and gradient: parameters are a dict of arrays ---------------------------------


def loss(parameters, x, y):
    """Return the loss of other parameters than the network's."""
    return nn.losses.cross_entropy(network.apply(parameters, x), y)


gradients = ty.jit(ty.grad(loss))(network.parameters(), x, y)
print("largest gradients:", {name: round(float(ty.max(ty.abs(g))), 3)
                             for name, g in gradients.items() if name.endswith("weight")})

# ---- files: weights, and inference as C that needs nothing of the library ------------------------

network.save(folder / "digits.safetensors")
facts = network.export_c(folder / "digits.c", (1, 28, 28, 1))
print(f"digits.c: {facts.lines} lines, {facts.weight_bytes} bytes of weights; see {folder.name}")
