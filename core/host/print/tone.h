/* tone.h - the few colours of a terminal that texts are set off with. */
#ifndef CK_HOST_PRINT_TONE_H
#define CK_HOST_PRINT_TONE_H

/* By meaning, of the 16 colours that a terminal's own scheme defines. */
typedef enum {
  CK_TONE_PLAIN,
  CK_TONE_STRONG,
  CK_TONE_FAINT,
  CK_TONE_GOOD,
  CK_TONE_BAD,
  CK_TONE_WARN,
  CK_TONE_NAME
} ck_tone;

/* The sequences before and behind a text; "" for CK_TONE_PLAIN. */
const char *ck_tone_on(ck_tone tone);
const char *ck_tone_off(ck_tone tone);

#endif
