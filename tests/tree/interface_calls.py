"""Calls the library through the binding of docs/interface.md, which is made from tyto.json alone.

    python3 interface_calls.py MODULE TYTO.JSON LIBTYTO.SO

MODULE is the file of Python code of that page.
"""
import ctypes
import importlib.util
import re
import sys

spec = importlib.util.spec_from_file_location("tyto_ctypes", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
ty = module.Tyto(sys.argv[2], sys.argv[3])
j = ty.description
passed = failed = 0


def check(condition, about):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition:
        print("not: %s" % about)


Tensor = ctypes.POINTER(ty.types["ty_tensor"])
released = []


def sizes(*values):
    return (ctypes.c_int64 * max(len(values), 1))(*values)


def tensors(*values):
    return (Tensor * max(len(values), 1))(*values)


def make(values, dtype="TY_F64", kind=ctypes.c_double):
    return ty.ty_from(getattr(ty, dtype), 1, sizes(len(values)), (kind * len(values))(*values))


def numbers(x, count):
    out = (ctypes.c_double * count)()
    check(ty.ty_read(x, ty.TY_F64, out), ty.ty_error(x))
    return list(out)


def address(tensor):
    return ctypes.cast(tensor, ctypes.c_void_p).value


def facts(function, struct, *arguments):
    """The struct that a function returns, or writes to its last parameter."""
    if {"name": struct} == next(f["result"] for f in j["functions"] if f["name"] == function):
        return getattr(ty, function)(*arguments)
    out = ty.types[struct]()
    getattr(ty, function)(*arguments, ctypes.byref(out))
    return out


def layouts():
    for s in j["structs"]:
        struct = ty.types[s["name"]]
        check(ctypes.sizeof(struct) == s["size"] and ctypes.alignment(struct) == s["align"], s["name"])
        for f in s["fields"]:
            field = getattr(struct, f["name"])
            check((field.offset, field.size) == (f["offset"], f["size"]), "%s.%s" % (s["name"], f["name"]))
    for d in j["dtypes"]:
        check(ty.ty_dtype_name(d["value"]) == d["name"].encode() and ty.ty_dtype_size(d["value"]) == d["size"], d["name"])
    check(ty.ty_version().decode() == j["version"], "the version is that of the library")


def forms():
    """Structs that may grow have sizes, and the entries of inline functions say all that they pass."""
    functions = {f["name"]: f for f in j["functions"]}
    for f in j["functions"]:
        given = {p["name"] for p in f["parameters"]} | {f.get("returned")}
        if f["name"].endswith("_sized"):
            check(any("size_of" in p for p in f["parameters"]), f["name"] + " has a size")
        if f["symbol"] is None and f["calls"]:
            called = functions[f["calls"]]["parameters"]
            check(all(p["name"] in given or "size_of" in p for p in called), f["c"])
        check(f["doc"], f["name"] + " has a comment")


def references():
    """Names in entries are those of other entries, of parameters and of fields."""
    functions = {f["name"] for f in j["functions"]}
    for f in j["functions"]:
        own = {p["name"] for p in f["parameters"]}
        freed = f.get("result_facts", {}).get("free")
        check(freed is None or freed in functions, "%s: %s" % (f["name"], freed))
        for p in f["parameters"]:
            length = p.get("length")
            known = set(re.findall(r"[a-z_]\w*", re.sub(r"\.\w+", "", str(length or 0)))) <= own | functions | {"product"}
            check(known and {p[key] for key in ("size", "size_of", "context") if key in p} <= own, f["c"])
    for h in j["handles"]:
        check({*h["free"], *h["retain"], *h["error"], *h["failure"]} <= functions, h["name"])
    for s in j["structs"]:
        names = {field["name"] for field in s["fields"]}
        check(all(field.get("length", field["name"]) in names for field in s["fields"]), s["name"])
    for e in j["expressions"]:
        elsewhere = [name for name in e["calls"] if name not in functions]
        check(not elsewhere and e["calls"] and e["doc"], "%s calls %s" % (e["name"], elsewhere))
        check(all(re.fullmatch(r"[A-Za-z]\w*", p["name"]) for p in e["parameters"]), "parameters of " + e["name"])
    parameters = {e["name"]: [p["name"] for p in e["parameters"]] for e in j["expressions"]}
    check(parameters["csr_matmul"] == ["values", "indices", "starts", "columns", "x"], "macros among parameters")
    check(parameters["cdist"] == ["a", "b", "distance", "p", "parameter"], "macros with quotes among parameters")
    check("ty_rfftn" in {e["name"]: e["calls"] for e in j["expressions"]}["rfft2"], "calls of helpers")
    lengths = {f["name"] + "." + p["name"]: p["length"] for f in j["functions"] for p in f["parameters"] if "length" in p}
    for name, length in {"vmap.x": "n", "vmap.results": "nresults", "hessian.hessians": "n * n", "split_at.parts": "n + 1",
                         "tril_indices.out": 2, "taylor.coefficients": "order + 1", "pad.padding": "ty_rank(x)",
                         "scan.last": "loop.ncarry", "block.x": "rows * columns", "model_updates.updates": "room", "model_call.y": "ty_model_results(model)", "fft2.sizes": 2, "layer_call.y": None,
                         "onnx_value_strings.texts": "product(rank, shape)", "onnx_value_strings.lengths": "product(rank, shape)",
                         "optimise.states": None}.items():
        check(lengths.get("ty_" + name, 0) == length, "the length of " + name)
    check(not {"ty_count.nodes", "ty_trainer_evaluate.source", "ty_assign.error", "ty_polydiv.b"} & {*lengths}, "single numbers and structs")
    null = {(f["name"], p["name"]) for f in j["functions"] for p in f["parameters"] if "nullable" in p}
    for name in ("einsum.b", "model_call.key", "layer_call.name", "vmap.axes", "count.nodes", "assign.error", "release.x"):
        check(tuple(("ty_" + name).split(".")) in null, name + " may be NULL")
    for name in ("matmul.a", "layer_call.at", "vmap.x", "read.out", "grad.x", "keep.x"):
        check(tuple(("ty_" + name).split(".")) not in null, name + " may not be NULL")
    check(sum("nullable" in p for f in j["functions"] for p in f["parameters"]) > 150, "parameters that may be NULL")
    check(sum("length" in p for f in j["functions"] for p in f["parameters"]) > 200, "lengths of arrays")


def lookups():
    """Names of enums: the function of each finds the values that rows of tables name, and refuses others."""
    for e in j["enums"]:
        if "named" not in e:
            continue
        named = getattr(ty, e["named"])
        check("count" in e and named(b"none such") == getattr(ty, e["count"]), e["named"])
        for v in e["values"]:
            if "row" in v:
                check(named(str(v["row"]["columns"]["name"]).encode()) == v["value"], v["name"])


def rows():
    """Each elementwise row, in the middle of its domain, in a dtype that its row names."""
    count = 0
    for f in j["functions"]:
        row = f.get("row", {})
        if row.get("macro") not in ("OP1", "OP2", "OP3"):
            continue
        columns, n = row["columns"], int(row["macro"][2])
        middle = (columns["low"] + columns["high"]) / 2
        whole = columns["in"] in ("BITS", "INTEGER")
        x = make([int(middle) or 1], "TY_I32", ctypes.c_int32) if whole else make([middle])
        y = getattr(ty, f["name"])(*[x] * n)
        check(ty.ty_ok(y) and ty.ty_size(y) == 1, "%s of %g: %s" % (f["name"], middle, ty.ty_error(y)))
        check((ty.ty_dtype_of(y) == ty.TY_BOOL) == (columns["out"] == "BOOL" or columns["in"] == "LOGIC"), f["name"] + " returns bool")
        count += 1
    check(count > 100, "rows of elementwise.def: %d" % count)


def losses():
    """A loss of two operands has a row, a function in the library, and one with that name among the named ones."""
    for f in j["functions"]:
        row = f.get("row", {})
        if row.get("macro") == "LOSS2" and f["name"].startswith("ty_loss_"):
            check(bool(ty.ty_loss_named(row["columns"]["name"].encode())), f["name"])
            check(row["columns"]["doc"] in f["doc"], f["name"] + " has the sentence of its row")


def errors():
    wrong = ty.ty_matmul(make([1, 2]), make([1, 2, 3]))
    check(not ty.ty_ok(wrong) and b"2" in ty.ty_error(wrong), "poison says the sizes")
    check(ty.ty_error(ty.ty_poison(b"%s %d", b"number", 7)) == b"number 7", "variadic call")
    error = Tensor()
    check(not ty.ty_assign(make([1]), make([2]), ctypes.byref(error)) and ty.ty_error(error), "*error is written")
    model = ty.ty_model_new(ty.types["ty_forward"](), None, ty.types["ty_model_options"](inputs=-1))
    check(ty.ty_model_error(model), "a failed model has an error")
    ty.ty_model_free(model)
    for h in j["handles"]: # every handle has a function that tells of NULL
        for name in h["error"]:
            check(getattr(ty, name)(None), name + " of NULL")


def graphs():
    check(module.example(ty) == (83, 16, 9, 6), "the example of docs/interface.md")
    v = ty.ty_var(make([1, 2, 3]), b"v")
    program = ty.ty_compile(1, tensors(ty.ty_exp(v)), ty.types["ty_compile_options"](no_fuse=True, engine=b"ref"))
    check(ty.ty_run(program) and abs(numbers(ty.ty_output(program, 0), 3)[2] - 20.0855) < 1e-3, "a compiled program")
    check(facts("ty_program_report", "ty_report", program).kernels == 1, "a struct is returned")
    text = ty.ty_program_text(program)
    check(ctypes.string_at(text).startswith(b"0") or len(ctypes.string_at(text)) > 10, "a text is returned")
    ty.ty_free(text)
    ty.ty_program_free(program)
    program = ty.ty_compile(1, tensors(v), ty.types["ty_compile_options"](engine=b"none such"))
    check(b"none such" in ty.ty_program_error(program), "options reach the library")
    ty.ty_program_free(program)


def callbacks():
    body = ty.types["ty_body"](lambda context, x: address(ty.ty_sum(ty.ty_square(x[0]), ty.TY_ALL)))
    check(numbers(ty.ty_fuse(body, None, 1, tensors(make([1, 2, 3]))), 1) == [14], "ty_fuse")
    value, gradient = Tensor(), tensors(None)
    check(ty.ty_value_and_grad(body, None, 1, tensors(make([1, 2, 3])), ctypes.byref(value), gradient), "ty_value_and_grad")
    check(ty.ty_item(value) == 14 and numbers(gradient[0], 3) == [2, 4, 6], "its results")

    branch = ty.types["ty_branch"](lambda context, x, results: results.__setitem__(0, ty.ty_exp(x[0])))
    results = tensors(None)
    check(ty.ty_vmap(branch, None, 1, tensors(make([0, 0])), None, 1, results, None) and
          numbers(results[0], 2) == [1, 1], "ty_vmap")

    def fill(index, element, context):
        ctypes.cast(element, ctypes.POINTER(ctypes.c_double))[0] = index[0] * index[0]
    parameter = [f for f in j["functions"] if f["name"] == "ty_from_function"][0]["parameters"][3]
    check(numbers(ty.ty_from_function(ty.TY_F64, 1, sizes(4), ty.type(parameter["type"])(fill), None), 4) == [0, 1, 4, 9],
          "ty_from_function")


def memory():
    parameter = [f for f in j["functions"] if f["name"] == "ty_borrow"][0]["parameters"][4]
    done = ty.type(parameter["type"])(lambda context, data: released.append(data))
    data = (ctypes.c_double * 3)(1, 2, 3)
    scope = ty.ty_open()
    x = ty.ty_borrow(ty.TY_F64, 1, sizes(3), data, done, None)
    kept = ty.ty_retain(x)
    check(ty.ty_data(x) == ctypes.addressof(data), "ty_borrow copies nothing")
    ty.ty_close(scope)
    check(not released, "a retained tensor survives its scope")
    ty.ty_release(kept)
    check(released == [ctypes.addressof(data)], "the callback of ty_borrow is called")


def structs():
    x = make([3, 1, 2])
    axes = ty.ty_axes_of(1, (ctypes.c_int * 1)(0), True)
    check(axes.mask == 1 and axes.keep and ty.ty_rank(ty.ty_sum(x, axes)) == 1, "a struct by value")
    svd = ty.ty_svd(ty.ty_reshape(x, 2, sizes(1, 3)), False)
    check(abs(ty.ty_item(svd.s) - 14 ** 0.5) < 1e-12, "a struct of tensors")
    options = ty.types["ty_loss_options"](reduction=ty.TY_LOSS_SUM, smoothing=0)
    check(ty.ty_item(ty.ty_loss_l1(x, make([0, 0, 0]), options)) == 6, "options of a row")
    item = ty.types["ty_index"](kind=ty.TY_INDEX_AT, start=-1)
    check(ty.ty_item(ty.ty_get(x, 1, ctypes.pointer(item))) == 2, "an array of structs")
    check(ty.ty_item(ty.ty_get(x, 1, ctypes.pointer(ty.TY_WHOLE))) != ty.ty_item(x), "NaN for three elements")
    text = ty.ty_format(x, ty.types["ty_print_options"](precision=1))
    check(b"3" in ctypes.string_at(text), "options of printing")
    ty.ty_free(text)


def variables():
    rule = ty.types["ty_rule"].in_dll(ty.library, "ty_adam")
    check(rule.name == b"adam" and rule.rate == 0.001, "ty_adam")
    for v in j["variables"]: # an array of pointers ends with NULL
        if "array" in v["type"]:
            entries = (ctypes.c_void_p * 4096).in_dll(ty.library, v["name"])
            count = next(i for i in range(4096) if not entries[i])
            check(count > 5, v["name"])
        else:
            check(ctypes.c_char.in_dll(ty.library, v["name"]) is not None, v["name"])


scope = ty.ty_open()
for part in (layouts, forms, references, lookups, rows, losses, errors, graphs, callbacks, memory, structs, variables):
    part()
ty.ty_close(scope)
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
