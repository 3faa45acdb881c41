"""Show the values of cells of NumPy, PyTorch or scikit-learn: a list of line, column, code and
names on the standard input; arrays of these names lie in files.  The lines are those of show.h."""

import json
import sys

import numpy as np


def show(line, column, value):
    """Print the lines of a value."""
    if isinstance(value, (tuple, list)) and value and hasattr(value[0], "shape"):
        for part in value:
            show(line, column, part)
        return
    value = np.asarray(value.detach().numpy() if hasattr(value, "detach") else value)
    shape = ",".join(str(n) for n in value.shape)
    flat = value.ravel()
    if value.dtype.kind not in "biufc":
        print(f"row {line} {column} text |{value}")
        return
    if value.dtype.kind == "c":
        flat = np.stack([flat.real, flat.imag], axis=-1).ravel()
    print(f"row {line} {column} - {shape}|", *[repr(float(x)) for x in flat])


def names_of(language):
    """Return the names that cells of a library use."""
    found = {"np": np}
    if language == "PyTorch":
        import torch
        p = [torch.nn.Parameter(torch.ones(2))]
        found.update(torch=torch, F=torch.nn.functional, nn=torch.nn, p=p, o=torch.optim.SGD(p, 1),
                     CosineAnnealingLR=torch.optim.lr_scheduler.CosineAnnealingLR,
                     TensorDataset=torch.utils.data.TensorDataset)
    if language == "scikit-learn":
        from sklearn import (cluster, decomposition, linear_model, metrics, model_selection,
                             neighbors, preprocessing, svm)
        for module in (cluster, decomposition, linear_model, metrics, model_selection, neighbors,
                       preprocessing, svm):
            found.update({k: vars(module)[k] for k in module.__all__ if k in vars(module)})
    return found


def main():
    """Evaluate the cells of a library."""
    language = sys.argv[1]
    for line, column, code, names in json.load(sys.stdin):
        scope = names_of(language)
        scope["rng"] = np.random.default_rng(1)
        for name in names:
            scope[name] = np.load(f"{name}.npy")
            if language == "PyTorch":
                scope[name] = scope["torch"].from_numpy(scope[name])
        try:
            try:
                value = eval(code, scope)
            except SyntaxError:
                exec(code, scope)
                continue
            if isinstance(value, (tuple, list, float, int, np.generic)) or hasattr(value, "shape"):
                show(line, column, value)
        except Exception as error:  # a mistake of the page, which names the row
            print(f"line {line}: {code}: {error!r}", file=sys.stderr)


if __name__ == "__main__":
    main()
