"""tyto.data: sets, loaders, steps on images, bars of progress."""

import io
import os
import pathlib
import re
import tempfile
import threading
import unittest
import unittest.mock

import tyto as ty
from networks import Terminal
from tyto import data
from tyto._bar import Bar

HEADER = pathlib.Path(__file__).resolve().parents[2] / "include" / "tyto" / "data.h"


class Sets(unittest.TestCase):
    """Data sets."""

    def test_arrays(self):
        x, y = ty.reshape(ty.arange(12), (6, 2)), ty.arange(6)
        made = data.arrays(x, y, names=["x", "y"])
        self.assertEqual([f.name for f in made.fields], ["x", "y"])
        self.assertEqual((made.fields[0].shape, made.fields[1].shape), ((2,), ()))
        self.assertEqual(len(made), 6)
        self.assertEqual([a.tolist() for a in made[2]], [[4, 5], 2])
        self.assertEqual(made[-1][1].tolist(), 5)
        self.assertEqual(made[1:4].arrays()[1].tolist(), [1, 2, 3])
        self.assertEqual(made[[0, -1, 0]].arrays()[1].tolist(), [0, 5, 0])
        self.assertEqual(made[ty.asarray([2, 1])].arrays()[1].tolist(), [2, 1])
        self.assertEqual([int(b) for _, b in made], list(range(6)))
        self.assertEqual(len(data.concat([made, made])), 12)
        for index in (6, -7):
            with self.assertRaises(IndexError):
                made[index]
        with self.assertRaises(ty.ShapeError):
            data.arrays(ty.ones(3), ty.ones(4))

    def test_split(self):
        made = data.arrays(ty.arange(10))
        a, b = made.split(0.7, 0.3, key=ty.random.key(1))
        self.assertEqual((len(a), len(b)), (7, 3))
        both = sorted(a.arrays()[0].tolist() + b.arrays()[0].tolist())
        self.assertEqual(both, list(range(10)))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("a,b,kind\n1,2,cat\n3,4,dog\n5,6,cat\n")
            made = data.csv(path, target="kind", classes=True)
            self.assertEqual(made.classes, ["cat", "dog"])
            self.assertEqual([f.tolist() for f in made.arrays()],
                             [[[1, 2], [3, 4], [5, 6]], [0, 1, 0]])
            self.assertEqual(made.where(0), "example 0")
            ty.c.archive_save(os.path.join(folder, "t.npz"), ["x"], [ty.ones((4, 2))])
            self.assertEqual(len(data.archive(os.path.join(folder, "t.npz"), "x")), 4)
            text = os.path.join(folder, "t.txt")
            with open(text, "w", encoding="utf-8") as file:
                file.write("abcabcabc")
            x, y = data.text(text, length=4, characters=True)[0]
            self.assertEqual((x.tolist(), y.tolist()), ([0, 1, 2, 0], [1, 2, 0, 1]))
        with self.assertRaises(OSError):
            data.csv("no such file.csv")

    def test_folder(self):
        """Images in a folder for each class, which steps bring to one size."""
        with tempfile.TemporaryDirectory() as folder:
            for name, width, grey in (("cat", 4, 10), ("dog", 6, 200), ("cat", 5, 30)):
                place = pathlib.Path(folder) / name
                place.mkdir(exist_ok=True)
                (place / f"{width}.pgm").write_bytes(
                    b"P5 %d 4 255\n" % width + bytes([grey]) * 4 * width)
            made = data.folder(folder, channels=1)
            self.assertEqual((made.classes, len(made)), (["cat", "dog"], 3))
            self.assertEqual(made.fields[0].shape, (-1, -1, 1))
            self.assertTrue(made.where(2).endswith("dog/6.pgm"))
            steps = [data.steps.resize(size=(4, 4)), data.steps.channels_first()]
            images, labels = next(iter(data.Loader(made, None, shuffle=False, steps=steps)))
            self.assertEqual((images.shape, labels.tolist()), ((3, 1, 4, 4), [0, 0, 1]))
            self.assertAlmostEqual(float(images[1, 0, 2, 2]), 30 / 255, places=6)
            with self.assertRaisesRegex(ty.Error, "size|shape"):
                list(data.Loader(made, 3))

    def test_map(self):
        made = data.arrays(ty.arange(6), ty.ones(6)).map(lambda x, y: (x * 2, y + x), ["a", "b"])
        self.assertEqual([f.name for f in made.fields], ["a", "b"])
        batch = next(iter(data.Loader(made, 3, shuffle=False)))
        self.assertEqual([x.tolist() for x in batch], [[0, 2, 4], [1.0, 2.0, 3.0]])

    def test_own_objects(self):
        main, elsewhere, loading = threading.get_ident(), threading.Event(), []

        class Squares:
            def __len__(self):
                return 20

            def __getitem__(self, i):
                if threading.get_ident() != main:
                    elsewhere.set()
                elif loading:
                    elsewhere.wait(10)
                if i == 13:
                    raise error
                return [float(i), float(i * i)], i

        error = KeyError("mine")
        made = data.of(Squares())
        self.assertEqual(made[4][0].tolist(), [4.0, 16.0])
        loading.append(True)
        batches = list(data.Loader(made[:12], 4, shuffle=False, threads=2))
        self.assertEqual([b[1].tolist() for b in batches], [[0, 1, 2, 3], [4, 5, 6, 7],
                                                           [8, 9, 10, 11]])
        self.assertTrue(elsewhere.is_set())
        with self.assertRaises(KeyError) as caught:
            made[13]
        self.assertIs(caught.exception, error)
        with self.assertRaises(KeyError) as caught:
            list(data.Loader(made, 20, threads=1))
        self.assertIs(caught.exception, error)


