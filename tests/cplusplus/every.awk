# Writes a test of <tyto/tyto.hpp> that calls every function of one to three tensors, and nothing else required, for every.cc.
/^inline [a-z_0-9:<>]+ [a-z_0-9]+\(const tensor &/ {
    line = $0
    name = $3
    sub(/\(.*/, "", name)
    match(line, /\(.*\)/)
    n = split(substr(line, RSTART + 1, RLENGTH - 2), part, /, /)
    tensors = 0
    others = ""
    for (i = 1; i <= n; i++) {
        if (part[i] ~ / = /) continue
        if (part[i] ~ /^const tensor &/) others = others (others == "" ? "" : ", ") "x[" tensors++ % 3 "]"
        else if (part[i] ~ /^(int|int64_t) /) others = others ", 1"
        else if (part[i] ~ /^double /) others = others ", 0.5"
        else if (part[i] ~ /^bool /) others = others ", true"
        else if (part[i] ~ /^const list &/) others = others ", {x[1], x[2]}"
        else if (part[i] ~ /^const shape_list &/) others = others ", {1}"
        else if (part[i] ~ /^const axes &/) others = others ", 0"
        else if (part[i] ~ /^ty_dtype /) others = others ", TY_F32"
        else next
    }
    printf "CALL(%s, %s)\n", name, others
}
