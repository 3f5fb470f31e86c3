// expect.h: '--expect', a relation between the counters of a run.
//
//     relation = sum (<= | >= | == | < | >) sum        sum  = term {(+ | -) term}
//     factor   = number | counter | n | growth | asked | -factor | (sum)      term = factor {(* | /) factor}
//
// Counters are those of simt/simt.h, n is the number of elements, growth that of growth.h; asked is 1 if the program
// has queried the number of multiprocessors, else 0. All arithmetic is in double, exact below 2^53; a side
// that is not finite (x/0) never meets a relation. One function per rule, from the bottom upward; a text that is not a
// relation ends the program with exit 1 and the column.
#pragma once

#include "simt/simt.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double load_growth; // see count_growth; 0: not counted

struct expression {
    const char *text, *at; // the whole text, and the current position
    const struct simt_counters *counters;
    double n;
    int depth;
};

struct relation {
    double left, right;
    int met;
    const char *sign; // where the relation sign is in the text
};

static inline __attribute__((noreturn)) void bad_expression(const struct expression *e, const char *why)
{
    fprintf(stderr, "--expect '%s': %s at column %d; write a relation such as 'barriers <= 4*blocks'\n", e->text, why,
            (int)(e->at - e->text) + 1);
    exit(1);
}

static inline __attribute__((noreturn)) void unknown_counter(const struct expression *e, const char *name, int length)
{
    fprintf(stderr, "--expect '%s': unknown counter '%.*s'; use n or one of these:\n", e->text, length, name);
#define LIST(field, meaning) fprintf(stderr, "  %-30s %s\n", #field, meaning);
    SIMT_COUNTERS(LIST)
#undef LIST
    exit(1);
}

// Skips blanks and returns the character that follows.
static inline char peek(struct expression *e)
{
    e->at += strspn(e->at, " \t\n");
    return *e->at;
}

static inline double parse_name(struct expression *e)
{
    const char *name = e->at;
    while (isalnum((unsigned char)*e->at) || *e->at == '_')
        e->at++;
    size_t length = (size_t)(e->at - name);
#define RETURN_IF_NAMED(field, meaning) \
    if (length == strlen(#field) && !memcmp(name, #field, length)) \
        return (double)e->counters->field;
    SIMT_COUNTERS(RETURN_IF_NAMED)
#undef RETURN_IF_NAMED
    if (length == 1 && *name == 'n')
        return e->n;
    if (length == 6 && !memcmp(name, "growth", 6))
        return load_growth;
    if (length == 5 && !memcmp(name, "asked", 5))
        return simt_asked_size && simt_asked_size();
    unknown_counter(e, name, (int)length);
}

static inline double parse_sum(struct expression *e);

static inline double parse_factor(struct expression *e)
{
    double value = 0;
    char c = peek(e);
    if (++e->depth > 100)
        bad_expression(e, "nested too deep");
    if (isdigit((unsigned char)c)) {
        value = strtod(e->at, (char **)&e->at);
    } else if (isalpha((unsigned char)c)) {
        value = parse_name(e);
    } else if (c == '-') {
        e->at++;
        value = -parse_factor(e);
    } else if (c == '(') {
        e->at++;
        value = parse_sum(e);
        if (peek(e) != ')')
            bad_expression(e, "')' missing");
        e->at++;
    } else {
        bad_expression(e, "number or counter missing");
    }
    e->depth--;
    return value;
}

static inline double parse_term(struct expression *e)
{
    double value = parse_factor(e);
    while (peek(e) == '*' || *e->at == '/') {
        char sign = *e->at++;
        double right = parse_factor(e);
        value = sign == '*' ? value * right : value / right;
    }
    return value;
}

static inline double parse_sum(struct expression *e)
{
    double value = parse_term(e);
    while (peek(e) == '+' || *e->at == '-') {
        char sign = *e->at++;
        double right = parse_term(e);
        value = sign == '+' ? value + right : value - right;
    }
    return value;
}

// The value of a sum, and of a relation, over the counters of a run with n elements.
static inline double evaluate_sum(const char *text, const struct simt_counters *counters, double n)
{
    struct expression e = {text, text, counters, n, 0};
    double value = parse_sum(&e);
    if (*e.at)
        bad_expression(&e, "unexpected text");
    return value;
}

static inline struct relation evaluate_relation(const char *text, const struct simt_counters *counters, double n)
{
    struct expression e = {text, text, counters, n, 0};
    struct relation r = {parse_sum(&e), 0, 0, e.at};
    char sign = *r.sign;
    bool equal = sign && r.sign[1] == '=';
    if (!(sign == '<' || sign == '>' || (sign == '=' && equal)))
        bad_expression(&e, "<=, >=, ==, < or > missing");
    e.at += 1 + equal;
    r.right = parse_sum(&e);
    if (*e.at)
        bad_expression(&e, "unexpected text");
    r.met = (equal && r.left == r.right) || (sign == '<' && r.left < r.right) || (sign == '>' && r.left > r.right);
    r.met = r.met && isfinite(r.left) && isfinite(r.right);
    return r;
}
