"""Optimisers and schedules of learning rates, as pure functions on trees.

    rule = optim.adam(1e-3)
    state = rule.init(parameters)
    parameters, state = rule.update(parameters, gradients, state)
"""

from typing import Any, NamedTuple

from tyto import _core, tree
from tyto._base import attributes_of, offered
from tyto._core import c
from tyto.optim import schedules

# The entries of rules.def, and of hyperparameters.def with their names in other libraries.
RULES = ("sgd", "momentum", "nesterov", "adagrad", "rmsprop", "rmsprop_momentum",
         "rmsprop_centered", "adadelta", "adam", "adamw", "amsgrad", "nadam", "radam", "adamax",
         "lamb", "lion", "lars")
NUMBERS = {"rate": ("lr", "learning_rate"), "momentum": ("beta1",),
           "beta2": ("rho", "alpha"), "epsilon": ("eps",), "decay": ("weight_decay",),
           "trust": ("trust_coefficient",), "slowdown": ("momentum_decay",)}
FLAGS = ("decoupled", "nesterov")

__all__ = ["Optimiser", "State", "clip_by_global_norm", "clip_by_norm", "clip_by_value",
           "minimise", "named", "schedules", *RULES]


class State(NamedTuple):
    """What an optimiser keeps: the number of steps, and trees like that of the parameters."""

    step: Any
    slots: tuple


def _number_name(name):
    """Return the name of a hyperparameter of this library."""
    for ours, others in NUMBERS.items():
        if name == ours or name in others:
            return ours
    if name in FLAGS:
        return name
    known = [*NUMBERS, *FLAGS, *(other for others in NUMBERS.values() for other in others)]
    raise TypeError(f"there is no hyperparameter {name!r}; there are {', '.join(known)}")


class Optimiser:
    """A rule with its numbers and a schedule; it holds no state."""

    def __init__(self, rule, schedule=None, **numbers):
        """Take the name of a rule, and its numbers; None: the rule's default.

        schedule: of optim.schedules, or a function from the step, counted from 1, to the rate.  If
        it has no rate of its own, it is a factor of the optimiser's.
        """
        if rule not in RULES:
            raise ValueError(f"there is no rule {rule!r}; there are {', '.join(RULES)}")
        self.rule, self.schedule = rule, schedule
        self.numbers = {}
        for name, value in numbers.items():
            if value is None:
                continue
            ours = _number_name(name)
            if ours in self.numbers:
                raise TypeError(f"{rule}: {ours} is given twice")
            # 0 stands for the default in the library, and -0.0 for 0 itself
            if ours not in FLAGS:
                c.optimiser_set({"rule": rule}, ours, float(value))  # raises outside its domain
            self.numbers[ours] = bool(value) if ours in FLAGS else float(value) or -0.0
        self.slots = sum(self._has_slot(i) for i in range(c.RULE_STATES))

    def _has_slot(self, i):
        try:
            c.optimiser_state(self.record, i, 0.0)
        except _core.Error:
            return False
        return True

    @property
    def record(self):
        """The optimiser as a ty_optimiser."""
        return dict(self.numbers, rule=self.rule)

    def number(self, name):
        """Return the effective value of a hyperparameter."""
        return c.optimiser_number(self.record, _number_name(name))

    def init(self, parameters):
        """Return the state before the first step."""
        slots = tuple(
            tree.map(lambda x, i=i: c.optimiser_state(self.record, i, x), parameters)
            for i in range(self.slots))
        return State(_core.asarray(0.0), slots)

    def update(self, parameters, gradients, state, rate=None):
        """Return the parameters and the state after a step.  rate: instead of the optimiser's."""
        step = c.add(state.step, 1.0)
        if rate is None and self.schedule is not None:
            rate = self._scheduled(step)
        leaves, form = tree.flatten(parameters)
        flows = tree.leaves_like(form, gradients, "update: gradients")
        slots = [tree.leaves(slot) for slot in state.slots]
        after = []
        for i, (x, g) in enumerate(zip(leaves, flows)):
            after.append(c.optimise(self.record, x, g, [slot[i] for slot in slots], step, rate))
        kept = tuple(
            tree.unflatten(form, [states[k] for _, states in after]) for k in range(self.slots))
        return tree.unflatten(form, [x for x, _ in after]), State(step, kept)

    def _scheduled(self, step):
        rate = self.schedule(step)
        fixed = getattr(self.schedule, "options", {}).get("rate")
        if isinstance(self.schedule, schedules.Schedule) and fixed is None:
            rate = c.mul(rate, self.number("rate"))
        return rate

    def __repr__(self):
        """Show the rule and its numbers."""
        words = [f"{k}={v + 0.0 if k not in FLAGS else v!r}" for k, v in self.numbers.items()]
        words += [f"schedule={self.schedule!r}"] if self.schedule is not None else []
        return f"optim.{self.rule}({', '.join(words)})"


def named(name, **numbers):
    """Return the optimiser of a name, such as "adam", or an optimiser itself."""
    return name if isinstance(name, Optimiser) else Optimiser(name, **numbers)


def _make(rule):
    def function(rate=None, *, schedule=None, **numbers):
        return Optimiser(rule, schedule, rate=rate, **numbers)

    function.__doc__ = (
        f"Return an optimiser of the rule {rule} (docs/training.md).\n\n"
        f"Numbers: {', '.join(NUMBERS)}; PyTorch's names, such as lr, work too.")
    return offered(function, __name__, rule)


for _rule in RULES:
    globals()[_rule] = _make(_rule)


# ---- clipping ----


def _clip(function, gradients, most):
    leaves, form = tree.flatten(gradients)
    clipped = function(leaves, float(most))
    return tree.unflatten(form, clipped)


def clip_by_value(gradients, most):
    """Return a tree whose elements are limited to -most..most."""
    return _clip(c.clip_by_value, gradients, most)


def clip_by_norm(gradients, most):
    """Return a tree whose arrays have norms of at most `most` each."""
    return _clip(c.clip_by_norm, gradients, most)


def clip_by_global_norm(gradients, most):
    """Return a tree whose norm of all elements is at most `most`, and the norm before."""
    leaves, form = tree.flatten(gradients)
    clipped, norm = c.clip_by_global_norm(leaves, float(most))
    return tree.unflatten(form, clipped), norm


# ---- minimisers ----


def minimise(fun, start, **options):
    """Minimise fun(tree), one number, from `start`: (the tree at the minimum, a report).

    Options are those of ty_minimise_options, such as method="newton" and each, a function of the
    state of each iteration, whose result False stops.
    """
    leaves, form = tree.flatten(start)
    leaves = [leaf if isinstance(leaf, _core.Array) else _core.asarray(leaf) for leaf in leaves]
    best, report = c.minimise(lambda *x: fun(tree.unflatten(form, x)), leaves, **options)
    return tree.unflatten(form, best), report


__getattr__, __dir__ = attributes_of(__name__)
