"""Loops, branches and rules of derivatives, against formulas and functions without them."""

import gc
import os
import sys
import unittest
import weakref

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import tyto
from comparing import Base, array, differences, values
from tyto import c, transform


class Control(Base):
    """Loops and branches."""

    def test_scan(self):
        """A scan returns the last carry and stacked results, and has a gradient."""
        xs = array([1.0, 2.0, 3.0])
        carry, ys = tyto.scan(lambda s, x: (s + x, {"p": s * x}), 0.0, xs)
        self.assertEqual(values((carry, ys)), (6, {"p": [0, 2, 9]}))
        carry, ys = tyto.scan(lambda s, x: (s + x, s), array(0.0), xs, reverse=True)
        self.assertEqual(values(ys), [5, 3, 0])
        self.assertEqual(
            values(tyto.scan(lambda s, x: (s * 2, None), 1.0, None, length=5)), (32, None)
        )
        for checkpoint in (0, 1, 2):

            def f(x, checkpoint=checkpoint):
                return tyto.scan(
                    lambda s, x: (c.sin(s + x), s), array(0.1), x, checkpoint=checkpoint
                )[0]

            self.near(tyto.grad(f)(xs), differences(f, [1.0, 2.0, 3.0]), 1e-6)
        self.assertEqual(values(transform.map(lambda x: x * x, xs)), [1, 4, 9])

    def test_loops(self):
        """while_loop and fori_loop run as often as their values say."""
        self.assertEqual(
            values(tyto.while_loop(lambda v: v[0] < 100, lambda v: (v[0] * 2, v[1] + 1), (1.0, 0))),
            (128, 7),
        )
        self.assertEqual(values(tyto.fori_loop(0, 5, lambda i, v: v + i, 0)), 10)
        self.assertEqual(values(tyto.fori_loop(3, 3, lambda i, v: v + i, 7)), 7)
        self.assertEqual(
            values(tyto.jit(lambda n: tyto.fori_loop(0, n, lambda i, v: v * 2, 1.0))(5)), 32
        )
        self.assertEqual(
            values(tyto.grad(lambda x: tyto.fori_loop(0, 3, lambda i, v: v * x, 1.0))(2.0)), 12
        )
        most = tyto.grad(lambda x: tyto.while_loop(lambda v: v < 10, lambda v: v * x, x, most=20))
        self.assertEqual(values(most(2.0)), 32)

    def test_branches(self):
        """Only the chosen branch runs; gradients flow through it."""
        x = array([1.0, 2.0])
        both = tyto.jit(
            lambda p, x: tyto.cond(p, lambda x: (x, c.sum(x)), lambda x: (-x, 0 * c.sum(x)), x)
        )
        self.assertEqual(values(both(True, x)), ([1, 2], 3))
        self.assertEqual(values(both(False, x)), ([-1, -2], 0))
        chosen = tyto.jit(
            lambda i, x: tyto.switch(i, [lambda x: x, lambda x: 2 * x, lambda x: 3 * x], x)
        )
        self.assertEqual(
            [values(chosen(i, x)) for i in (-5, 0, 1, 2, 9)],
            [[1, 2], [1, 2], [2, 4], [3, 6], [3, 6]],
        )
        self.assertEqual(
            values(tyto.grad(lambda x: tyto.cond(x > 0, lambda x: x * x, lambda x: -x, x))(3.0)), 6
        )

    def test_errors(self):
        """Loops and branches whose results differ are told."""
        x = array([1.0, 2.0])
        cases = [
            (lambda: tyto.scan(lambda s, x: s, 0.0, x), TypeError, "pair"),
            (lambda: tyto.scan(lambda s, x: ((s, s), x), 0.0, x), ValueError, "next carry"),
            (lambda: tyto.scan(lambda s, x: (s, x), 0.0, None), ValueError, "length"),
            (
                lambda: tyto.scan(lambda s, x: (s, x), 0.0, (x, array([1.0]))),
                ValueError,
                "one length",
            ),
            (lambda: tyto.cond(x, c.sin, c.cos, x), TypeError, "one bool"),
            (lambda: tyto.switch(1.5, [c.sin], x), TypeError, "integer"),
            (lambda: tyto.switch(1, [], x), ValueError, "at least one"),
            (
                lambda: tyto.jit(lambda p, x: tyto.cond(p, lambda x: x, lambda x: (x, x), x))(
                    True, x
                ),
                TypeError,
                "one structure",
            ),
            (
                lambda: tyto.jit(lambda p, x: tyto.cond(p, lambda x: [x], lambda x: (x,), x))(
                    True, x
                ),
                TypeError,
                "one structure",
            ),
        ]
        for call, kind, text in cases:
            self.assertRaisesRegex(kind, text, call)

    def test_nested(self):
        """The gradient of a compiled batch of loops is that of the loop."""

        def f(x):
            return c.sum(
                tyto.jit(
                    tyto.vmap(lambda row: tyto.scan(lambda s, v: (s * v, s), array(1.0), row)[0])
                )(x)
            )

        x = array([[2.0, 3.0], [4.0, 5.0]])
        self.assertEqual(values(tyto.grad(f)(x)), [[3, 2], [5, 4]])
        self.assertEqual(values(tyto.jit(tyto.grad(f))(x)), [[3, 2], [5, 4]])
        self.assertEqual(values(tyto.hessian(f)(x[0:1])), [[[[0, 1]], [[1, 0]]]])


