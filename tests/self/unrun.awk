# The parts of a tree that no test reaches. Input, each line with its kind before a tab:
#
#     target<tab>NAME<tab>ALL or -<tab>DEPENDENCIES<tab>SOURCES    of the build, see targets.cmake
#     test<tab>COMMAND                                           of ctest
#     file<tab>PATH                                              that must be reached
#     seed<tab>PATH                                              a file that is reached
#     text<tab>PATH<tab>LINE                                     of a script, or of a CMake file, without comments
#
# A target is reached by `all`, by `--target NAME` in a test, and by a reached target that depends on it. A file is reached as
# a source of a reached target, by its path in a test, and by name in a reached text: by a path that ends in folder/name, by
# the name alone in a text of the same folder, or by an import of Python there. CMake files are reached. Prints `target NAME`
# and `file PATH` for the rest.
BEGIN { FS = "\t" }

function reach_target(name,  i, n, part) {
    if (name in seen || !(name in sources)) return
    seen[name] = 1
    n = split(sources[name], part, " ")
    for (i = 1; i <= n; i++) reach_file(part[i])
    n = split(needs[name], part, " ")
    for (i = 1; i <= n; i++) reach_target(part[i])
}

function reach_file(path) {
    if (!(path in file) || path in reached) return
    reached[path] = 1
    read_text(path)
}

# reach_name FOLDER TOKEN: the files that this word of a text in FOLDER names.
function reach_name(folder, token,  n, part, path, hit) {
    while (sub(/[^\/]+\/\.\.\//, "", token)) { }
    sub(/^[.\/]+\//, "", token)
    sub(/^\//, "", token)
    if (folder "/" token in file) {
        reach_file(folder "/" token)
        return
    }
    n = split(by_name[last_part(token)], part, " ")
    for (path = 1; path <= n; path++)
        if (ends_in("/" part[path], "/" token) || ends_in("/" token, "/" part[path])) reach_file(part[path])
}

function last_part(path) { sub(/.*\//, "", path); return path }
function ends_in(text, end) { return substr(text, length(text) - length(end) + 1) == end }

# reach_pattern FOLDER TOKEN PATH: the files that TOKEN matches, where * is anything and @ a word of the text PATH.
function reach_pattern(folder, token, path,  sub_folder, name, at, head, tail, f, base, middle) {
    while (sub(/[^\/]+\/\.\.\//, "", token)) { }
    sub(/^[.@\/]*\//, "", token)
    name = last_part(token)
    sub_folder = substr(token, 1, length(token) - length(name))
    gsub(/[*@][*@]+/, "*", name)
    if (!match(name, /[*@]/)) return
    at = substr(name, RSTART, 1)
    head = substr(name, 1, RSTART - 1)
    tail = substr(name, RSTART + 1)
    for (f in file) {
        base = last_part(f)
        if (substr(base, 1, length(head)) != head || !ends_in(base, tail) || length(base) < length(head tail)) continue
        if (f != folder "/" sub_folder base && !(sub_folder && ends_in("/" f, "/" sub_folder base))) continue
        middle = substr(base, length(head) + 1, length(base) - length(head tail))
        if (at == "*" || (path, middle) in words) reach_file(f)
    }
}

function read_text(path,  i, k, n, word, line, folder, loops) {
    folder = path
    if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
    for (i = 1; i <= lines[path]; i++) {
        n = split(text[path, i], word, /[^A-Za-z0-9_-]+/)
        for (k = 1; k <= n; k++) words[path, word[k]] = 1
        if (path ~ /\.py$/) for (k = 1; k <= n; k++) reach_file(folder "/" word[k] ".py")
    }
    for (i = 1; i <= lines[path]; i++) {
        line = text[path, i]
        loops = path ~ /\.sh$/ && line ~ /(^| )for [a-z]+ in |^[a-z]+=/
        gsub(/-(name|path) [^ ]+/, "", line) # find searches for files and runs none
        gsub(/\$\{[^}]*\}|\$[A-Za-z_0-9]+/, "@", line)
        gsub(/\[[^\]]*\]\*?/, "*", line)
        gsub(/"/, "", line)
        n = split(line, word, /[^A-Za-z0-9_.\/@*-]+/)
        for (k = 1; k <= n; k++) {
            if (word[k] !~ /\.(sh|py|awk|cmake|cu|c)$/) continue
            if (word[k] ~ /\*/ && !loops) continue
            if (last_part(word[k]) ~ /[@*]/) reach_pattern(folder, word[k], path)
            else { gsub(/@/, "", word[k]); reach_name(folder, word[k]) }
        }
    }
}

$1 == "target" { all[$2] = $3 == "ALL"; needs[$2] = $4; sources[$2] = $5 }
$1 == "test" { tests[++test_count] = $2 }
$1 == "file" {
    file[$2] = 1
    by_name[last_part($2)] = by_name[last_part($2)] " " $2
}
$1 == "text" { text[$2, ++lines[$2]] = $3 }

$1 == "seed" { seeds[++seed_count] = $2 }

END {
    for (i = 1; i <= seed_count; i++) reach_file(seeds[i])
    for (name in all) if (all[name]) reach_target(name)
    for (i = 1; i <= test_count; i++) {
        n = split(tests[i], word, /[" ]+/)
        for (k = 1; k <= n; k++) if (word[k] in sources) reach_target(word[k])
        text["tests", i] = tests[i]
    }
    lines["tests"] = test_count
    read_text("tests")
    for (path in lines) if (path ~ /CMakeLists.txt$/) read_text(path)
    for (name in all) if (!(name in seen)) print "target " name
    for (path in file) if (!(path in reached)) print "file " path
}
