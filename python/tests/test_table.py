"""tyto.table: reading, columns, rows, groups, joins, conversions, fits."""

import copy
import datetime
import io
import os
import pathlib
import pickle
import re
import tempfile
import unittest

import tyto as ty
from tyto import table
from tyto.table import Table

try:
    import pandas
except ImportError:
    pandas = None

HEADER = (pathlib.Path(__file__).resolve().parents[2] / "include" / "tyto" / "table_groups.h")
TEXT = "name,age,ok,x\nann,3,true,1.5\nbob,,false,2.5\n,7,true,\nann,9,true,0.5\n"


class Tables(unittest.TestCase):
    """Tables of a small text."""

    def setUp(self):
        self.t = table.parse_csv(TEXT)

    def test_columns(self):
        t = self.t
        self.assertEqual((t.shape, t.columns, len(t)), ((4, 4), ["name", "age", "ok", "x"], 4))
        self.assertEqual(t.kinds, {"name": "words", "age": "whole", "ok": "bool", "x": "number"})
        self.assertEqual(t["name"], ["ann", "bob", None, "ann"])
        self.assertEqual(t["ok"].tolist(), [True, False, True, True])
        self.assertEqual(str(t["age"].tolist()), "[3.0, nan, 7.0, 9.0]")
        self.assertEqual(t.missing("age").tolist(), [False, True, False, False])
        codes, words = t.codes("name")
        self.assertEqual((codes.tolist(), words), ([0, 1, -1, 0], ["ann", "bob"]))
        self.assertTrue("age" in t and "ag" not in t and list(t) == t.keys())
        with self.assertRaisesRegex(ty.ArgumentError, "did you mean age"):
            t["agee"]

    def test_rows(self):
        t = self.t
        self.assertEqual(t[1:3]["name"], ["bob", None])
        self.assertEqual(t[::-2]["x"].tolist(), [0.5, 2.5])
        self.assertEqual(t[2:1].shape, (0, 4))
        self.assertEqual(t[t["x"] > 1]["name"], ["ann", "bob"])
        self.assertEqual(t[[True, False, False, True]]["x"].tolist(), [1.5, 0.5])
        self.assertEqual(t.filter("x > 1 and name == 'ann'")["x"].tolist(), [1.5])
        with self.assertRaisesRegex(ValueError, "unknown name y"):
            t.filter("y > 1")
        self.assertEqual(t.take([3, 0])["age"].tolist(), [9, 3])
        self.assertEqual(t[["x", "name"]].columns, ["x", "name"])
        self.assertEqual(t.head(1).shape, (1, 4))
        self.assertEqual(t.sort("x", descending=True)["x"][:3].tolist(), [2.5, 1.5, 0.5])
        self.assertEqual(t.sort(["name", "x"], [False, True])["x"][:2].tolist(), [1.5, 0.5])
        self.assertEqual(t.drop_missing()["age"].tolist(), [3, 9])
        self.assertEqual(t.drop_missing("age").shape, (3, 4))
        self.assertEqual(t.unique("name").shape, (3, 4))

    def test_new_columns(self):
        t = self.t.assign(y=lambda t: t["x"] * 2, w=["a", None, "b", "a"], m=[1, None, 3, 4],
                          b=[True, None, False, True], f=[1, float("nan"), 2.5, 3])
        self.assertEqual(str(t["y"].tolist()), "[3.0, 5.0, nan, 1.0]")
        self.assertEqual(t["w"], ["a", None, "b", "a"])
        self.assertEqual([t.kinds[k] for k in "mbf"], ["whole", "bool", "number"])
        self.assertEqual(t.missing("m").tolist(), [False, True, False, False])
        self.assertEqual(self.t.columns, ["name", "age", "ok", "x"])
        with self.assertRaisesRegex(TypeError, "words and 1"):
            Table({"a": ["x", 1]})
        with self.assertRaises(ty.Error):
            self.t.assign(z=[1, 2])

    def test_dicts(self):
        again = Table(self.t.to_dict())
        self.assertEqual(again["name"], self.t["name"])
        self.assertEqual(str(again["x"].tolist()), str(self.t["x"].tolist()))
        self.assertEqual(table.from_dict({"a": ty.arange(3)}).kinds, {"a": "whole"})
        self.assertEqual(Table({}).shape, (0, 0))
        self.assertEqual(Table({"a": [1, 2], "b": [0.5, 2]}).matrix().tolist(),
                         [[1.0, 0.5], [2.0, 2.0]])

    def test_groups(self):
        g = self.t.group("name", mean="x", max=["age", "x"])
        self.assertEqual(g.columns, ["name", "x_mean", "age_max", "x_max"])
        self.assertEqual(g["x_mean"].tolist(), [1.0, 2.5])
        g = self.t.group("name", "size", ("x", "sum", "total"), missing=True)
        self.assertEqual((g["size"].tolist(), g["total"].tolist()), ([2, 1, 1], [2.0, 2.5, 0.0]))
        self.assertEqual(self.t.group([], count="x")["x_count"].tolist(), [3])
        self.assertEqual(self.t.counts("name")["count"].tolist(), [2, 1])
        with self.assertRaisesRegex(TypeError, "no reduction 'avg'"):
            self.t.group("name", avg="x")
        text = HEADER.read_text(encoding="utf-8")
        for prefix, words in (("TY_GROUP", table.REDUCTIONS), ("TY_PAIRS", table.PAIRINGS)):
            found = re.findall(rf"^    {prefix}_(\w+),", text, re.MULTILINE)
            self.assertEqual(tuple(w.lower() for w in found if w != "VALUES"), words)

    def test_joins(self):
        other = {"name": ["ann", "cat"], "y": [1, 2], "x": [5, 6]}
        rows = {how: len(self.t.join(other, "name", how)) for how in table.PAIRINGS}
        self.assertEqual(rows, {"inner": 2, "left": 4, "right": 3, "outer": 5})
        joined = self.t.join(other, on="name", suffixes=("_a", "_b"))
        self.assertEqual(joined["x_b"].tolist(), [5, 5])
        with self.assertRaisesRegex(ValueError, "cross"):
            self.t.join(other, "name", "cross")
        self.assertEqual(self.t.append(self.t[:2]).shape, (6, 4))

    def test_texts(self):
        self.assertIn("[4 rows x 4 columns]", repr(self.t))
        html = Table({"a<": ["x&y", None], "b": [1.5, 2]})._repr_html_()
        self.assertIn("<th>a&lt;</th>", html)
        self.assertIn("<td>x&amp;y</td><td>1.5</td>", html)
        self.assertEqual(self.t.describe()["x"].tolist()[:2], [3.0, 1.5])
        self.assertEqual(self.t.describe(words=True)["top"], ["ann", "True"])


