"""Data sets and loaders of batches.

    examples = data.arrays(x, y)
    train, test = examples.split(0.8, 0.2, key=tyto.random.key(1))
    for x, y in data.Loader(train, batch=32): ...
"""

import operator
from typing import Any, NamedTuple

from tyto import _core
from tyto._base import attributes_of, refuses_pickle
from tyto._bar import bar
from tyto._core import c
from tyto.data import steps

__all__ = ["Dataset", "Field", "Loader", "archive", "arrays", "bar", "cifar10", "cifar100",
           "concat", "csv", "digits", "files", "folder", "mnist", "of", "steps", "text"]


class Field(NamedTuple):
    """A part of each example: its name, dtype and shape; sizes of -1 differ."""

    name: str
    dtype: Any
    shape: tuple


class Dataset:
    """A set of examples, each a tuple of arrays.  It never changes."""

    def __init__(self, handle):
        """Take a handle of tyto.c."""
        self.handle = handle

    __reduce__ = refuses_pickle(
        "a data set", "pickle its arrays(), which data.arrays(*arrays) takes, or make it again")

    def __len__(self):
        """Return the number of examples."""
        return self.handle.size()

    @property
    def fields(self):
        """The parts of an example."""
        found = [self.handle.field(i) for i in range(self.handle.fields())]
        return tuple(Field(f.name, f.dtype, tuple(f.shape)) for f in found)

    @property
    def classes(self):
        """The names of classes; empty if they have none."""
        return [c.dataset_class(self.handle, i) for i in range(c.dataset_classes(self.handle))]

    def __getitem__(self, index):
        """Return an example, a tuple of arrays; for a slice or a sequence of indices a subset."""
        n = len(self)
        if isinstance(index, slice):
            return self.subset(range(n)[index])
        if not hasattr(index, "__index__") or getattr(index, "ndim", 0):
            return self.subset(index)
        i = index.__index__()
        if not -n <= i < n:
            raise IndexError(f"example {i} is out of bounds for {n} examples")
        return tuple(self.handle.get(i % n, self.handle.fields()))

    def __iter__(self):
        """Yield all examples."""
        return (self[i] for i in range(len(self)))

    def arrays(self):
        """Return all examples: a tuple with an array for each field, examples along axis 0."""
        return tuple(self.handle.get_all(self.handle.fields()))

    def subset(self, indices):
        """Return the set of the examples of these indices, which may repeat; negative: from end."""
        n = len(self)
        indices = indices.tolist() if hasattr(indices, "tolist") else list(indices)
        return Dataset(self.handle.subset([i + n if -n <= i < 0 else i for i in indices]))

    def split(self, *fractions, key=None):
        """Return disjoint sets of these fractions of the examples, in a random order by a key."""
        return tuple(Dataset(x) for x in self.handle.split([float(f) for f in fractions], key))

    def map(self, function, names=None):
        """Return the set of function(array, ...) of each example, which loaders call on threads.

        The function returns an array or a tuple of arrays, with the dtypes and ranks of the first.
        """
        return of(_Mapped(self, function), names)

    def where(self, index):
        """Return the origin of an example, such as a path."""
        return self.handle.where(index)

    def __repr__(self):
        """Show the number of examples and the fields."""
        words = ", ".join(f"{f.name}: {str(f.dtype).split('.')[-1]}{list(f.shape)}"
                          for f in self.fields)
        return f"data.Dataset({len(self)} examples of {words})"


class _Mapped:
    """Examples of a set, changed by a function."""

    def __init__(self, base, function):
        self.base, self.function = base, function

    def __len__(self):
        return len(self.base)

    def __getitem__(self, i):
        return self.function(*self.base[i])


def _names(names):
    return None if names is None else list(names)


def arrays(*fields, names=None):
    """Return the set of arrays whose axis 0 counts the examples."""
    made = [x if isinstance(x, _core.Array) else _core.asarray(x) for x in fields]
    return Dataset(c.dataset_arrays(made, _names(names)))


def files(*paths, **options):
    """Return the set of files with one array each (npy, idx, ...), which are mapped."""
    return Dataset(c.dataset_files([str(p) for p in paths], **options))


def archive(path, *names, **options):
    """Return the set of the arrays of these names (none: all) in an npz or safetensors file."""
    return Dataset(c.dataset_archive(path, list(names), **options))


def csv(path, *, target=None, classes=None, missing=None, **file):
    """Return the set of the rows of a csv: "input" float32, and "target", a column.

    target: the column's name or number.  classes: its values are classes.
    """
    target = None if target is None else str(target)
    return Dataset(c.dataset_csv(path, target=target, classes=classes, missing=missing,
                                 file=file or None))


def folder(directory, channels=3):
    """Return the set of the images of a folder with one sub-folder for each class."""
    return Dataset(c.dataset_folder(directory, channels=channels))


