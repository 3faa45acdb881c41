# docs/numpy.md from tests/goldens/goldens.txt, whose lines are tested: "ours" or "ours | NumPy's", areas in comments.
BEGIN {
    print "# From NumPy to Tyto\n"
    print "Made by `./dev docs` from `tests/goldens/goldens.txt`; each line is a test that compares the two. The right column is"
    print "what `tyto eval` and `ty_expression` read; in C the function is called `ty_` and the same name, with the arguments"
    print "in the same order (`tyto eval --functions` lists all with their parameters, the headers in `include/tyto/` say what"
    print "each does). An array method `x.f(...)` is `f(x, ...)`; `x[...]` is `ty_get` and `ty_at`, replacing is `ty_set`.\n"
    print "Where we differ: functions of floating numbers compute integers of up to 16 bits in f32 (NumPy: f16 for 8 bits;"
    print "quotients in f64), which holds each of them exactly; complex numbers are ordered by magnitude, then phase; integers"
    print "divided by 0 give 0; empty `softmax`es are empty. A plain number that an integer dtype does not hold is compared"
    print "exactly, is an error in arithmetic and where it is stored, and bounds nothing in `clip`, as in NumPy 2.\n"
    print "| NumPy | Tyto |\n|---|---|"
}
function cell(text) { gsub(/\|/, "\\|", text); return "`" text "`" }
NR <= 2 || /^$/ { next }
/^#/ { heading = substr($0, 3); next }
{
    at = index($0, " | ")
    ours = at ? substr($0, 1, at - 1) : $0
    numpy = at ? substr($0, at + 3) : $0
    if (heading != "") print "| **" heading "** | |"
    heading = ""
    print "| " cell(numpy) " | " cell(ours) " |"
}
