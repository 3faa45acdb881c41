"""Layers as values, made from the functions of the library."""

import inspect
import itertools

from tyto._base import is_integer, offered
from tyto._core import c
from tyto._elsewhere import LAYER_OPTIONS
from tyto._hints import hint
from tyto.nn import init as _init

__all__ = []  # the kinds are added below

# Kinds that hold a function of the caller's: in Python a function in a sequence is a layer.
_FUNCTIONS = ("lambda", "lambda_array", "residual")
# Options with an entry for each spatial axis.
_SPATIAL = ("size", "stride", "dilation", "low", "high", "output_padding")
_POSITIVE = ("size", "stride", "dilation")
# Options that are real numbers, of which 0 stands for the default in the library, and -0.0 for 0.
# (The factor of scale has no default.)
REALS = ("alpha", "base", "deviation", "divisor", "dropout", "epsilon", "momentum", "p", "power",
         "prior", "rho", "rotary", "scale", "slope", "theta")
# Options that are truth values in each kind that has them.
FLAGS = ("alibi", "bidirectional", "causal", "ceil", "count_padding", "cubic", "depthwise",
         "frozen", "gated", "keep", "last", "linear", "nchw", "no_bias", "no_norm", "no_normalise",
         "no_scale", "no_self", "no_shift", "padded", "post", "rms", "rotary_pairs", "same",
         "same_lower", "separate", "time_first")
_HEAD = "($module, at, name, x, *, "


class Layer:
    """A layer as a value: its kind, its options and its name."""

    __slots__ = ("kind", "name", "options")

    def __init__(self, kind, name, options):
        self.kind = kind
        self.name = name
        self.options = options

    def __call__(self, at, x):
        """Call the layer inside `at`, the first argument of a model's function."""
        return _FUNCTION[self.kind](at.handle, self.name, x, **self.options)

    def __repr__(self):
        """Show the kind and its options."""
        words = [f"{k}={v!r}" for k, v in self.options.items()]
        words += [f"name={self.name!r}"] if self.name else []
        return f"nn.{self.kind}({', '.join(words)})"


def _activation_name(value):
    """Return the name of an activation: of a text, or of a function of tyto."""
    if isinstance(value, str):
        return value
    import tyto

    name = getattr(value, "__name__", "")
    same = (getattr(module, name, None) for module in (tyto, tyto.special, c))
    if name and any(function is value for function in same):
        return name
    raise TypeError(
        f"activation must be a name or a function of tyto, not {value!r}; call other functions "
        f"behind the layer")


def _spatial_axes(kind):
    """Return the number of spatial axes that a kind has in its name; 1 if it has none."""
    return int(kind[-2]) if kind[-1] == "d" and kind[-2].isdigit() else 1


def _spatial(kind, name, value):
    """Return an option with an entry for each spatial axis; 0 is the default in the library."""
    axes, one = _spatial_axes(kind), is_integer(value)
    if not one and not isinstance(value, (tuple, list)):
        raise TypeError(f"{name} is {value!r}; expected an integer, or one for each axis")
    entries = (value,) * axes if one else tuple(value)
    if axes > 1 and len(entries) != axes:
        raise ValueError(f"{name} has {len(entries)} entries; expected {axes}, or one integer")
    if name in _POSITIVE and 0 in entries:
        raise ValueError(f"{name} is {value}; expected at least 1")
    return value if axes == 1 and one else entries


def _options(kind, options):
    """Return options as the library takes them: 0 is 0 itself, not the default."""
    made = {}
    for name, value in options.items():
        if value is None:
            continue
        if name == "bias" and isinstance(value, bool):  # as elsewhere: with or without one
            name, value = "no_bias", not value
        if name in FLAGS and value not in (True, False):
            raise TypeError(f"nn.{kind}(): {name} is {value!r}; expected True or False.  Sizes of "
                            "inputs are those of the first call, and no arguments")
        if name == "epsilon" and isinstance(value, (int, float)) and value > 1:
            raise ValueError(f"nn.{kind}(): epsilon is {value!r}; expected at most 1.  Sizes of "
                             "inputs are those of the first call, and no arguments")
        if name in ("activation", "function", "gate"):
            value = _activation_name(value)
        elif name in ("weight", "bias"):
            value = _init.Initialiser.of(value)
        elif name == "attention":
            if not isinstance(value, dict):
                raise TypeError(f"attention must be a dict of options, not {value!r}")
            value = _options(kind, value)
        elif name in _SPATIAL:
            value = _spatial(kind, name, value)
        elif name in REALS:
            value = float(value) or -0.0
        made[name] = value
    if "shape" in made:
        made["shape"] = _sizes(made["shape"])
        made["rank"] = len(made["shape"])
    return made


