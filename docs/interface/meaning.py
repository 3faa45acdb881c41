"""Facts for callers that comments state in fixed words: NULL, lengths of arrays, ownership, defaults."""
import json
import re

COUNTS = {"n", "rank", "rows", "columns", "capacity", "room"}
# Wordings by which a comment allows NULL for %(name)s.
NULLS = "|".join([
    r"(?<!inside `)\b%(name)s`? \(?NULL\b", # b NULL, axes NULL stands for 0, cutoff (NULL: the median)
    r"`%(name)s` inside `\w+` \(NULL\b",
    r"\*%(name)s,? unless NULL",
    r"`%(name)s` unless that is NULL",
    r"\b%(name)s`? (?:may be|and `?\w+`? may be) NULL",
    r"\*%(name)s\b[^.;]*\(either may be NULL\)",
    r"`%(name)s`: [^.;]*; NULL:"])
FREED = re.compile(r"(?:[Ff]rees? (?:(?:it|them|the \w+|each)(?: \w+)? )?with |the caller's, which )(ty_\w+)")
# A tensor that is returned is never NULL; of other pointers comments state it.
RETURNS_NULL = re.compile(r"\bNULL(?:: out of memory| if| on failure| where| before)|; NULL|that NULL|or NULL\b|"
                          r"\. +NULL: (?!\")")
# The result is the argument itself, without another reference.
RETURNS_ARGUMENT = re.compile(r"(?:\band return|Returns) x(?:\.|[;,] for NULL)")
LIFETIME = re.compile(r"(?!NULL on failure)[^.;]*\b(?:[Ss]tatic(?: text)?|lives?|owns)\b[^.;]*")


def is_count(parameter):
    name = parameter["name"] or ""
    counts = name in COUNTS or re.match(r"n(x|y|z|meta|batch|carry|\w+s)$", name) is not None
    return counts and parameter["type"].get("name") in ("int", "int64_t", "size_t")


def pointed(declared):
    return declared.get("pointer", {})


def is_sized(parameters, i):
    """Return true if parameter i is a struct that is followed by its size."""
    following = parameters[i + 1] if i + 1 < len(parameters) else None
    return following is not None and following["type"].get("name") == "size_t" and "size" in following["name"]


# Wordings by which a comment states the length of the array %(name)s, and the length in terms of what they match.
LENGTHS = [(re.compile(pattern % {"name": r"(?<!\w)NAME"}), length) for pattern, length in [
    (r"the (\w+)'s results %(name)s\[0 \.\. ?\)", "ty_{0}_results({0})"), # the model's results y[0 ..)
    (r"%(name)s\[0 \.\. ?\)", None),                                      # y[0 ..)
    (r"%(name)s\[0 \.\. ?(\w+)\)", "{0}"),                               # x[0 .. n)
    (r"%(name)s`: the two ", "2"),                                        # `sizes`: the two sizes of
    (r"%(name)s\[i \* n \+ j\]", "n * n"),                               # hessians[i * n + j]
    (r"%(name)s\[k\][^.]* k from 0 to `(\w+)`", "{0} + 1"),              # coefficients[k] for k from 0 to `order`
    (r"\b(\w+ \* \w+) \w+ %(name)s\[\]", "{0}"),                          # rows * columns blocks x[]
    (r"\bn \+ 1 \w+ in %(name)s\[\]", "n + 1"),                          # n + 1 views in parts[]
    (r"as many (?:\w+ )?as [^.]* %(name)s\[\]", None),                    # as many as the kind has, to y[]
    (r"of a shape: %(name)s\[i\], row-major", "product(rank, shape)"),     # of a shape: texts[i], row-major,
    (r"of a shape: \w+\[i\], row-major, of %(name)s\[i\] bytes", "product(rank, shape)"),
    (r"%(name)s(?:` has|\[i\]|` holds)[^.]* (ty_rank\(\w+\)) (?:entries|axes)", "{0}")]]


def stated_length(name, doc):
    """Return (True, length) if the comment states the length of an array; None is a length that it says in words."""
    doc = re.sub(r"\b%s(?=[\[`])" % re.escape(name), "NAME", doc)
    for pattern, length in LENGTHS:
        found = pattern.search(doc)
        if found:
            return True, length and length.format(*found.groups())
    places = [int(place) for place in re.findall(r"(?<!\w)NAME\[(?:0\.\.)?(\d)\]", doc)]
    return bool(places), max(places, default=0) + 1 # out[0] and out[1]


