"""Derivatives against differences, compiled functions against eager ones, batches, trees."""

import collections
import dataclasses
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import tyto
from comparing import Base, array, differences, values
from tyto import c, tree


class Point(collections.namedtuple("Point", "x y")):
    """A named tuple as a tree."""


@tree.register_dataclass
@dataclasses.dataclass
class Layer:
    """A dataclass as a tree."""

    weight: object
    bias: object


class Gradients(Base):
    """grad, value_and_grad and their arguments."""

    x = [0.3, 1.2, 2.5]

    def test_against_differences(self):
        """Compare gradients of several functions with differences."""
        functions = [
            lambda x: c.sum(c.sin(x) * x),
            lambda x: c.logsumexp(x),
            lambda x: c.mean(c.exp(x)) / c.sum(x),
            lambda x: c.sum(c.matmul(c.reshape(x, (3, 1)), c.reshape(x, (1, 3)))),
            lambda x: x[1] * x[2] - x[0] ** 2,
            lambda x: c.sum(c.sort(x, 0, False) * array([1.0, 2.0, 3.0])),
        ]
        for f in functions:
            self.near(tyto.grad(f)(array(self.x)), differences(f, self.x), 1e-6)

    def test_values_and_trees(self):
        """Gradients have the structure of the argument."""
        tree_of = {
            "a": array([1.0, 2.0]),
            "b": [array(3.0), Point(array(4.0), array(5.0))],
            "l": Layer(array([6.0]), array(7.0)),
            "none": None,
        }

        def f(p):
            point = p["b"][1]
            return (
                c.sum(p["a"] * p["b"][0]) + point.x * point.y + c.sum(p["l"].weight) * p["l"].bias
            )

        value, gradient = tyto.value_and_grad(f)(tree_of)
        self.assertEqual(values(value), 1 * 3 + 2 * 3 + 4 * 5 + 6 * 7)
        self.assertEqual(
            values(gradient), {"a": [3, 3], "b": [3, Point(5, 4)], "l": Layer([7], 6), "none": None}
        )
        self.assertIsInstance(gradient["b"][1], Point)

    def test_arguments(self):
        """argnums, has_aux and keywords choose what is differentiated and returned."""

        def f(x, y, *, scale=1.0):
            return c.sum(x * y) * scale, {"x": x, "text": "as it is"}

        x, y = array([1.0, 2.0]), array([3.0, 4.0])
        (value, aux), gradients = tyto.value_and_grad(f, argnums=(1, -2), has_aux=True)(
            x, y, scale=2.0
        )
        self.assertEqual(values((value, gradients)), (22, ([2, 4], [6, 8])))
        self.assertEqual(values(aux), {"x": [1, 2], "text": "as it is"})
        gradient, aux = tyto.grad(f, has_aux=True)(x, y)
        self.assertEqual(values(gradient), [3, 4])

    def test_numbers(self):
        """Numbers of Python are arguments, too, and adopt the dtype of arrays."""
        self.assertEqual(values(tyto.grad(tyto.grad(lambda x: x * x * x))(2.0)), 12)
        x = array([1.0, 2.0], dtype="float32")
        value, gradient = tyto.value_and_grad(lambda s: c.sum(x * s))(2.0)
        self.assertEqual((str(value.dtype), values(value), values(gradient)), ("float32", 6, 3))

    def test_results_have_no_history(self):
        """Results can be read, assigned to and exported."""
        value, gradient = tyto.value_and_grad(lambda x: c.sum(x * x))(array(self.x))
        self.assertEqual(c.operator(value), "")
        self.assertEqual(c.operator(gradient), "")

    def test_errors(self):
        """Arguments and results that cannot be differentiated are told."""
        x = array([1.0, 2.0])
        cases = [
            (lambda: tyto.grad(lambda x: x)(x), TypeError, r"shape \(2,\); expected one number"),
            (lambda: tyto.grad(lambda x: 3.0)(x), TypeError, "depends on no argument"),
            (lambda: tyto.grad(lambda x: c.sum(x))(array([1, 2])), TypeError, "argument is int64"),
            (lambda: tyto.grad(lambda x: x, argnums=1)(x), ValueError, "argnums 1 do not fit 1"),
            (lambda: tyto.grad(lambda x, y: c.sum(x), (0, -2))(x, x), ValueError, "twice"),
            (lambda: tyto.grad(lambda x, y: c.sum(x), 1)(x, x), tyto.Error, "allow_unused=True"),
            (lambda: tyto.grad(lambda x: x, has_aux=True)(x), TypeError, "pair"),
        ]
        for call, kind, text in cases:
            self.assertRaisesRegex(kind, text, call)
        unused = tyto.grad(lambda x, y: c.sum(x), (0, 1), allow_unused=True)(x, x)
        self.assertEqual(values(unused), ([1, 1], [0, 0]))

    def test_inner_gradient_of_outer_argument(self):
        """A gradient inside of another one depends on the outer argument."""

        def outer(x):
            return tyto.grad(lambda y: x * x * y * y)(3.0)

        self.assertEqual(values(tyto.grad(outer)(2.0)), 2 * 2 * 2 * 3)
        self.assertEqual(values(tyto.jit(tyto.grad(outer))(2.0)), 24)

    def test_stop_gradient(self):
        """No gradient flows through stop_gradient."""
        self.assertEqual(values(tyto.grad(lambda x: tyto.stop_gradient({"x": x})["x"] * x)(3.0)), 3)