def mnist(directory, train=True):
    """Return MNIST, read from its files in a folder."""
    return Dataset(c.dataset_mnist(directory, train))


def cifar10(directory, train=True):
    """Return CIFAR-10, read from its binary files in a folder."""
    return Dataset(c.dataset_cifar10(directory, train))


def cifar100(directory, train=True, coarse=False):
    """Return CIFAR-100, read from its binary files in a folder."""
    return Dataset(c.dataset_cifar100(directory, train, coarse))


def digits(n, seed=0, first=0):
    """Return n drawn digits: "image" uint8 [28, 28, 1], "label" uint8."""
    return Dataset(c.dataset_digits(seed, first, n))


def text(path, length=64, stride=None, characters=False):
    """Return the set of windows of a text: "input", and "target", the next character of each."""
    return Dataset(c.dataset_text(path, length=length, stride=stride, characters=characters))


def concat(sets):
    """Return the examples of several sets, one behind the other."""
    return Dataset(c.dataset_concat([one.handle for one in sets]))


def of(source, names=None):
    """Return the set of an object with len() and source[i], such as one of PyTorch's.

    An example is an array or a tuple of arrays, with the dtypes and the ranks of the first one.
    Loaders call it from several threads.
    """
    def get(index):
        example = source[index]
        example = example if isinstance(example, (tuple, list)) else (example,)
        return tuple(_core.asarray(x) for x in example)

    if not len(source):
        raise ValueError("of: the object has no examples, so their form is unknown")
    first = get(0)
    names = [str(i) for i in range(len(first))] if names is None else names
    fields = [{"name": name, "dtype": x.dtype, "shape": x.shape} for name, x in zip(names, first)]
    return Dataset(c.dataset_source(size=len(source), fields=fields, get=get))


class Loader:
    """Batches of a data set, prepared ahead on threads.  Iterating it is one epoch.

    Batches depend on the seed, the epoch and their number alone.  `whole` is True if all have one
    size.
    """

    def __init__(self, examples, batch=32, *, order="shuffled", shuffle=None, drop_last=False,
                 seed=0, threads=None, prefetch=None, samples=None, steps=None,
                 target_steps=None):
        """Take a data set or a tuple of arrays, and the size of a batch (None: all examples).

        order: "shuffled", "in_order" or "sampled"; shuffle: a bool instead.  threads: None: half
        of those that compute; 0: none.  steps: of data.steps on the first field; target_steps: on
        the second one, with the same random numbers.
        """
        if not isinstance(examples, Dataset):
            examples = arrays(*examples) if isinstance(examples, (tuple, list)) else of(examples)
        self.dataset = examples
        if shuffle is not None:
            order = "shuffled" if shuffle else "in_order"
        batch = batch if batch is None else operator.index(batch)
        if batch is not None and batch < 1:
            raise ValueError(f"batch is {batch}; expected at least 1, or None for all examples")
        n = samples or len(examples)
        self.whole = drop_last or batch is None or n % min(batch, n or 1) == 0
        self.handle = c.loader_new(
            examples.handle, batch=c.ALL_EXAMPLES if batch is None else batch, order=order,
            drop_last=drop_last, seed=seed, threads=-1 if threads == 0 else threads,
            prefetch=prefetch, samples=samples, steps=steps and list(steps),
            target_steps=target_steps and list(target_steps))

    __reduce__ = refuses_pickle("a loader", "pickle the examples, and make the loader again")

    def __len__(self):
        """Return the number of batches of an epoch."""
        return self.handle.batches()

    def __iter__(self):
        """Yield the batches of an epoch, tuples of arrays; a new iterator begins an epoch."""
        place = self.handle.tell()
        if place.batch:
            self.seek(place.epoch + 1)
        return self._batches()

    def _batches(self):
        n = self.handle.fields()
        for _ in range(len(self)):
            yield tuple(self.handle.next(n))
        place = self.handle.tell()
        if place.batch == len(self):
            self.seek(place.epoch + 1)

    def tell(self):
        """Return seed, epoch and number of the next batch."""
        return self.handle.tell()

    def seek(self, epoch, batch=0, seed=None):
        """Go to a batch of an epoch, both counted from 0."""
        seed = self.handle.tell().seed if seed is None else seed
        self.handle.seek({"seed": seed, "epoch": epoch, "batch": batch})

    def source(self, n=None):
        """Return the batches as a ty_batch_source, for trainers; n: number of fields."""
        fields, count = n or self.handle.fields(), len(self)

        def batch(step):
            epoch, number = divmod(step, count)
            place = self.handle.tell()
            if (place.epoch, place.batch) != (epoch, number):
                self.seek(epoch, number)
            return self.handle.next(fields)

        return {"n": fields, "steps_per_epoch": count, "batch": batch}

    def __repr__(self):
        """Show the number of batches and the set."""
        return f"data.Loader({len(self)} batches of {self.dataset!r})"


__getattr__, __dir__ = attributes_of(__name__)
