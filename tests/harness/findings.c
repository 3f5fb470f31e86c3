// The order of findings in a program's output: cause before effect (common/workbook/judge/findings.h).
#include "judge/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define RACE \
    "simt: warning: Race (WAW) in __global__ memory: a.cu:39 write by thread 0, :39 write by thread 1; block 0 of " \
    "split\n"
#define LATE \
    "simt: error: Race (WAR) in __shared__ memory: a.cu:30 read by thread 0, :28 write by thread 32; block 0 of " \
    "split\n"
#define BARRIER "simt: error: Barrier error: 1 of 64 threads exited; block (0,1) of split; b.h:3 was called at a.cu:9\n"
#define UNWRITTEN \
    "simt: error: Uninitialized __global__ memory read of size 4 at a.cu:25 by thread 1; block 0 of split\n"
#define UNDEFINED \
    "simt: error: Uninitialized local variable: the value used as an address at a.cu:43 by thread 1 comes from a " \
    "variable that was never written; block 0 of split\n"
#define NEXT "simt: error: Uninitialized __global__ memory read of size 4 at a.cu:12 by thread 1; block 0 of mark\n"
#define HOST "simt: error: cudaFree: invalid pointer\n"
#define WITHIN \
    "simt: warning: Race (RAW) in __shared__ memory: a.cu:28 write by thread 16, :28 read by thread 0; block 0 of " \
    "late\n"
#define BETWEEN \
    "simt: error: Race (WAR) in __shared__ memory: a.cu:28 read by thread 0, :28 write by thread 32; block 0 of " \
    "late\n"
#define EXPLAIN(NAME) "simt: explain: workbook explain " NAME "\n"
#define REST "a.cu: unsafe: see the findings above\n"

static void expect(const char *what, const char *given, const char *wanted)
{
    char *text = strdup(given);

    findings_order(text);
    if (strcmp(text, wanted) != 0) {
        printf("FAILED: %s\n  got\n%s  wanted\n%s", what, text, wanted);
        failures++;
    }
    free(text);
}

int main(void)
{
    expect("a race before the read that follows from it", UNWRITTEN LATE REST, LATE UNWRITTEN REST);
    expect("a variable without a value before the race that follows from it", LATE UNDEFINED REST, UNDEFINED LATE REST);
    expect("a missed barrier before a variable without a value", UNDEFINED BARRIER REST, BARRIER UNDEFINED REST);
    expect("an error that follows from a warning in an earlier launch", RACE NEXT REST, RACE NEXT REST);
    expect("a race between warps before one within a warp", WITHIN BETWEEN REST, BETWEEN WITHIN REST);
    expect("the launches as they came", NEXT RACE, NEXT RACE);
    expect("a missed barrier, races, a read", UNWRITTEN RACE LATE BARRIER REST, BARRIER LATE RACE UNWRITTEN REST);
    expect("the host's findings part two launches", UNWRITTEN HOST LATE, UNWRITTEN HOST LATE);
    expect("other lines stay where they are", REST UNWRITTEN LATE REST REST, REST LATE UNWRITTEN REST REST);
    expect("what explains a finding goes with it", UNWRITTEN EXPLAIN("init-global") LATE EXPLAIN("race-war") REST,
           LATE EXPLAIN("race-war") UNWRITTEN EXPLAIN("init-global") REST);
    expect("only one of them is explained", UNWRITTEN LATE EXPLAIN("race-war") BARRIER REST,
           BARRIER LATE EXPLAIN("race-war") UNWRITTEN REST);
    expect("an explanation of nothing", REST EXPLAIN("race-war") LATE REST, REST EXPLAIN("race-war") LATE REST);
    expect("a line without an end", REST "simt: error: Race", REST "simt: error: Race");
    expect("nothing", "", "");

    char *first = findings_first(REST RACE NEXT);
    if (!first || strncmp(first, "Race (WAW)", 10) != 0)
        failures++, printf("FAILED: the first finding is a warning, got '%s'\n", first ? first : "none");
    free(first);
    first = findings_first(REST);
    if (first)
        failures++, printf("FAILED: there is no finding, got '%s'\n", first);
    return failures > 0;
}