class Products(Base):
    """jvp, vjp and matrices of derivatives."""

    def test_forward_and_reverse(self):
        """jvp, vjp and linearize agree with the Jacobian."""

        def f(x, y):
            return {"p": x * y, "s": c.sum(c.sin(x))}

        x, y = array([0.5, 1.5]), array([2.0, 3.0])
        v, w = array([1.0, -1.0]), array([0.5, 0.25])
        result, tangent = tyto.jvp(f, (x, y), (v, w))
        self.near(tangent["p"], v * y + x * w)
        self.near(tangent["s"], c.sum(c.cos(x) * v))
        same, push = tyto.linearize(f, x, y)
        self.assertEqual(values(push(v, w)), values(tangent))
        self.assertEqual(values(same), values(result))
        result, pull = tyto.vjp(f, x, y)
        gx, gy = pull({"p": v, "s": array(2.0)})
        self.near(gx, v * y + 2 * c.cos(x))
        self.near(gy, v * x)
        self.assertEqual(values(pull({"p": v, "s": array(2.0)})), values((gx, gy)))

    def test_matrices(self):
        """Jacobians and Hessians have the axes of results in front of those of arguments."""
        x = array([1.0, 2.0, 3.0])
        self.assertEqual(
            values(tyto.jacobian(lambda x: x * x)(x)), [[2, 0, 0], [0, 4, 0], [0, 0, 6]]
        )
        blocks = tyto.jacobian(lambda x, y: {"p": x * y[0]}, argnums=(0, 1))(x, array([4.0]))
        self.assertEqual(
            values(blocks), {"p": ([[4, 0, 0], [0, 4, 0], [0, 0, 4]], [[1], [2], [3]])}
        )
        self.assertEqual(
            values(tyto.hessian(lambda x: c.sum(x * x * x))(x)), [[6, 0, 0], [0, 12, 0], [0, 0, 18]]
        )
        tree_of = tyto.hessian(lambda p: p["a"] * p["a"] * p["b"])(
            {"a": array(2.0), "b": array(3.0)}
        )
        self.assertEqual(values(tree_of), {"a": {"a": 6, "b": 4}, "b": {"a": 4, "b": 0}})
        self.assertEqual(values(tyto.hvp(lambda x: c.sum(x * x * x), (x,), (x,))), ([6, 24, 54],))

    def test_later_assignments(self):
        """Arguments may be assigned to before the product is computed."""
        x = array([1.0, 2.0])
        pull = tyto.vjp(lambda x: x * x, x)[1]
        push = tyto.linearize(lambda x: x * x, x)[1]
        x[:] = 100
        ones = array([1.0, 1.0])
        self.assertEqual(values((pull(ones), push(ones))), (([2, 4],), [2, 4]))

        def reused(x):
            room, total = c.zeros("float64", (2,)), 0.0
            for i in range(3):
                room[:] = float(i)
                total = total + c.sum(x * room)
            return total

        self.assertEqual(values(tyto.grad(reused)(x)), [3, 3])
        self.assertEqual(values(tyto.jit(tyto.grad(reused))(x)), [3, 3])

    def test_unused(self):
        """Second derivatives by arguments without influence are errors or zeros."""
        x = array([1.0, 2.0])

        def f(x, y):
            return c.sum(x * x)

        self.assertRaisesRegex(tyto.Error, "allow_unused=True", tyto.hessian(f, 1), x, x)
        self.assertEqual(values(tyto.hessian(f, 1, allow_unused=True)(x, x)), [[0, 0], [0, 0]])
        self.assertEqual(values(tyto.hvp(f, (x, x), (x, x), True)), ([2, 4], [0, 0]))
        self.assertEqual(values(tyto.hessian(lambda x: c.sum(x))(x)), [[0, 0], [0, 0]])

    def test_errors(self):
        """Tangents that do not fit are told."""
        x = array([1.0, 2.0])
        cases = [
            (
                lambda: tyto.jvp(c.sin, (x,), (array([1.0]),)),
                ValueError,
                r"shape \(1,\); expected \(2,\)",
            ),
            (lambda: tyto.jvp(c.sin, (x,), (x, x)), ValueError, "1 primals and 2 tangents"),
            (lambda: tyto.jvp(c.sin, x, x), TypeError, "tuples"),
            (lambda: tyto.vjp(c.sin, x)[1]((x, x)), ValueError, "structure"),
        ]
        for call, kind, text in cases:
            self.assertRaisesRegex(kind, text, call)


