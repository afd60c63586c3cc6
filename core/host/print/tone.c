/* tone.c - the few colours of a terminal that texts are set off with. */
#include "core/host/print/tone.h"

static const char *const sequences[] = {
    [CK_TONE_PLAIN] = "",        [CK_TONE_STRONG] = "\033[1m", [CK_TONE_FAINT] = "\033[2m",
    [CK_TONE_GOOD] = "\033[32m", [CK_TONE_BAD] = "\033[31m",   [CK_TONE_WARN] = "\033[33m",
    [CK_TONE_NAME] = "\033[36m",
};

const char *ck_tone_on(ck_tone tone) { return sequences[tone]; }

const char *ck_tone_off(ck_tone tone) { return tone == CK_TONE_PLAIN ? "" : "\033[0m"; }
