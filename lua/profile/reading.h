/* reading.h - the steps of reading a profile: its table, its paths and references, its settings. */
#ifndef CK_LUA_PROFILE_READING_H
#define CK_LUA_PROFILE_READING_H

#include "lua/profile/profile.h"
#include "lua/vm/source.h"

/* Where mistakes go; see problems.c. */
typedef struct profile_sink {
  ck_profile_problem problem;
  void *to;
  ck_scripts *scripts; /* where texts are put, or read from; NULL: files */
  size_t count;
  bool incomplete; /* a profile that is extended could not be read: what it lacks is not known */
} profile_sink;

/* Reports a mistake of the author, behind file and line of the key at `path` ("" : the file alone),
 * and answers CK_OK; anything else is answered as it is. */
CK_CHECKED ck_status ck_profile_take(profile_sink *sink, const ck_source *source, const char *path,
                                     ck_status status, const ck_error *failure, ck_error *err);
/* True for a mistake of the author, which leaves the others to be told. */
bool ck_profile_is_mistake(ck_status status);
/* After all profiles are read: every model is complete, and the secrets that it names exist. */
CK_CHECKED ck_status ck_profile_check_models(const ck_profile *self, profile_sink *sink,
                                             ck_error *err);
/* The policies and their options. */
CK_CHECKED ck_status ck_profile_check_policies(const ck_profile *self, profile_sink *sink,
                                               ck_error *err);

/* Appends the table that the source returns, as JSON; policies as [{"name", "options"?}]. */
CK_CHECKED ck_status ck_profile_read_table(ck_buffer *out, const ck_source *source, ck_error *err);
/* The path as seen from the profile's own folder; other names as they are. malloc'd; NULL: no
 * memory. */
char *ck_profile_resolve(const ck_source *source, const char *name);
/* The reference of secret `name`, a file's from its profile's folder on; malloc'd. Errors do not
 * repeat the text: it may be the secret itself. */
CK_CHECKED ck_status ck_profile_read_ref(char **out, const ck_source *source, const char *path,
                                         ck_bytes json, ck_error *err);
/* That of a store's key, which may be what a command prints, too. */
CK_CHECKED ck_status ck_profile_read_key_ref(char **out, const ck_source *source, const char *path,
                                             ck_bytes json, ck_error *err);

/* The members of two objects of options, `above` over `below`; both may be NULL, then `*out` can
 * be. */
CK_CHECKED ck_status ck_profile_merge_options(ck_value **out, const ck_value *below,
                                              const ck_value *above, ck_error *err);

/* Sets the keys of one profile (a JSON object as above) over those that `self` has. */
CK_CHECKED ck_status ck_profile_apply(ck_profile *self, const ck_source *source, profile_sink *sink,
                                      ck_bytes json, ck_error *err);

/* The section `models`, a model's settings over those it has. */
CK_CHECKED ck_status ck_profile_apply_models(ck_profile *self, const ck_source *source,
                                             profile_sink *sink, ck_bytes json, ck_error *err);

/* The setting `fallback` of a model; whether all that it names can be asked. */
CK_CHECKED ck_status ck_profile_put_fallback(ck_profile_model *model, const char *path,
                                             ck_bytes value, ck_error *err);
/* For how long: seconds, "session", or false. */
CK_CHECKED ck_status ck_profile_put_fallback_for(ck_profile_model *model, const char *path,
                                                 ck_bytes value, ck_error *err);
CK_CHECKED ck_status ck_profile_check_fallbacks(const ck_profile *self,
                                                const ck_profile_model *model, ck_error *err);

/* What long requests cost: { above, input, output, cache_read?, cache_write? }, or false: what
 * others do. `path`: of its key, for messages. */
CK_CHECKED ck_status ck_profile_read_long(ck_long_price *out, const char *path, ck_bytes json,
                                          ck_error *err);

/* The section `prices`, a row over the row of its name; and, after all profiles are read, what it
 * says to the models that have no price of their own, noted as their origin. */
CK_CHECKED ck_status ck_profile_apply_prices(ck_profile *self, const ck_source *source,
                                             profile_sink *sink, ck_bytes json, ck_error *err);
CK_CHECKED ck_status ck_profile_settle_prices(ck_profile *self, ck_error *err);
/* What a file says that is part of the profile, from the lowest up. */
void ck_profile_add_digest(ck_profile *self, ck_bytes json);

/* For describing: calls `visit` with the path of each setting and its default. */
typedef void (*profile_visit)(void *to, const char *path, const char *built_in);
void ck_profile_visit_settings(profile_visit visit, void *to);

/* Behind "… is expected, never the key itself: ": how it is given; one %s, of the key. */
#define CK_PROFILE_KEY_REMEDY \
  "put it into a variable, then secrets = { mine = \"env:VARIABLE\" } and %s = \"mine\""

#endif
