# The public headers, preprocessed with line markers (cc -E), to their declarations alone, one on a line: no comments, no
# macros, and includes in place of system headers.  Names that end in _ are left out, they are the headers' own.
/^# [0-9]+ "/ {
    ours = $3 ~ /include\/tyto\//
    next
}
ours { text = text " " $0 }
END {
    print "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>"
    gsub(/__attribute__\(\(visibility\("default"\)\)\)/, "TY_API", text)
    gsub(/[ \t]+/, " ", text)
    gsub(/; ?/, ";\n", text)
    gsub(/\{ ?/, "{\n", text)
    gsub(/ ?\} ?/, "\n} ", text)
    m = split("TY_API extern static typedef struct enum", words, " ") # that follow the body of a function
    for (i = 1; i <= m; i++) gsub("\\} " words[i] " ", "}\n" words[i] " ", text)
    n = split(text, lines, "\n")
    for (i = 1; i <= n; i++) {
        line = lines[i]
        sub(/^ /, "", line)
        if (line ~ /^(typedef )?enum( [a-z_A-Z0-9]+)? \{$/) values = 1
        else if (values) {
            gsub(/, ?/, ",\n", line)
            sub(/\n$/, "", line)
            values = 0
        }
        if (line != "" && line !~ /[a-z0-9]_;$/) print line
    }
}
