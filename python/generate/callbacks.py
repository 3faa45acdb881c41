"""Functions of Python that the library calls: what serves each type, and for how long."""

from dataclasses import dataclass, field

# Type of a callback, or its place, and what serves it: thunk of callback.c and slot among
# functions of one context.
THUNKS = {
    "ty_body": ("body", 0),
    "ty_branch": ("branch", 0),
    "ty_condition": ("body", 0),
    "ty_next": ("second_branch", 1),
    "ty_step_function": ("step", 0),
    "ty_log_density": ("single", 0),
    "ty_node_visitor": ("visit", 0),
    "ty_pass": ("pass", 0),
    "ty_forward": ("forward", 0),
    "ty_objective": ("objective", 0),
    "ty_cond.otherwise": ("second_branch", 1),
    "ty_trainer_run.each": ("report_ty_moment", 0),
    "ty_rewrite.act": ("act", 0),
    "ty_callee.f": ("called", 0),
    "ty_callee.vjp": ("lists_vjp", 1),
    "ty_callee.jvp": ("lists_jvp", 2),
    "ty_custom.vjp": ("rule_vjp", 1),
    "ty_custom.jvp": ("rule_jvp", 2),
    "ty_data_source.get": ("example", 0),
    "ty_batch_source.batch": ("batch", 0),
    "ty_minimise_options.each": ("report_ty_minimum", 0),
    "ty_fit_options.step": ("report_ty_moment", 0),
    "ty_fit_options.epoch": ("second_report_ty_epoch", 1),
    "ty_linear.apply": ("single", 0),
    "ty_sink.write": ("write", 0),
    "ty_source.read_at": ("read_at", 0),
    "ty_source.read": ("read", 1),
}

# Numbers of arrays that a callback gets and returns: expressions of C in which v is the frame or
# the struct.
# Without an entry: the n of the function, and its nresults.
COUNTS = {
    "ty_scan.step": ["v->loop.ncarry", "v->loop.nx", "v->loop.ny"],
    "ty_while.next": ["v->n", "v->n"],
    "ty_value_and_derivative.f": ["1"],  # of x alone
    "ty_accumulate.loss": ["v->n + v->nbatch"],  # the parameters, then the parts of the batch
    "ty_quad.f": ["1 + v->n"],  # x, then the parameters
    "ty_fixed_quad.f": ["1 + v->n"],
    "ty_find_root.f": ["1 + v->n"],
    "ty_newton.f": ["1 + v->n"],
    "ty_fsolve.f": ["1 + v->n"],
    "ty_least_squares.f": ["1 + v->n"],
    "ty_curve_fit.f": ["2"],  # the parameters and x
    "ty_odeint.f": ["2 + v->n"],  # t, y, then the parameters
    "ty_model_new.forward": ["0", "v->options.results > 0 ? v->options.results : 1"],
    "ty_data_source.get": ["0", "v->nfields"],
    "ty_batch_source.batch": ["0", "v->n"],
}

# Callbacks that the result of the call goes on using.  Those of structs with a release are freed
# by it.
KEPT = {
    "ty_function_new.body",
    "ty_model_new.forward",
    "ty_rewrite.act",
    "ty_trainer_options.objective",
    "ty_batch_source.batch",
    "ty_source.read_at",
    "ty_source.read",
}

# Functions that gradients of the result call again: an operand more keeps them alive.
AGAIN = {"ty_checkpoint.f"}

# Functions that gradients of the result may call again, which flow through operands alone.
SOLVED = {
    "ty_find_root.f",
    "ty_newton.f",
    "ty_fsolve.f",
    "ty_quad.f",
    "ty_fixed_quad.f",
    "ty_odeint.f",
    "ty_least_squares.f",
    "ty_curve_fit.f",
    "ty_minimise.f",
}

RELEASES = ("release", "done")  # fields that the library calls after the last use


@dataclass
class Callback:
    """A function of the caller's, as descriptor.h describes it."""

    thunk: str
    slot: int
    life: str
    context: str
    release: str = ""
    counts: list = field(default_factory=list)


def callback(place, type_name, names, context):
    """Return the callback at "function.parameter" or "struct.field"; None: nothing serves it."""
    found = THUNKS.get(place) or THUNKS.get(type_name)
    if not found or not context:
        return None
    release = next((r for r in RELEASES if r in names), "")
    life = "RELEASE" if release else "HANDLE" if place in KEPT else "CALL"
    life = "OPERAND" if place in AGAIN else "HISTORY" if place in SOLVED else life
    counts = COUNTS.get(place, [])
    if not counts and "n" in names and not release:
        counts = ["v->n"] + (["v->nresults"] if "nresults" in names else [])
    return Callback(*found, life, context, release, counts)