class Reshaping(unittest.TestCase):
    """Rows and columns that are chosen, renamed, filled and rearranged."""

    def setUp(self):
        self.t = Table({"city": ["Rome", "Oslo", None, "Rome", "Oslo"], "year": [1, 1, 1, 2, 1],
                        "rain": [1.5, None, 3.0, 4.0, 5.0], "wet": [True, False, True, None, True]})

    def test_rows(self):
        self.assertEqual(self.t.row(1), {"city": "Oslo", "year": 1, "rain": None, "wet": False})
        self.assertEqual(self.t.row(-2)["wet"], None)
        self.assertEqual([row["year"] for row in self.t.rows()], [1, 1, 1, 2, 1])
        self.assertEqual(self.t.tail(2)["city"], ["Rome", "Oslo"])
        self.assertEqual(self.t.tail(9).shape, self.t.shape)
        self.assertEqual(self.t.tail(0).shape, (0, 4))
        for i in (5, -6):
            self.assertRaises(IndexError, self.t.row, i)
        self.assertRaisesRegex(TypeError, r"write t.row\(0\), or t\[0:1\]", lambda: self.t[0])
        self.assertEqual(list(Table().rows()), [])

    def test_random(self):
        numbered = Table({"i": range(20)})
        chosen = numbered.sample(7, key=1)["i"].tolist()
        self.assertEqual(len(set(chosen)), 7)
        self.assertEqual(chosen, numbered.sample(7, key=1)["i"].tolist())
        parts = numbered.split(0.5, 0.3, 0.2, key=2)
        self.assertEqual([len(part) for part in parts], [10, 6, 4])
        self.assertEqual(sorted(i for part in parts for i in part["i"].tolist()), [*range(20)])
        self.assertEqual([len(part) for part in numbered.split(0.33)], [7])
        for fractions in ((), (0.8, 0.3), (-0.1,)):
            self.assertRaises(ValueError, numbered.split, *fractions)
        self.assertRaises(ty.Error, numbered.sample, 21)

    def test_columns(self):
        self.assertEqual(self.t.drop("rain").columns, ["city", "year", "wet"])
        self.assertEqual(self.t.drop(["rain", "city"]).columns, ["year", "wet"])
        renamed = self.t.rename({"city": "place", "wet": "rain", "rain": "mm"})
        self.assertEqual(renamed.columns, ["place", "year", "mm", "rain"])
        self.assertEqual(renamed["place"], self.t["city"])
        self.assertEqual(renamed.kinds["rain"], "bool")
        self.assertEqual(renamed.missing("rain").tolist(), self.t.missing("wet").tolist())
        self.assertRaisesRegex(ValueError, "two columns .*'year'", self.t.rename, {"city": "year"})
        for call in (self.t.drop, lambda name: self.t.rename({name: "x"})):
            self.assertRaisesRegex(ty.Error, 'no column "ciyt" .did you mean city', call, "ciyt")

    def test_fill(self):
        filled = self.t.fill_missing(0)
        self.assertEqual(filled["rain"].tolist(), [1.5, 0, 3, 4, 5])
        self.assertFalse(bool(ty.any(filled.missing("rain"))))
        self.assertEqual(filled["city"][2], None)
        self.assertEqual(self.t.fill_missing("?")["city"][2], "?")
        both = self.t.fill_missing({"city": "?", "wet": False})
        self.assertEqual((both["city"][2], both["wet"].tolist()[3]), ("?", False))
        whole = Table({"n": [2 ** 60 + 1, None]}).fill_missing(3)
        self.assertEqual((whole["n"].tolist(), whole.kinds["n"]), ([2 ** 60 + 1, 3], "whole"))
        empty = table.parse_csv("a,b\n1,\n2,\n")
        self.assertEqual(empty.fill_missing(7)["b"].tolist(), [7, 7])
        self.assertEqual(empty.fill_missing("x")["b"], ["x", "x"])
        self.assertRaises(ty.Error, self.t.fill_missing, {"ciyt": 0})
        for filler in ("x", None):
            self.assertRaisesRegex(TypeError, f"{filler!r} for the column 'rain' of the kind "
                                   "number; expected a number", self.t.fill_missing,
                                   {"rain": filler})

    def test_pivot(self):
        wide = self.t.pivot("city", "year", "rain", "sum")
        self.assertEqual(wide.columns, ["city", "1", "2"])
        self.assertEqual((wide["city"], wide["1"].tolist()), (["Oslo", "Rome"], [5.0, 1.5]))
        self.assertEqual(wide.missing("2").tolist(), [True, False])
        counts = self.t.pivot("city", "year")
        self.assertEqual((counts["1"].tolist(), counts["2"].tolist()), ([2, 1], [0, 1]))
        self.assertEqual(self.t.pivot(["city", "wet"], "year").shape, (3, 3))
        self.assertEqual(self.t.pivot("year", "city", "wet", "count").columns,
                         ["year", "Oslo", "Rome"])
        self.assertRaisesRegex(ValueError, "mode", self.t.pivot, "city", "year", "rain", "mode")
        clash = Table({"city": ["a"], "kind": ["city"]})
        self.assertRaisesRegex(ValueError, "'city'", clash.pivot, "city", "kind")

    def test_melt(self):
        long = self.t.melt("city", ["rain", "year"])
        self.assertEqual(long.columns, ["city", "variable", "value"])
        self.assertEqual(len(long), 10)
        self.assertEqual(long["variable"][4:6], ["rain", "year"])
        self.assertEqual(self.t[["city", "rain"]].melt("city", variable="v", value="x").columns,
                         ["city", "v", "x"])
        self.assertRaises(ty.Error, self.t.melt, "year")
        for given in ({"variable": "city"}, {"value": "city"}, {"variable": "value"}):
            self.assertRaisesRegex(ValueError, "two columns would have the name", self.t.melt,
                                   "city", ["rain"], **given)

    def test_single(self):
        made = self.t.assign(n=3, w="abcde", b=True, gone=None)
        self.assertEqual(made["n"].tolist(), [3] * 5)
        self.assertEqual((made["w"], made["b"].tolist()), (["abcde"] * 5, [True] * 5))
        self.assertEqual(made.missing("gone").tolist(), [True] * 5)
        for source in (3, "abc"):
            self.assertRaisesRegex(TypeError, f"'a' is {source!r}; expected an array or a list",
                                   Table, {"a": source})
        self.assertEqual(self.t.rename(str.upper).columns, [n.upper() for n in self.t.columns])
        self.assertEqual((len(self.t.head(-2)), self.t.tail(-2)["rain"].tolist()),
                         (3, self.t["rain"].tolist()[2:]))
        self.assertRaisesRegex(TypeError, r"write t.row\(3\)", lambda: self.t[ty.asarray(3)])

    def test_pickle(self):
        t = Table({**self.t.to_dict(), "n": [2**60 + 1, None, 3, 4, 5], "e": [None] * 5})
        for made in (pickle.loads(pickle.dumps(t)), copy.deepcopy(t)):
            self.assertEqual((made.kinds, made.to_string()), (t.kinds, t.to_string()))
            self.assertEqual(made.fill_missing(0)["n"].tolist(), [2**60 + 1, 0, 3, 4, 5])
        self.assertEqual(pickle.loads(pickle.dumps(t[:0])).kinds, t[:0].kinds)

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_as_pandas(self):
        frame = pandas.DataFrame({"g": list("abcab" * 8), "h": [1, 2, 3, 4] * 10,
                                  "x": [(i * 7 % 11) / 2 for i in range(40)]})
        for how in ("mean", "sum", "max", "median", "std"):
            wide = Table(frame).pivot("g", "h", "x", how)
            want = frame.pivot_table(index="g", columns="h", values="x", aggfunc=how)
            got = wide.drop("g").matrix().tolist()
            for row, wanted in zip(got, want.to_numpy().tolist()):
                for a, b in zip(row, wanted):
                    self.assertAlmostEqual(a, b)
        long, want = Table(frame).melt("g", ["h", "x"]), frame.melt("g", ["h", "x"])
        self.assertEqual(long["value"].tolist(), want["value"].tolist())
        self.assertEqual(long["variable"], want["variable"].tolist())


