"""Trees of arrays: nested dicts, lists, tuples, named tuples and registered classes.

Transformations take and return trees.  None is a tree without leaves; every object of another class
is a leaf. Dicts are visited in the order of their sorted keys, or as they are if the keys cannot be
sorted.
"""

import collections
import dataclasses

from tyto import _core
from tyto._base import attributes_of

__all__ = [
    "all",
    "flatten",
    "leaves",
    "map",
    "reduce",
    "register_dataclass",
    "register_node",
    "structure",
    "transpose",
    "unflatten",
]

_nodes = {}  # class -> (flatten, unflatten)


class Structure:
    """Form of a tree without its leaves.  Equal structures are equal objects of dicts."""

    __slots__ = ("kind", "meta", "children", "count", "_hash")

    def __init__(self, kind, meta=None, children=()):
        """Make the structure of a node; kind None: of a leaf."""
        self.kind = kind
        self.meta = meta
        self.children = children
        self.count = 1 if kind is None else 0
        for child in children:
            self.count += child.count
        self._hash = None

    def __eq__(self, other):
        """Compare classes, keys and children."""
        if self is other:
            return True
        if not isinstance(other, Structure):
            return NotImplemented
        return (
            self.kind is other.kind
            and self.count == other.count
            and self.meta == other.meta
            and self.children == other.children
        )

    def __hash__(self):
        """Hash classes, keys and children; keys that cannot be hashed do not count."""
        if self._hash is None:
            try:
                meta = hash(self.meta)
            except TypeError:
                meta = 0
            self._hash = hash((self.kind, meta, self.children))
        return self._hash

    def __repr__(self):
        """Show the tree with * for each leaf."""
        return f"Structure({unflatten(self, ['*'] * self.count)!r})".replace("'*'", "*")


_LEAF = Structure(None)
_NONE = Structure(type(None))


def register_node(kind, flatten, unflatten):
    """Let objects of a class be nodes of trees.

    flatten(object) returns its children, an iterable, and meta, an object that can be compared and
    hashed. unflatten(meta, children) makes the object again.
    """
    if kind in _nodes or kind in (tuple, list, dict, type(None)):
        raise ValueError(f"register_node: {kind.__name__} is registered already")
    _nodes[kind] = (flatten, unflatten)


def register_dataclass(kind=None, data_fields=None, meta_fields=()):
    """Let objects of a dataclass be nodes of trees, and return the class; also a decorator.

    data_fields: names of the fields that are children (default: all that are not in meta_fields).
    meta_fields: names of the others, which belong to the structure.
    """
    if kind is None:
        return lambda kind: register_dataclass(kind, data_fields, meta_fields)
    if not dataclasses.is_dataclass(kind) and data_fields is None:
        raise TypeError(
            f"register_dataclass: {kind!r} is no dataclass; expected one, or data_fields"
        )
    meta = tuple(meta_fields)
    names = (
        [field.name for field in dataclasses.fields(kind) if field.init]
        if data_fields is None
        else data_fields
    )
    data = tuple(name for name in names if name not in meta)

    def take(value):
        return [getattr(value, name) for name in data], tuple(getattr(value, name) for name in meta)

    def make(values, children):
        return kind(**dict(zip(data, children)), **dict(zip(meta, values)))

    register_node(kind, take, make)
    return kind


def _sorted_keys(mapping):
    try:
        return tuple(sorted(mapping))
    except TypeError:
        return tuple(mapping)


def _split(tree):
    """Return class, meta and children of a node; None for a leaf."""
    kind = type(tree)
    if kind is tuple or kind is list:
        return kind, None, tree
    if kind is dict:
        keys = _sorted_keys(tree)
        return kind, keys, [tree[key] for key in keys]
    if kind in _nodes:
        children, meta = _nodes[kind][0](tree)
        return kind, meta, tuple(children)
    if isinstance(tree, tuple) and hasattr(kind, "_fields"):
        return kind, None, tree
    if kind is collections.OrderedDict:
        return kind, tuple(tree), list(tree.values())
    if kind is collections.defaultdict:
        keys = _sorted_keys(tree)
        return kind, (tree.default_factory, keys), [tree[key] for key in keys]
    return None


def _join(kind, meta, children):
    """Make a node from its class, meta and children."""
    if kind is tuple or kind is list:
        return kind(children)
    if kind is dict or kind is collections.OrderedDict:
        return kind(zip(meta, children))
    if kind in _nodes:
        return _nodes[kind][1](meta, children)
    if kind is collections.defaultdict:
        return kind(meta[0], zip(meta[1], children))
    return kind(*children)  # a named tuple


