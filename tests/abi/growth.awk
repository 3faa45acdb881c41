# Two interfaces, the old one first, to the new one without the growth that docs/stability.md allows, so that abidiff
# finds it equal: enumerators behind those of the old enum (before a count such as TY_DTYPES, if that is last), and
# members behind those of the old struct, if a function takes the struct with its size.  Writes to file `checks` that
# such members lie behind the old size: in older programs, padding has no value.

# True if the first n parts of body `name` are the same in both interfaces.
function begins(name, n, i) {
    for (i = 1; i <= n; i++)
        if (part["old", name, i] != part["new", name, i]) return 0
    return 1
}

# Note a body whose lines end now: its n parts (members or enumerators), the line of each, and its last line.
function note(name, i) {
    count[side, name] = n
    end[side, name] = FNR
    for (i = 1; i <= n; i++) {
        part[side, name, i] = parts[i]
        at[side, name, i] = places[i]
    }
}

FNR == 1 { side = side == "" ? "old" : "new" }
side == "new" { line[FNR] = $0; last = FNR }

# Structs that are passed with their size: by a pointer before a size, and in inline functions by `sizeof options`.
match($0, /ty_[a-z_0-9]+ \*[a-z_]+, size_t [a-z_]*size/) {
    name = substr($0, RSTART, RLENGTH)
    sub(/ .*/, "", name)
    sized[name]
}
/^static inline/ { inline = $0 }
/sizeof \*?[a-z_]+[,)]/ && match($0, /sizeof \*?[a-z_]+/) {
    name = substr($0, RSTART, RLENGTH)
    gsub(/sizeof |\*/, "", name)
    if (match(inline, "ty_[a-z_0-9]+ \\*?" name "[,)]")) {
        name = substr(inline, RSTART, RLENGTH)
        sub(/ .*/, "", name)
        sized[name]
    }
}
!depth && /^(typedef )?(struct|enum)( [A-Za-z_0-9]+)? \{$/ {
    depth = 1
    n = 0
    open = 1
    enumerators = /enum/
    name = $0
    gsub(/typedef |struct |enum |\{| /, "", name)
    next
}
!depth { next }
/^\}/ && --depth == 0 {
    if (name == "") { name = $0; gsub(/[}; ]/, "", name) }
    if (name == "") name = parts[1]
    is_enum[name] = enumerators
    note(name)
    next
}
open { parts[++n] = ""; places[n] = FNR }
{
    part_line = $0
    if (enumerators) sub(/,$/, "", part_line)
    parts[n] = parts[n] " " part_line
    if (/\{$/) depth++
    open = depth == 1
}

# The name that a member declares first.
function declared(member) {
    if (!sub(/^[^(]*\(\*/, "", member) || member !~ /^[a-z_0-9]+\)/) {
        sub(/[;,[].*/, "", member)
        sub(/.*[ *}]/, "", member)
    }
    sub(/\).*/, "", member)
    return member
}

function leave_out_enumerators(name, n, m, counted, i) {
    counted = part["old", name, n] ~ /^ TY_[A-Z0-9_]*S$/ && part["old", name, n] == part["new", name, m]
    if (!begins(name, n - counted)) return
    for (i = n + 1 - counted; i <= m - counted; i++) gone[at["new", name, i]]
}

function leave_out_members(name, n, i) {
    if (!begins(name, n)) return
    for (i = at["new", name, n + 1]; i < end["new", name]; i++) gone[i]
    i = declared(part["new", name, n + 1])
    printf "_Static_assert(offsetof(%s, %s) >= sizeof(struct {", name, i >checks
    for (m = 1; m <= n; m++) printf "%s", part["old", name, m] >checks
    printf "}), \"the new member %s of %s lies in padding of the old struct\");\n", i, name >checks
}

END {
    for (key in count) {
        split(key, field, SUBSEP)
        name = field[2]
        if (field[1] == "new" || !(("new", name) in count) || count["new", name] <= count["old", name]) continue
        if (is_enum[name]) leave_out_enumerators(name, count["old", name], count["new", name])
        else if (name in sized) leave_out_members(name, count["old", name])
    }
    for (i = 1; i <= last; i++)
        if (!(i in gone)) print line[i]
}