class Sources(unittest.TestCase):
    """Objects that tables are made of."""

    def test_rows(self):
        made = Table([{"a": 1, "b": "x"}, {"a": 2, "c": True}, {"b": None}])
        self.assertEqual(made.kinds, {"a": "whole", "b": "words", "c": "bool"})
        self.assertEqual([*made.rows()], [{"a": 1, "b": "x", "c": None},
                                          {"a": 2, "b": None, "c": True},
                                          {"a": None, "b": None, "c": None}])
        self.assertEqual(Table([]).shape, (0, 0))
        self.assertEqual(Table([*made.rows()]).to_string(), made.to_string())
        for source in ([[1, 2], [3, 4]], [{"a": 1}, 2], "abc", 5, ty.ones((2, 2))):
            with self.subTest(source=source):
                self.assertRaisesRegex(TypeError, "a dict of columns or a list of dicts", Table,
                                       source)

    def test_dates(self):
        day = datetime.date(2024, 1, 2)
        made = Table({"day": [day, None], "time": [datetime.datetime(2024, 1, 2, 3, 4), None]})
        self.assertEqual(made["day"], ["2024-01-02", None])
        self.assertEqual(made["time"], ["2024-01-02T03:04:00", None])
        self.assertEqual(made.filter("day > '2023'").shape, (1, 2))
        self.assertRaisesRegex(TypeError, "the column 'x' has <object", Table, {"x": [object()]})
        self.assertRaisesRegex(TypeError, "the column 'x' has ", Table, {"x": [1, day]})

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_times_of_pandas(self):
        frame = pandas.DataFrame({
            "day": pandas.to_datetime(["2024-01-02", None]),
            "time": pandas.to_datetime(["2024-01-02 03:04:05", "2025-01-01 00:00:00"]),
            "fine": pandas.to_datetime(["2024-01-02 03:04:05.25", "2025-01-01 00:00:00.5"]),
            "zone": pandas.to_datetime(["2024-01-02 03:04:05+02:00", None]),
            "span": pandas.to_timedelta(["1 days", None])})
        made = Table(frame)
        self.assertEqual(made["day"], ["2024-01-02", None])
        self.assertEqual(made["time"], ["2024-01-02T03:04:05", "2025-01-01T00:00:00"])
        self.assertEqual(made["fine"], ["2024-01-02T03:04:05.250", "2025-01-01T00:00:00.500"])
        self.assertEqual(made["zone"][1], None)
        self.assertEqual(made["zone"][0][:19], "2024-01-02T03:04:05")
        self.assertEqual(made["span"].tolist()[0], 86400.0)

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_missing_of_pandas(self):
        frame = pandas.DataFrame({
            "s": pandas.array(["a", None], dtype="string"),
            "n": pandas.array([2**60 + 1, None], dtype="Int64"),
            "b": pandas.array([True, None], dtype="boolean"),
            "o": pandas.Series([pandas.NA, 1.5], dtype=object),
            "t": pandas.Series([pandas.NaT, pandas.Timestamp("2024-01-02")], dtype=object)})
        made = Table(frame)
        self.assertEqual(made.kinds, {"s": "words", "n": "whole", "b": "bool", "o": "number",
                                      "t": "words"})
        self.assertEqual((made["s"], made["t"]), (["a", None], [None, "2024-01-02T00:00:00"]))
        self.assertEqual(made.fill_missing(0)["n"].tolist(), [2**60 + 1, 0])
        self.assertEqual(made.missing("o").tolist(), [True, False])

    def test_options_of_pandas(self):
        for header in (0, 1, [0, 1]):
            self.assertRaisesRegex(TypeError, "expected True, the first line has names",
                                   table.parse_csv, "a,b\n1,2\n", header=header)
        for name, words in (("sep", "did you mean 'delimiter'"), ("nrows", "'rows'"),
                            ("usecols", r"select\(names\)"), ("index_col", "no index")):
            self.assertRaisesRegex(TypeError, f"no argument '{name}'.*{words}", table.parse_csv,
                                   "a,b\n1,2\n", **{name: 1})
        self.assertRaisesRegex(TypeError, "'delimiter'", table.parse_csv, "a,b\n", delimeter=";")


