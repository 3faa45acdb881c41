"""Models of tyto.nn: custom layers, recurrences, attention, half floats, networks in pairs."""

import unittest

import tyto as ty
from networks import close, draw
from tyto import nn, optim


class Own(unittest.TestCase):
    """Layers of the caller's."""

    def test_random_numbers(self):
        """A custom layer draws with its key, also in a compiled training."""
        def noisy(at, x):
            kept = None if at.key is None else ty.random.bernoulli(at.key, 0.5, x.shape)
            self.assertEqual(at.trains, kept is not None)
            return at.linear(x if kept is None else ty.where(kept, 2 * x, 0), 3)

        model, x = nn.Model(noisy, seed=1), draw(2, 20, 6)
        history = model.fit(x, ty.zeros(20, dtype=ty.int32), epochs=20, batch=5,
                            optimiser=optim.adam(0.02))
        self.assertLess(history[-1].loss, history[0].loss)
        self.assertNotEqual(model(x, key=1).tolist(), model(x, key=2).tolist())
        self.assertEqual(model(x, key=1).tolist(), model(x, key=ty.random.key(1)).tolist())

    def test_tied_weights(self):
        """A layer that is called twice under one name has one set of parameters."""
        def net(at, tokens):
            h = at.embedding(tokens, 7, 4, name="e")
            return at.embedding(ty.tanh(h), 7, 4, name="e")

        model = nn.Model(net, seed=1)
        self.assertEqual(model(ty.asarray([[1, 2, 6]])).shape, (1, 3, 7))
        self.assertEqual(list(model.parameters()), ["e.weight"])
        e = model.parameters()["e.weight"]
        want = ty.tanh(e[ty.asarray([1, 2, 6])]) @ e.T
        self.assertTrue(close(model(ty.asarray([[1, 2, 6]]))[0], want))
        with self.assertRaisesRegex(ty.IndexError, "index 7"):
            model(ty.asarray([[7]]))

    def test_states(self):
        """A running mean of the caller's, in training and in inference."""
        def centred(at, x):
            mean = at.state("mean", (3,))
            at.set_state("mean", (mean + ty.mean(ty.stop_gradient(x), axis=0)) / 2)
            return (x - mean) * at.parameter("scale", 3, 1.0)

        model, x = nn.Model(centred), draw(1, 8, 3)
        model.train()
        model(x)
        model.eval()
        self.assertTrue(close(model.states()["mean"], ty.mean(x, axis=0) / 2))
        self.assertTrue(close(model(x), x - ty.mean(x, axis=0) / 2))

    def test_names_with_other_options(self):
        def net(at, x):
            return at.linear(at.linear(x, 3, name="a"), 4, name="a")

        with self.assertRaisesRegex(ty.Error, "a: it was created with another units"):
            nn.Model(net)(draw(1, 2, 3))


