"""Classes of handles: methods, closing, threads, parents."""

import gc
import threading
import unittest

import tyto
from tyto import c


class Handles(unittest.TestCase):
    """Classes of handles."""

    def test_methods(self):
        program = c.compile([c.mul(c.var(c.full("f64", 3, 2.0), "v"), 2.0)])
        program.run()
        self.assertEqual(c.item(c.sum(program.output(0))), 12.0)
        self.assertGreater(program.report().kernels, 0)

    def test_closed(self):
        with c.compile([c.mul(c.var(c.full("f64", 3, 2.0), "v"), 2.0)]) as program:
            pass
        with self.assertRaisesRegex(ValueError, "closed"):
            program.run()
        program.close()

    def test_failures_are_raised(self):
        with self.assertRaises(tyto.Error) as caught:
            c.table_read("no such file.csv")
        self.assertIsInstance(caught.exception, OSError)

    def test_other_classes(self):
        with self.assertRaisesRegex(TypeError, "must be a Program"):
            c.run(c.plot_new())
        with self.assertRaises(TypeError):
            c.Program()

    def test_close_in_use(self):
        function = None

        def body(x):
            function.close()
            return x

        function = c.function_new(body, 1, 1)
        with self.assertRaisesRegex(RuntimeError, "in use"):
            function.call([c.full("f64", 3, 1.0)], 1)

    def test_other_threads(self):
        """A thread is refused while another one changes the object."""
        inside, leave, refused = threading.Event(), threading.Event(), []

        def body(layer, x):
            inside.set()
            leave.wait(10)
            return x

        model, x = c.model_new(body), c.full("f32", 3, 1.0)
        thread = threading.Thread(target=model.forward, args=(x, None))
        thread.start()
        inside.wait(10)
        for call in (lambda: model.forward(x, None), model.results, model.close):
            try:
                call()
            except RuntimeError as error:
                refused.append(str(error))
        leave.set()
        thread.join()
        self.assertEqual(refused[:2], ["another thread uses the Model"] * 2)
        self.assertEqual(len(refused), 3)
        self.assertEqual(model.forward(x, None).shape, (3,))

    def test_bytes_stay(self):
        """An archive reads its bytes later, so it keeps them and lets nobody move them."""
        data = bytearray(c.archive_bytes(["x"], [c.full("f64", 3, 2.0)], format="npz"))
        archive = c.archive_parse(data)
        with self.assertRaises(BufferError):
            data.clear()
        del data
        gc.collect()
        self.assertEqual(c.item(c.sum(archive.get("x"))), 6.0)

    def test_parents_stay(self):
        dataset = c.dataset_arrays([c.full("f64", (4, 3), 1.0)], ["x"])
        loader = c.loader_new(dataset, batch=2)
        del dataset
        gc.collect()
        self.assertEqual(loader.next(1)[0].shape, (2, 3))


if __name__ == "__main__":
    unittest.main()
