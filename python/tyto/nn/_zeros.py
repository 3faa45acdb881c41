"""Functions of the library whose options have other defaults than 0."""

import functools


def zeros_kept(function, reals):
    """Return a function that takes 0 for the real options of these names as 0, not the default."""
    @functools.wraps(function)
    def wrapped(*args, **options):
        for name in options:
            if name in reals and options[name] is not None:
                options[name] = float(options[name]) or -0.0
        return function(*args, **options)

    return wrapped