class Compiled(Base):
    """jit."""

    def test_same_bits_as_eager(self):
        """Elementwise functions and sums have the bits of eager ones."""
        x = array([0.1, 0.7, 1.3, 2.9], dtype="float32")
        functions = [
            lambda x: c.exp(x) * c.sin(x) + 1.5,
            lambda x: c.sum(x) / 3,
            lambda x: {"a": x * 2.1, "b": [c.sqrt(x), None]},
        ]
        for f in functions:
            self.assertEqual(values(tyto.jit(f)(x)), values(f(x)))

    def test_number_of_programs(self):
        """The function is called once for each form of the arguments."""
        calls = []

        @tyto.jit
        def f(x, scale):
            calls.append(x.shape)
            return x * scale

        x = array([1.0, 2.0])
        for scale in (2.0, 3.0, 4.0):
            self.assertEqual(values(f(x, scale)), [scale, 2 * scale])
        self.assertEqual((calls, f.programs()), ([(2,)], 1))
        f(array([1.0]), 2.0)
        self.assertEqual((calls, f.programs()), ([(2,), (1,)], 2))

    def test_results_by_form(self):
        """The structure of the result may depend on shapes."""
        f = tyto.jit(lambda x: [x] * x.shape[0])
        for n in (1, 3, 2, 3, 1):
            self.assertEqual(values(f(c.ones("float64", (n,)))), [[1.0] * n] * n)
        g = tyto.jit(lambda x: {x.shape[0]: x})
        for n in (1, 3, 1):
            self.assertEqual(list(g(c.ones("float64", (n,)))), [n])

    def test_static(self):
        """Static arguments are passed as they are, by place or name."""
        seen = []

        def f(x, n, mode="a"):
            seen.append((n, mode))
            return x * n if mode == "a" else x + n

        g = tyto.jit(f, static_argnums=1, static_argnames="mode")
        x = array([1.0])
        self.assertEqual(
            [
                values(g(x, 2)),
                values(g(x, 3)),
                values(g(x, 2)),
                values(g(x, n=2)),
                values(g(x, 2, mode="b")),
            ],
            [[2], [3], [2], [2], [3]],
        )
        self.assertEqual(set(seen), {(2, "a"), (3, "a"), (2, "b")})
        self.assertRaisesRegex(TypeError, "hashable", g, x, [1])
        self.assertRaisesRegex(TypeError, "static_argnums", tyto.jit(f), x, 2, "a")
        self.assertRaisesRegex(TypeError, "function", tyto.jit, 3)

    def test_donate(self):
        """The memory of a donated argument may be that of the result."""
        f = tyto.jit(lambda x: x + 1, donate_argnums=0)
        x = c.add(c.ones("float64", (1000,)), c.ones("float64", (1000,)))
        address = memoryview(f(x))
        self.assertEqual(address[0], 3)
        self.assertRaises(tyto.Error, lambda: x + 1)

    def test_branching(self):
        """Reading a promise raises, with the fix."""
        x = array([1.0])
        for read in (
            lambda x: x if c.sum(x) > 0 else -x,
            lambda x: float(x[0]),
            lambda x: memoryview(x),
        ):
            self.assertRaises((TypeError, tyto.Error), tyto.jit(read), x)
        self.assertRaisesRegex(
            (TypeError, tyto.Error), "cond", tyto.jit(lambda x: x if c.sum(x) > 0 else -x), x
        )

    def test_exceptions(self):
        """Exceptions come out unchanged, and the function works afterwards."""

        class Own(Exception):
            pass

        own = Own("text", 3)
        fails = [True]

        def f(x):
            if fails[0]:
                raise own
            return x * 2

        x = array([[1.0]])
        for make in (
            tyto.jit,
            tyto.vmap,
            lambda f: tyto.grad(lambda x: c.sum(f(x))),
            tyto.checkpoint,
            lambda f: lambda x: tyto.scan(lambda s, x: (s, f(x)), 0.0, x)[1],
            lambda f: lambda x: tyto.cond(array(True), f, f, x),
            lambda f: lambda x: tyto.jit(lambda p, x: tyto.cond(p, f, f, x))(True, x),
            lambda f: lambda x: tyto.while_loop(lambda x: c.sum(x) < 1, f, x),
        ):
            fails[0] = True
            made = make(f)
            with self.assertRaises(Own) as caught:
                made(x)
            self.assertIs(caught.exception, own)
            fails[0] = False
            made(x)

    def test_recursion(self):
        """A function that never ends raises RecursionError; others are part of a program."""

        def down(x, n):
            return x if n == 0 else down_jit(x * 2, n - 1)

        down_jit = tyto.jit(down, static_argnums=1)
        self.assertEqual(values(down_jit(array([1.0]), 5)), [32])
        forever = tyto.jit(lambda x: forever(x))
        self.assertRaises(RecursionError, forever, array([1.0]))

    def test_other_results(self):
        """Results that are no arrays are told."""

        def generator(x):
            yield x

        for f in (generator, lambda x: "text", lambda x: object()):
            self.assertRaisesRegex(TypeError, "expected arrays", tyto.jit(f), array([1.0]))
        self.assertEqual(values(tyto.jit(lambda x: (3, None, x))(array([1.0]))), (3, None, [1]))

    def test_unknown_elements(self):
        """Errors name the fix where shapes depend on elements, and tell of arrays without any."""
        x = array([1.0, 2.0])
        for f in (tyto.unique, tyto.nonzero, lambda x: x[x > 1.0]):
            for recorded in (tyto.jit(f), lambda x: tyto.vmap(f)(x[None])):
                self.assertRaisesRegex(TypeError, "elements of a promise", recorded, x)
        given = array([1.0, 2.0])
        tyto.jit(lambda x: x + 1.0, donate_argnums=0)(given)
        self.assertRaisesRegex(TypeError, "given away", given.tolist)

    def test_views(self):
        """Assignments to views of other shapes and orders reach what the views show."""

        def turned(x):
            y = x * 1.0
            y.T[0] = x[1, 0] * 3
            y.mT[1] *= 2
            tyto.swapaxes(y, 0, -1)[1, 1] += 1
            return y

        def shaped(x):
            y = x * 1.0
            row = y.reshape(4)
            row[1:3] = x[0, 0]
            y[1, 1] = 5
            tyto.expand_dims(y, 0)[0, 1] *= row[3]
            y.ravel()[:1] += 2
            return y

        def copied(x):
            y = x * 1.0
            y.T.reshape(4)[0] = 9
            y[:, ::-1].reshape(4)[0] = 9
            return y

        x = array([[1.0, 2.0], [3.0, 4.0]])
        for f in (turned, shaped, copied):
            want = values(f(x))
            self.assertEqual(values(tyto.jit(f)(x)), want)
            self.assertEqual(values(tyto.vmap(f)(x[None]))[0], want)
            gradient = tyto.grad(lambda x: c.sum(f(x) * f(x)))(x)
            flat = lambda v: c.sum(c.square(f(c.reshape(v, (2, 2)))))  # noqa: E731
            self.near(gradient, differences(flat, [1.0, 2.0, 3.0, 4.0]), 1e-5)

    def test_constant_results(self):
        """Results that depend on no argument are new arrays in each call."""
        kept = c.zeros("float64", (2,))
        for f in (lambda x: c.zeros("float64", (2,)), lambda x: (x, kept), lambda x: (x, kept[:1])):
            compiled = tyto.jit(f)
            for unused in range(2):
                result = tree.leaves(compiled(array(1.0)))[-1]
                self.assertEqual(values(result), [0.0] * len(result))
                result[0] = 9.0
        self.assertEqual(values(kept), [0.0, 0.0])

    def test_methods_and_decorators(self):
        """jit decorates methods, with and without options."""

        class Model:
            weight = array([2.0])

            @tyto.jit(static_argnums=0)
            def call(self, x):
                return self.weight * x

        self.assertEqual(values(Model().call(array([3.0]))), [6])