def _parameters(kind):
    """Return the parameters of the Python function of a kind."""
    names = inspect.signature(_FUNCTION[kind]).parameters
    options = [n for n, p in names.items() if p.kind is p.KEYWORD_ONLY and n != "none"]
    place, default = inspect.Parameter.POSITIONAL_OR_KEYWORD, None
    made = [inspect.Parameter(n, place, default=default) for n in options if n != "rank"]
    return made + [inspect.Parameter("name", inspect.Parameter.KEYWORD_ONLY, default=None)]


def option_of_layer(word, known):
    """Return the replacement of an option of another library, or the nearest; "" if none is."""
    instead = LAYER_OPTIONS.get(word, "")
    if instead.startswith(":"):
        return instead
    ours = next((name for name in instead.split() if name in known), None)
    return f": did you mean '{ours}'?" if ours else hint(word, known, {})


def _make(kind):
    """Make the function of a kind."""
    signature = inspect.Signature(_parameters(kind))

    def function(*args, **keywords):
        try:
            given = signature.bind(*args, **keywords).arguments
        except TypeError as error:
            word = next((w for w in keywords if w not in signature.parameters), "")
            raise TypeError(f"nn.{kind}(): {error}{option_of_layer(word, signature.parameters)}; "
                            f"options are {signature}") from None
        name = given.pop("name", None)
        return Layer(kind, name, _options(kind, given))

    function.__signature__ = signature
    options = _FUNCTION[kind].__doc__.partition("\n\n")[2]
    lines = [*filter(None, [options]), "name: of its parameters; None: the kind and a number."]
    function.__doc__ = f"Return a layer {kind} (docs/layers.md).\n\n" + "\n".join(lines)
    return offered(function, "tyto.nn", kind)


def _found():
    """Return the functions of the library that are layers, by their kinds."""
    for name in dir(c):
        kind = name[len("layer_"):]
        text = getattr(getattr(c, name), "__text_signature__", None) or ""
        if name.startswith("layer_") and text.startswith(_HEAD) and kind not in _FUNCTIONS:
            if not kind.endswith("_kl"):
                yield kind, getattr(c, name)


_FUNCTION = dict(_found())
KINDS = tuple(_FUNCTION)
for _kind in KINDS:
    globals()[_kind] = _make(_kind)
    __all__.append(_kind)


class Sequence:
    """Layers one behind the other, as a value; functions of one array count as layers."""

    def __init__(self, *layers, name=None):
        """Take layers, sequences and functions of one array."""
        self.layers = layers[0] if len(layers) == 1 and isinstance(layers[0], list) else layers
        self.name = name
        for layer in self.layers:
            if not callable(layer):
                raise TypeError(f"a sequence has layers and functions, not {layer!r}")

    def __call__(self, at, x):
        """Call all layers inside `at`."""
        if self.name is not None:
            at = at.inside(self.name)
        return call_all(self.layers, at, x)

    def __repr__(self):
        """Show the layers."""
        return f"nn.sequence({', '.join(map(repr, self.layers))})"


class Residual(Sequence):
    """Layers whose result is added to their operand."""

    def __init__(self, *layers, activation=None, name=None):
        """Take layers and the activation of the sum."""
        super().__init__(*layers, name=name)
        self.activation = None if activation is None else _activation_name(activation)

    def __call__(self, at, x):
        """Call all layers inside `at` and add x."""
        y = super().__call__(at, x)
        if y.shape != x.shape:
            raise ValueError(f"residual: the layers return {y.shape}; expected {x.shape} as of x")
        y = c.add(y, x)
        return y if self.activation is None else at.activation(y, self.activation)

    def __repr__(self):
        """Show the layers."""
        return f"nn.residual({', '.join(map(repr, self.layers))})"


