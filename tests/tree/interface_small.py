"""Checks the description of interface_small.h, and calls its functions through it (interface_calls.py)."""
import ctypes
import importlib.util
import sys

spec = importlib.util.spec_from_file_location("tyto_ctypes", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
ty = module.Tyto(sys.argv[2], sys.argv[3])
j = ty.description
by = {kind: {e.get("name"): e for e in j[kind]} for kind in ("functions", "structs", "handles", "macros", "constants", "aliases")}
functions = by["functions"]
failed = 0


def equal(found, expected, about):
    global failed
    if found != expected:
        failed += 1
        print("%s is %r; expected %r" % (about, found, expected))


def parameter(function, name):
    return next(p for p in functions[function]["parameters"] if p["name"] == name)


new, sized = functions["ty_thing_new"], functions["ty_thing_new_sized"]
equal((new["symbol"], new["inline"], new["calls"]), (None, True, "ty_thing_new_sized"), "the inline form")
equal(new["options"], [{"parameter": "options", "struct": "ty_thing_options"}], "its options")
equal((new["doc"], new["doc_shared"]), (sized["doc"], True), "its comment")
equal(sized["result_facts"], {"owner": "caller", "free": "ty_thing_free", "nullable": True}, "the owner")
equal((sized["symbol"], sized["group"]), ("ty_thing_new_sized", "things"), "symbol and group")
equal(functions["ty_steps_of"]["options"], [{"parameter": "options", "struct": "ty_thing_options"}], "options by an alias")
equal(parameter("ty_steps_of_sized", "size")["size_of"], "options", "their size")
made = functions["ty_thing_made_sized"]
equal((made["doc"][:28], made["plain"], made.get("doc_shared")), ("Make a thing without numbers", "ty_thing_made", None),
      "the comment of the inline form")
equal(made["result_facts"], {"owner": "caller", "free": "ty_thing_free"}, "facts of that comment")
equal(parameter("ty_thing_new_sized", "options")["size"], "size", "size")
equal(parameter("ty_thing_new_sized", "options")["nullable"], True, "options may be NULL")
equal(parameter("ty_thing_new_sized", "size")["size_of"], "options", "size_of")
equal(parameter("ty_thing_new_sized", "numbers")["length"], "n", "length")
equal(functions["ty_thing_report_of"]["returned"], "report", "the result that is written")
equal(parameter("ty_thing_free", "thing").get("nullable"), True, "NULL is allowed")
equal(parameter("ty_thing_report_sized", "thing").get("nullable"), None, "a handle may not be NULL")
equal(functions["ty_treble"]["deprecated"], "call ty_triple instead", "a deprecated function")
equal((functions["ty_double"]["symbol"], functions["ty_double"]["calls"]), (None, None), "a function of the header alone")
equal(functions["ty_product_of"]["doc"], functions["ty_sum_of"]["doc"], "a shared comment")
equal(parameter("ty_product_of", "initial")["nullable"], True, "initial may be NULL")
equal(functions["ty_product_of"]["group"], "sums", "the second group")
equal((functions["ty_uncommented"]["doc"], functions["ty_uncommented"].get("doc_shared")), ("", None), "no comment")
equal(parameter("ty_uncommented", "pair")["length"], 2, "the length of an array of C")
equal((functions["ty_add_up"]["macro"], functions["ty_add_up"]["variadic"]), (True, True), "a function behind a macro")
equal(by["macros"]["ty_add_up"]["function"], "ty_add_up", "the macro")
row = functions["ty_small_thrice"]["row"]
equal((row["macro"], row["columns"]), ("ROW", {"name": "thrice", "factor": 3, "doc": "three times x"}), "a row of two lines")
equal(functions["ty_small_thrice"]["doc"], "three times x.  Multiply x by the factor of the row.", "the comment of a row")
equal(functions["ty_small_twice"]["calls"], "ty_small_twice_sized", "the function that a row's inline form calls")

equal(functions["ty_thing_words"]["result_facts"], {"owner": "caller", "free": "ty_free", "nullable": True}, "a text that may be NULL")
equal(functions["ty_thing_part"]["result_facts"].get("nullable"), None, "a result; `numbers` may be NULL")
equal(parameter("ty_thing_shut", "thing").get("nullable"), True, "nothing is done for NULL")
unnamed = next(e for e in j["enums"] if "name" not in e)
equal((unnamed["size"], unnamed["signed"], unnamed["values"][0]["value"]), (4, True, 2), "an enum without a name")

options, report = by["structs"]["ty_thing_options"], by["structs"]["ty_thing_report"]
equal((options["kind"], options["sized"], report["kind"], report["sized"]), ("options", True, "result", True), "kinds")
equal([f.get("default") for f in options["fields"][:4]], [10, 1.5, 1.5, "none"], "defaults")
equal(options["fields"][6]["length"], "nweights", "the length of a field")
equal([f.get("nullable") for f in options["fields"]], [None, None, None, True, None, None, None, None, None], "fields that may be NULL")
equal([f["offset"] for f in report["fields"]], [0, 8, 16, 32], "offsets")
equal((report["fields"][2]["type"]["length"], report["fields"][3]["type"]["length"]), (2, 16), "lengths that are expressions")
equal([(f["name"], f["offset"]) for f in report["fields"][2]["type"]["array"]["fields"]], [("low", 0), ("high", 4)], "an inner struct")
equal((by["handles"]["ty_thing"]["free"], by["handles"]["ty_part"]["doc"]), (["ty_thing_free"], "A thing, and its part."), "handles")
equal(j["version"], "7.8.9", "the version")
equal(by["constants"]["TY_SMALL_NAME"]["value"], 'small \\ "library"', "a text")
equal(by["aliases"]["ty_same_report"]["type"], {"name": "ty_thing_report"}, "an alias")

equal([name for kind in by.values() for name in kind if (name or "").endswith("_")], [], "private names")
equal(options["fields"][8]["reserved"], True, "an unused field")

numbers, watched = (ctypes.c_double * 3)(1, 2, 4), []
field = options["fields"][4]["type"]
watch = ty.type(field)(lambda context, facts, size: watched.append((facts[0].sum, size)))
thing = ty.ty_thing_new(3, numbers, ty.types["ty_thing_options"](watch=watch))
facts = ty.ty_thing_report_of(thing)
equal((facts.sum, facts.steps, facts.range[1].low), (7, 10, 3), "a report")
equal(watched, [(7, report["size"])], "a callback in options")
ty.ty_thing_free(thing)
equal(ty.ty_small_thrice(5, ty.types["ty_thing_options"](steps=1)), 16, "an inline function")
equal(ty.ty_small_twice_sized(5, None, 0), 10, "no options")
equal(ty.ty_steps_of(ty.types["ty_same_options"](steps=6)), 6, "a function whose options have an alias")
equal(ty.ty_add_up(2, ctypes.c_int(3), ctypes.c_int(4)), 7, "a variadic function")
sys.exit(failed != 0)