class Batches(Base):
    """vmap."""

    def test_axes(self):
        """Axes of examples are chosen by in_axes and out_axes."""
        x, w = array([[1.0, 2.0], [3.0, 4.0]]), array([10.0, 20.0])
        self.assertEqual(
            values(tyto.vmap(lambda a, b: c.sum(a * b), in_axes=(0, None))(x, w)), [50, 110]
        )
        self.assertEqual(values(tyto.vmap(lambda a: c.sum(a), in_axes=1)(x)), [4, 6])
        self.assertEqual(values(tyto.vmap(lambda a: a, out_axes=1)(x)), [[1, 3], [2, 4]])
        nested = {"x": x, "w": w}
        result = tyto.vmap(lambda p: {"y": p["x"] * p["w"]}, in_axes=({"x": 0, "w": None},))(nested)
        self.assertEqual(values(result), {"y": [[10, 40], [30, 80]]})
        self.assertEqual(
            values(tyto.vmap(lambda a, s: a * s, in_axes=(0, None))(x, 2.0)), [[2, 4], [6, 8]]
        )

    def test_gradients(self):
        """A batch of gradients, and the gradient of a batch."""
        x = array([[1.0, 2.0], [3.0, 4.0]])
        self.assertEqual(values(tyto.vmap(tyto.grad(lambda x: c.sum(x * x)))(x)), [[2, 4], [6, 8]])
        self.assertEqual(
            values(tyto.grad(lambda x: c.sum(tyto.vmap(lambda a: a * c.sum(a))(x)))(x)),
            [[6, 6], [14, 14]],
        )

    def test_errors(self):
        """Axes that do not fit are told."""
        x = array([[1.0, 2.0]])
        cases = [
            (lambda: tyto.vmap(lambda a, b: a, in_axes=(0,))(x, x), ValueError, "1 entries for 2"),
            (lambda: tyto.vmap(lambda a: a, in_axes=None)(x), ValueError, "unknown"),
            (lambda: tyto.vmap(lambda a: a)(), ValueError, "needs an argument"),
            (lambda: tyto.vmap(lambda a, b: a)(x, array([1.0, 2.0])), ValueError, "must match"),
            (lambda: tyto.vmap(lambda a: a, in_axes=5)(x), IndexError, "out of bounds"),
            (lambda: tyto.vmap(lambda a: a, in_axes="0")(x), TypeError, "integers"),
        ]
        for call, kind, text in cases:
            self.assertRaisesRegex(kind, text, call)


