/* short_id.h - parts of ids by which people name sessions, runs and checkpoints. */
#ifndef CK_HOST_SESSION_SHORT_ID_H
#define CK_HOST_SESSION_SHORT_ID_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/buffer.h"
#include "core/base/id.h"

enum { CK_SHORT_ID_LEN = 8, CK_SHORT_ID_MIN = 4, CK_CANDIDATES_MAX = 6 };

/* The random part of an id that ckrun made, borrowed from it; NULL: a person chose the id. */
const char *ck_short_id_tail(const char *id);
/* The same, or all of an id that a person chose. */
const char *ck_short_id(const char *id);
/* The word is a beginning of the id's random part, from CK_SHORT_ID_MIN characters. */
bool ck_short_id_fits(const char *id, const char *word);
/* How far a word like "latest", "@" or "@{2}" goes back from the newest; -1: it is none. */
int64_t ck_short_id_back(const char *word);

/* What a word can mean. Zero-initialise. */
typedef struct ck_candidates {
  size_t count; /* of all */
  char ids[CK_CANDIDATES_MAX][CK_ID_SIZE];
} ck_candidates;
void ck_candidates_add(ck_candidates *self, const char *id);
/* CK_E_USAGE: "3 checkpoints are meant by 'c3': A, B, C: …" */
CK_CHECKED ck_status ck_candidates_refuse(const ck_candidates *self, const char *what,
                                          const char *word, ck_error *err);

#endif
