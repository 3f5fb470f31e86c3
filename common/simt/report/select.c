// Reads SIMT_TRACE, KERNEL:LAUNCHES:BLOCKS and forms. A trace of everything would fill the disk, so limits always
// apply.
#include "report/select.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EVENTS UINT64_C(100000)
#define MAX_BYTES (UINT64_C(64) << 20)

// Reads a number up to one of the characters in `ends`; *text continues after it.
static bool read_number(const char **text, const char *ends, uint64_t *out)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *out = strtoull(*text, &end, 10);
    *text = end;
    return !errno && strchr(ends, *end);
}

// Reads "*", or numbers and ranges joined by +, up to a colon, a comma or the end.
static bool read_ranges(const char **text, struct ranges *r)
{
    r->count = 0;
    if (**text == '*') {
        ++*text;
        return strchr(":,", **text) != NULL;
    }
    for (;; ++*text) {
        struct range *next = &r->list[r->count];
        if (r->count++ == MAX_RANGES || !read_number(text, "-+:,", &next->first))
            return false;
        next->last = next->first;
        if (**text == '-' && (++*text, !read_number(text, "+:,", &next->last)))
            return false;
        if (next->last < next->first)
            return false;
        if (**text != '+')
            return true;
    }
}

// Finds where the kernel's name ends: at a comma outside < >, or at a colon that is not part of "::".
static size_t name_length(const char *text)
{
    size_t n = 0;
    for (int depth = 0; text[n]; n++) {
        depth += text[n] == '<' ? 1 : text[n] == '>' ? -1 : 0;
        if (text[n] == ':' && text[n + 1] == ':')
            n++;
        else if (depth <= 0 && (text[n] == ':' || text[n] == ','))
            break;
    }
    return n;
}

bool names_file(const char *word, size_t length, const char *form, char **path)
{
    size_t skip = strlen(form);
    if (length <= skip || strncmp(word, form, skip) || *path)
        return false;
    *path = strndup(word + skip, length - skip);
    return true;
}

static bool read_limit(const char *word, size_t length, const char *form, uint64_t *out)
{
    size_t skip = strlen(form);
    const char *at = word + skip;
    return length > skip && !strncmp(word, form, skip) && read_number(&at, ",", out) && at == word + length;
}

static bool read_option(const char *word, size_t length, struct selection *s)
{
    if (length == 4 && !strncmp(word, "text", 4))
        return s->text = true;
    return names_file(word, length, "text:", &s->text_path) || names_file(word, length, "file:", &s->file_path) ||
           names_file(word, length, "perfetto:", &s->perfetto_path) ||
           read_limit(word, length, "events:", &s->events) || read_limit(word, length, "bytes:", &s->bytes);
}

bool read_selection(const char *value, struct selection *s)
{
    size_t length = name_length(value);
    *s = (struct selection){.events = MAX_EVENTS, .bytes = MAX_BYTES};
    s->kernel = strndup(value, length);
    value += length;
    if (!length || (*value == ':' && (++value, !read_ranges(&value, &s->launches))))
        return false;
    if (*value == ':' && (++value, !read_ranges(&value, &s->blocks)))
        return false;
    while (*value == ',') {
        length = strcspn(++value, ",");
        if (!read_option(value, length, s))
            return false;
        value += length;
    }
    return !*value && (s->text || s->text_path || s->file_path || s->perfetto_path);
}

bool in_ranges(const struct ranges *r, uint64_t n)
{
    bool in = !r->count;
    for (uint32_t i = 0; i < r->count; i++)
        in |= r->list[i].first <= n && n <= r->list[i].last;
    return in;
}
