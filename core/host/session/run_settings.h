/* run_settings.h - what a recorded run had set over its profile, for itself alone: {"policies"?:
 * [name, …], "options"?: {policy: {key: value}}}, in the run's first event. */
#ifndef CK_HOST_SESSION_RUN_SETTINGS_H
#define CK_HOST_SESSION_RUN_SETTINGS_H

#include "core/model/event.h"
#include "core/store/store.h"

/* The settings in an event; no bytes: it begins no run, or one without. Borrowed. */
ck_bytes ck_run_settings_of(const ck_event *event);
/* One of them, as a command line gives it. */
typedef struct ck_run_setting {
  const char *option; /* "--policy" or "--option" */
  const char *word;   /* its value: NAME, POLICY.KEY=VALUE, or POLICY.KEY of what is masked */
  bool masked;        /* the value is not known where it is stored */
} ck_run_setting;
typedef ck_status (*ck_run_setting_visit)(void *to, const ck_run_setting *setting, ck_error *err);
/* Visits each, policies first; `settings` may have no bytes. What is not CK_OK ends it. */
CK_CHECKED ck_status ck_run_settings_visit(ck_bytes settings, ck_run_setting_visit visit, void *to,
                                           ck_error *err);
/* Appends them for people, with a space before each: " --option a.b=1". */
void ck_run_settings_append(ck_buffer *out, ck_bytes settings);

/* Those of the run that began `timeline`, one of the head's. NULL in *out: none. */
CK_CHECKED ck_status ck_run_settings_read(ck_value **out, ck_store *store, const ck_head *head,
                                          int64_t timeline, ck_error *err);
/* Those of the last run that executed the session, on whichever timeline. */
CK_CHECKED ck_status ck_run_settings_read_last(ck_value **out, ck_store *store, const ck_head *head,
                                               ck_error *err);

#endif