class Shapes(Base):
    """eval_shape and trees."""

    def test_eval_shape(self):
        """Shapes are known without values."""
        got = tyto.eval_shape(
            lambda a, n: {"y": c.sum(a), "z": [a] * n}, tyto.ShapeDtype((3, 4), "float32"), 2
        )
        self.assertEqual(got["y"], tyto.ShapeDtype((), "float32"))
        self.assertEqual(got["z"], [tyto.ShapeDtype((3, 4), "float32")] * 2)
        huge = tyto.ShapeDtype((1 << 20, 1 << 20), "float64")
        self.assertEqual(tyto.eval_shape(lambda a: c.matmul(a, a), huge).shape, huge.shape)

    def test_trees(self):
        """Trees are taken apart and put together again."""
        node = {"b": (1, [2, None]), "a": collections.OrderedDict(z=3, y=Point(4, 5))}
        leaves, form = tree.flatten(node)
        self.assertEqual(leaves, [3, 4, 5, 1, 2])
        self.assertEqual(tree.unflatten(form, leaves), node)
        self.assertEqual(hash(form), hash(tree.structure(tree.map(str, node))))
        self.assertEqual(tree.map(lambda x, y: x + y, [1, 2], [3, 4]), [4, 6])
        self.assertEqual(tree.reduce(lambda a, b: a + b, node), 15)
        self.assertRaisesRegex(ValueError, "too few", tree.unflatten, form, [1])
        self.assertRaisesRegex(ValueError, "too many", tree.unflatten, form, [1] * 9)
        self.assertRaisesRegex(ValueError, "expected", tree.map, max, [1, 2], [1])
        self.assertRaisesRegex(ValueError, "registered", tree.register_node, dict, None, None)


if __name__ == "__main__":
    unittest.main()