class Modes(unittest.TestCase):
    """Eager models, and the mode of training in recorded functions."""

    def test_eager_gradients(self):
        """Gradients of an eager model are those of a lazy one."""
        x = draw(1, 4, 3)
        found = []
        for lazy in (False, True):
            model = nn.Sequential(nn.linear(3, name="a"), ty.tanh, nn.linear(2, name="b"),
                                  seed=1, lazy=lazy).build((4, 3))
            model.freeze("a.bias")
            value, g = nn.value_and_grad(model, lambda call, x: ty.sum(call(x) ** 2))(x)
            self.assertEqual(list(g), ["a.weight", "b.weight", "b.bias"])
            by_x = ty.grad(lambda x, model=model: ty.sum(model(x) ** 2))(x)
            found.append((value, *g.values(), by_x))
        for eager, lazy in zip(*found):
            self.assertTrue(close(eager, lazy))
            self.assertFalse(eager.is_promise)

    def test_variables_stay_live(self):
        """Compiled functions that use a model see what is assigned to it later."""
        model = nn.Sequential(nn.linear(2, name="a"), nn.batch_norm(), seed=1).build((1, 3))
        x, ones = draw(1, 4, 3), ty.ones(2)  # of float64: cast to the parameter's dtype
        calls = (model, ty.jit(model), ty.vmap(lambda row: model(row[None])[0]))
        given = ty.jit(lambda x: model.apply({"a.bias": ones}, x))
        for step in range(2):
            model.assign({name: 2 * w for name, w in model.parameters().items()})
            model.assign({"norm1.running_mean": [1.0, float(step)]})
            p, s = model.parameters(), model.states()
            scale = p["norm1.weight"] / ty.sqrt(s["norm1.running_var"] + 1e-5)
            for call, bias in (*((call, p["a.bias"]) for call in calls), (given, 1.0)):
                h = x @ p["a.weight"] + bias
                want = (h - s["norm1.running_mean"]) * scale + p["norm1.bias"]
                self.assertTrue(close(call(x), want, 1e-4))

    def test_results_stay(self):
        """Results that were computed do not change with a later assignment."""
        model, x = nn.Sequential(nn.linear(3), seed=1).build((1, 3)), draw(1, 4, 3)
        found = [
            model(x), model.apply({}, x), ty.jit(model)(x),
            ty.vmap(lambda row: model(row[None])[0])(x),
            ty.scan(lambda s, row: (s, model(row[None])[0]), 0.0, x)[1],
            ty.while_loop(lambda s: s[1] < 1, lambda s: (model(s[0]), s[1] + 1), (x, 0))[0],
            ty.cond(True, model, lambda x: x, x), ty.checkpoint(model)(x),
            ty.eval_shape(model, x), ty.vjp(model, x)[0], ty.jvp(model, (x,), (x,))[0],
        ]
        want = (x @ model.parameters()["linear1.weight"]).tolist()
        self.assertEqual(found[8].shape, (4, 3))
        model.assign({"linear1.weight": ty.zeros((3, 3))})
        for i, y in enumerate(found):
            if i != 8:
                self.assertTrue(close(y, want), i)

    def test_training_is_not_recorded(self):
        model, x = nn.Sequential(nn.dropout(0.5), nn.batch_norm(), seed=1), draw(1, 4, 3)
        model.build((1, 3)).train(1)
        with self.assertRaisesRegex(RuntimeError, "use apply"):
            ty.jit(model)(x)
        before = model.states()["norm1.running_mean"].tolist()
        ty.grad(lambda x: ty.sum(model(x)))(x)
        self.assertNotEqual(model.states()["norm1.running_mean"].tolist(), before)
        model.eval()
        self.assertTrue(close(ty.jit(model)(x), model(x)))


class Recurrences(unittest.TestCase):
    """Recurrences from states, and attention with further operands."""

    def test_states_continue(self):
        """Two halves of a sequence, the second one from the states of the first, are the whole."""
        x = draw(1, 2, 6, 3)
        for kind in ("lstm", "gru", "recurrent"):
            def whole(at, x, kind=kind):
                return getattr(at, kind)(x, 4, name="r")

            def halves(at, x, kind=kind):
                call = getattr(at, kind + "_from")
                first, more = call(x[:, :3], units=4, name="r")
                fields = {"h": more.h, "c": more.c} if kind == "lstm" else {"h": more.h}
                second, _ = call(x[:, 3:], fields, units=4, name="r")
                return ty.concat([first, second], axis=1)

            with self.subTest(kind):
                self.assertTrue(
                    close(nn.Model(whole, seed=1)(x), nn.Model(halves, seed=1)(x)))

    def test_lengths(self):
        def net(at, x):
            return at.gru_from(x, {"lengths": ty.asarray([2, 5])}, units=4)[0]

        y = nn.Model(net, seed=1)(draw(1, 2, 5, 3))
        self.assertEqual(float(ty.max(ty.abs(y[0, 2:]))), 0.0)
        self.assertGreater(float(ty.min(ty.max(ty.abs(y[1]), axis=1))), 0.0)

    def test_attention(self):
        def own(at, x):
            return at.multi_head_attention(x, 2, name="a")

        def given(at, x):
            return at.attend(x, {"keys": x, "values": x}, heads=2, name="a")[0]

        x = draw(1, 2, 5, 8)
        self.assertTrue(close(nn.Model(own, seed=1)(x), nn.Model(given, seed=1)(x)))


