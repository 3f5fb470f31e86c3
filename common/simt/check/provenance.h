// Finds which thread stored a wrong word of an answer, for the trace.
#pragma once

#include "check/streams.h"

// A copy has ended: remembers where the words on the host come from.
void provenance_copied(const struct operation *op);

// The word there, which a copy brought to the host, is wrong; NULL: no particular word.
void provenance_word(const void *word, const char *words);
