# Writes include/tyto/cplusplus/functions.hpp: an inline function ty::NAME for each public function ty_NAME of tensors,
# numbers, texts, shapes, axes, lists and options.
#     awk -f docs/cplusplus.awk tests/array/test_handles.c TABLES HEADERS CALLS
# HEADERS are the preprocessed public headers, CALLS their rows of tests/support/calls/signatures.awk.  test_handles.c lists
# the parameters for which NULL is allowed: at the end they may be left out.  So may parameters that have a default in
# TABLES, the functions of expressions (src/expression/functions.def).  A function with a callback, a handle or an address
# of other memory is written by hand, or called by ty::call.
BEGIN {
    print "/* Made by ./dev docs of the public headers: the functions of tensors in C++.  Part of <tyto/tyto.hpp>. */"
    print "#ifndef TYTO_CPLUSPLUS_FUNCTIONS_HPP"
    print "#define TYTO_CPLUSPLUS_FUNCTIONS_HPP"
    print "#include <tyto/cplusplus/arguments.hpp>\n"
    print "TY_CXX_BEGIN\n"
    # references, failures and members of tensor; ty::all and slices are in arguments.hpp, functions of slices in
    # calls.hpp
    split("retain release keep own disown give named poison ok error error_code here item all layer_parameter layer_state layer_key map_slices filter_slices fold_slices scan_slices each_slice", word, " ")
    for (i in word) by_hand["ty_" word[i]]
    # functions with another number of results than of operands
    many["ty_split_at"] = "indices.size() + 1"
    many["ty_hessian"] = "x.size() * x.size()"
    many["ty_taylor"] = "order < 0 ? 0 : order + 1"
    split("int switch while do double float bool and or xor not union delete new default this", word, " ")
    for (i in word) keyword[word[i]]
    split("dtype axes index step list span model scope graph trainer dataset loader archive part_of tensor test sparse", word, " ")
    for (i in word) class[word[i]]
}
FILENAME ~ /test_handles\.c$/ {
    while (match($0, /ty_[a-z0-9_]+\.[a-z_]+/)) {
        optional[substr($0, RSTART, RLENGTH)]
        $0 = substr($0, RSTART + RLENGTH)
    }
    next
}

# ---- defaults of the functions of expressions ----