class Trainings(unittest.TestCase):
    """Other dtypes, and networks that learn from each other."""

    def test_dtypes(self):
        x, y = draw(1, 20, 6), ty.zeros(20, dtype=ty.int32)
        half = nn.Sequential(nn.linear(8, activation="relu"), nn.linear(3), compute="bfloat16",
                             seed=1)
        history = half.fit(x, y, epochs=10, batch=5, optimiser=optim.adam(0.02))
        self.assertLess(history[-1].loss, history[0].loss)
        self.assertEqual({str(w.dtype) for w in half.parameters().values()}, {"float32"})
        double = nn.Sequential(nn.linear(3), dtype="float64", seed=1)
        self.assertEqual(double(ty.astype(x, ty.float64)).dtype, ty.float64)

    def test_two_networks(self):
        """Generator and discriminator: each objective calls the other network."""
        real = draw(1, 40, 2) * 0.2 + ty.asarray([2.0, -1.0], dtype=ty.float32)
        made = nn.Sequential(nn.linear(2), seed=1).build((8, 2))
        judge = nn.Sequential(nn.linear(8, activation="tanh"), nn.linear(1), seed=2).build((8, 2))

        def noise(key):
            return ty.random.normal(key, (8, 2), ty.float32)

        def judged(call, batch, key):
            right = nn.losses.bce_logits(call(batch[0]), 1.0)
            return right + nn.losses.bce_logits(call(made(noise(key))), 0.0)

        def fooled(call, batch, key):
            return nn.losses.bce_logits(judge(call(noise(key))), 1.0)

        one = nn.Trainer(judge, real, objective=judged, batch=8, optimiser=optim.adam(0.02))
        two = nn.Trainer(made, real, objective=fooled, batch=8, optimiser=optim.adam(0.02))
        before = ty.mean(made(noise(ty.random.key(5))), axis=0)
        for _ in range(150):
            one.step()
            two.step()
        after = ty.mean(made(noise(ty.random.key(5))), axis=0)
        goal = ty.asarray([2.0, -1.0])
        self.assertLess(float(ty.linalg.vector_norm(after - goal)),
                        0.7 * float(ty.linalg.vector_norm(before - goal)))

    def test_transformations(self):
        model, x = nn.Sequential(nn.linear(3), ty.tanh, seed=1).build((1, 6)), draw(1, 5, 6)
        p = model.parameters()
        each = ty.vmap(ty.grad(lambda v: ty.sum(model.apply(p, v[None]) ** 2)))(x)
        whole = ty.grad(lambda x: ty.sum(model.apply(p, x) ** 2))(x)
        self.assertTrue(close(each, whole))
        kept = ty.grad(ty.checkpoint(lambda p: ty.sum(model.apply(p, x) ** 2)))(p)
        plain = ty.grad(lambda p: ty.sum(model.apply(p, x) ** 2))(p)
        rule = optim.sgd(0.1)

        def step(state, unused):
            return rule.update(state[0], ty.grad(
                lambda p: ty.sum(model.apply(p, x) ** 2))(state[0]), state[1]), None

        (scanned, _), _ = ty.scan(step, (p, rule.init(p)), ty.arange(3))
        state = (p, rule.init(p))
        for _ in range(3):
            state, _ = step(state, None)
        for name in p:
            self.assertTrue(close(kept[name], plain[name]), name)
            self.assertTrue(close(scanned[name], state[0][name]), name)


if __name__ == "__main__":
    unittest.main()
