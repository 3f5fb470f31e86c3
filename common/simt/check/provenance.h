// Who stored a word of an answer that is wrong, for the trace.
#pragma once

#include "check/streams.h"

// A copy is over: where the words on the host come from.
void provenance_copied(const struct operation *op);

// The word there, which a copy brought to the host, is wrong; NULL: no word is.
void provenance_word(const void *word, const char *words);
