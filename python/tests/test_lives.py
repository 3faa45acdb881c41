"""Objects of the library that are made of other ones: how long they can be used."""

import gc
import unittest

from tyto import c


class Lives(unittest.TestCase):
    """Parents, and what is lent to functions."""

    def test_closed_parents_stay(self):
        """A closed parent is refused, and freed after the objects that were made of it."""
        gc.collect()  # garbage of earlier tests
        before = c.memory_now().live
        with c.model_new(None) as model:
            root = model.root()
        with self.assertRaisesRegex(ValueError, "closed"):
            model.root()
        self.assertIn("closed", repr(model))
        self.assertEqual((root.path(), str(root.dtype())), ("", "float32"))
        del model, root
        gc.collect()
        self.assertEqual(c.memory_now().live, before)

    def test_parts_of_lent_objects(self):
        """They cannot be used after the function has returned, since nothing keeps the model."""
        parts = []

        def forward(layer, x):
            parts.append(c.layer_in(c.layer_in(layer, "a"), "b"))
            self.assertEqual(parts[0].path(), "a.b")
            return x

        model = c.model_new(forward)
        model.forward(c.full("f32", 3, 1.0), None)
        with self.assertRaisesRegex(ValueError, "the Layer belongs to a function that has ret"):
            parts[0].path()
        del model
        with self.assertRaises(ValueError):
            parts[0].path()


if __name__ == "__main__":
    unittest.main()
