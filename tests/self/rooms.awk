# Checks includes against a list of floors; see common/rooms.list and rooms.sh.
#
#     awk -f rooms.awk LIST FILES INCLUDES      FILES: one path per line; INCLUDES: "PATH:LINE:#include "NAME"", as from grep -n
#
# Prints what is wrong and returns 1.

FNR == 1 { part++ }

function wrong(text) {
    print text
    failed = 1
}

# A pattern of the list as a regular expression.
function expression(pattern) {
    gsub(/\./, "\\.", pattern)
    gsub(/\*\*/, "\001", pattern)
    gsub(/\*/, "[^/]*", pattern)
    gsub(/\001/, ".*", pattern)
    return "^" pattern "$"
}

part == 1 && /^[ \t]*(#|$)/ { next }

part == 1 && /^\[/ {
    house = $1
    for (i = 2; i <= NF; i++)
        if ($i == "pairs")
            pairs[house] = 1
        else
            folders[house] = folders[house] " " $i
    next
}

part == 1 {
    if ($1 in house_of)
        wrong(FILENAME ":" FNR ": floor " $1 " stands there twice")
    house_of[$1] = house
    height[$1] = -(++floors)
    floor_name[floors] = $1
    for (i = 2; i <= NF && $i != ">"; i++)
        patterns[floors] = patterns[floors] " " $i
    if (i <= NF)
        only[$1] = " "
    for (i++; i <= NF; i++)
        only[$1] = only[$1] $i " "
    next
}

part == 2 {
    for (i = 1; i <= floors && !($0 in floor); i++) {
        count = split(patterns[i], list, " ")
        for (k = 1; k <= count; k++)
            if ($0 ~ expression(list[k])) {
                floor[$0] = floor_name[i]
                used[i]++
                break
            }
    }
    exists[$0] = 1
    next
}

# a/b/../c simplified.
function plain(path) {
    while (sub(/[^\/]+\/\.\.\//, "", path))
        ;
    return path
}

# The file that a name in file means; "" for none.
function resolve(file, name,    path, list, count, i) {
    path = file
    sub(/[^\/]*$/, "", path)
    if (plain(path name) in exists)
        return plain(path name)
    count = split(folders[house_of[floor[file]]], list, " ")
    for (i = 1; i <= count; i++)
        if (plain(list[i] "/" name) in exists)
            return plain(list[i] "/" name)
    return ""
}

# In a house of pairs x.c and x.h are one.
function unit(path) {
    if (house_of[floor[path]] in pairs)
        sub(/\.[^.\/]*$/, "", path)
    return path
}

function check(file, line, name,    to, from_floor, to_floor) {
    to = resolve(file, name)
    from_floor = floor[file]
    if (to == "") {
        wrong(file ":" line ": \"" name "\" is no file of this tree")
        return
    }
    to_floor = floor[to]
    if (to_floor == "")
        wrong(file ":" line ": includes " to ", which stands on no floor")
    else if (from_floor in only && to_floor != from_floor && index(only[from_floor], " " to_floor " ") == 0)
        wrong(file ":" line ": " from_floor " may not include " to_floor ": " to)
    else if (!(from_floor in only) && house_of[from_floor] != house_of[to_floor])
        wrong(file ":" line ": " from_floor " may not include another house's: " to)
    else if (!(from_floor in only) && height[to_floor] > height[from_floor])
        wrong(file ":" line ": " from_floor " includes upward, " to_floor ": " to)
    if (unit(to) != unit(file) && index(arrows[unit(file)] " ", " " unit(to) " ") == 0)
        arrows[unit(file)] = arrows[unit(file)] " " unit(to)
}

part == 3 {
    split($0, field, ":")
    if (!(field[1] in floor))
        next
    name = $0
    sub(/^[^"]*"/, "", name)
    sub(/".*/, "", name)
    check(field[1], field[2], name)
    seen++
}

# Follows the arrows from node; trail: the path to it.
function follow(node, trail,    list, count, i) {
    state[node] = "open"
    count = split(arrows[node], list, " ")
    for (i = 1; i <= count; i++)
        if (state[list[i]] == "open")
            wrong("circle: " substr(trail " ", index(trail " ", " " list[i] " ") + 1) "> " list[i])
        else if (state[list[i]] == "")
            follow(list[i], trail " > " list[i])
    state[node] = "done"
}

END {
    for (i = 1; i <= floors; i++) {
        if (!(i in used) && floor_name[i] != "steps")
            wrong("floor " floor_name[i] " has no file:" patterns[i])
        count = split(only[floor_name[i]], list, " ")
        for (k = 1; k <= count; k++)
            if (!(list[k] in house_of))
                wrong("floor " floor_name[i] " names " list[k] ", which is none")
            else if (house_of[list[k]] == house_of[floor_name[i]] && height[list[k]] > height[floor_name[i]])
                wrong("floor " floor_name[i] " names " list[k] ", which is above it")
    }
    for (node in arrows)
        if (state[node] == "")
            follow(node, " " node)
    printf "%d includes looked at\n", seen
    exit failed
}
