// topics.c: the short name of each class of findings, a section of docs/findings.md.
#pragma once

// The class of a finding by its words, without "simt: error: " in front: "race-war"; NULL: it has none.
const char *topic_of(const char *text);

// After the first finding of each class that the program prints, one more line on stderr: how to read about the class.
// Also from a signal handler.
void topic_explain(const char *text);
