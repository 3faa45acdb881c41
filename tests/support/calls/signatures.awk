# The public headers, preprocessed (cc -E -P), to one row for each public function:
#
#   CALL(ty_add, ty_tensor_p, (POINTER(0, ty_tensor_p, ty_tensor *, a) POINTER(1, ty_tensor_p, ty_tensor *, b)), (a0, a1))
#
# SIZED(ty_conv1d_sized, ...): the same of a function that takes a struct and its size, with OPTIONS(a2) for both;
# RESULT(a2) for a struct that it fills.
#
# its name, the kind of its result, its parameters (VALUE or POINTER: place, kind, type, name) and how they are passed.
# A kind is a type as one word, or says more where a type is not enough: count_int is how many elements an array has
# that comes later, callback_done a pointer to a function.  tests/support/calls.c knows them.

function trimmed(s) {
    gsub(/[ \t\n]+/, " ", s)
    sub(/^ /, "", s)
    sub(/ $/, "", s)
    return s
}

function kind_of(type, kind) {
    kind = type
    gsub(/const/, "c", kind)
    gsub(/ ?\*/, "_p", kind)
    gsub(/ /, "_", kind)
    return kind
}

# Splits at commas outside of parentheses.
function split_outside(text, parts, i, c, depth, n) {
    n = 1
    parts[1] = ""
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "(") depth++
        if (c == ")") depth--
        if (c == "," && !depth) parts[++n] = ""
        else parts[n] = parts[n] c
    }
    return n
}

# Type and name of a parameter into type[i], name[i].
function take_parameter(text, i) {
    text = trimmed(text)
    if (match(text, /\(\*[a-z_0-9]+\)/)) {
        name[i] = substr(text, RSTART + 2, RLENGTH - 3)
        type[i] = substr(text, 1, RSTART + 1) substr(text, RSTART + RLENGTH - 1)
        kind[i] = "callback_" name[i]
        return
    }
    indirect = sub(/\[[0-9]*\]$/, "", text)
    match(text, /[A-Za-z_0-9]+$/)
    name[i] = substr(text, RSTART)
    type[i] = trimmed(substr(text, 1, RSTART - 1)) (indirect ? " *" : "")
    kind[i] = kind_of(type[i])
    if (kind[i] ~ /^c_ty_(tensor|program|model|layer|archive|graph|dataset|loader|context|draws|trainer|function|walk|profile|tree|regression|design|table|plot|preparation|tokenizer|decoder|einsum_plan|contraction|contraction_plan|onnx|onnx_value)_p$/)
        sub(/^c_/, "", kind[i]) # a handle is taken from one menu
    if (type[i] in is_function) kind[i] = "callback_" type[i]
}

function is_array(i) {
    return type[i] ~ /\*const \*$|^ty_(tensor|dataset|onnx_value) \*\*$|^const (int|int64_t|double|ty_image_step|ty_dtype|ty_index|ty_padding|ty_einsum_operand|ty_branch|ty_form|ty_layer_value|ty_sparse|ty_group_column|ty_export_function) \*$|^ty_update \*$/
}

# What a type does not say.
function refine(function_name, n, i, k, second) {
    for (i = 0; i < n; i++) {
        if (name[i] == "order" && type[i] == "int") kind[i] = "order"
        if (name[i] == "type" && type[i] == "int") kind[i] = "order"
        if (name[i] == "ny") kind[i] = second = "ny"
        if (second && name[i] == "results") kind[i] = "ny_results"
        if (name[i] == "nbatch") kind[i] = second = "nresults" # operands of another kind, behind those that results are of
        if (second == "nresults" && name[i] == "gradients") kind[i] = "ny_results"
        if (name[i] == "nresults" || (name[i] == "most" && function_name == "ty_while")) kind[i] = name[i]
        if (type[i] ~ /^(int|int64_t)$/ && function_name !~ /^ty_tri[lu]_indices$/ && name[i] ~ /^(n|rank|rows|columns|nmeta|capacity|nbranches|nvalues|room|nroots|ninputs|noutputs)$/)
            for (k = i + 1; k < n; k++)
                if (is_array(k)) {
                    kind[i] = (name[i] == "rank" ? "rank_" : "count_") type[i]
                    break
                }
        if (function_name == "ty_onnx_value_strings" && i) kind[i] = "onnx_" name[i]
        if (function_name == "ty_onnx_reserve" && name[i] ~ /^(symbols|sizes)$/) kind[i] = "onnx_" name[i]
        if (function_name ~ /^ty_onnx_(value_)?parse/ && name[i] == "bytes") kind[i] = "onnx_bytes"
        if (type[i] == "size_t" && i && type[i - 1] ~ /^(const void|void|const char|char) \*$/) kind[i] = "bytes_before"
        if (name[i] ~ /^(format|formula|byte_strides)$/ || (name[i] == "steps" && type[i] == "int64_t") || (name[i] == "progress" && type[i] == "void *"))
            kind[i] = name[i]
        if (function_name == "ty_dataset_readable" && name[i] == "room") kind[i] = "count_int64_t"
        if (function_name == "ty_image_steps_parse" && name[i] == "capacity") kind[i] = "count_int"
        if (function_name ~ /^ty_attribute_/ && name[i] == "capacity") kind[i] = "few"
        if (function_name ~ /^ty_attribute_/ && name[i] == "values") kind[i] = "few_" kind[i]
        if (function_name ~ /^ty_(layer_call|model_call|model_predict)$/ && name[i] == "y") kind[i] = "layer_results"
        if (function_name == "ty_layer_call" && name[i] == "options") kind[i] = "layer_options"
        if (function_name == "ty_layer_call" && name[i] == "size") kind[i] = "layer_bytes"
    }
    # what ends a thing gets one of its own
    if (function_name ~ /_(free|release)$|^ty_(close|disown)$/) kind[0] = "owned_" kind[0]
}