def lengths(parameters, doc, handles, structs):
    """Add `length` to parameters that are arrays, `size` and `size_of` to structs and buffers with their bytes."""
    count = None
    for i, p in enumerate(parameters):
        if is_count(p):
            count = p["name"]
        inner = pointed(p["type"])
        if not inner or "function" in inner or "length" in p:
            continue
        following = parameters[i + 1] if i + 1 < len(parameters) else {"type": {}, "name": ""}
        bytes_follow = following["type"].get("name") == "size_t" and inner.get("name") in ("void", "char")
        if inner.get("name") in structs and is_sized(parameters, i) or bytes_follow:
            p["size"], following["size_of"] = following["name"], p["name"]
            continue
        if inner.get("name") in handles or inner.get("name") in ("void", "char", "FILE") or p["name"] == "error":
            continue
        stated, length = stated_length(p["name"], doc)
        if stated:
            p["length"] = length
        elif "*" + p["name"] not in doc and count and is_array(parameters, i, doc, structs):
            p["length"] = count


def is_array(parameters, i, doc, structs):
    """Return true if parameter i, which follows a count, is an array of so many elements."""
    parameter, inner = parameters[i], pointed(parameters[i]["type"])
    if "pointer" in inner:
        return True
    if inner.get("name") not in structs:
        return inner.get("const", False)
    named = parameter["name"].endswith("s") or parameter["name"] + "[" in doc
    return named or inner.get("const", False) and is_count(parameters[i - 1])


def may_be_null(name, first, doc, tested):
    """Return true if NULL has a meaning for a parameter: by a tested list, by the comment, or as *error."""
    if name in tested or name == "error":
        return True
    if re.search(NULLS % {"name": re.escape(name)}, doc):
        return True
    return first and re.search("NULL is allowed|[Dd]oes nothing for NULL", doc) is not None


def result(function, declared, doc, deletes):
    """Return facts about a pointer that is returned: its owner, the function that frees it, its lifetime, NULL."""
    inner = pointed(declared)
    if not inner or "function" in inner:
        return {}
    facts, freed, lives = {"owner": "library"}, FREED.search(doc), LIFETIME.search(doc)
    if deletes:
        facts.update(owner="caller", free_field="deleter")
    elif freed:
        facts.update(owner="caller", free=freed[1])
    elif function == "ty_open":
        facts.update(owner="caller", free="ty_close")
    elif function == "ty_retain":
        facts.update(owner="caller", free="ty_release")
    elif inner.get("name") == "ty_tensor" and RETURNS_ARGUMENT.search(doc):
        facts["owner"] = "argument"
    elif inner.get("name") == "ty_tensor" and not re.search(r"which the (?!scope)\w+ owns|The (?!scope)\w+ owns it", doc):
        facts["owner"] = "scope"
    elif lives:
        facts["lifetime"] = lives[0].strip()
    tensor = inner.get("name") == "ty_tensor" and not function.endswith("_failure")
    if not tensor and "Never NULL" not in doc and RETURNS_NULL.search(doc):
        facts["nullable"] = True
    return facts


def default(doc, name, options):
    """Return the default that the comment of a field states, as a number or a text; None if it states none."""
    found = re.search(r"(?:\b(\w+) )?\b0 means (.+?)(?:;|\. |\.$|$)", doc) or re.search(r"()\bNULL: ([^;.]+)", doc)
    if not found and options: # [8], ["nan"]
        found = re.search(r"()\[([^\]]+)\](?:\.|$)", doc)
    if not found or "[0: " in doc or found[1] not in (None, "", "both", "all", name):
        return None
    text = found[2].strip()
    number = re.match(r"(-?\d+(?:\.\d+)?(?:e-?\d+)?)(?:, (?!.*\b(?:for|else)\b).*)?$", text)
    quoted = re.match(r"([\"'])(.*)\1$", text)
    return json.loads(number[1]) if number else quoted[2] if quoted else text


def field_may_be_null(declared, doc, default):
    """Return true if the comment of a pointer states what NULL means, or its default."""
    return "pointer" in declared and (default is not None or re.search(r"\bNULL\b(?! is an error)", doc) is not None)


def field_length(field, names, doc):
    """Return the field that counts the elements of a pointer, None if it is not known."""
    if pointed(field["type"]).get("name", "char") == "char" and "pointer" not in pointed(field["type"]):
        return None
    stated = re.search(r"\b(n\w*|rank) (?:entries|steps|elements|tensors|names)\b", doc)
    beside = re.search(r"\b%s\[i\] from (\w+)\[i\]" % field["name"], doc) # rates[i] from steps_at[i] on: both have n
    words = [stated[1] if stated else "", "n" + field["name"], "n" + field["name"].rstrip("s")]
    for name in words + ["n%ss" % field["name"].split("_")[0]] + ["n"] * bool(beside):
        if name in names:
            return name
    texts = pointed(pointed(field["type"])).get("name") == "char"
    if texts and not doc and "nmeta" in names: # number of texts and their keys
        return "nmeta"
    return "rank" if "rank" in names and field["name"] in ("shape", "strides") else None


def tested(path):
    """Return the pairs "function.parameter" for which test_handles.c finds that NULL is no error."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    start = text.index("meaningful[] =")
    return set(re.findall(r"\bty_\w+\.\w+", text[start:text.index('"";', start)]))
