// Floats of 2^24 or more that became integers in a sampled launch (simt_rounded): such an integer may not be the one
// that was computed.
#pragma once

// The place of the first such cvt since the last reset; NULL: none.
const char *convert_rounded(void);
void convert_forget(void);