def call_all(layers, at, x):
    """Call layers and functions one behind the other."""
    for layer in layers:
        x = layer(at, x) if isinstance(layer, (Layer, Sequence)) else layer(x)
    return x


def sequence(*layers, name=None):
    """Return layers one behind the other as one layer; functions of one array are layers."""
    return Sequence(*layers, name=name)


def residual(*layers, activation=None, name=None):
    """Return a layer that computes activation(x + layers(x))."""
    return Residual(*layers, activation=activation, name=name)


__all__ += ["KINDS", "Layer", "residual", "sequence"]


class Place:
    """A layer's position in a model, the first argument of the model's function.

    Its methods call layers: at.linear(x, 10, activation="relu", name="out").  A position is valid
    during the call of the model's function.
    """

    __slots__ = ("handle",)

    def __init__(self, handle):
        self.handle = handle

    def __getattr__(self, kind):
        """Return the function that calls a layer of a kind: (x, options..., name=None)."""
        make = globals().get(kind)
        if kind.startswith("_") or kind not in _FUNCTION:
            raise AttributeError(f"there is no layer {kind!r}{_near(kind)}")
        return lambda x, *args, **options: make(*args, **options)(self, x)

    def __dir__(self):
        """Return the names of methods and kinds."""
        return itertools.chain(super().__dir__(), KINDS)

    def inside(self, name):
        """Return the position `name` inside this one; names of layers there begin with it."""
        return Place(c.layer_in(self.handle, name))

    def parameter(self, name, shape, init="zeros", *, fan_in=None, fan_out=None):
        """Return a parameter of this position; the first call makes it."""
        ins, outs = _init.fans(shape)
        return c.layer_parameter(
            self.handle, name, shape=_sizes(shape), init=_init.Initialiser.of(init),
            fan_in=float(ins if fan_in is None else fan_in),
            fan_out=float(outs if fan_out is None else fan_out))

    def state(self, name, shape=(), init="zeros", dtype=None):
        """Return the value of a state, which training changes without gradients."""
        return c.layer_state(
            self.handle, name, shape=_sizes(shape), init=_init.Initialiser.of(init), dtype=dtype)

    def set_state(self, name, value):
        """Set the value that a state gets after this step; nothing happens in inference."""
        c.layer_set_state(self.handle, name, value)

    @property
    def key(self):
        """The key of random numbers of this call; None in inference."""
        return c.layer_key(self.handle)

    @property
    def trains(self):
        """True in training, False in inference."""
        return c.layer_trains(self.handle)

    @property
    def dtype(self):
        """The dtype in which the model computes."""
        return c.layer_dtype(self.handle)

    @property
    def path(self):
        """The names of this position and those around it, joined by points."""
        return c.layer_path(self.handle)

    def attend(self, x, more=None, *, name=None, **options):
        """Call multi_head_attention with keys, values, a mask or a cache: (result, new fields).

        more: dict of the fields of ty_heads.  The second result has these fields as attributes.
        """
        return c.layer_attend(self.handle, name, x, more or {}, **_options("attend", options))

    def lstm_from(self, x, more=None, *, name=None, **options):
        """Call lstm from states h and c, and for lengths: (result, last states).

        more: dict of the fields of ty_recurrence.  The second result has these as attributes.
        """
        return c.layer_lstm_from(self.handle, name, x, more or {}, **_options("lstm", options))

    def gru_from(self, x, more=None, *, name=None, **options):
        """Call gru from a state h, and for lengths: (result, last states), as lstm_from."""
        return c.layer_gru_from(self.handle, name, x, more or {}, **_options("gru", options))

    def recurrent_from(self, x, more=None, *, name=None, **options):
        """Call recurrent from a state h, and for lengths: (result, last states), as lstm_from."""
        return c.layer_recurrent_from(
            self.handle, name, x, more or {}, **_options("recurrent", options))


def _sizes(shape):
    return (shape,) if hasattr(shape, "__index__") else tuple(shape)


def _near(kind):
    import difflib

    found = difflib.get_close_matches(kind, KINDS, 1)
    return f"; did you mean {found[0]!r}?" if found else ""
