"""Training: trainers against pure functions, history, losses, exceptions; optimisers, schedules."""

import io
import math
import os
import re
import signal
import sys
import tempfile
import threading
import unittest
import unittest.mock

import tyto as ty
from networks import TABLES, Terminal, close, draw, entries
from tyto import data, nn, optim
from tyto.optim import schedules


def problem(n=60):
    """Return inputs and labels of two classes that a line divides."""
    x = draw(1, n, 3)
    return x, ty.astype(x[:, 0] + x[:, 1] > 0, ty.int32)


def network(seed=1):
    return nn.Sequential(nn.linear(8, activation="tanh"), nn.linear(2), seed=seed)


class Training(unittest.TestCase):
    """nn.Trainer and fit."""

    def test_steps_are_those_of_functions(self):
        """A step of the trainer is a step of the pure optimiser on gradients of apply."""
        x, y = problem(20)
        for rule in (optim.sgd(0.1), optim.adam(0.01, weight_decay=0.1), optim.adamw(0.01),
                     optim.nesterov(0.1, momentum=0.8),
                     optim.sgd(0.1, schedule=schedules.cosine(steps=4)),
                     optim.momentum(0.1, schedule=schedules.cosine(0.5, steps=4, warmup=2))):
            with self.subTest(rule=rule):
                model = network()
                trainer = nn.Trainer(model, x, y, batch="all", order="in_order", optimiser=rule)
                p = network().build((20, 3)).parameters()
                pure, state = network().build((20, 3)), rule.init(p)

                def loss(p):
                    return nn.losses.cross_entropy(pure.apply(p, x), y)

                step = ty.jit(lambda p, s: rule.update(p, ty.grad(loss)(p), s))
                for _ in range(3):
                    want = float(loss(p))
                    p, state = step(p, state)
                    self.assertAlmostEqual(trainer.step(), want, places=5)
                for name, value in model.parameters().items():
                    self.assertTrue(close(p[name], value), name)

    def test_fit(self):
        x, y = problem()
        model = network()
        seen = []
        history = model.fit(x[:40], y[:40], epochs=30, batch=10, optimiser=optim.adam(0.05),
                            validation=(x[40:], y[40:]), accuracy=True, epoch=seen.append)
        self.assertEqual([entry.epoch for entry in history], list(range(1, 31)))
        self.assertEqual(len(seen), 30)
        self.assertLess(history[-1].loss, 0.3 * history[0].loss)
        self.assertGreater(history[-1].accuracy, 0.8)
        got = nn.Trainer(model, x, y).accuracy(x[40:], y[40:])
        self.assertAlmostEqual(got, history[-1].accuracy)
        self.assertAlmostEqual(float(nn.metrics.accuracy(model(x[40:]), y[40:])), got)

    def test_examples(self):
        """Arrays, a data set and a loader in order give the same losses."""
        x, y = problem(20)
        losses = []
        for inputs in ((x, y), (data.arrays(x, y),),
                       (data.Loader((x, y), 5, order="in_order", threads=1),)):
            given = {} if len(inputs) == 1 and isinstance(inputs[0], data.Loader) else {
                "batch": 5, "order": "in_order"}
            trainer = nn.Trainer(network(), *inputs, **given)
            losses.append([trainer.step() for _ in range(9)])
        self.assertEqual(losses[0], losses[1])
        self.assertEqual(losses[0], losses[2])

    def test_losses(self):
        x, y = problem(20)
        smooth = {"smoothing": 0.2}
        given = [
            {"loss": ("cross_entropy", smooth)},
            {"loss": "cross_entropy", "loss_options": smooth},
            {"loss": lambda p, t: nn.losses.cross_entropy(p, t, smoothing=0.2)},
            {"objective": lambda call, batch, key: nn.losses.cross_entropy(
                call(batch[0]), batch[1], smoothing=0.2)},
        ]
        steps = [[t.step(), t.step()] for t in (
            nn.Trainer(network(), x, y, order="in_order", **options) for options in given)]
        for losses in steps[1:]:
            self.assertEqual(losses, steps[0])
        plain = nn.Trainer(network(), x, y, order="in_order")
        self.assertNotEqual(plain.step(), steps[0][0])
        t = nn.Trainer(network(), x, draw(2, 20, 2), loss="mse")
        self.assertLess(t.step() and t.run(50) and t.step(), 2)

    def test_zero_is_zero(self):
        """A number 0 among the options of a loss or a metric is 0 itself."""
        p, t = draw(1, 6), ty.asarray([0.0, 1.0] * 3, dtype=ty.float32)
        for power in (0, 0.0):
            self.assertTrue(close(nn.losses.focal(p, t, power=power, alpha=2),
                                  nn.losses.bce_logits(p, t)))
        one = nn.losses.hinge(p, 2 * t - 1, margin=0)
        self.assertTrue(close(one, ty.mean(ty.maximum(-(2 * t - 1) * p, 0))))
        s, labels = draw(2, 30, 3), ty.astype(ty.arange(30) % 3, ty.int32)
        said = ty.argmax(s, axis=1)
        for name in ("confusion", "precision", "recall", "f_score", "kappa", "matthews"):
            function = getattr(nn.metrics, name)
            self.assertEqual(function(said, labels).tolist(), function(s, labels).tolist(), name)
            truth = function(said > 0, labels > 0)
            self.assertEqual(truth.tolist(), function(ty.astype(said > 0, ty.int64),
                                                      ty.astype(labels > 0, ty.int64),
                                                      classes=2).tolist(), name)
        precision = nn.metrics.precision(s, labels)
        self.assertTrue(close(nn.metrics.f_score(s, labels, beta=0), precision))
        metric = nn.metrics.Metric("f_score", classes=3, beta=0)
        metric.add(s, labels)
        self.assertTrue(close(metric.value(), precision))

    def test_more_parts(self):
        x, y = problem(20)
        weights = ty.ones(20, dtype=ty.float32)

        def loss(p, t, w):
            return ty.sum(w * nn.losses.cross_entropy(p, t, reduction="none")) / ty.sum(w)

        weighted = nn.Trainer(network(), x, y, weights, loss=loss, order="in_order")
        self.assertAlmostEqual(
            weighted.step(), nn.Trainer(network(), x, y, order="in_order").step(), places=6)

    def test_groups_and_options(self):
        x, y = problem(20)
        model = network()
        before = model.build((1, 3)).parameters()
        nn.Trainer(model, x, y, groups=[{"prefix": "linear1", "rate": 0.0}], clip_global_norm=1.0,
                   accumulate=2, l2=1e-3, batch=10).run(3)
        after = model.parameters()
        self.assertEqual(before["linear1.weight"].tolist(), after["linear1.weight"].tolist())
        self.assertNotEqual(before["linear2.weight"].tolist(), after["linear2.weight"].tolist())

    def test_checkpoints(self):
        x, y = problem(20)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.safetensors")
            first = nn.Trainer(network(), x, y, batch=5)
            first.run(3)
            first.save(path)
            second = nn.Trainer(network(9), x, y, batch=5)
            second.load(path)
            self.assertEqual(second.steps, 3)
            self.assertEqual([first.step() for _ in range(3)], [second.step() for _ in range(3)])
            model = network()
            model.fit(x, y, epochs=3, batch=5, best=path, checkpoint=path + ".c")
            self.assertTrue(os.path.exists(path) and os.path.exists(path + ".c"))
            first.export_c(os.path.join(folder, "training.c"))
            text = open(os.path.join(folder, "training.h"), encoding="utf-8")
            with text:
                self.assertIn("training_step", text.read())

    def test_stops(self):
        x, y = problem(20)
        trainer = nn.Trainer(network(), x, y, batch=5)
        self.assertEqual(len(trainer.fit(9, epoch=lambda now: now.epoch < 2)), 2)
        steps = trainer.steps
        trainer.fit(9, step=lambda now: now.step < steps + 3)
        self.assertEqual(trainer.steps, steps + 3)
        rate, curve = trainer.find_rate(steps=20)
        self.assertTrue(rate > 0 and curve.shape[1] == 3)
        trainer.set_rate(0.0)
        self.assertEqual(trainer.evaluate(x, y), trainer.evaluate((x, y)))

    def test_bar(self):
        """A bar is drawn on a terminal alone."""
        x, y = problem(20)
        for stream in (Terminal(), io.StringIO()):
            with unittest.mock.patch.object(sys, "stderr", stream), unittest.mock.patch.dict(
                    os.environ, TERM="xterm"):
                network().fit(x, y, epochs=3, batch=5, progress=True)
            if isinstance(stream, Terminal):
                self.assertRegex(stream.getvalue(), r"^\rfit  \[#+\.+\] 1/12  loss \d")
                self.assertRegex(stream.getvalue(), r"\r +\r$")
            else:
                self.assertEqual(stream.getvalue(), "")

    def test_interrupt(self):
        """Ctrl-C stops a training, and a later one goes on."""
        x, y = problem(60)
        trainer = nn.Trainer(network(), x, y, batch=5)
        trainer.step()
        timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            trainer.fit(10**7)
        timer.join()
        steps = trainer.steps
        trainer.run(steps + 2)
        self.assertEqual(trainer.steps, steps + 2)

    def test_norms(self):
        """States of norms follow the batches, and evaluation uses them."""
        x, y = problem(40)
        model = nn.Sequential(nn.batch_norm(), nn.linear(2), seed=1)
        model.fit(x, y, epochs=40, batch=20, optimiser=optim.sgd(0.0))
        self.assertTrue(close(model.states()["norm1.running_mean"], ty.mean(x, axis=0), 0.1))

    def test_exceptions(self):
        class Mine(Exception):
            pass

        def fails(*unused):
            raise error

        error = Mine("mine")
        x, y = problem(20)
        trainer = nn.Trainer(network(), x, y, batch=5)
        for call in (
            lambda: trainer.fit(50, step=fails),
            lambda: trainer.fit(60, epoch=fails),
            lambda: nn.Trainer(network(), x, y, loss=fails).step(),
            lambda: nn.Trainer(network(), x, y, objective=fails).step(),
            lambda: nn.Sequential(nn.linear(2), fails).fit(x, y),
        ):
            with self.assertRaises(Mine) as caught:
                call()
            self.assertIs(caught.exception, error)

    def test_mistakes(self):
        x, y = problem(20)
        for kind, words, call in (
            (ValueError, "no loss 'cross'", lambda: nn.Trainer(network(), x, y, loss="cross")),
            (ValueError, "no rule 'adm'", lambda: nn.Trainer(network(), x, y, optimiser="adm")),
            (TypeError, "mean 'batch'", lambda: nn.Trainer(network(), x, y, bach=2)),
            (TypeError, "nn.Model", lambda: nn.Trainer(len, x, y)),
            (ValueError, "drop_last", lambda: nn.Trainer(network(), data.Loader((x, y), 7))),
            (TypeError, "of its own", lambda: nn.Trainer(network(), data.Loader((x, y), 5), y)),
            (ty.ShapeError, "3 targets", lambda: nn.Trainer(network(), x, y[:3]).step()),
            (ty.ShapeError, "same shape", lambda: nn.Trainer(network(), x, y, loss="l2").step()),
        ):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()


