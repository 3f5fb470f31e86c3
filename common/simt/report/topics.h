// topics.c: the short name of each class of findings, a section of docs/findings.md.
#pragma once

// The class of a finding by its words, without "simt: error: " in front: "race-war"; NULL: it has none.
const char *topic_of(const char *text);

// After the first printed finding of each class, prints one more line: how to read about the class. Safe in a signal
// handler.
void topic_explain(const char *text);
