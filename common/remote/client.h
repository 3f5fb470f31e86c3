// The submission's end of the wire (message.h).
#pragma once

#include "remote/message.h"

#include <stdbool.h>

// Sends a request and serves the judge's requests until its reply is in *m. Ends the program if the judge has gone.
// Returns the reply's value; the call's results follow the reply in m->bytes.
int64_t request(enum message_kind kind, const void *head, size_t head_size, const void *more, size_t size,
                struct message *m);

// False: the last reply reported no error, so cudaGetLastError need not send a request.
bool may_have_error(void);

// Sends a message that needs no reply.
void send_to_judge(enum message_kind kind, const void *head, size_t head_size);

// Waits for the judge to request a call of a function: RUN in *m.
void wait_for_run(struct message *m);

// Refuses a call that the SIMT machine lacks, or that cannot cross, and says what to do instead.
int refuse_call(const char *name, const char *instead);
