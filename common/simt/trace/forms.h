// The outputs of a recording: text, the page's file, Perfetto's.
#pragma once

#include "trace/recording.h"

// Begins the files; called once.
void forms_open(void);

// A launch begins; it has more complete events and findings; it ends.
void forms_launch(const struct recording *r);
void forms_events(const struct recording *r);
void forms_launch_end(const struct recording *r);

// A selected launch is not traced because the limit is reached.
void forms_launch_omitted(void);

// A host call: its name, and a description of what it does.
void forms_call(const char *name, const char *words);

// The program ends: writes the host's calls since the last launch ended.
void forms_end(void);

// ---- text.c
void text_launch(FILE *to, const struct recording *r);
void text_event(FILE *to, const struct recording *r, uint32_t i);
void text_finding(FILE *to, const struct recording *r, const struct finding_record *f);
void text_launch_end(FILE *to, const struct recording *r);

// ---- page.c, perfetto.c: files that are complete after each launch. omitted: launches omitted so far.
void page_open(FILE *to);
void page_launch(const struct recording *r);
void page_omitted(uint64_t omitted);
void page_end(void);
void perfetto_open(FILE *to);
void perfetto_launch(const struct recording *r);
void perfetto_call(const char *name, const char *words);

// Calls see with a sentence for each omission in a launch's trace.
void omitted_each(const struct recording *r, void (*see)(const char *sentence, void *data), void *data);

// A JSON file whose end is rewritten whenever it grows.
struct growing {
    FILE *to;
    long end;   // where the last launch ends
    bool first; // the list is empty so far
    long size;  // of the file
};

// next: seeks to where the next element of the list begins; end: writes the tail after the last one.
void growing_more(struct growing *g);
void growing_tail(struct growing *g, void (*write)(FILE *to));
