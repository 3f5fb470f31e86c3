// The host's calls in a trace: for a page, growing JSON that page.c writes after the launches; for the other forms,
// text.
#include "trace/calls.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "report/json.h"
#include "report/settings.h"
#include "trace/forms.h"

#define MOST 1000         // calls; a page draws them all
#define MAX_BYTES 250000 // characters of their text, which is long with many streams

static struct {
    pthread_mutex_t lock;
    FILE *to;
    char *text;
    size_t size;
    uint32_t count;
    uint64_t omitted;
} calls = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void write_text(const char *name, const char *text)
{
    fprintf(calls.to, ",\"%s\":", name);
    json_string(calls.to, text);
}

// Begins a new element; false: it is omitted. If true, holds the lock until end_call.
static bool begin_call(const char *what)
{
    if (!settings()->trace_page)
        return false;
    pthread_mutex_lock(&calls.lock);
    if (!calls.to)
        calls.to = open_memstream(&calls.text, &calls.size);
    if (!calls.to || calls.count >= MOST || ftell(calls.to) > MAX_BYTES) {
        calls.omitted++;
        pthread_mutex_unlock(&calls.lock);
        return false;
    }
    fprintf(calls.to, "%s\n{\"call\":\"%s\"", calls.count++ ? "," : "", what);
    return true;
}

static void end_call(void)
{
    fputc('}', calls.to);
    pthread_mutex_unlock(&calls.lock);
}

// ---- in words

__attribute__((format(printf, 2, 3))) static void say(const char *name, const char *format, ...)
{
    static atomic_uint said;
    char words[800];
    va_list arguments;
    if (!settings()->trace_text && !settings()->trace_perfetto)
        return;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    unsigned count = atomic_fetch_add(&said, 1);
    if (count <= MOST)
        forms_call(name, count == MOST ? "further calls are omitted" : words);
}

// "; over: 3 7", if there are any.
static const char *order_words(struct traced_order order, char out[200])
{
    size_t length = 0;
    *out = 0;
    for (uint32_t i = 0; i < order.count && length < 170; i++)
        if (order.known[i])
            length +=
                (size_t)snprintf(out + length, 200 - length, "%s%" PRIu64, length ? " " : "; over: ", order.known[i]);
    return out;
}

static void describe_operation(const struct traced_operation *op)
{
    char over[200], bytes[40] = "";
    if (op->bytes)
        snprintf(bytes, sizeof bytes, ", %" PRIu64 " byte%s,", op->bytes, op->bytes == 1 ? "" : "s");
    say(op->name, "%" PRIu64 ": %s%s%s%s in %s%s", op->number, op->name, *op->way ? " " : "", op->way, bytes, op->where,
        order_words(op->after, over));
}

// ---- the calls

static void write_order(const char *name, struct traced_order order)
{
    const char *between = "";
    fprintf(calls.to, ",\"%s\":[", name);
    for (uint32_t i = 0; i < order.count; i++)
        if (order.known[i]) {
            fprintf(calls.to, "%s%" PRIu64, between, order.known[i]);
            between = ",";
        }
    fputc(']', calls.to);
}

void trace_operation(const struct traced_operation *op)
{
    describe_operation(op);
    if (!begin_call("operation"))
        return;
    fprintf(calls.to, ",\"number\":%" PRIu64 ",\"kind\":\"%s\"", op->number, op->kind);
    write_text("name", op->name);
    write_text("where", op->where);
    if (op->bytes)
        fprintf(calls.to, ",\"bytes\":%" PRIu64, op->bytes);
    if (*op->way)
        write_text("way", op->way);
    write_order("after", op->after);
    end_call();
}

void trace_host_wait(const char *what, struct traced_order over)
{
    char words[200];
    say("wait", "waits %s%s", what, order_words(over, words));
    if (!begin_call("wait"))
        return;
    write_text("what", what);
    write_order("after", over);
    end_call();
}

void trace_event(bool waits, const void *event, const char *where, struct traced_order known)
{
    char words[200];
    say(waits ? "await" : "record", waits ? "%s waits for an event%s" : "an event is recorded in %s%s", where,
        order_words(known, words));
    if (!begin_call(waits ? "await" : "record"))
        return;
    fprintf(calls.to, ",\"event\":%" PRIuPTR, (uintptr_t)event);
    write_text("where", where);
    write_order("after", known);
    end_call();
}

void trace_race(const struct traced_race *race)
{
    say("finding", "found: %s: %s", race->severity, race->words);
    if (!begin_call("race"))
        return;
    fprintf(calls.to, ",\"first\":%" PRIu64 ",\"second\":%" PRIu64, race->first, race->second);
    write_text("severity", race->severity);
    write_text("words", race->words);
    write_text("missing", race->missing);
    fputs(",\"places\":[", calls.to);
    json_string(calls.to, race->places[0]);
    fputc(',', calls.to);
    json_string(calls.to, race->places[1]);
    fputc(']', calls.to);
    end_call();
}

void trace_host_touch(uint64_t number, const char *words)
{
    static const char begin[] = "simt: error: ";
    char line[500];
    words += strncmp(words, begin, strlen(begin)) ? 0 : strlen(begin);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(words, "\n"), words);
    say("finding", "found: error: %s", line);
    if (!begin_call("touch"))
        return;
    fprintf(calls.to, ",\"number\":%" PRIu64 ",\"severity\":\"error\"", number);
    write_text("words", line);
    fputs(",\"places\":[]", calls.to);
    end_call();
}

void trace_failed_call(const char *error)
{
    say("error", "a call fails: %s", error);
    if (!begin_call("error"))
        return;
    write_text("what", error);
    end_call();
}

void trace_wrong(const struct traced_store *store)
{
    if (store->number)
        say("wrong", "%s; stored last by thread %" PRIu64 " of block %" PRIu64 " of %s, %s", store->words,
            store->thread, store->block, store->name, store->place);
    else
        say("wrong", "%s", store->words);
    if (!begin_call("wrong"))
        return;
    fprintf(calls.to, ",\"number\":%" PRIu64 ",\"block\":%" PRIu64 ",\"thread\":%" PRIu64 ",\"address\":%" PRIu64,
            store->number, store->block, store->thread, store->address);
    write_text("name", store->name);
    write_text("words", store->words);
    fputs(",\"places\":[", calls.to);
    json_string(calls.to, store->place);
    fputc(']', calls.to);
    end_call();
}

uint32_t calls_count(void)
{
    return calls.count;
}

uint64_t calls_omitted(void)
{
    return calls.omitted;
}

void calls_write(FILE *to)
{
    pthread_mutex_lock(&calls.lock);
    if (calls.to)
        fflush(calls.to);
    fwrite(calls.text ? calls.text : "", 1, calls.text ? calls.size : 0, to);
    pthread_mutex_unlock(&calls.lock);
}
