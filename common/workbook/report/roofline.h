// roofline.c: a chapter's steps, as estimated, under the GPU's roofline.
#pragma once

#include <stdio.h>

// Runs the chapter's passed programs again and draws them; draws nothing if none can be estimated.
void write_roofline(FILE *file, const char *chapter);