class Files(unittest.TestCase):
    """Reading and writing."""

    def test_options(self):
        for text, options, want in (
            ("a;b\n1,5;2\n", {}, {"a": [1.5], "b": [2]}),
            ("1,2\n3,4\n", {"header": False}, {"0": [1, 3], "1": [2, 4]}),
            ("x\n1\n-\n", {"missing": "-", "header": True}, {"x": [1.0, None]}),
            ("# c\nx,y\n1,2\n", {"comment": "#"}, {"x": [1], "y": [2]}),
            ("x y\n1 2\n3 4\n", {"delimiter": " ", "rows": 1}, {"x": [1], "y": [2]}),
            ("skip\nx\n7\n", {"skip_rows": 1}, {"x": [7]}),
            ("x,y\n7\n", {"ragged": True, "header": True}, {"x": [7], "y": [None]}),
            ("x\n7\n", {"words": True, "header": True}, {"x": ["7"]}),
        ):
            with self.subTest(text, **options):
                got = table.parse_csv(text, **options).to_dict()
                got = {k: v if isinstance(v, list) else v.tolist() for k, v in got.items()}
                self.assertEqual({k: [None if x != x else x for x in v] for k, v in got.items()},
                                 want)
        with self.assertRaisesRegex(TypeError, "delimeter"):
            table.parse_csv("a,b", delimeter=",")

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "t.csv"
            table.parse_csv(TEXT).write_csv(path)
            self.assertEqual(table.read_csv(path)["name"], ["ann", "bob", None, "ann"])
            with open(path, "rb") as file:
                self.assertEqual(table.read_csv(file).shape, (4, 4))
            table.parse_csv(TEXT).write_csv(os.path.join(folder, "t.tsv.gz"), precision=3)
            self.assertEqual(table.read_csv(os.path.join(folder, "t.tsv.gz")).shape, (4, 4))
        self.assertEqual(table.read_csv(io.StringIO(TEXT)).shape, (4, 4))
        with self.assertRaises(OSError):
            table.read_csv("no such file.csv")

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_pandas(self):
        frame = pandas.DataFrame({"a": [1, 2], "s": ["u", None], "f": [1.5, float("nan")]})
        made = Table(frame)
        self.assertEqual((made["a"].tolist(), made["s"]), ([1, 2], ["u", None]))
        self.assertEqual(made.missing("f").tolist(), [False, True])
        self.assertTrue(pandas.DataFrame(made.to_dict())["a"].equals(frame["a"]))


