/* resume_words.h - what several policies say of a resume, made one answer. */
#ifndef CK_LUA_POLICY_RESUME_WORDS_H
#define CK_LUA_POLICY_RESUME_WORDS_H

#include "core/model/profile.h"
#include "lua/policy/leave_words.h"

/* The answer so far. */
typedef struct resume_words {
  ck_resume_rules *out;
  bool refuses; /* the profile's own rules do */
  leave_words asks;
  ck_buffer answers; /* see ck_resume_rules; until they are taken */
} resume_words;

/* The member `rules`: those that are said, by dimension, in the order of ck_resume_rules. */
enum { CK_RESUME_RULES = 6 };
void ck_resume_words_write_rules(ck_json_writer *w, const ck_rule rules[CK_RESUME_RULES]);

/* Begins with the profile's rules. */
void ck_resume_words_begin(resume_words *self, ck_resume_rules *out, const ck_profile_rules *from);
/* What a policy said, whose rules are in `out` already: DENY and why, ASK and the question, or
 * ALLOW. `status`, `err`: of its call, which may have failed, and so refuses. Gives the status of
 * call and merge. */
CK_CHECKED ck_status ck_resume_words_add(resume_words *self, const char *policy, ck_leave_word word,
                                         const ck_buffer *text, ck_status status, ck_error *err);
/* All have answered, as `status` says: their questions count where nothing refuses. */
CK_CHECKED ck_status ck_resume_words_end(resume_words *self, ck_status status, ck_error *err);

#endif
