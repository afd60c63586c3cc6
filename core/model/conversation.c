/* conversation.c - keeps messages and hashes each of them once, when a digest is asked for; writes
 * the messages that ckrun makes itself. */
#include "core/model/conversation.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/placeholder.h"
#include "core/model/message_blocks.h"

enum { TAIL_BYTES = CK_CONVERSATION_LOOSE / 4 }; /* of the newest messages, which are not packed */

/* Of the first `count` messages; once it was asked for: of all that are packed, or more. */
typedef struct digested {
  ck_digester digester; /* each as a field: length and bytes */
  size_t count;
  bool masked, asked;
  ck_conversation *of;
} digested;

struct ck_conversation {
  ck_kept_message *messages;
  size_t count, cap;
  ck_message_blocks blocks;
  bool packed;      /* some lie in blocks alone */
  size_t dropped;   /* so many of the first lie in blocks alone; the next one to drop */
  size_t loose;     /* bytes of values that are there */
  size_t pack_from; /* loose bytes at which packing is tried again; 0: the usual */
  digested memo;
  digested *digest; /* that: what is added up when a digest is asked for changes no message */
};

/* The digester needs an alignment that calloc does not guarantee. */
ck_status ck_conversation_new(ck_conversation **out, ck_error *err) {
  *out = aligned_alloc(_Alignof(ck_conversation), sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  **out = (ck_conversation){.memo.of = *out, .digest = &(*out)->memo};
  ck_digester_init(&(*out)->memo.digester);
  return CK_OK;
}

/* Many a conversation is never asked for its digest: what is packed before it is first asked for is
 * hashed then. Who sends it has unpacked it to be read, so that this cannot fail there. */
static const digested *digest(const ck_conversation *self) {
  digested *to = self->digest;
  to->asked = true;
  bool missing = self->packed && to->count < self->blocks.messages;
  if (missing && ck_conversation_unpack(to->of, NULL) != CK_OK) abort();
  for (; to->count < self->count; to->count++)
    to->masked |= ck_placeholder_digest_field(&to->digester,
                                              ck_value_bytes(self->messages[to->count].stored));
  return to;
}

static void free_message(ck_kept_message *message) {
  ck_value_free(message->stored);
  ck_value_free(message->seen);
}

void ck_conversation_free(ck_conversation *self) {
  if (!self) return;
  for (size_t i = 0; i < self->count; i++) free_message(&self->messages[i]);
  ck_message_blocks_clear(&self->blocks);
  free(self->messages);
  free(self);
}

static bool reserve_message(ck_conversation *self) {
  ck_kept_message *messages =
      ck_array_grow(self->messages, self->count, &self->cap, sizeof *messages);
  if (!messages) return false;
  self->messages = messages;
  return true;
}

ck_status ck_conversation_append(ck_conversation *self, const ck_value *message, ck_error *err) {
  if (!reserve_message(self)) return ck_error_no_memory(err);
  self->messages[self->count++] = (ck_kept_message){.stored = ck_value_share(message)};
  self->loose += ck_value_bytes(message).len;
  return CK_OK;
}

void ck_conversation_set_seen(ck_conversation *self, const ck_value *seen) {
  ck_kept_message *last = &self->messages[self->count - 1];
  ck_value_free(last->seen);
  last->seen = ck_value_share(seen);
}

/* ---- packing ---- */

static void count_loose(ck_conversation *self) {
  self->loose = 0;
  for (size_t i = 0; i < self->count; i++)
    if (self->messages[i].stored) self->loose += ck_value_bytes(self->messages[i].stored).len;
}

static bool is_of_tool(const ck_value *message) {
  return ck_json_is_text(ck_json_get(ck_value_bytes(message), "role"), "tool");
}

/* From where on messages stay: the last that is not a tool's, which boundaries show, is never
 * packed, and so always found. */
static size_t find_tail(const ck_conversation *self) {
  size_t at = self->count, bytes = 0;
  for (bool found = false; at > 0 && !found; found = !is_of_tool(self->messages[at].stored))
    bytes += ck_value_bytes(self->messages[--at].stored).len;
  while (at > self->blocks.messages && bytes < TAIL_BYTES)
    bytes += ck_value_bytes(self->messages[--at].stored).len;
  return at;
}

/* From where the last one ended, so that a long conversation is not gone over each time. */
static void drop_packed(ck_conversation *self, size_t tail) {
  for (; self->dropped < self->blocks.messages && self->dropped < tail; self->dropped++) {
    ck_kept_message *message = &self->messages[self->dropped];
    if (message->stored) self->loose -= ck_value_bytes(message->stored).len;
    ck_value_free(message->stored);
    message->stored = NULL;
    self->packed = true;
  }
}

void ck_conversation_pack(ck_conversation *self, const ck_packer *packer) {
  size_t from = self->pack_from ? self->pack_from : CK_CONVERSATION_LOOSE;
  if (self->loose < from) return;
  self->blocks.packer = packer;
  if (self->digest->asked) (void)digest(self);
  size_t tail = find_tail(self);
  if (tail > self->blocks.messages)
    (void)ck_message_blocks_add(&self->blocks, self->messages, tail);
  drop_packed(self, tail);
  self->pack_from = self->loose < from ? 0 : self->loose * 2;
}

ck_status ck_conversation_unpack(ck_conversation *self, ck_error *err) {
  if (!self->packed) return CK_OK;
  ck_status status = ck_message_blocks_restore(&self->blocks, self->messages, err);
  self->packed = status != CK_OK;
  self->dropped = 0;
  count_loose(self);
  return status;
}

void ck_conversation_keep_loose(ck_conversation *self, size_t bytes) { self->pack_from = bytes; }

size_t ck_conversation_loose(const ck_conversation *self) { return self->loose; }

/* ---- cuts ---- */

/* A hash cannot be shortened, so the remaining messages are hashed again when it is asked for. Cuts
 * are rare; a copy of the hash per message would cost more. */
static void digest_again(ck_conversation *self) {
  *self->digest = (digested){.asked = self->digest->asked, .of = self};
  ck_digester_init(&self->digest->digester);
  count_loose(self);
}

ck_status ck_conversation_cut(ck_conversation *self, size_t count, ck_error *err) {
  if (count > self->count) {
    return ck_error_set(err, CK_E_RANGE, "a conversation of %zu messages cannot be cut at %zu",
                        self->count, count);
  }
  if (count == self->count) return CK_OK;
  ck_status status = ck_conversation_unpack(self, err);
  if (status != CK_OK) return status;
  ck_message_blocks_cut(&self->blocks, count);
  while (self->count > count) free_message(&self->messages[--self->count]);
  digest_again(self);
  return CK_OK;
}

static ck_status read_rewind(size_t *to, size_t *keep, const ck_conversation *self, ck_bytes rewind,
                             ck_error *err) {
  int64_t first, last = 0;
  bool has_last = ck_json_get(rewind, "keep").len > 0;
  if (!ck_json_read_int(&first, ck_json_get(rewind, "to")) ||
      (has_last && !ck_json_read_int(&last, ck_json_get(rewind, "keep"))) ||
      ck_json_type_of(ck_json_get(rewind, "report")) != CK_JSON_STRING)
    return ck_error_set(err, CK_E_TYPE,
                        "a rewind needs 'to', a number of messages, and 'report', a text");
  if (first < 0 || last < 0 || (uint64_t)first > self->count ||
      (uint64_t)last > self->count - (uint64_t)first)
    return ck_error_set(
        err, CK_E_RANGE,
        "a conversation of %zu messages cannot be rewound to %lld and keep the last %lld",
        self->count, (long long)first, (long long)last);
  *to = (size_t)first;
  *keep = (size_t)last;
  return CK_OK;
}

ck_status ck_conversation_rewind(ck_conversation *self, const ck_value *rewind, ck_error *err) {
  size_t to = 0, keep = 0;
  ck_value *report;
  bool labelled = false;
  ck_bytes text = ck_json_get(ck_value_bytes(rewind), "report");
  ck_status status = read_rewind(&to, &keep, self, ck_value_bytes(rewind), err);
  if (status != CK_OK) return status;
  if (!reserve_message(self)) return ck_error_no_memory(err);
  ck_json_read_bool(&labelled, ck_json_get(ck_value_bytes(rewind), "labelled"));
  status = labelled ? ck_message_report(&report, text, err) : ck_message_user(&report, text, err);
  if (status != CK_OK) return status;
  status = ck_conversation_unpack(self, err);
  if (status != CK_OK) {
    ck_value_free(report);
    return status;
  }
  ck_message_blocks_cut(&self->blocks, to);
  size_t kept = self->count - keep;
  for (size_t i = to; i < kept; i++) free_message(&self->messages[i]);
  memmove(&self->messages[to + 1], &self->messages[kept], keep * sizeof *self->messages);
  self->messages[to] = (ck_kept_message){.stored = report};
  self->count = to + 1 + keep;
  digest_again(self);
  return CK_OK;
}

size_t ck_conversation_count(const ck_conversation *self) { return self->count; }

const ck_value *ck_conversation_get(const ck_conversation *self, size_t index) {
  return self->messages[index].stored;
}

const ck_value *ck_conversation_get_seen(const ck_conversation *self, size_t index) {
  const ck_kept_message *message = &self->messages[index];
  return message->seen ? message->seen : message->stored;
}

ck_digest ck_conversation_digest(const ck_conversation *self) {
  ck_digester end = digest(self)->digester;
  ck_digester_update_int(&end, (int64_t)self->count);
  return ck_digester_final(&end);
}

bool ck_conversation_is_masked(const ck_conversation *self) { return digest(self)->masked; }

static void begin_message(ck_json_writer *writer, const char *role) {
  ck_json_begin(writer, '{');
  ck_json_member_text(writer, "role", role);
}

static ck_status end_message(ck_value **out, ck_json_writer *writer, ck_error *err) {
  ck_json_end(writer, '}');
  ck_status status = ck_value_from(out, writer->out, err);
  ck_buffer_clear(writer->out);
  return status;
}

ck_status ck_message_system(ck_value **out, ck_bytes text, ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer writer = {.out = &json};
  begin_message(&writer, "system");
  ck_json_member_string(&writer, "content", text);
  return end_message(out, &writer, err);
}

ck_status ck_message_user(ck_value **out, ck_bytes content, ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer writer = {.out = &json};
  begin_message(&writer, "user");
  ck_json_member_raw(&writer, "content", content);
  return end_message(out, &writer, err);
}

ck_status ck_message_report(ck_value **out, ck_bytes report, ck_error *err) {
  ck_buffer text = {0}, json = {0};
  ck_json_writer writer = {.out = &json};
  ck_buffer_append_text(&text, "<rewind-report>\n");
  ck_json_read_string(&text, report);
  ck_buffer_append_text(&text, "\n</rewind-report>");
  begin_message(&writer, "user");
  ck_json_member_string(&writer, "content", ck_buffer_bytes(&text));
  if (text.failed) json.failed = true;
  ck_buffer_clear(&text);
  return end_message(out, &writer, err);
}

ck_status ck_message_tool(ck_value **out, const char *call_id, const char *name, ck_bytes content,
                          ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer writer = {.out = &json};
  begin_message(&writer, "tool");
  ck_json_member_text(&writer, "tool_call_id", call_id);
  ck_json_member_text(&writer, "name", name);
  ck_json_member_raw(&writer, "content", content);
  return end_message(out, &writer, err);
}