class Fits(unittest.TestCase):
    """Models of formulas."""

    def test_least_squares(self):
        x = [i / 10 for i in range(40)]
        g = ["u" if i % 3 else "v" for i in range(40)]
        y = [1 + 2 * a + (3 if b == "v" else 0) + 0.01 * (-1) ** i
             for i, (a, b) in enumerate(zip(x, g))]
        fit = Table({"x": x, "g": g, "y": y}).fit("y ~ x + g")
        self.assertEqual(fit.names, ["(Intercept)", "x", "gv"])
        values = [c.value for c in fit.coefficients.values()]
        for got, want in zip(values, (1, 2, 3)):
            self.assertAlmostEqual(got, want, delta=0.01)
        self.assertLess(fit.coefficients["x"].p, 1e-20)
        self.assertGreater(fit.report.r_squared, 0.999)
        mean = fit.predict({"x": [1.0], "g": ["v"]})
        self.assertAlmostEqual(float(mean[0]), 6.0, delta=0.02)
        self.assertEqual(fit.part("residuals").shape, (40,))
        self.assertIn("R-squared", repr(fit))

    def test_prediction(self):
        t = Table({"x": [0.0, 1, 2, 3, 4], "y": [0.1, 1.2, 1.8, 3.1, 4.2]})
        fit = t.fit("y ~ x")
        means, all_ = fit.predict({"x": [1.0, None]}), fit.prediction({"x": [1.0, 2.0]})
        self.assertEqual(means.shape, (2,))
        self.assertTrue(bool(ty.isnan(means[1])))
        self.assertLess(float(all_.new_low[0]), float(all_.low[0]))
        self.assertLess(float(all_.low[0]), float(means[0]))

    def test_compare_others(self):
        i = ty.arange(20.0)
        t = table.Table({"y": ty.sin(i), "x": ty.cos(i * i), "z": i % 3, "k": i % 7, "w": i + 1,
                         "g": ["abc"[j % 3] for j in range(20)]})
        large = t.fit("y ~ x + z")
        for fit, message in (
                (t.fit("y ~ k"), "does not contain 'k' of the smaller one"),
                (t.assign(x=i).fit("y ~ x"), "does not contain 'x' of the smaller one"),
                (t.fit("exp(y) ~ x"), "other responses, weights or offsets"),
                (t.assign(y=i).fit("y ~ x"), "other responses, weights or offsets"),
                (t.fit("y ~ x", weights=t["w"]), "other responses, weights or offsets"),
                (t.fit("y ~ x", offset=t["w"]), "other responses, weights or offsets"),
                (t.fit("y ~ x", robust=True), "a model has robust errors")):
            self.assertRaisesRegex(ValueError, message, fit.compare, large)
        self.assertRaisesRegex(TypeError, "expected a larger Fit, not int", large.compare, 3)
        gone = [None, *i.tolist()[1:]]
        early = t.assign(x=gone).fit("y ~ x")
        late = t.assign(x=gone[::-1]).fit("y ~ x + z")
        self.assertRaisesRegex(ValueError, "and the same rows", early.compare, late)
        for small, formula in (("y ~ I(x^2)", "y ~ poly(x, 9)"), ("y ~ z", "y ~ g"),
                               ("y ~ x + z", "y ~ poly(x, 2) + g * k"), ("y ~ 1", "y ~ x")):
            for given in ({}, {"weights": t["w"]}):
                found = t.fit(small, **given).compare(t.fit(formula, **given))
                self.assertTrue(0 <= float(found.p) <= 1)

    def test_compare(self):
        g = [i % 3 for i in range(30)]
        x = [(i * 7 % 13) / 3 for i in range(30)]
        y = [1 + 0.3 * a + (b == 2) * 0.4 + (i * 5 % 7) / 9 for i, (a, b) in enumerate(zip(x, g))]
        t = Table({"g": g, "x": x, "y": y, "z": [int(v > 2) for v in y],
                   "n": [int(4 * v) for v in y]})
        small, large = t.fit("y ~ x"), t.fit("y ~ x + factor(g)")
        found = small.compare(large)
        gain = (small.report.deviance - large.report.deviance) / 2
        self.assertAlmostEqual(float(found.statistic), gain / large.report.scale)
        self.assertEqual((float(found.freedom), float(found.freedom2)), (2, 26))
        named = t.fit("y ~ x", family="linear").compare(large)  # another name of the default
        self.assertEqual(float(named.p), float(found.p))
        # a model of the constant alone: the test of the summary
        all_ = t.fit("y ~ 1").compare(large)
        self.assertAlmostEqual(float(all_.p), large.report.test_p, delta=1e-12)
        for formula, family in (("z ~ x", "binomial"), ("n ~ x", "poisson")):
            left = formula[0]
            fit = t.fit(formula, family=family)
            found = t.fit(f"{left} ~ 1", family=family).compare(fit)
            self.assertAlmostEqual(float(found.statistic), fit.report.test, delta=1e-8)
            self.assertAlmostEqual(float(found.p), fit.report.test_p, delta=1e-8)
        self.assertRaisesRegex(ValueError, "expected fewer", large.compare, small)
        self.assertRaisesRegex(ValueError, "one family", small.compare,
                               t.fit("z ~ x", family="binomial"))

    def test_families(self):
        t = Table({"x": [0.0, 1, 2, 3, 4, 5], "y": [0, 0, 1, 0, 1, 1]})
        fit = t.fit("y ~ x", family="binomial")
        self.assertGreater(fit.coefficients["x"].value, 0)
        with self.assertRaisesRegex(ty.Error, 'no column "q"'):
            t.fit("y ~ q")
        with self.assertRaises(ValueError):
            t.fit("y ~ x", family="binominal")


if __name__ == "__main__":
    unittest.main()
