#!/bin/sh
# The projects. projects.sh CHAPTER...: tests/projects/CHAPTER/reference.cu reaches level 3, works.cu level 1 and no more: the
# bounds distinguish them. projects.sh flow: a student begins one, fails in each way, and reaches level 3; list and report show
# it. SOURCE and BUILD are in the environment.
. "$SOURCE/tests/self/lib.sh"
answers=$SOURCE/tests/projects
if [ "$1" != flow ]; then
    for chapter; do
        number=${chapter%%-*} number=${number#0}
        [ "$number" ] || number=0
        expect 0 '^level 3 of 3$' "$BUILD/workbook" project "$number" --judge "$answers/$chapter/reference.cu"
        expect 4 '^level 1 of 3: works$' "$BUILD/workbook" project "$number" --judge "$answers/$chapter/works.cu"
        for level in 2 3; do
            line "level $level: .*, counted "
        done
    done
    finish
    exit
fi
hand_out projects
cd "$tree" || exit 1
mine=00-basics/mine/keep-in-order.cu
expect 0 '^  0  keep-in-order: ' build/workbook project
cp common/projects/projects.txt all.txt
sed -i '/^## 10-hopper/,$d' common/projects/projects.txt
expect 1 '10-hopper has no project' build/workbook project 10
mv all.txt common/projects/projects.txt
expect 0 "^0 keep-in-order  $mine" build/workbook project 0
line '^Level 3: launches <= 1: one launch'
expect 0 '^Level 1: right on every input' build/workbook project 0 # still blank
echo 'int main(void) { }' >$mine
expect 1 'it has no line #include "projects/keep_in_order.h"' build/workbook project 0
expect 0 'keep-in-order: .* \[not right yet\]' build/workbook project
echo '#include "projects/keep_in_order.h"' >$mine
expect 1 'it does not compile or link' build/workbook project 0
# One host thread: no verdict depends on the number of cores.
sed 's/^    check_cuda(cudaMemset/    printf("host threads: %s\\n", getenv("SIMT_THREADS"));\n&/' "$answers/00-basics/wrong.cu" >$mine
expect 2 '^out\[[0-9]*\]: got ' build/workbook project 0
line '^host threads: 1$'
line 'the machine reports nothing'
# Without the barrier after the zeroth phase a block may read the ticket of another tile.
awk '!/__syncthreads/ || n++ > 0' "$answers/00-basics/reference.cu" >$mine
expect 3 'workbook explain race-raw' build/workbook project 0
# Without tickets a block waits for one that may start later: in no input, but in the counted run on one multiprocessor.
sed 's/tile = atomicAdd(ticket, 1);/tile = blockIdx.x;/' "$answers/00-basics/reference.cu" >$mine
expect 3 'workbook explain deadlock' build/workbook project 0
# A ticket and a block barrier, but no fence before the plain reads that follow.
cp "$answers/00-basics/unfenced.cu" $mine
expect 3 'workbook explain race-raw' build/workbook project 0
line 'no __threadfence between'
cp "$answers/00-basics/reference.cu" $mine
expect 0 '^level 3 of 3$' build/workbook project 0
cp "$answers/00-basics/works.cu" $mine
expect 4 '^    every word is loaded once' build/workbook project 0
mkdir -p class/ada && cp "$answers/00-basics/reference.cu" class/ada/keep-in-order.cu
expect 0 '^ada .* 3 of  3 passed' build/workbook grade class --insight --out grades
expect 0 'keep-in-order: .* \[level 3 of 3\]' build/workbook project # the highest level reached
expect 0 '' build/workbook report
grep -q '<td>0 keep-in-order</td><td class="passed">level 3 of 3</td>' build/report.html || bad "the report does not show the project"
finish
