"""Training by the library's trainer, which compiles a step once."""

import inspect
import os
from typing import NamedTuple

from tyto import _core, data, optim
from tyto._bar import Bar
from tyto._base import refuses_pickle
from tyto._core import c
from tyto._hints import hint
from tyto.nn import losses
from tyto.nn._model import Model

__all__ = ["Epoch", "Trainer"]


class Epoch(NamedTuple):
    """State of a training at the end of an epoch; NaN: not computed."""

    epoch: int
    step: int
    loss: float
    validation: float
    accuracy: float
    rate: float
    best: bool
    seconds: float


def _arrays(parts):
    """Return arrays of one object, or of a tuple or a data set of several."""
    if parts is None:
        return ()
    if isinstance(parts, data.Dataset):
        return parts.arrays()
    parts = parts if isinstance(parts, (tuple, list)) else (parts,)
    return tuple(x if isinstance(x, _core.Array) else _core.asarray(x) for x in parts)


def _loss(loss, numbers):
    """Return the options of the library for a loss: a name, a pair (name, options), a function."""
    if isinstance(loss, tuple):
        loss, numbers = loss[0], dict(loss[1])
    if isinstance(loss, str):
        losses.named(loss)
        loss = {"mse": "l2", "mae": "l1"}.get(loss, loss)
        if loss in _TWO and not numbers:
            return {"loss_with": loss}
        function = losses.named(loss)
    else:
        function = loss
    if not callable(function):
        raise TypeError(f"loss must be a name, (name, options) or a function, not {loss!r}")

    def objective(model, key, batch):
        return function(model.forward(batch[0], key), *batch[1:], **numbers)

    return {"objective": objective}


# Losses of a prediction and one target, which the trainer takes by name.
_TWO = {name for name in losses.NAMES
        if len([p for p in inspect.signature(losses.named(name)).parameters.values()
                if p.kind is p.POSITIONAL_OR_KEYWORD]) == 2}


# Options of the library's trainer.
_OPTIONS = {name.strip().partition("=")[0] for name in
            c.trainer_new.__text_signature__.rpartition("*, ")[2].rstrip(")").split(",")}


def _check(options):
    """Raise TypeError for an option that neither the trainer nor its fit has."""
    for name in options:
        if name in ("lr", "rate", "learning_rate"):
            raise TypeError(f"a trainer has no option {name!r}; the optimiser has it, as in "
                            f"optimiser=optim.adam({options[name]!r})")
        if name not in _OPTIONS:
            raise TypeError(f"a trainer has no option {name!r}{hint(name, _OPTIONS)}")