class Optimisers(unittest.TestCase):
    """tyto.optim on trees."""

    def test_tables(self):
        self.assertEqual(set(optim.RULES), entries("rules"))
        self.assertEqual(set(schedules.NAMES), entries("schedules"))
        text = (TABLES / "hyperparameters.def").read_text(encoding="utf-8")
        rows = re.findall(r'^HYPER\((\w+), \w+, "([^"]*)"', text, re.MULTILINE)
        self.assertEqual({name: tuple(others.split()) for name, others in rows}, optim.NUMBERS)

    def test_every_rule_descends(self):
        for rule in optim.RULES:
            with self.subTest(rule):
                one = getattr(optim, rule)()
                p = {"a": ty.asarray([3.0, -2.0]), "b": [ty.asarray([[1.0]])]}
                state = one.init(p)
                step = ty.jit(lambda p, s, one=one: one.update(p, p, s))
                before = 14.0
                for _ in range(5):
                    p, state = step(p, state)
                self.assertLess(float(ty.sum(p["a"] ** 2) + ty.sum(p["b"][0] ** 2)), before)
                self.assertEqual(float(state.step), 5.0)

    def test_adam(self):
        """Kingma and Ba's formula, with PyTorch's names."""
        one = optim.adam(lr=0.1, beta1=0.8, beta2=0.9, eps=1e-3)
        g = ty.asarray([0.5, -2.0])
        p, state = one.update(ty.zeros(2), g, one.init(ty.zeros(2)))
        p, state = one.update(p, g, state)
        m = (0.2 * 0.8 + 0.2) * g / (1 - 0.8**2)
        v = (0.1 * 0.9 + 0.1) * g**2 / (1 - 0.9**2)
        self.assertTrue(close(p, 2 * (-0.1) * m / (ty.sqrt(v) + 1e-3), 1e-12))

    def test_zero_is_zero(self):
        one = optim.momentum(0.1, momentum=0.0)
        p, _ = one.update(ty.ones(1), ty.ones(1), one.init(ty.ones(1)))
        p, _ = one.update(p, ty.ones(1), one.init(p))
        self.assertTrue(close(p, [0.8], 1e-12))
        self.assertEqual(repr(one), "optim.momentum(rate=0.1, momentum=0.0)")

    def test_schedules(self):
        cosine = schedules.cosine(0.2, steps=10)
        for step in range(1, 12):
            want = 0.1 * (1 + math.cos(math.pi * min(step - 1, 10) / 10))
            self.assertAlmostEqual(float(cosine(step)), want, places=12)
        table = schedules.table(1.0, steps_at=[0, 5], rates=[0.1, 0.01])
        self.assertEqual([float(table(5)), float(table(6))], [0.1, 0.01])
        one = optim.sgd(0.5, schedule=schedules.step(steps=1, factor=0.5))
        p, state = ty.zeros(1), one.init(ty.zeros(1))
        moved = []
        for _ in range(3):
            p, state = one.update(p, ty.ones(1), state)
            moved.append(float(p[0]))
        self.assertEqual(moved, [-0.5, -0.75, -0.875])
        mine = optim.sgd(schedule=lambda step: 1.0 / step)
        p, state = mine.update(ty.zeros(1), ty.ones(1), mine.init(ty.zeros(1)))
        self.assertEqual(p.tolist(), [-1.0])
        plateau = schedules.Plateau(0.1, patience=1, factor=0.5)
        self.assertEqual([plateau(1.0) for _ in range(4)], [0.1, 0.1, 0.05, 0.05])

    def test_clipping(self):
        tree = {"x": ty.asarray([3.0, 4.0]), "y": ty.asarray([12.0])}
        clipped, norm = optim.clip_by_global_norm(tree, 6.5)
        self.assertEqual(float(norm), 13.0)
        self.assertTrue(close(clipped["x"], [1.5, 2.0], 1e-12))
        self.assertTrue(close(optim.clip_by_norm(tree, 1)["x"], [0.6, 0.8], 1e-12))
        self.assertEqual(optim.clip_by_value(tree, 3.5)["x"].tolist(), [3.0, 3.5])

    def test_minimise(self):
        best, report = optim.minimise(
            lambda t: (t["x"] - 3) ** 2 + (t["y"] + 1) ** 2, {"x": 0.0, "y": 0.0})
        self.assertTrue(report.converged)
        self.assertTrue(close(best["x"], 3.0) and close(best["y"], -1.0))

    def test_mistakes(self):
        for kind, words, call in (
            (TypeError, "beta3", lambda: optim.adam(beta3=1)),
            (TypeError, "twice", lambda: optim.adam(0.1, lr=0.2)),
            (ty.ArgumentError, "at least 0", lambda: optim.adam(-1.0)),
            (ty.ArgumentError, "above 0", lambda: schedules.cosine(0.1)),
            (ValueError, "no schedule", lambda: schedules.Schedule("cosin")),
            (ValueError, "structure", lambda: optim.sgd().update(
                {"a": ty.ones(1)}, {"b": ty.ones(1)}, optim.sgd().init({"a": ty.ones(1)}))),
        ):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()


class Metrics(unittest.TestCase):
    """Metrics over batches are those of all examples."""

    def test_batches(self):
        scores, labels = draw(1, 30, 4), ty.astype(ty.arange(30) % 4, ty.int32)
        for name in ("accuracy", "f_score", "confusion", "perplexity"):
            metric = nn.metrics.Metric(name, classes=4)
            for i in range(0, 30, 8):
                metric.add(scores[i:i + 8], labels[i:i + 8])
            whole = getattr(nn.metrics, name)(scores, labels, classes=4)
            self.assertTrue(close(metric.value(), whole, 1e-12), name)
        metric.reset()
        self.assertEqual(float(ty.sum(metric.state)), 0.0)
        with self.assertRaises(ValueError):
            nn.metrics.Metric("acuracy")


if __name__ == "__main__":
    unittest.main()
