/* test_no_memory.c - whichever allocation fails, the model says so, keeps what it had and leaks
 * nothing. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc */
/* link: -Wl,--wrap=reallocarray,--wrap=strdup,--wrap=aligned_alloc */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/conversation.h"
#include "core/model/event.h"
#include "core/model/profile.h"
#include "core/model/session.h"
#include "core/model/state.h"
#include "core/redact/redact.h"
#include "tests/starve.h"
#include "tests/tap.h"

enum { ENTRIES = 40, ALLOCATIONS_MAX = 2000 };

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(reallocarray, (void *old, size_t count, size_t size), (old, count, size))
WRAP(strdup, (const char *text), (text))
WRAP(aligned_alloc, (size_t alignment, size_t size), (alignment, size))

static int broken; /* promises that did not hold after a failure */

static ck_status use_values(ck_error *err) {
  ck_value *value = NULL;
  ck_status status = ck_value_new(&value, ck_bytes_text("[1]"), err);
  broken += (value == NULL) != (status != CK_OK);
  ck_value_free(value);
  if (status != CK_OK) return status;
  status = ck_value_text(&value, ck_bytes_text("text"), err);
  broken += (value == NULL) != (status != CK_OK);
  ck_value_free(value);
  return status;
}

static ck_status use_copy(ck_state *state, ck_error *err) {
  ck_state *copy = NULL;
  ck_state_entry *entries = NULL;
  size_t count = 0;
  ck_status status = ck_state_copy(&copy, state, err);
  if (status == CK_OK) status = ck_state_list(&entries, &count, copy, err);
  broken += status == CK_OK && count != ENTRIES;
  broken += status != CK_OK && (entries || count != 0);
  free(entries);
  ck_state_free(copy);
  return status;
}

static ck_status use_state(ck_error *err) {
  ck_state *state = NULL;
  ck_value *value = NULL;
  ck_status status = ck_state_new(&state, err);
  if (status == CK_OK) status = ck_value_copy(&value, ck_bytes_text("1"), err);
  for (size_t i = 0; status == CK_OK && i < ENTRIES; i++) {
    char key[16];
    snprintf(key, sizeof key, "key%zu", i);
    status = ck_state_put(state, key, value, err);
    size_t kept = status == CK_OK ? i + 1 : i;
    broken +=
        ck_state_count(state) != kept || (ck_state_get(state, key) == NULL) != (status != CK_OK);
    broken += i > 0 && ck_state_get(state, "key0") != value;
  }
  if (status == CK_OK) status = use_copy(state, err);
  ck_value_free(value);
  ck_state_free(state);
  return status;
}

static ck_status use_conversation(ck_error *err) {
  ck_conversation *self = NULL;
  ck_value *message = NULL;
  ck_status status = ck_conversation_new(&self, err);
  if (status == CK_OK) status = ck_message_tool(&message, "id", "name", ck_bytes_text("\"\""), err);
  for (size_t i = 0; status == CK_OK && i < ENTRIES; i++) {
    ck_digest before = ck_conversation_digest(self);
    status = ck_conversation_append(self, message, err);
    ck_digest after = ck_conversation_digest(self);
    broken += ck_digest_equal(&before, &after) != (status != CK_OK);
    broken += ck_conversation_count(self) != (status == CK_OK ? i + 1 : i);
  }
  ck_value_free(message);
  ck_conversation_free(self);
  return status;
}

static ck_status use_records(ck_error *err) {
  ck_value *body = NULL;
  ck_event *event = NULL;
  ck_outcome *outcome = NULL;
  ck_profile *profile = NULL;
  ck_redactor *redactor = NULL;
  ck_view view = {0};
  ck_timeline timeline = {.no = 1, .begin = 1};
  ck_status status = ck_value_copy(&body, ck_bytes_text("{}"), err);
  if (status == CK_OK)
    status = ck_event_new(&event, &(ck_event){.scope = "main", .agent = "a", .body = body}, err);
  if (status == CK_OK) status = ck_outcome_new(&outcome, CK_OUTCOME_ERROR, body, "why", err);
  if (status == CK_OK) status = ck_profile_new(&profile, "p", err);
  for (int i = 0; status == CK_OK && i < 5; i++)
    status = ck_profile_append_policy(profile, "x", body, err);
  if (status == CK_OK) status = ck_redactor_new(&redactor, err);
  if (status == CK_OK) status = ck_view_make(&view, &timeline, 1, 1, err);
  ck_value_free(body);
  ck_event_free(event);
  ck_outcome_free(outcome);
  ck_profile_free(profile);
  ck_redactor_free(redactor);
  ck_view_clear(&view);
  return status;
}

static void attack(const char *what, ck_status (*use)(ck_error *err)) {
  ck_status status = CK_E_NO_MEMORY;
  int wrong = 0;
  long at = 0;
  broken = 0;
  for (; status != CK_OK && at < ALLOCATIONS_MAX; at++) {
    ck_error err = CK_ERROR_INIT;
    budget = at;
    status = use(&err);
    budget = -1;
    wrong += status != CK_OK && (status != CK_E_NO_MEMORY || err.status != status);
  }
  tap_is_status(status, CK_OK, NULL, "%s: works with %ld allocations", what, at - 1);
  tap_ok(at > 2, "%s: the attack reaches allocations", what);
  tap_is_int(wrong, 0, "%s: each one that fails is reported as out of memory", what);
  tap_is_int(broken, 0, "%s: and changes nothing", what);
}

int main(void) {
  attack("values", use_values);
  attack("state", use_state);
  attack("conversations", use_conversation);
  attack("records", use_records);
  return tap_done();
}
