/* policy_changes.h - what differs between two recorded lists of policies, one by one. */
#ifndef CK_HOST_SESSION_POLICY_CHANGES_H
#define CK_HOST_SESSION_POLICY_CHANGES_H

#include "core/base/json.h"
#include "core/redact/redact.h"
#include "core/runtime/session/policy.h"

/* A change is a JSON object {policy?, agent?, what, option?, file?, version?, where?,
 * certain?, was?, now?}. `what`:
 *   option    of that name; was, now: its values, none where it is not set
 *   options   they differ, and the record does not say how; certain false: they may differ
 *   text      was, now: digests; file: where it is now, none of a shipped policy;
 *             version: that both have, though who decides otherwise should have another one
 *   version   was, now
 *   added     now: its digest
 *   removed   was: its digest
 *   order     of the list: no policy is named
 *   unmasked  where: keys, or kinds of events, in which it has masked, and no policy does any more;
 *             certain: whole keys, by their names; else it cannot be told without the values */

/* Appends the changes from `then` to `now`, lists made by ck_policy_describe for the profile alone,
 * to the open array of `w`: in the order of `then`, what was added behind it. */
void ck_policy_changes_write(ck_json_writer *w, ck_bytes then, ck_bytes now);
/* The same of what runs have set over their profile: the options of policies that mask, refuse or
 * permit. `then`, `now`: lists for two runs. What the profile itself says otherwise is left out,
 * and so is a policy that one of them does not have, or whose options it does not tell. */
void ck_policy_changes_write_guards(ck_json_writer *w, ck_bytes then, ck_bytes now);

/* Appends a change of `options` (certain: false) for each policy that is the same, as far as it can
 * be told: of masked options, in a store without a key, it cannot. Whether there is any. For a
 * profile whose text is another one. */
bool ck_policy_changes_write_masked(ck_json_writer *w, ck_bytes then, ck_bytes now);

/* Whether one of an array of changes is of the policy of that entry. */
bool ck_policy_changes_name(ck_bytes changes, ck_bytes entry);

/* Appends a change in words: "option n of every_n was 3 and is 4". Not yet redacted or escaped. */
void ck_policy_change_append(ck_buffer *out, ck_bytes change);
/* All of an array, with "; " between them; past about `limit` bytes "and 3 more" for the rest. */
void ck_policy_changes_append(ck_buffer *out, ck_bytes changes, size_t limit);

/* The entry of the same name and agent; no bytes: there is none. */
ck_bytes ck_policy_list_find(ck_bytes list, ck_bytes entry);
/* How a list is made fit for the record. */
typedef struct ck_policy_cleaning {
  ck_redactor *redactor;
  const ck_policy_engine *policies; /* whose redact is asked, about options.NAME; NULL */
  const uint8_t *key;               /* of ck_store_fingerprint_key; NULL: none */
} ck_policy_cleaning;
/* A list whose `options` hold nothing that the redactor or the policies find. Where something was
 * found, options_digest is "k", the key's fingerprint and a digest under the key, or, without a
 * key, "m" and a digest of what is left. */
CK_CHECKED ck_status ck_policy_list_clean(ck_value **out, const ck_policy_cleaning *with,
                                          const ck_value *list, ck_error *err);
/* In between the redactor asks the policies about whatever it is given. */
void ck_policy_cleaning_begin(const ck_policy_cleaning *self);
void ck_policy_cleaning_end(const ck_policy_cleaning *self);

#endif