class Loaders(unittest.TestCase):
    """Batches."""

    def setUp(self):
        self.set = data.arrays(ty.arange(10), ty.arange(10) * 10)

    def test_epochs(self):
        loader = data.Loader(self.set, 4, seed=3)
        self.assertEqual(len(loader), 3)
        first, second = (list(loader) for _ in range(2))
        self.assertEqual([len(b[0]) for b in first], [4, 4, 2])
        flat = [int(i) for b, _ in first for i in b]
        self.assertEqual(sorted(flat), list(range(10)))
        self.assertNotEqual(flat, [int(i) for b, _ in second for i in b])
        self.assertEqual(loader.tell().epoch, 2)
        loader.seek(0)
        self.assertEqual(flat, [int(i) for b, _ in loader for i in b])
        for x, y in loader:
            self.assertEqual((10 * x).tolist(), y.tolist())

    def test_new_iterators_begin_epochs(self):
        loader = data.Loader(self.set, 4)
        next(iter(loader))
        self.assertEqual(len(list(loader)), 3)
        self.assertEqual(loader.tell().epoch, 2)

    def test_threads_do_not_matter(self):
        images = data.digits(20, seed=1)
        steps = [data.steps.random_crop(size=28, pad=2), data.steps.flip(),
                 data.steps.normalise(mean=0.1, deviation=0.3)]
        epochs = [[b[0] for b in data.Loader(images, 8, steps=steps, threads=n)] for n in (0, 2)]
        for a, b in zip(*epochs):
            self.assertEqual(a.dtype, ty.float32)
            self.assertTrue(bool(ty.all(a == b)))

    def test_mistakes(self):
        for kind, batch in ((ValueError, 0), (ValueError, -1), (TypeError, 1.5)):
            with self.assertRaises(kind):
                data.Loader(self.set, batch)
        with self.assertRaisesRegex(ValueError, "no examples"):
            data.of([])

    def test_sizes(self):
        self.assertEqual([len(b[0]) for b in data.Loader(self.set, 4, drop_last=True)], [4, 4])
        self.assertEqual([len(b[0]) for b in data.Loader(self.set, None)], [10])
        whole = [data.Loader(self.set, n).whole for n in (3, 5, 10, None)]
        self.assertEqual(whole, [False, True, True, True])
        (x,) = next(iter(data.Loader((ty.ones((3, 2)),), 2)))
        self.assertEqual(x.shape, (2, 2))


class Steps(unittest.TestCase):
    """Steps on images."""

    def test_names(self):
        found = re.findall(r"TY_API ty_tensor \*ty_step_(\w+)", HEADER.read_text(encoding="utf-8"))
        self.assertEqual(set(data.steps.NAMES), set(found))

    def test_apply(self):
        image = ty.reshape(ty.arange(6, dtype=ty.uint8), (2, 3, 1))
        steps = data.steps
        self.assertEqual(steps.apply([steps.flip(chance=1.0)], image)[0, :, 0].tolist(), [2, 1, 0])
        self.assertEqual(steps.apply([steps.crop(size=(1, 1))], image).shape, (1, 1, 1))
        one = steps.apply([steps.float(), steps.normalise(mean=0.0, deviation=0.5)], image)
        self.assertAlmostEqual(float(one[1, 2, 0]), 2 * 5 / 255, places=6)
        with self.assertRaisesRegex(ValueError, "chance is 0"):
            steps.flip(chance=0)
        with self.assertRaisesRegex(TypeError, "chanc"):
            steps.apply([steps.flip(chanc=1.0)], image)
        self.assertEqual(repr(steps.flip(chance=0.25)), "steps.flip(chance=0.25)")


class Bars(unittest.TestCase):
    """Progress is drawn on terminals alone."""

    def test_bar(self):
        for stream, drawn in ((io.StringIO(), False), (Terminal(), True)):
            with unittest.mock.patch.dict(os.environ, TERM="xterm"):
                self.assertEqual(list(data.bar(range(5), "work", stream=stream)), list(range(5)))
            text = stream.getvalue()
            self.assertEqual(bool(text), drawn)
            if drawn:
                self.assertIn("work", text)
                self.assertRegex(text, r"\r +\r$")  # erased at the end
        with unittest.mock.patch.dict(os.environ, TERM="dumb"):
            stream = Terminal()
            list(data.bar(range(5), stream=stream))
            self.assertEqual(stream.getvalue(), "")

    def test_line(self):
        line = Bar("fit", 10).line(5, "loss 0.5", 2.0)
        self.assertEqual(line, "fit  [##########..........] 5/10  loss 0.5  2.0 s, 2.0 s left")
        self.assertEqual(Bar("read").line(7, "", 1.0), "read  7  1.0 s")

    def test_exceptions_erase(self):
        stream = Terminal()
        with unittest.mock.patch.dict(os.environ, TERM="xterm"), self.assertRaises(KeyError):
            for i in data.bar(range(3), stream=stream):
                if i == 1:
                    raise KeyError(i)
        self.assertRegex(stream.getvalue(), r"\r +\r$")

    def test_show_progress(self):
        """Long calls report, and the function before is back afterwards."""
        stream = Terminal()
        with unittest.mock.patch.dict(os.environ, TERM="xterm"), ty.show_progress(stream):
            report = ty.progress(None)
            ty.progress(report)
            self.assertTrue(report("fit", 1, 4, 0.5))
        self.assertIn("fit  [#####...............] 1/4", stream.getvalue())
        self.assertRegex(stream.getvalue(), r"\r +\r$")
        self.assertIsNone(ty.progress(None))


if __name__ == "__main__":
    unittest.main()