class Rules(Base):
    """custom_vjp, custom_jvp, checkpoint."""

    def test_solvers(self):
        """Functions of solvers live as long as gradients may call them, and no longer."""
        low, high, start = array(0.0), array(5.0), array([1.0])
        for name, (solve, want) in {
            "find_root": (lambda f, p: c.find_root(f, low, high, [p]), 0.125**0.5),
            "newton": (lambda f, p: c.newton(f, array(1.0), [p]), 0.125**0.5),
            "fsolve": (lambda f, p: c.fsolve(f, start, [p]), 0.125**0.5),
            "quad": (lambda f, p: c.quad(f, low, high, [p]), -5),
        }.items():
            with self.subTest(name):

                def root(x, p):
                    return x * x - p

                def solved(p, solve=solve, root=root):
                    y = solve(root, p)
                    return tyto.sum(y[0] if isinstance(y, tuple) else y)

                gone = weakref.ref(root)
                y, pull = tyto.vjp(solved, array(2.0))
                del root, solved
                gc.collect()
                self.assertAlmostEqual(pull(array(1.0))[0].item(), want, 6)
                del y, pull
                gc.collect()
                self.assertIsNone(gone())

    def test_called_again(self):
        """A function that gradients call again lives as long as they can be computed."""

        def square(y):
            if fails:
                raise ZeroDivisionError("again")
            return y * y

        fails = []
        gone = weakref.ref(square)
        y, pull = tyto.vjp(lambda x: c.checkpoint(square, [x]), array([1.0, 2.0]))
        del square
        gc.collect()
        self.assertEqual(pull(array([1.0, 1.0]))[0].tolist(), [2, 4])
        fails.append(True)
        self.assertRaisesRegex(ZeroDivisionError, "again", pull, array([1.0, 1.0]))
        del y, pull
        gc.collect()
        self.assertIsNone(gone())

        def cube(x):
            return c.checkpoint(lambda y: c.checkpoint(lambda z: z * z, [y]) * y, [x])

        total = tyto.grad(lambda x: tyto.sum(cube(x)))
        self.assertEqual(total(array([1.0, 2.0])).tolist(), [3, 12])
        self.assertEqual(tyto.jit(total)(array([1.0, 2.0])).tolist(), [3, 12])
        second = tyto.hessian(lambda x: cube(x)[0])(array([2.0, 1.0]))
        self.assertEqual(second.tolist(), [[12, 0], [0, 0]])

    def test_custom_vjp(self):
        """Gradients are those of the rule, also under jit and vmap."""

        @tyto.custom_vjp
        def f(x, y):
            return {"p": x * y, "n": array(3), "s": c.sum(x)}

        f.defvjp(
            lambda x, y: (f(x, y), (x, y)),
            lambda kept, g: (10 * g["p"] * kept[1] + g["s"], g["p"] * kept[0]),
        )
        x, y = array([1.0, 2.0]), array([3.0, 4.0])
        self.assertEqual(values(f(x, y)), {"p": [3, 8], "n": 3, "s": 3})

        def g(x, y):
            z = f(x, y)
            return c.sum(z["p"]) + 2 * z["s"]

        self.assertEqual(values(tyto.grad(g, (0, 1))(x, y)), ([32, 42], [1, 2]))
        self.assertEqual(values(tyto.jit(tyto.grad(g, (0, 1)))(x, y)), ([32, 42], [1, 2]))
        batch = array([[1.0, 2.0], [5.0, 6.0]])
        self.assertEqual(
            values(tyto.vmap(tyto.grad(g), in_axes=(0, None))(batch, y)), [[32, 42], [32, 42]]
        )
        cross = tyto.grad(lambda y: c.sum(tyto.grad(g)(x, y)))(y)
        self.assertEqual(values(cross), [10, 10])

    def test_custom_vjp_arguments(self):
        """Keywords become positional arguments; fixed ones come first in backward."""

        @tyto.custom_vjp
        def f(x, y=2.0):
            return x * y

        f.defvjp(lambda x, y: (x * y, None), lambda kept, g: (7 * g, None))
        self.assertEqual(values(tyto.grad(lambda x: f(x, y=3.0))(2.0)), 7)

        def power(x, n):
            return x**n

        rule = tyto.custom_vjp(power, nondiff_argnums=1)
        rule.defvjp(lambda x, n: (x**n, x), lambda n, x, g: (100 * n * g,))
        self.assertEqual(values(tyto.grad(lambda x: rule(x, 3))(2.0)), 300)
        self.assertRaisesRegex(AttributeError, "defvjp", tyto.custom_vjp(power), 1.0, 2)

    def test_custom_jvp(self):
        """Tangents are those of the rule, and gradients its transpose."""

        @tyto.custom_jvp
        def f(x, y):
            return c.sin(x) * y

        f.defjvps(lambda t, z, x, y: 2 * c.cos(x) * y * t, None)
        x, y = array([0.5, 1.5]), array([2.0, 3.0])
        self.near(tyto.jvp(f, (x, y), (x, y))[1], 2 * c.cos(x) * y * x)
        self.near(tyto.grad(lambda x: c.sum(f(x, y)))(x), 2 * c.cos(x) * y)

    def test_rules_inside_of_loops(self):
        """Rules hold in loops, and their exceptions come out unchanged."""
        f = tyto.custom_vjp(lambda x: x * x)
        f.defvjp(lambda x: (x * x, x), lambda x, g: (3 * x * g,))
        x = array([1.0, 3.0, 2.0])
        total = tyto.grad(lambda x: tyto.scan(lambda s, v: (s + f(v), None), 0.0, x)[0])
        self.assertEqual(values(total(x)), [3, 9, 6])
        loop = tyto.grad(lambda y: tyto.while_loop(lambda v: v < 10, f, y, most=5))
        self.assertEqual(values(loop(2.0)), 72)
        own = KeyError("rule")

        def fail(kept, g):
            raise own

        f.defvjp(lambda x: (x * x, x), fail)
        for make in (tyto.grad, lambda f: tyto.jit(tyto.grad(f))):
            with self.assertRaises(KeyError) as caught:
                make(lambda x: c.sum(f(x)))(x)
            self.assertIs(caught.exception, own)

    def test_results_without_gradient(self):
        """Integers among the results of a checkpoint stay integers."""
        f = tyto.checkpoint(lambda x: (x * x, tyto.argmax(x)))
        x = array([1.0, 3.0, 2.0])
        for make in (lambda f: f, tyto.jit):
            self.assertEqual(values(make(f)(x)), ([1, 9, 4], 1))
        self.assertEqual(values(tyto.vmap(f)(array([[1.0, 2.0], [4.0, 3.0]]))[1]), [1, 0])

    def test_captured(self):
        """Gradients flow to arrays that a body uses besides its arguments."""
        x, w = array([1.0, 3.0, 2.0]), array(2.0)
        functions = [
            lambda w: c.sum(tyto.jit(lambda x: x * w)(x)),
            lambda w: c.sum(tyto.vmap(lambda x: x * w)(x)),
            lambda w: tyto.scan(lambda s, v: (s + v * w, None), 0.0, x)[0],
            lambda w: tyto.jit(lambda p: tyto.cond(p, lambda: w * 6, lambda: w))(True),
        ]
        for f in functions:
            self.assertEqual(values(tyto.grad(f)(w)), 6)
            self.assertEqual(values(tyto.jit(tyto.grad(f))(w)), 6)

    def test_rules_that_do_not_fit(self):
        """Rules that return other numbers or shapes are told."""
        x = array([1.0, 2.0])
        for made, text in (
            (3, "tuple of 1"),
            ((x, x), "tuple of 1"),
            ((array(1.0),), "shape"),
            (({"a": x},), "expected"),
        ):
            f = tyto.custom_vjp(lambda x: c.sum(x))
            f.defvjp(lambda x: (c.sum(x), None), lambda kept, g, made=made: made)
            self.assertRaisesRegex((TypeError, ValueError), text, tyto.grad(f), x)

    def test_checkpoint(self):
        """Values, gradients and gradients by captured arrays are those without a checkpoint."""
        x, w = array([0.5, 1.5]), array([2.0, 3.0])
        calls = []

        def f(x):
            calls.append(1)
            return c.sin(x) * w, c.sum(x)

        def loss(x, f):
            a, b = f(x)
            return c.sum(a) * b

        self.near(
            tyto.grad(lambda x: loss(x, tyto.checkpoint(f)))(x), tyto.grad(lambda x: loss(x, f))(x)
        )
        self.assertGreater(len(calls), 2)
        self.near(tyto.grad(lambda w: c.sum(tyto.checkpoint(lambda x: x * w)(x)))(w), x)

    def test_functions_are_freed(self):
        """Rules, checkpoints and compiled functions free what they hold."""

        class Held:
            pass

        def run(make):
            held = Held()

            def f(x):
                return c.sin(x) if held else x

            result = make(f)
            return weakref.ref(held), result

        x = array([1.0])
        for make in (
            lambda f: tyto.grad(lambda x: c.sum(tyto.checkpoint(f)(x)))(x),
            lambda f: tyto.jit(f)(x),
            lambda f: tyto.vmap(f)(x),
            lambda f: tyto.jit(tyto.grad(lambda x: c.sum(tyto.checkpoint(f)(x))))(x),
        ):
            held, result = run(make)
            gc.collect()
            self.assertIsNone(held())
            del result


if __name__ == "__main__":
    unittest.main()
