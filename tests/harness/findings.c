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
#define TRAP "simt: error: Trap at a.cu:45 by thread 0; block 0 of split\n"
#define UNWRITTEN \
    "simt: error: Uninitialized __global__ memory read of size 4 at a.cu:25 by thread 1; block 0 of split\n"
#define UNDEFINED \
    "simt: error: Uninitialized local variable: the value used as an address at a.cu:43 by thread 1 comes from a " \
    "variable that was never written; block 0 of split\n"
#define LANES "simt: error: Lanes wait for one another forever: thread 0 waits at a.cu:41; block 0 of split\n"
#define WAW_AT(LINE) \
    "simt: warning: Race (WAW) in __global__ memory: a.cu:" LINE " write by thread 0, :" LINE \
    " write by thread 1; block 0 of split\n"
#define HELPER \
    "simt: error: Invalid __global__ read of size 4 at a.cu:12 by thread 1: it is 4 bytes past the end of 8 bytes; " \
    "block " \
    "0 of split; a.cu:12 was called at a.cu:40\n"
#define INVALID_AT(LINE) \
    "simt: error: Invalid __global__ read of size 4 at a.cu:" LINE \
    " by thread 1: it is 0 bytes past the end of 8 bytes; block 0 of split\n"
#define NEXT "simt: error: Uninitialized __global__ memory read of size 4 at a.cu:12 by thread 1; block 0 of mark\n"
#define MISSED(BY) \
    "simt: error: Invalid __global__ write of size 4 at a.cu:39 by thread 1: it is " BY \
    " bytes past the end of the nearest allocation, of 8 bytes; block 0 of split\n"
#define STUCK(COUNT) \
    "simt: error: The kernel does not end: thread 0 runs at a.cu:60; it waits at an mbarrier that has counted " COUNT \
    " arrivals; block 0 of split\n"
#define BELOW \
    "simt: error: Invalid __global__ write of size 4 at a.cu:39 by thread 1: it is 2^34 bytes away from 4 bytes " \
    "before an allocation of 80 bytes: an unsigned index has gone below 0; block 0 of split\n"
#define MISALIGNED \
    "simt: error: Misaligned __global__ read of size 16 at b.h:53 by thread 1: the address is not a multiple of 16; " \
    "block 0 of split; b.h:53 was called at a.cu:38\n"
#define INSIDE \
    "simt: error: Race (RAW) in __shared__ memory: a.cu:12 write by thread 0, :14 read by thread 32; block 0 of " \
    "split; " \
    "a.cu:12 was called at a.cu:38\n"
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

// The findings of a second run beside those of the first, which stopped at its first one.
static void expect_list(const char *what, const char *again, const char *before, const char *earlier, const char *later)
{
    char *output = strdup(again), *after, *first = findings_list(output, before, "", &after);

    if (strcmp(first, earlier) != 0 || strcmp(after, later) != 0) {
        printf("FAILED: %s\n  before\n%s  after\n%s", what, first, after);
        failures++;
    }
    free(first);
    free(after);
    free(output);
}

#define AT(ADDRESS) \
    "simt: error: Invalid __global__ write of size 4 at a.cu:39 by thread 0: " ADDRESS \
    " lies nowhere; block 0 of split\n"

int main(void)
{
    expect_list("a read in a later launch than the first run's store", AT("0x12") NEXT REST, AT("0xab") REST, "", NEXT);
    expect_list("a race before the first run's store", LATE AT("0x12") NEXT REST, AT("0xab") REST, LATE, NEXT);
    expect_list("what the first run did not reach", NEXT LATE REST, AT("0xab") REST, NEXT LATE, "");
    expect_list("the words of a finding without checks", "simt: error: Double free of p (cudaFree)\n",
                "simt: Double free of p (cudaFree)\n", "", "");
    expect("a race before the read that follows from it", UNWRITTEN LATE REST, LATE UNWRITTEN REST);
    expect("a variable without a value before the race that follows from it", LATE UNDEFINED REST, UNDEFINED LATE REST);
    expect("a missed barrier before a variable without a value", UNDEFINED BARRIER REST, BARRIER UNDEFINED REST);
    expect("a wrong index above the line of a race", WAW_AT("39") INVALID_AT("38") REST,
           INVALID_AT("38") WAW_AT("39") REST);
    expect("a race above the line of a wrong index", WAW_AT("37") INVALID_AT("38") REST,
           WAW_AT("37") INVALID_AT("38") REST);
    expect("a wrong index in a function above", WAW_AT("39") HELPER REST, WAW_AT("39") HELPER REST);
    expect("a wrong index on the line of a race", WAW_AT("38") INVALID_AT("38") REST,
           INVALID_AT("38") WAW_AT("38") REST);
    expect("a wrong index between two races", WAW_AT("37") WAW_AT("39") INVALID_AT("38") REST,
           WAW_AT("37") WAW_AT("39") INVALID_AT("38") REST);
    expect("lanes that wait before the race that follows", LATE LANES REST, LANES LATE REST);
    expect("a trap before the barrier that its thread misses", BARRIER TRAP REST, TRAP BARRIER REST);
    expect("an error that follows from a warning in an earlier launch", RACE NEXT REST, RACE NEXT REST);
    expect("a race between warps before one within a warp", WITHIN BETWEEN REST, BETWEEN WITHIN REST);
    expect("a write that missed a word before the read of that word", NEXT MISSED("4") REST, MISSED("4") NEXT REST);
    expect("a write by an index that was never written", NEXT MISSED("400") REST, NEXT MISSED("400") REST);
    expect("a write that missed a word, and hit another one", RACE NEXT MISSED("4") REST, MISSED("4") RACE NEXT REST);
    expect("a write of the kernel that read", UNWRITTEN MISSED("4") REST, UNWRITTEN MISSED("4") REST);
    expect("the mbarrier that lacks one arrival", STUCK("0 of 1") STUCK("2 of 3") REST,
           STUCK("2 of 3") STUCK("0 of 1") REST);
    expect("mbarriers without arrivals", STUCK("0 of 1") STUCK("0 of 8") REST, STUCK("0 of 1") STUCK("0 of 8") REST);
    expect("an index below 0 on the line of a race", RACE BELOW REST, BELOW RACE REST);
    expect("a misaligned load above the line of a race", WAW_AT("39") MISALIGNED REST, MISALIGNED WAW_AT("39") REST);
    expect("a race in a function that the line calls", INSIDE INVALID_AT("38") REST, INSIDE INVALID_AT("38") REST);
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

    if (strcmp(findings_end(RACE EXPLAIN("race-waw") NEXT REST LATE), REST LATE) != 0)
        failures++, printf("FAILED: the end of two findings and an explanation\n");

    char *first = findings_first(REST RACE NEXT);
    if (!first || strncmp(first, "Race (WAW)", 10) != 0)
        failures++, printf("FAILED: the first finding is a warning, got '%s'\n", first ? first : "none");
    free(first);
    first = findings_first(REST);
    if (first)
        failures++, printf("FAILED: there is no finding, got '%s'\n", first);
    return failures > 0;
}