_PLAIN = (_core.Array, float, int)  # leaves that are found most often


def _visit(tree, take, is_leaf):
    """Give each leaf to take(), and return the structure."""
    if is_leaf is not None and is_leaf(tree):
        take(tree)
        return _LEAF
    kind = type(tree)
    if kind in _PLAIN:
        take(tree)
        return _LEAF
    if tree is None:
        return _NONE
    if kind is tuple or kind is list:
        meta, children = None, tree
    else:
        parts = _split(tree)
        if parts is None:
            take(tree)
            return _LEAF
        kind, meta, children = parts
    return Structure(kind, meta, tuple([_visit(child, take, is_leaf) for child in children]))


def flatten(tree, is_leaf=None):
    """Return the list of leaves of a tree, and its structure.

    is_leaf: a function that returns true for nodes that count as leaves.
    """
    found = []
    return found, _visit(tree, found.append, is_leaf)


def unflatten(structure, leaves):
    """Return the tree of a structure with other leaves, an iterable."""
    source = iter(leaves)
    stop = object()

    def build(part):
        if part.kind is None:
            leaf = next(source, stop)
            if leaf is stop:
                raise ValueError(f"unflatten: too few leaves; the structure has {structure.count}")
            return leaf
        if part.kind is type(None):
            return None
        return _join(part.kind, part.meta, [build(child) for child in part.children])

    tree = build(structure)
    if next(source, stop) is not stop:
        raise ValueError(f"unflatten: too many leaves; the structure has {structure.count}")
    return tree


def leaves(tree, is_leaf=None):
    """Return the list of leaves of a tree."""
    return flatten(tree, is_leaf)[0]


def structure(tree, is_leaf=None):
    """Return the structure of a tree."""
    return flatten(tree, is_leaf)[1]


def leaves_like(form, tree, name, deeper=False):
    """Return the leaves of a tree that must have a given structure; `name` begins the message.

    deeper: nodes may be in the places of leaves.
    """
    found = []

    def visit(part, node):
        if part.kind is None and (deeper or (node is not None and _split(node) is None)):
            found.append(node)
            return
        parts = (type(None), None, ()) if node is None else _split(node)
        if (
            parts is None
            or parts[0] is not part.kind
            or parts[1] != part.meta
            or len(parts[2]) != len(part.children)
        ):
            raise ValueError(
                f"{name}: the structure is {_visit(tree, id, None)!r}; expected {form!r}"
            )
        for child, below in zip(part.children, parts[2]):
            visit(child, below)

    visit(form, tree)
    return found


def map(function, tree, *rest, is_leaf=None):
    """Return the tree of function(leaf, ...) for the leaves of one or several equal trees.

    The further trees may have nodes where the first one has leaves.
    """
    first, form = flatten(tree, is_leaf)
    others = [leaves_like(form, other, "map", True) for other in rest]
    return unflatten(form, [function(*group) for group in zip(first, *others)])


def reduce(function, tree, *initial):
    """Combine the leaves of a tree by function(sum, leaf), from the first or an initial one on."""
    import functools

    return functools.reduce(function, leaves(tree), *initial)


def all(tree):
    """Return true if every leaf of a tree is true."""
    for leaf in leaves(tree):
        if not leaf:
            return False
    return True


def transpose(outer, inner, tree):
    """Turn a tree of structure `outer`, whose leaves are trees of structure `inner`, inside out."""
    rows = [
        leaves_like(inner, part, "transpose")
        for part in leaves_like(outer, tree, "transpose", True)
    ]
    return unflatten(inner, [unflatten(outer, column) for column in zip(*rows)])


def spread(prefix, tree, name):
    """Return a value for each leaf from a prefix of the tree, whose values stand for all below."""
    found = []

    def visit(value, node):
        parts = None if node is None else _split(node)
        given = None if value is None else _split(value)
        if node is None and parts is None:
            return
        if given is None:
            found.extend([value] * len(leaves(node)))
            return
        if (
            parts is None
            or len(given[2]) != len(parts[2])
            or (given[1] is not None and given[1] != parts[1])
        ):
            raise ValueError(f"{name}: {prefix!r} is no prefix of the tree {structure(tree)!r}")
        for below, child in zip(given[2], parts[2]):
            visit(below, child)

    visit(prefix, tree)
    return found


__getattr__, __dir__ = attributes_of(__name__)
