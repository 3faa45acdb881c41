# Of the rows of tests/support/calls/signatures.awk: include/tyto/tables/places.def, a macro for each function that makes
# tensors, which notes where it is called.
BEGIN {
    plain = "#define %s(...) TY_HERE(%s(__VA_ARGS__))\n"
    guarded = "#ifndef %s\n" plain "#endif\n" # <tyto/typed.h> has a macro
    print "/* Made by ./dev docs of the public headers: functions that make tensors, each of which notes where it is called. */"
}
/^CALL/ {
    split($0, part, /[(), ]+/)
    name = part[2]
    if (name ~ /^ty_(retain|keep|own|disown|named|poison)$/ || !/POINTER|VALUE/) next
    if (part[3] == "ty_tensor_p" || part[3] ~ /_parts$|^ty_(sparse|sparse_lu|solution)$/ || /ty_tensor \*\*/)
        printf /VALUE\([0-9]+, ty_dtype,/ && /(c_)?void_p, (const )?void \*, (data|out)\)/ ? guarded : plain, name, name, name
}
