#!/bin/sh
# Exams of the seeds from FIRST to LAST: all answers are recomputed here from the question's text; races and fences have
# both answers. Two seeds give two papers of the same topics and levels, and no paper has a question twice.
#
#     sh drills.sh FIRST LAST [TOPICS]     SOURCE and BUILD are in the environment
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/drills
rm -rf "$scratch" && mkdir -p "$scratch"
cd "$scratch" || exit 1
topics=${3:-sectors,banks,races,fences,occupancy,phases}
questions=$(($(echo "$topics" | tr , '\n' | wc -l) * 3))

# words INDEX: the word of each lane, one per line.
words() {
    lane=0
    while [ $lane -lt 32 ]; do
        echo $(($1))
        lane=$((lane + 1))
    done
}
sectors() { words "$1" | awk '{ print int($1 / 8) }' | sort -u | wc -l; }
banks() { words "$1" | sort -un | awk '{ if (++n[$1 % 32] > most) most = n[$1 % 32] } END { print most }'; }
occupancy() { # occupancy THREADS BYTES
    awk -v t="$1" -v b="$2" 'BEGIN { n = int(2048 / t); s = int(228 * 1024 / (b + 1024)); n = s < n ? s : n; print n < 32 ? n : 32 }'
}
# race CODE: whether words that two threads share are separated, before the read and after it, by a barrier that both reach.
race() {
    echo "$1" | awk '{
        far = /63 - tid/ || /tid [+]/ || /tid \^ 32/
        split($0, part, "int v = ")
        for (i = 1; i <= 2; i++) race = race || !(part[i] ~ /__syncthreads/ || !far && part[i] ~ /__syncwarp/)
        print race && !/tid \/ 1 / ? 1 : 0 }'
}
# fence CODE: whether one of two fences of the device is missing or, with many threads, one of two barriers.
fence() {
    echo "$1" | awk '{
        barriers = /64 threads/ ? 2 : 0
        print gsub(/__threadfence\(\)/, "") == 2 && gsub(/__syncthreads/, "") == barriers ? 0 : 1 }'
}
# phases QUESTION: the answer of a question on phases, from its kind and the numbers in its text.
phases() {
    numbers=$(echo "$1" | sed 's/.*, level [0-9])//' | tr -c '0-9' ' ')
    set -- "$1" $numbers
    case $1 in
    *initialised*) echo $(($3 / $2)) ;;                      # ARRIVALS MADE
    *floats*) echo $((($2 - $5) * $3 * 4)) ;;                # ROWS COLUMNS 0 THERE
    *Tiles*) echo $((($6 - $7 + $2) / $2)) ;;                # STAGES STAGES STAGES 0 LAST STAGE
    *) stages=$2 # STAGES STAGES and what four warps are done with
        shift 3
        echo $(($(printf '%s\n' "$@" | sort -n | head -1) + stages)) ;;
    esac
}
answer_of() { sed -n "s/^$2\. \(-*[0-9]*\)\$/\1/p" "answers.$1"; }
question_of() { awk -v n="$2." '$1 == n { on = 1 } on && /answer: ____/ { exit } on' "paper.$1" | tr '\n' ' '; }

check_answer() { # check_answer SEED NUMBER
    question=$(question_of "$1" "$2")
    got=$(answer_of "$1" "$2")
    case $question in
    *sectors,*) wanted=$(sectors "$(echo "$question" | sed 's/.* x\[\(.*\)\];.*/\1/')") ;;
    *banks,*) wanted=$(banks "$(echo "$question" | sed 's/.* s\[\([^]]*lane[^]]*\)\];.*/\1/')") ;;
    *occupancy,*)
        set -- "$1" "$2" $(echo "$question" | sed 's/.*level \([0-9]\).*blocks of \([0-9]*\) threads with \([0-9]*\) bytes.*/\1 \2 \3/')
        wanted=$(occupancy "$4" "$5")
        # Of level 3 shared memory is the limit.
        [ "$3" != 3 ] || [ "$wanted" -lt "$(occupancy "$4" 0)" ] || bad "seed $1, question $2: shared memory is not the limit" ;;
    *phases,*) wanted=$(phases "$question") ;;
    *volatile*) wanted=$(fence "$question") yes_or_no="$yes_or_no$got" ;;
    *) wanted=$(race "$question") yes_or_no="$yes_or_no$got" ;;
    esac
    [ -n "$got" ] && [ "$got" = "$wanted" ] && passed=$((passed + 1)) || bad "seed $1, question $2: $got, wanted $wanted: $question"
}

seed=$1 yes_or_no=
while [ "$seed" -le "$2" ]; do
    "$BUILD/workbook" exam --seed "$seed" --topics $topics --answers "answers.$seed" >"paper.$seed" || bad "exam fails"
    number=1
    while [ $number -le $questions ]; do
        check_answer "$seed" $number
        number=$((number + 1))
    done
    grep -o '([a-z]*, level [1-3])' "paper.$seed" >"levels.$seed"
    cmp -s "levels.$1" "levels.$seed" || bad "seed $seed has other levels"
    [ "$seed" = "$1" ] || ! cmp -s "paper.$1" "paper.$seed" || bad "seed $seed has the same paper"
    twice=$(number=1; while [ $number -le $questions ]; do question_of "$seed" $number | sed 's/^[^)]*)//'; echo; number=$((number + 1)); done | sort | uniq -d)
    [ -z "$twice" ] || bad "seed $seed asks twice: $twice"
    grep -q '^[0-9]*\. -*[0-9]*$' "paper.$seed" && bad "the paper has the answers"
    seed=$((seed + 1))
done
case $yes_or_no in '' | *0*1* | *1*0*) ;; *) bad "races and fences have always the same answer: $yes_or_no" ;; esac
rm -f "$BUILD/drills/occupancy.tsv"
# A drill: the right answer and a wrong one; a topic that does not exist, a seed that is not a number, before a question or a paper.
expect 2 '^occupancy, level 1, seed 2' sh -c 'echo -1 | "$0" drill occupancy --seed 2' "$BUILD/workbook"
right=$(occupancy $(printf '%s\n' "$output" | tr '\n' ' ' | sed 's/.*blocks of \([0-9]*\) threads with \([0-9]*\) bytes.*/\1 \2/'))
expect 0 '.' sh -c 'echo "$1" | "$0" drill occupancy --seed 2' "$BUILD/workbook" "$right"
expect 1 "there is no topic 'fence'; choose from sectors, banks" "$BUILD/workbook" drill fence
expect 1 "the seed 'x' is not a whole number; write .--seed 7., for" "$BUILD/workbook" drill occupancy --seed x
expect 1 "the seed '-1' is not a whole number" "$BUILD/workbook" exam --seed -1 --topics banks --answers none
expect 1 "^workbook: there is no topic 'bank'" "$BUILD/workbook" exam --topics races,bank --answers none
[ "$(printf '%s\n' "$output" | wc -l)" = 1 ] && [ ! -e none ] || bad "a paper without one of its topics"
finish
