// The submission's end of the wire (message.h).
#pragma once

#include "remote/message.h"

#include <stdbool.h>

// Sends a request and does what the judge asks for until its reply is in *m. Ends the program if the judge has gone.
// Returns the reply's value; what the call has filled in follows the reply in m->bytes.
int64_t request(enum message_kind kind, const void *head, size_t head_size, const void *more, size_t size,
                struct message *m);

// False: the last reply said that there is no error, and cudaGetLastError need not ask.
bool may_have_error(void);

// Tells the judge what needs no reply.
void tell_judge(enum message_kind kind, const void *head, size_t head_size);

// Waits for the judge to ask for a call of a function: RUN in *m.
void wait_for_run(struct message *m);

// A call that the SIMT machine does not have, or that does not cross; and what to do instead.
int refuse_call(const char *name, const char *instead);
