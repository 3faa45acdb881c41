"""SciPy's values of test_solve.c: solve_values.py > solve_values.h"""
import numpy as np
import scipy.integrate as si
import scipy.optimize as so

t = np.linspace(0, 4, 20)
i = np.arange(20)
y = 2.5 * np.exp(-1.3 * t) + 0.5 + 0.05 * np.sin(3.7 * i * i)


def decay(t, a, b, c):
    return a * np.exp(-b * t) + c


def line(name, values):
    print("#define %s %s" % (name, ", ".join("%.17g" % v for v in np.ravel(values))))


print("/* Made by solve_values.py with SciPy. */\n#ifndef TESTS_NUMERIC_SOLVE_VALUES_H\n#define TESTS_NUMERIC_SOLVE_VALUES_H")
for name, more in (("", {}), ("_SIGMA", dict(sigma=0.1 * t + 0.1, absolute_sigma=True))):
    p, c = so.curve_fit(decay, t, y, p0=[1, 1, 1], xtol=1e-14, ftol=1e-14, gtol=1e-14, **more)
    line("SCIPY_FIT" + name, p)
    line("SCIPY_COVARIANCE" + name, c)


def robertson(t, y):
    one = -0.04 * y[0] + 1e4 * y[1] * y[2]
    three = 3e7 * y[1] ** 2
    return [one, -one - three, three]


def van_der_pol(t, y):
    return [y[1], 1000 * (1 - y[0] ** 2) * y[1] - y[0]]


r = si.solve_ivp(robertson, (0, 4e6), [1, 0, 0], "Radau", [0.4, 400, 4e6], rtol=1e-11, atol=1e-15)
line("SCIPY_ROBERTSON", r.y.T)
v = si.solve_ivp(van_der_pol, (0, 2000), [2, 0], "Radau", [500, 1000, 2000], rtol=1e-11, atol=1e-14)
line("SCIPY_VAN_DER_POL", v.y.T)
print("#endif")