# Reads a row of a table: the default of parameter i of ty_NAME is that of the parameter k of the row, if the row calls
# ty_NAME with KIND(k) in place i.
FILENAME ~ /\.def$/ {
    if ($0 ~ /^CALL/) row = ""
    row = row $0
    if ($0 ~ /\)$/ && row ~ /^CALL/) {
        read_defaults(row)
        row = ""
    }
    next
}
function read_defaults(row,    function_name, n, i, k, part, at, depth, c) {
    match(row, /\([a-z0-9_]+/)
    function_name = "ty_" substr(row, RSTART + 1, RLENGTH - 1)
    gsub(/\\"/, "\001", row)
    split(row, part, "\"")
    at = index(row, function_name "(")
    if (!at) return
    row = substr(row, at + length(function_name) + 1)
    n = split(part[2], parameter, ", ")
    i = depth = 0
    part[i] = ""
    for (at = 1; depth >= 0 && at <= length(row); at++) {
        c = substr(row, at, 1)
        depth += (c == "(") - (c == ")")
        if (c == "," && !depth) part[++i] = ""
        else if (depth >= 0 && c != " ") part[i] = part[i] c
    }
    for (; i >= 0; i--) {
        if (part[i] !~ /^[A-Z0-9]+\([0-9]+\)$/) continue
        k = part[i]
        gsub(/[^0-9(]|^[^(]*\(/, "", k)
        k = parameter[k + 1]
        if (sub(/^[^=]*=/, "", k) && k ~ /^(-?[0-9][0-9.e-]*|true|false)$/) usual_value[function_name, i] = k
    }
}

# ---- structs of tensors, which functions return ----

/^typedef struct ty_[a-z0-9_]+ \{/ { inside = 1; body = ""; sub(/.*\{/, "") }
inside {
    body = body " " $0
    if (!sub(/\} *ty_[a-z0-9_]+ *;.*/, "", body)) next
    inside = 0
    gsub(/[a-z_ ]+\*?unused\[[0-9]+\];/, "", body) # room for later members
    match($0, /ty_[a-z0-9_]+ *;/)
    bodies[substr($0, RSTART, RLENGTH - 1)] = body
}
# Writes the struct of the result `which`.  False if it has members that are neither tensors nor numbers.
function define(which,    n, m, i, k, part, names, member, fields, owns, checks, gives, tensors, t) {
    if (which in defined) return defined[which]
    defined[which] = 0
    if (!(which in bodies) || bodies[which] ~ /[(\[]/) return 0
    n = split(bodies[which], part, ";")
    for (i = 1; i < n; i++) {
        sub(/^ +/, "", part[i])
        t = part[i]
        sub(/[ *].*/, "", t)
        m = split(substr(part[i], length(t) + 1), names, ",")
        for (k = 1; k <= m; k++) {
            member = names[k]
            gsub(/ /, "", member)
            if (t == "ty_tensor") {
                sub(/^\*/, "", member)
                fields = fields "    tensor " member "{};\n"
                owns = "        made_." member " = tensor::adopt(ty_own(x_." member "));\n" owns
                checks = checks "        detail::check(this->" member ");\n"
                gives = gives "        made_." member " = this->" member ".get();\n"
                tensors++
            } else if (member ~ /\*/) return 0
            else if (t in bodies) {
                if (!define(t)) return 0
                fields = fields "    " substr(t, 4) " " member "{};\n"
                owns = "        made_." member " = " substr(t, 4) "::own(x_." member ");\n" owns
                checks = checks "        this->" member ".check();\n"
                gives = gives "        made_." member " = this->" member ".get();\n"
                tensors++
            } else {
                fields = fields "    " (t == "_Bool" ? "bool" : t) " " member "{};\n"
                owns = owns "        made_." member " = x_." member ";\n"
                gives = gives "        made_." member " = this->" member ";\n"
            }
        }
    }
    if (!tensors) return 0
    printf "struct %s {\n%s", substr(which, 4), fields
    printf "    static %s own(const %s &x_) {\n        %s made_;\n%s        return made_;\n    }\n", substr(which, 4), which, substr(which, 4), owns
    printf "    void check() {\n%s    }\n", checks
    printf "    %s get() const noexcept {\n        %s made_ = {};\n%s        return made_;\n    }\n};\n", which, which, gives
    return defined[which] = 1
}

# ---- functions ----

# The parameters of a CALL into kind[], type[], name[]; returns their number, and the result's type in `result`.
function take_row(row,    n, one, part) {
    match(row, /\(\(?[^,]*, [^,]*, /)
    n = 0
    row = substr(row, RSTART + RLENGTH)
    while (match(row, /(POINTER|VALUE)\([0-9]+, [^,]*, [^,]*, [^)]*\)/)) {
        one = substr(row, RSTART, RLENGTH - 1)
        sub(/^[^(]*\(/, "", one)
        split(one, part, /, /)
        kind[n] = part[2]
        type[n] = part[3]
        name[n] = part[4]
        if (name[n] in keyword || name[n] in class) name[n] = name[n] "_"
        n++
        row = substr(row, RSTART + RLENGTH)
    }
    return n
}
function add(parameter, argument) {
    if (parameter != "") parameters[++np] = parameter
    arguments = arguments (arguments == "" ? "" : ", ") argument
}
# Adds parameter i of n.  False if it is of no type that has a form in C++.
function convert(i, n, function_name,    t, last) {
    t = type[i]
    last = np + 1
    default_of[last] = ""
    if (kind[i] ~ /^(count|rank)_/ && i + 1 < n && type[i + 1] !~ /^(ty_tensor \*const|const (int64_t|int|double)) \*$/ && !has_list(i, n)) {
        add("int " name[i], name[i]) # of results
        open = name[i]
    } else if (kind[i] ~ /^(count|rank)_/) {
        counted = 1
        first = ""
    } else if (t ~ /^(ty_tensor \*const|const (int64_t|int|double)) \*$/) {
        if (!counted) return 0
        if (first == "") {
            first = name[i]
            for (extra = i + 1; extra < n && type[extra] !~ /^(ty_tensor \*const|const (int64_t|int|double)) \*$/; extra++) ;
            paired = extra < n && !counts_between(i, extra)
            absent = paired && is_optional(function_name, extra)
            add("", paired ? "detail::" (absent ? "longer" : "same") "_length(\"" substr(function_name, 4) "\", " name[i] ".size(), " name[extra] ".size())" : name[i] ".count()")
        }
        if (t ~ /^ty_tensor/) add("const list &" name[i], name[i] ".get()")
        else {
            sub(/^const /, "", t)
            sub(/ \*$/, "", t)
            add("const " (t == "int64_t" ? "shape_list" : "list_of<" t ">") " &" name[i], name[i] (absent ? ".or_null()" : ".data()"))
            if (is_optional(function_name, i) && last > 1) default_of[np] = " = {}"
        }
    } else if (t ~ /^(const )?ty_tensor \*$/) {
        add("const tensor &" name[i], name[i] ".get()")
        if (last > 1 && is_optional(function_name, i)) default_of[last] = " = {}"
    } else if (t == "ty_axes") {
        add("const axes &" name[i], name[i] ".get()")
        default_of[last] = " = {}"
    } else if (t == "const char *") {
        add("const cstring &" name[i], name[i] ".get()")
        if (is_optional(function_name, i)) default_of[last] = " = nullptr"
    } else if (t == "ty_layer *") add("ty_layer *" name[i], name[i])
    else if (t in bodies && define(t)) {
        add("const " substr(t, 4) " &" name[i], name[i] ".get()")
        if (t ~ /_options$/) default_of[last] = " = {}"
    }
    else if (t in bodies) {
        add("const " t " &" name[i], name[i])
        default_of[last] = " = {}"
    } else if (t == "ty_tensor **" && name[i] == "error" && i == n - 1) {
        add("", "&reason")
        action = 1
    } else if (t == "ty_tensor **" && i == n - 1 && !results && result_type == "_Bool" && (first != "" || open != "")) {
        add("", "detail::pointers(results.data())")
        results = function_name in many ? many[function_name] : open != "" ? open " < 0 ? 0 : " open : first ".size()"
    } else if (t !~ /\*/ && kind[i] !~ /^callback/) add((t == "_Bool" ? "bool" : t) " " name[i], name[i])
    else return 0
    if (np == last && default_of[last] == "" && t !~ /\*( const)? \*$/ && ((function_name, i) in usual_value))
        default_of[last] = " = " usual_value[function_name, i]
    return 1
}
function is_optional(function_name, i,    parameter) {
    parameter = name[i]
    sub(/_$/, "", parameter)
    return (function_name "." parameter) in optional
}
# True if one of the parameters behind i, up to the next count, is a list that the caller gives.
function has_list(i, n,    k) {
    for (k = i + 1; k < n && kind[k] !~ /^(count|rank)_/; k++)
        if (type[k] ~ /^(ty_tensor \*const|const (int64_t|int|double)) \*$/) return 1
    return 0
}
function counts_between(i, k) {
    for (i++; i < k; i++)
        if (kind[i] ~ /^(count|rank)_/) return 1
    return 0
}
# True for the type of a result that a function may return as it is.
function is_plain(t) { return t ~ /^(_Bool|int|int64_t|double|ty_dtype)$/ }

/^CALL\(/ {
    function_name = $0
    sub(/^CALL\(/, "", function_name)
    sub(/,.*/, "", function_name)
    result_type = $0
    sub(/^CALL\([^,]*, /, "", result_type)
    sub(/,.*/, "", result_type)
    if (function_name in by_hand) next
    n = take_row($0)
    np = counted = results = action = absent = 0
    first = open = arguments = ""
    tensors = result_type == "ty_tensor_p" || result_type == "owned_ty_tensor_p"
    for (i = 0; i < n; i++) {
        tensors += type[i] ~ /ty_tensor/
        if (!convert(i, n, function_name)) next
    }
    if (result_type in bodies && define(result_type)) tensors = 1
    else if (result_type != "ty_tensor_p" && !is_plain(result_type)) next
    if (!tensors) next
    signature = ""
    usual = 1
    for (i = np; i > 0; i--) {
        usual = usual && default_of[i] != ""
        signature = parameters[i] (usual ? default_of[i] : "") (signature == "" ? "" : ", ") signature
    }
    called = function_name
    sub(/^ty_/, "", called)
    if (called in keyword) called = called "_"
    call = "(" function_name ")(" arguments ")"
    if (results) printf "inline std::vector<tensor> %s(%s) {\n    std::vector<tensor> results(%s);\n    const bool well = %s;\n    detail::take_all(results.size(), results.data());\n    if (!TY_LIKELY(well)) detail::refuse_count(\"%s\");\n    return results;\n}\n", called, signature, results ~ /^[a-z]+\.size\(\)[^?]*$/ ? results : "static_cast<std::size_t>(" results ")", call, called
    else if (action && result_type == "_Bool") printf "inline bool %s(%s) {\n    ty_tensor *reason = nullptr;\n    return detail::done(%s, reason);\n}\n", called, signature, call
    else if (action) next
    else if (result_type == "ty_tensor_p") {
        printf "inline tensor %s(%s) {\n    return detail::take(%s);\n}\n", called, signature, call
        if (type[0] == "ty_dtype" && name[0] == "dtype_") {
            sub(/^ty_dtype dtype_(, )?/, "", signature)
            sub(/\(dtype_/, "(dtype_of<T>()", call)
            printf "template <class T> tensor %s(%s) {\n    return detail::take(%s);\n}\n", called, signature, call
        }
    }
    else if (result_type in bodies) printf "inline %s %s(%s) {\n    %s parts_ = %s::own(%s);\n    parts_.check();\n    return parts_;\n}\n", substr(result_type, 4), called, signature, substr(result_type, 4), substr(result_type, 4), call
    else printf "inline %s %s(%s) {\n    return %s;\n}\n", result_type == "_Bool" ? "bool" : result_type, called, signature, call
}
END { print "\nTY_CXX_END\n#endif" }