function declare(text, i, n, left, function_name, result, row, passed, parts) {
    left = index(text, "(")
    if (!left) return # a variable
    result = trimmed(substr(text, 1, left - 1))
    match(result, /ty_[a-zA-Z_0-9]+$/)
    function_name = substr(result, RSTART)
    result = trimmed(substr(result, 1, RSTART - 1))
    text = trimmed(substr(text, left + 1))
    sub(/\)$/, "", text)
    n = text == "void" ? 0 : split_outside(text, parts)
    if (n && trimmed(parts[n]) == "...") n--
    for (i = 0; i < n; i++) take_parameter(parts[i + 1], i)
    sized = function_name ~ /_sized$/
    for (i = 0; sized && i + 1 < n; i++) # a struct and its size
        if (name[i + 1] ~ /size$/ && type[i + 1] == "size_t" && type[i] ~ /^(const )?ty_[a-z0-9_]+ \*$/) {
            given = type[i]
            gsub(/^const | \*$/, "", given)
            structs[given]
            if (type[i] ~ /^const/) type[i] = kind[i] = given
            kind[i + 1] = "size"
        }
    refine(function_name, n)
    for (i = 0; i < n; i++) {
        if (kind[i] == "size") {
            sub(/a[0-9]+$/, (type[i - 1] ~ /\*$/ ? "RESULT" : "OPTIONS") "(&)", passed)
            continue
        }
        row = row (i ? " " : "") (type[i] ~ /\*/ || kind[i] ~ /^callback/ ? "POINTER" : "VALUE") \
            "(" i ", " kind[i] ", " type[i] ", " name[i] ")"
        passed = passed (i ? ", a" : "a") i
    }
    result = function_name ~ /^ty_context_(use|now)$/ ? "lent_context" : function_name ~ /^ty_(retain|own)$/ ? "owned_ty_tensor_p" : function_name == "ty_layer_key" ? "key" : function_name == "ty_trainer_model" ? "lent_model" : function_name ~ /_failure$/ ? "failure" : kind_of(result)
    printf "%s(%s, %s, (%s), (%s))\n", sized ? "SIZED" : "CALL", function_name, result, row, passed
}

# TAIL(ty_conv, winograd): a sized struct and its last member; nothing of names that a typedef gives to another struct.
function tail(given, body, at) {
    at = index(whole, "} " given ";")
    if (!at) return
    body = trimmed(substr(whole, 1, at - 1))
    sub(/;$/, "", body)
    sub(/.*[;{]/, "", body)
    if (match(body, /\(\*[a-z_0-9]+\)/)) body = substr(body, RSTART + 2, RLENGTH - 3)
    sub(/(\[[^]]*\])+$/, "", body)
    match(body, /[a-z_0-9]+$/)
    printf "TAIL(%s, %s)\n", given, substr(body, RSTART)
}

{ text = text $0 "\n" }

END {
    whole = rest = text # typedefs of pointers to functions
    while (match(rest, /\(\*ty_[a-z_]+\)\(/)) {
        is_function[substr(rest, RSTART + 2, RLENGTH - 4)]
        rest = substr(rest, RSTART + RLENGTH)
    }
    # exported functions, and those that the headers define
    while (match(text, /__attribute__\(\(visibility\("default"\)\)\)|static inline/)) {
        text = substr(text, RSTART + RLENGTH)
        match(text, /[;{]/)
        declare(substr(text, 1, RSTART - 1))
    }
    for (given in structs) tail(given)
}
