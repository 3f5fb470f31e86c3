// roofline.c: estimates of a chapter's steps under the roofline of the GPU.
#pragma once

#include <stdio.h>

// Runs the chapter's passed programs again and draws them; nothing where none can be estimated.
void write_roofline(FILE *file, const char *chapter);
