/* record.h - the parts of a cassette; for the files of this folder only. */
#ifndef CK_EFFECT_CASSETTE_RECORD_H
#define CK_EFFECT_CASSETTE_RECORD_H

#include "core/effect/cassette/cassette.h"

typedef struct ck_record {
  ck_effect_kind kind; /* ask, model or tool */
  size_t position;     /* line of the file, or element of a trajectory */
  /* the answer, the message, the result; NULL: the result of a tool that a command runs */
  ck_value *value;
  char *name;          /* tool */
  ck_value *arguments; /* tool */
  ck_value *own;       /* tool: the whole request, for a call that the flow itself makes; then name,
                          arguments and index are absent */
  int64_t index;       /* tool: the index of the call in its message */
  bool is_error;       /* tool */
  bool tools_changed;  /* tool: as ck_outcome has it */
  bool has_request;    /* model: `request` was recorded */
  ck_digest request;
  int64_t cost_micros, reserved_micros, input_tokens, output_tokens; /* model */
  char *cut, *refusal, *note;                                        /* model: as ck_outcome has */
  bool goes_on;                                                      /* them; NULL: none */
  /* Set by ck_cassette_finish. */
  size_t messages;  /* model: how many messages were sent */
  ck_digest prefix; /* model: their digest */
  /* tool: the records that answer the same message, or calls of the flow's own in a row */
  size_t batch, batch_end;
} ck_record;

/* The tools that an MCP server listed before the record with that index. */
typedef struct ck_recorded_list {
  ck_record record;
  size_t before;
} ck_recorded_list;

typedef struct ck_recorded_scope {
  char *name;
  ck_record *records;
  size_t count, capacity;
  ck_recorded_list *lists;
  size_t list_count, list_capacity;
  ck_conversation *conversation; /* all messages of the recording */
  /* messages whose content was not recorded: results of tools run by a command; ascending */
  size_t *holes;
  size_t hole_count, hole_capacity;
} ck_recorded_scope;

struct ck_cassette {
  const char *position_name; /* the unit of a record's position: "line", "element" */
  char *prompt;
  ck_value *tools;
  ck_recorded_scope *scopes;
  size_t scope_count, scope_capacity;
};

/* NULL when the recording has no such scope. */
ck_recorded_scope *ck_cassette_find(const ck_cassette *self, const char *scope);
/* Takes the record's memory, also on failure. A list of a server's tools is no record of the
 * cursor: it is kept apart. */
CK_CHECKED ck_status ck_cassette_add(ck_cassette *self, const char *scope, ck_record *record,
                                     ck_error *err);
void ck_record_clear(ck_record *self);
/* Computes for each record the conversation that is expected before it. Call it once all records
 * are added, and again after a change. CK_E_PARSE: a tool record that answers no call. */
CK_CHECKED ck_status ck_cassette_finish(ck_cassette *self, ck_error *err);

/* Readers of the two formats; `text` is borrowed for the call. */
CK_CHECKED ck_status ck_cassette_read_lines(ck_cassette *self, ck_bytes text, ck_error *err);
CK_CHECKED ck_status ck_cassette_read_tau(ck_cassette *self, ck_bytes text, size_t index,
                                          ck_error *err);

/* The record that answers `effect`. CK_E_DIVERGED with both sides in the text; CK_OK with NULL: the
 * recording has ended. */
CK_CHECKED ck_status ck_cassette_match(const ck_record **out, const ck_cassette *self,
                                       const ck_effect *effect, ck_error *err);

#endif
