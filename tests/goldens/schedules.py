"""PyTorch's schedules: schedules.py >schedules.def, the table of tests/nn/test_schedule.c.

    SCHEDULE_CASE(schedule, options, learning rates of 32 steps)
    PLATEAU_CASE(options, numbers, learning rates)
"""
import torch
from torch.optim import lr_scheduler as l

torch.set_default_dtype(torch.float64)
STEPS = 32


def rates(rate, kind, **options):
    optimiser = torch.optim.SGD([torch.zeros(1)], lr=rate, momentum=0.9)
    schedule = kind(optimiser, **options)
    out = []
    for _ in range(STEPS):
        out.append(optimiser.param_groups[0]["lr"])
        optimiser.step()
        schedule.step()
    return out


def by(rate, factor):
    return rates(rate, l.LambdaLR, lr_lambda=factor)


def noam(t, width, warmup):
    return width**-0.5 * min((t + 1) ** -0.5, (t + 1) * warmup**-1.5)


rows = [
    ("constant", ".rate = 0.3", by(0.3, lambda t: 1)),
    ("step", ".rate = 0.5, .steps = 7", rates(0.5, l.StepLR, step_size=7)),
    ("step", ".rate = 0.5, .steps = 5, .factor = 0.5", rates(0.5, l.StepLR, step_size=5, gamma=0.5)),
    ("exponential", ".rate = 0.5, .steps = 1, .factor = 0.9", rates(0.5, l.ExponentialLR, gamma=0.9)),
    ("inverse_time", ".rate = 0.5, .steps = 4, .factor = 0.7", by(0.5, lambda t: 1 / (1 + 0.7 * t / 4))),
    ("polynomial", ".rate = 0.5, .steps = 20", rates(0.5, l.PolynomialLR, total_iters=20)),
    ("polynomial", ".rate = 0.5, .steps = 20, .power = 2", rates(0.5, l.PolynomialLR, total_iters=20, power=2)),
    ("table", ".rate = 1, .n = 3, .steps_at = at, .rates = at_rates",
     rates(1, l.MultiStepLR, milestones=[4, 11, 20], gamma=0.5)),
    ("cosine", ".rate = 0.5, .steps = 31, .end = 0.1", rates(0.5, l.CosineAnnealingLR, T_max=31, eta_min=0.1)),
    ("cosine_restarts", ".rate = 0.5, .steps = 7", rates(0.5, l.CosineAnnealingWarmRestarts, T_0=7)),
    ("cosine_restarts", ".rate = 0.5, .steps = 3, .factor = 2, .end = 0.01",
     rates(0.5, l.CosineAnnealingWarmRestarts, T_0=3, T_mult=2, eta_min=0.01)),
    ("cosine_restarts", ".rate = 0.5, .steps = 1, .factor = 3", rates(0.5, l.CosineAnnealingWarmRestarts, T_0=1, T_mult=3)),
    ("cyclic", ".rate = 0.5, .end = 0.1, .steps = 6", rates(0.1, l.CyclicLR, base_lr=0.1, max_lr=0.5, step_size_up=6)),
    ("noam", ".rate = 2, .steps = 10, .width = 64", by(2, lambda t: noam(t, 64, 10))),
    ("polynomial", ".rate = 0.5, .steps = 20, .warmup = 5",
     by(0.5, lambda t: (t + 1) / 5 if t < 5 else max(0, 1 - (t - 5) / 20))),
    ("constant", ".rate = 0.5, .warmup = 8, .warmup_from = 0.2", by(0.5, lambda t: 0.2 + 0.8 * (t + 1) / 8 if t < 8 else 1)),
]


def one_cycle(steps, **options):
    optimiser = torch.optim.SGD([torch.zeros(1)], lr=0.1, momentum=0.9)
    schedule = l.OneCycleLR(optimiser, max_lr=0.5, total_steps=steps, **options)
    out = []
    for t in range(steps):
        out.append(optimiser.param_groups[0]["lr"])
        optimiser.step()
        if t + 1 < steps:
            schedule.step()
    return out


rows.append(("one_cycle", ".rate = 0.5, .steps = 32", one_cycle(32)))
rows.append(("one_cycle", ".rate = 0.5, .steps = 32, .share = 0.25, .factor = 10, .end = 0.05 / 7",
             one_cycle(32, pct_start=0.25, div_factor=10, final_div_factor=7)))


def plateau(numbers, rate, **options):
    optimiser = torch.optim.SGD([torch.zeros(1)], lr=rate)
    schedule = l.ReduceLROnPlateau(optimiser, eps=0, **options)
    out = []
    for number in numbers:
        schedule.step(number)
        out.append(optimiser.param_groups[0]["lr"])
    return out


falling = [5, 4, 4.1, 4.2, 3.9999, 4.5, 3, 3, 3, 3, 3, 2.9, 2.95, 2.91, 2.92, 2.5, 2.6, 2.7, 2.8, 2.9]
plateaus = [
    (".rate = 1, .patience = 2, .threshold = 1e-4", falling, plateau(falling, 1, patience=2)),
    (".rate = 1, .patience = 0, .factor = 0.5, .cooldown = 3, .threshold = 0.1", falling,
     plateau(falling, 1, patience=0, factor=0.5, cooldown=3, threshold=0.1)),
    (".rate = 1, .patience = 1, .factor = 0.5, .rises = true, .least = 0.2, .threshold = 0.01, .absolute = true",
     [-v for v in falling],
     plateau([-v for v in falling], 1, mode="max", patience=1, factor=0.5, min_lr=0.2, threshold=0.01, threshold_mode="abs")),
]


def words(values):
    lines, line = [], ""
    for i, value in enumerate(values):
        word = "%.16g" % value + ("," if i + 1 < len(values) else "")
        if len(line) + len(word) > 108:
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    return "\n     ".join(lines + [line])


print("/* Written by tests/goldens/schedules.py: PyTorch " + torch.__version__.split("+")[0] +
      ".  SCHEDULE_CASE(schedule, (options), rates of 32 steps), PLATEAU_CASE((options), numbers, rates) */")
for name, options, values in rows:
    print("SCHEDULE_CASE(%s, (%s),\n    (%s))" % (name, options, words(values)))
for options, numbers, values in plateaus:
    print("PLATEAU_CASE((%s),\n    (%s),\n    (%s))" % (options, words(numbers), words(values)))