class Trainer:
    """A training of a model: batches, a loss, an optimiser.

    The step is recorded and compiled once; a model with lazy=False computes each step at once.
    """

    def __init__(self, model, inputs=None, targets=None, *more, loss="cross_entropy",
                 objective=None, optimiser="adam", schedule=None, loss_options=None, batch=None,
                 order=None, groups=None, **options):
        """Take a model and examples: arrays, a data.Dataset, or a data.Loader.

        loss: a name of nn.losses, or a function (prediction, target, ...).  objective: instead, a
        function (call, batch, key) of the loss of a batch, where call(x, key=key) is the model.
        optimiser: of tyto.optim, or a name.  batch: examples of a step (None: 100).  groups: dicts
        with prefix, rate and decay for parameters whose names begin so.  Further options are those
        of ty_trainer_options (docs/training.md): seed, accumulate, clip_norm, l2, average, ...
        """
        if not isinstance(model, Model):
            raise TypeError(f"a trainer needs an nn.Model, not {type(model).__name__}")
        self.model = model
        self.optimiser = optim.named(optimiser)
        options.update(self._examples(inputs, (targets, *more), batch, order))
        if objective is not None:
            options["objective"] = self._objective(objective)
        else:
            options.update(_loss(loss, loss_options or {}))
        schedule = self.optimiser.schedule if schedule is None else schedule
        if schedule is not None:
            if not isinstance(schedule, optim.schedules.Schedule):
                raise TypeError("a trainer takes schedules of optim.schedules alone; set_rate in a "
                                "callback does others")
            options["schedule"] = schedule.record
        if groups:
            options["groups"] = [_group(group) for group in groups]
        _check(options)
        self.handle = c.trainer_new(model.handle, optimiser=self.optimiser.record, **options)

    __reduce__ = refuses_pickle(
        "a trainer", "write trainer.save(path), and load(path) of one that was made alike; its "
        "model can be pickled")

    def _examples(self, inputs, further, batch, order):
        """Return the options of the library for examples."""
        if isinstance(inputs, data.Loader):
            if batch is not None or order is not None or any(x is not None for x in further):
                raise TypeError("a loader has targets, a batch size and an order of its own")
            if not inputs.whole:
                raise ValueError("all batches of a training have one size; make the loader with "
                                 "drop_last=True")
            self.loader = inputs
            return {"source": inputs.source()}
        if isinstance(inputs, data.Dataset):
            parts = inputs.arrays()
        else:
            parts = sum((_arrays(x) for x in (inputs, *further) if x is not None), ())
        if batch == 0:  # the default of the library
            raise ValueError("batch is 0; expected at least 1, \"all\", or None for 100")
        size = c.ALL_EXAMPLES if batch in ("all", -1) else batch
        made = {"batch": size, "order": order}
        for name, x in zip(("inputs", "targets"), parts):
            made[name] = x
        if len(parts) > 2:
            made["more"] = list(parts[2:])
        return made

    @staticmethod
    def _objective(objective):
        def function(handle, key, batch):
            model = Model.of(handle)
            return objective(lambda *x, key=key: _one(model.handle.call(key, list(x))), batch, key)

        return function

    # ---- steps ----

    def step(self):
        """Do one step on the next batch, and return the loss before it."""
        return self.handle.step()

    def run(self, steps, each=None):
        """Do steps until `steps` are done in all; each(now) may stop them by returning False."""
        return self.handle.run(steps, each)

    def fit(self, epochs=1, *, validation=None, accuracy=False, patience=None, least_change=None,
            best=None, checkpoint=None, restore=False, progress=False, step=None, epoch=None):
        """Train until `epochs` are done, earlier ones included, and return the list of epochs.

        validation: examples, a tuple or a data set; accuracy: of its first field's classes.
        patience: stop after this number of epochs without a better one.  best, checkpoint: paths
        of files.  restore: keep the parameters of the best epoch.  progress: a bar on stderr, if
        that is a terminal.  step(now), epoch(now): functions that may stop it by returning False.
        """
        history = []
        bar = Bar("fit", epochs * self.steps_per_epoch) if progress else None

        def after_step(now):
            if bar is not None:
                bar.update(now.step, f"loss {now.loss:.4g}")
            return True if step is None else step(now)

        def after_epoch(now):
            entry = Epoch(now.epoch, now.step, now.loss, now.validation, now.accuracy, now.rate,
                          now.best, now.seconds)
            history.append(entry)
            return True if epoch is None else epoch(entry)

        try:
            self.handle.fit(
                epochs=epochs, validation=list(_arrays(validation)) or None, accuracy=accuracy,
                patience=patience, least_change=least_change, best=_path(best),
                checkpoint=_path(checkpoint), restore=restore, epoch=after_epoch,
                step=after_step if bar is not None or step is not None else None)
        finally:
            if bar is not None:
                bar.close()
        return history

    def evaluate(self, *parts):
        """Return the mean loss of examples in inference."""
        return self.handle.evaluate(list(_arrays(parts if len(parts) > 1 else parts[0])))

    def accuracy(self, inputs, labels):
        """Return the share of inputs whose largest output is at the label."""
        return self.handle.accuracy(*_arrays((inputs, labels)))

    def find_rate(self, **options):
        """Search a learning rate: (the rate, an array of rates, losses and smoothed losses)."""
        return self.handle.find_rate(**options)

    # ---- state ----

    @property
    def steps(self):
        """Number of steps done."""
        return self.handle.steps()

    @property
    def steps_per_epoch(self):
        """Number of steps of a pass over the examples."""
        return self.handle.steps_per_epoch()

    def set_rate(self, rate):
        """Set the learning rate of the next steps."""
        self.handle.set_rate(rate)

    def use_means(self, means=True):
        """Give the model the means of its parameters (option average), or these again."""
        self.handle.use_means(means)

    def save(self, path):
        """Write a checkpoint: parameters, states of the optimiser, step and rate."""
        self.handle.save(path)

    def load(self, path):
        """Read a checkpoint; further steps are those of an uninterrupted training."""
        self.handle.load(path)

    def export_c(self, path, **options):
        """Write the training as a C file and a header (docs/export.md)."""
        return c.export_trainer(_path(path), self.handle, **options)

    def __repr__(self):
        """Show the model and the number of steps."""
        return f"nn.Trainer({self.model!r}, {self.optimiser!r}, {self.steps} steps done)"


def _path(path):
    return None if path is None else os.fspath(path)


def _one(results):
    return results[0] if len(results) == 1 else tuple(results)


def _group(group):
    """Return a group, in which 0 is 0 itself."""
    return {k: v if isinstance(v, str) else float(v) or -0.0 for k, v in dict(group).items()}


FIT = tuple(inspect.signature(Trainer.fit).parameters)[2:]


def fit(model, inputs, targets, epochs, progress, options):
    """Train a model with a new trainer, and return the history."""
    later = {name: options.pop(name) for name in FIT if name in options}
    trainer = Trainer(model, inputs, targets, **options)
    return trainer.fit(epochs, progress=progress, **later)
