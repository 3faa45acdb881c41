#!/usr/bin/env python3
"""Records the current random streams in tests/ops/random/streams.def: STREAM("expression", n, numbers...).

  python3 tests/ops/random/streams.py build/release/tyto > tests/ops/random/streams.def

test_random.c compares the generator with Philox's published vectors; other tests compare distributions with their
moments and cdf.  These values check that streams never change: a new release draws the same numbers as an old one.
"""
import subprocess
import sys
import tempfile

import numpy

EXPRESSIONS = [
    "uniform((5), key({s}))", "uniform((2, 3), key({s}), f32)", "uniform((5), key({s}), f16)",
    "normal((5), key({s}))", "normal((2, 3), key({s}), f32)", "normal((5), key({s}), f16)",
    "uniform((3), fold(key({s}), 7))", "uniform((3), fold_by(key({s}), sum([4, 9])))", "uniform((3), split_key(key({s}), 3)[1])",
    "cast(randint((6), -3, 1000, key({s})), f64)", "cast(randint((4), 0, 2**40, key({s})), f64)",
    "cast(randint((6), 0, 256, key({s}), u8), f64)",
    "cast(bernoulli((8), 0.3, key({s})), f64)", "dropout_mask((8), 0.25, key({s}))",
    "exponential((4), 2, key({s}))", "laplace((4), 1, 2, key({s}))", "logistic((4), 1, 2, key({s}))",
    "gumbel((4), 1, 2, key({s}))", "cauchy((4), 1, 2, key({s}))",
    "random_gamma((4), 0.3, key({s}))", "random_gamma((4), 5, key({s}))", "random_beta((4), 0.5, 3, key({s}))",
    "truncated_normal((4), -1, 2, key({s}))", "truncated_normal((4), 5, inf, key({s}))", "von_mises((4), 2, key({s}))",
    "cast(poisson((5), 0.7, key({s})), f64)", "cast(poisson((5), 80, key({s})), f64)",
    "cast(binomial((5), 9, 0.4, key({s})), f64)", "cast(binomial((5), 1000, 0.4, key({s})), f64)",
    "cast(hypergeometric((5), 30, 20, 10, key({s})), f64)",
    "cast(multinomial(20, [0.2, 0.3, 0.5], key({s})), f64)",
    "cast(categorical([[0.1, 2.0, 0.3], [1.0, 1.0, 1.0]], key({s})), f64)",
    "cast(permutation(9, key({s})), f64)", "cast(permutation(70000, key({s}))[:6], f64)",
    "cast(choice(9, 4, key({s})), f64)", "cast(choice(9, 4, key({s}), false), f64)",
    "cast(choice(100000000, 4, key({s}), false), f64)",
    "cast(choice(4, 6, key({s}), true, [0.1, 0.2, 0.3, 0.4]), f64)", "shuffle(arange(0.0, 7.0), key({s}))",
] + ["draw(\"%s\", (3), key({s}), %s)" % row for row in [
    ("uniform", "-1, 3"), ("normal", "1, 2"), ("exponential", "2"), ("gamma", "0.5, 2"), ("beta", "2, 3"), ("chi2", "3"),
    ("f", "5, 7"), ("t", "4, 1, 2"), ("cauchy", "0, 1"), ("lomax", "2, 3"), ("pareto", "2, 3"), ("weibull", "2, 3"),
    ("laplace", "0, 1"), ("gumbel1", "0, 1"), ("gumbel2", "2, 3"), ("logistic", "0, 1"), ("lognormal", "0, 1"),
    ("rayleigh", "2"), ("triangular", "0, 1, 3"), ("von_mises", "2, 0"), ("bernoulli", "0.3"), ("binomial", "9, 0.4"),
    ("negative_binomial", "3, 0.4"), ("geometric", "0.3"), ("poisson", "4"), ("hypergeometric", "30, 20, 10"),
    ("categorical", "[0.2, 0.3, 0.5]")]]


def numbers(command, expression):
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/x.npy"
        subprocess.run([command, "eval", expression, "-o", path], check=True)
        return numpy.load(path).astype(float).ravel()


def main():
    print("/* Made by streams.py: STREAM(\"expression\", n, numbers...). */")
    for i, template in enumerate(EXPRESSIONS):
        expression = template.replace("{s}", str(i % 5 + 1))
        x = numbers(sys.argv[1], expression)
        quoted = expression.replace('"', '\\"')
        print(f'STREAM("{quoted}", {len(x)}, {", ".join(repr(float(v)) for v in x)})')
    print("#undef STREAM")


if __name__ == "__main__":
    main()
