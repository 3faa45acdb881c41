# Declarations (interface.txt) to a unit of C that defines all functions and variables, so that the debug information
# of a library made of it describes them; and a variable of each struct and enum, also of those that no function names.
{ text = text $0 "\n" }
!depth && /^typedef (struct|enum)( [A-Za-z_0-9]+)? \{$/ { own = 1 }
/\{$/ { depth++ }
/^\}/ && depth && --depth == 0 && own {
    name = $0
    gsub(/[}; ]/, "", name)
    variables = variables name " abi_" name ";\n"
    own = 0
}
END {
    for (at = index(text, "TY_API"); at; at = index(text, "TY_API")) {
        before = substr(text, 1, at - 1)
        extern = sub(/extern $/, "", before)
        text = substr(text, at + length("TY_API"))
        printf "%s%s%s", before, substr(text, 1, index(text, ";") - 1), extern ? " = {0};" : " { __builtin_trap(); }"
        text = substr(text, index(text, ";") + 1)
    }
    printf "%s%s", text, variables
}
