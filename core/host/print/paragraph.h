/* paragraph.h - stored text of any length, in lines that fit the terminal. */
#ifndef CK_HOST_PRINT_PARAGRAPH_H
#define CK_HOST_PRINT_PARAGRAPH_H

#include "core/host/print/output.h"
#include "core/host/print/tone.h"

/* Redacted and escaped; broken at blanks where there are some, each line behind `indent` blanks. */
void ck_paragraph_print(ck_output *output, ck_bytes text, size_t indent, ck_tone tone);

#endif
