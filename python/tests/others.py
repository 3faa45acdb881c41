"""Evaluate cells of PyTorch and JAX where they are installed, and compare them with ours."""

import ast
import collections
import importlib
import math

# Cells that have other values than ours, or values in another order, and why.
OTHER_VALUES = {
    "torch.manual_seed(1); torch.randn(2)": "another generator",
    "jax.random.key(1)": "a key of two words of 32 bits",
    "jax.random.split(key, 3)": "keys of two words of 32 bits",
    "jax.random.normal(key, (2, 3))": "another generator",
    "jax.nn.initializers.glorot_uniform()(key, (3, 8))": "another generator",
    "torch.nn.init.kaiming_normal_(torch.empty(8, 3))": "another generator",
    "net.init(key, x)": "another generator",
    "dict(net.named_parameters())": "weights of (outputs, inputs)",
    "net.state_dict()": "weights of (outputs, inputs)",
    "torch.nn.utils.clip_grad_norm_(net.parameters(), 1)": "changes gradients, returns their norm",
    'net.apply(p, x, rngs={"dropout": key}, mutable=["batch_stats"])': "another generator",
    "jaxopt.LBFGS(lambda v: (v**2).sum()).run(v)": "a state with other fields",
    "jax.value_and_grad(lambda p: net.apply(p, x).sum())(p)": "parameters in another order",
    "optax.adam(1e-3).init(p)": "parameters in another order",
    "optax.apply_updates(p, optimiser.update(g, state, p)[0])": "parameters in another order",
}


def module(name):
    """Return a module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def flat(value):
    """Return the elements of arrays, dicts and sequences as a list."""
    if isinstance(value, dict):
        return [x for part in value.values() for x in flat(part)]
    if hasattr(value, "detach"):
        value = value.detach()
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, (list, tuple)):
        return [x for part in value for x in flat(part)]
    return [value]


def evaluate(code, names):
    """Run statements, and return the value of the last one if it is an expression."""
    tree = ast.parse(code)
    last = tree.body.pop()
    exec(compile(tree, code, "exec"), names)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), code, "eval"), names)
    exec(compile(ast.Module([last], []), code, "exec"), names)
    return None


def compare(test, theirs, want, got):
    """Check that two results have equal numbers, unless one of them has none."""
    want, got = flat(want), flat(got)
    if theirs in OTHER_VALUES or not all(isinstance(x, (int, float)) for x in want + got):
        return
    test.assertEqual(len(got), len(want), (got, want))
    for a, b in zip(got, want):
        test.assertTrue(a == b or a != a and b != b or math.isclose(a, b, rel_tol=1e-5,
                                                                   abs_tol=1e-6), (got, want))


def torch_arrays(lists):
    """Return names of cells about arrays, or None without PyTorch."""
    torch = module("torch")
    return torch and {"torch": torch, "f": lambda x: x.sum(), **{
        name: torch.tensor(value, dtype=torch.int64 if name == "i" else torch.float64,
                           requires_grad=name == "leaf") for name, value in lists.items()}}


def jax_arrays(lists):
    """Return names of cells about arrays, or None without JAX."""
    jax = module("jax")
    if not jax:
        return None
    jax.config.update("jax_enable_x64", True)
    return {"jax": jax, "jnp": jax.numpy, "key": jax.random.key(1),
            **{name: jax.numpy.asarray(value) for name, value in lists.items()}}


def torch_networks(lists, weights):
    """Return names of cells about networks; the network has our weights."""
    torch = module("torch")
    if not torch:
        return None
    nn, kinds = torch.nn, torch.utils.data
    a, b = nn.Linear(3, 8), nn.Linear(8, 2)
    for layer, name in ((a, "linear1"), (b, "linear2")):
        layer.weight.data = torch.tensor(weights[f"{name}.weight"].tolist()).T.contiguous()
        layer.bias.data = torch.tensor(weights[f"{name}.bias"].tolist())
    net = nn.Sequential(collections.OrderedDict(a=a, drop=nn.Dropout(0.5), b=b)).eval()
    x, y = torch.ones(16, 3), torch.zeros(16, dtype=torch.int64)
    found = {name: torch.tensor(value) for name, value in lists.items()}
    found.update(torch=torch, torchvision=module("torchvision"), net=net, a=a, b=b, x=x, y=y,
                 p=dict(net.named_parameters()), values=net.state_dict(), f=torch.sin,
                 loss=nn.functional.cross_entropy(net(x), y),
                 optimiser=torch.optim.Adam(net.parameters()),
                 o=torch.optim.SGD(net.parameters(), 0.1), dataset=kinds.TensorDataset(x, y),
                 TensorDataset=kinds.TensorDataset, DataLoader=kinds.DataLoader,
                 random_split=kinds.random_split)
    return found


def jax_networks(lists, weights):
    """Return names of cells about networks; the network has our weights."""
    names = jax_arrays(lists)
    others = {name: module(name) for name in ("flax", "flax.linen", "optax", "jaxopt")}
    if not names or None in others.values():
        return None
    jnp, linen = names["jnp"], others["flax.linen"]

    class Net(linen.Module):
        """A network of two layers."""

        @linen.compact
        def __call__(self, x):
            h = linen.Dense(8, name="linear1")(x)
            h = linen.Dropout(0.5)(h, deterministic=not self.has_rng("dropout"))
            return linen.Dense(2, name="linear2")(h)

    p = {"params": {name: {"kernel": jnp.asarray(weights[f"{name}.weight"].tolist()),
                           "bias": jnp.asarray(weights[f"{name}.bias"].tolist())}
                    for name in ("linear1", "linear2")}}
    optimiser = others["optax"].adam(1e-3)
    return {**names, **others, "net": Net(), "p": p, "g": p, "x": jnp.ones((16, 3), jnp.float32),
            "optimiser": optimiser, "state": optimiser.init(p)}
