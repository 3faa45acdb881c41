# Writes docs/words.md from src/base/synonyms.def: usual words of other libraries, in their order, with ours.
BEGIN {
    kind["FUNCTION"] = "function of `tyto eval`"; kind["OPTION"] = "option"; kind["VALUE"] = "value of an option"
    kind["LAYER"] = "layer"; kind["NETWORK"] = "network"; kind["COMMAND"] = "command"
    kind["CALL"] = "function of C"
    print "# Words of other libraries\n"
    print "This index lists usual words of NumPy, SciPy, PyTorch, Keras, R, MATLAB, pandas and scikit-learn, with the name"
    print "that means the same in Tyto, or the page about it. `tyto help WORD` finds them too, and errors about unknown names give a hint."
    print "`./dev docs` makes this page from `src/base/synonyms.def`.\n"
    print "| word | in Tyto | kind |\n|---|---|---|"
    fflush()
}
/^[A-Z]+\("/ {
    split($0, part, "\"")
    macro = $0
    sub(/\(.*/, "", macro)
    elsewhere = macro == "CALL" || macro == "PAGE"
    n = split(elsewhere ? part[2] " " part[4] : part[2], word, " ")
    ours = word[1]
    if (macro == "OPTION") { gsub(/_/, "-", ours); ours = "--" ours }
    if (macro == "COMMAND") ours = "tyto " ours
    ours = macro == "PAGE" ? "[" ours ".md](" ours ".md)" : "`" ours "`"
    for (i = 2; i <= n; i++)
        printf "| %s | %s | %s |\n", word[i], ours, macro == "PAGE" ? part[6] : kind[macro] | "LC_ALL=C sort"
}
