// Submitting work to streams.
#pragma once

#include "runtime/capture/capture.h"

// Runs the work, or records it if the stream is being captured. `waits`: the call returns when the work has ended
// (cudaMemcpy); a capture does not allow such calls.
cudaError_t submit(cudaStream_t stream, struct work *work, bool waits);

// A copy.
cudaError_t submit_copy(const struct copy_work *c, cudaStream_t stream, bool waits);

// A copy of `height` rows.
cudaError_t submit_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                        enum cudaMemcpyKind kind, cudaStream_t stream, bool waits);
