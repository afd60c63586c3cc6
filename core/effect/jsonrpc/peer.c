/* peer.c - lines in, lines out, and what to do when there are none. */
#include "core/effect/jsonrpc/peer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "core/effect/process/child.h"

enum { SHOWN_MAX = 160, LAST_WORDS_MAX = 300, TEXT_MAX = 900, GRACE_MS = 200 };

struct ck_peer {
  ck_child *child;
  uv_timer_t *timer; /* frees itself */
  char *name;
  char why[TEXT_MAX]; /* why it was ended; "": it was not */
  bool silent;        /* it closed its output */
  size_t line_max, queue_max;
  ck_buffer line;  /* begun and not ended */
  ck_buffer words; /* the end of its standard error */
  int64_t last_id;
  ck_peer_call calls; /* a ring; this one is its end */
  void (*told)(void *to, const ck_rpc_message *message);
  void (*ended)(void *to, const char *why);
  void *to;
};

static int64_t now_ms(void) { return (int64_t)(uv_hrtime() / 1000000); }

/* ---- calls ---- */

static void remove_call(ck_peer_call *call) {
  call->previous->next = call->next;
  call->next->previous = call->previous;
  call->next = call->previous = NULL;
  call->id = 0;
}

static void answer_call(ck_peer_call *call, const ck_peer_answer *answer) {
  remove_call(call);
  call->answered(call->to, answer);
}

/* When the clock answers it; INT64_MAX: never. */
static int64_t due_of(const ck_peer_call *call) {
  int64_t due = call->silence_ms ? call->since_ms + call->silence_ms : INT64_MAX;
  return call->deadline_ms && call->deadline_ms < due ? call->deadline_ms : due;
}

static void on_timer(uv_timer_t *timer);

static void set_timer(ck_peer *self) {
  int64_t due = INT64_MAX, now = now_ms();
  for (ck_peer_call *call = self->calls.next; call != &self->calls; call = call->next) {
    if (due_of(call) < due) due = due_of(call);
  }
  uv_update_time(self->timer->loop);
  if (due == INT64_MAX)
    uv_timer_stop(self->timer);
  else
    uv_timer_start(self->timer, on_timer, due > now ? (uint64_t)(due - now) : 0, 0);
}

static void on_timer(uv_timer_t *timer) {
  ck_peer *self = timer->data;
  char text[TEXT_MAX];
  int64_t now = now_ms();
  for (ck_peer_call *call = self->calls.next, *next; call != &self->calls; call = next) {
    next = call->next;
    if (due_of(call) > now) continue;
    snprintf(text, sizeof text, "%s did not answer within %.1f s", self->name,
             (double)(now - call->since_ms) / 1000);
    answer_call(call, &(ck_peer_answer){.outcome = CK_PEER_LATE, .text = text});
    next = self->calls.next; /* the callback may have changed the ring */
  }
  set_timer(self);
}

static ck_peer_call *find_call(ck_peer *self, ck_bytes id) {
  int64_t number;
  if (!ck_json_read_int(&number, id) || number <= 0) return NULL;
  for (ck_peer_call *call = self->calls.next; call != &self->calls; call = call->next) {
    if (call->id == number) return call;
  }
  return NULL;
}

/* ---- what it wrote ---- */

static bool is_of_word(char c) {
  return isalnum((unsigned char)c) || (c & 0x80) || (c && strchr("_-+/=.~%:!#$&*?@^", c));
}

size_t ck_peer_cut(ck_bytes text, size_t most) {
  if (text.len <= most) return text.len;
  while (most && is_of_word(text.data[most - 1])) most--;
  return most;
}

static void append_shown(ck_buffer *out, ck_bytes line) {
  size_t shown = ck_peer_cut(line, SHOWN_MAX);
  ck_json_append_string(out, (ck_bytes){line.data, shown});
  if (shown < line.len) ck_buffer_append_text(out, "…");
}

static void refuse_line(ck_peer *self, ck_bytes line, const char *what) {
  ck_buffer text = {0};
  ck_buffer_append_format(&text, "it wrote a line that is %s: ", what);
  append_shown(&text, line);
  ck_peer_stop(self, text.data && !text.failed ? text.data : what);
  ck_buffer_clear(&text);
}

static void take_answer(ck_peer *self, const ck_rpc_message *message) {
  ck_peer_call *call = find_call(self, message->id);
  if (!call) return; /* late, twice, or never asked for */
  ck_peer_answer answer = {.outcome = CK_PEER_RESULT, .json = message->result};
  ck_buffer text = {0};
  if (message->error.len) {
    answer.outcome = CK_PEER_ERROR;
    answer.json = message->error;
    ck_json_read_int(&answer.code, ck_json_get(message->error, "code"));
    ck_buffer_append_format(&text, "%s: ", self->name);
    if (!ck_json_read_string(&text, ck_json_get(message->error, "message")))
      ck_buffer_append_text(&text, "refused without a reason");
    ck_buffer_append_format(&text, " (error %lld)", (long long)answer.code);
    answer.text = text.failed ? ck_status_text(CK_E_NO_MEMORY) : text.data;
  }
  answer_call(call, &answer);
  set_timer(self);
  ck_buffer_clear(&text);
}

static void take_message(ck_peer *self, ck_bytes json) {
  ck_rpc_message message;
  if (!ck_rpc_read(&message, json))
    refuse_line(self, json, "no JSON-RPC message");
  else if (message.kind == CK_RPC_ANSWER)
    take_answer(self, &message);
  else
    self->told(self->to, &message);
}

static bool is_blank(ck_bytes line) {
  for (size_t i = 0; i < line.len; i++) {
    if (!strchr(" \t\r", line.data[i]) || !line.data[i]) return false;
  }
  return true;
}

static void take_json(ck_peer *self, ck_bytes json) {
  if (ck_json_type_of(json) != CK_JSON_ARRAY || ck_json_count(json) == 0) {
    take_message(self, json);
    return;
  }
  ck_json_iterator it = ck_json_iterate(json); /* a batch, as revision 2025-03-26 of MCP had them */
  while (!*self->why && ck_json_next(&it)) take_message(self, it.value);
}

static void take_line(ck_peer *self, ck_bytes line) {
  ck_buffer mended = {0};
  ck_error err = CK_ERROR_INIT;
  if (is_blank(line)) return;
  ck_status status = ck_json_check(line, &err);
  ck_bytes json = line;
  if (status == CK_E_PARSE && ck_rpc_mend(&mended, line)) {
    json = ck_buffer_bytes(&mended);
    status = ck_buffer_check(&mended, &err);
    if (status == CK_OK) status = ck_json_check(json, &err);
  }
  if (status == CK_OK)
    take_json(self, json);
  else if (status == CK_E_NO_MEMORY)
    ck_peer_stop(self, err.text);
  else
    refuse_line(self, line, "no JSON");
  ck_buffer_clear(&mended);
}

/* Half of what is kept is thrown away at a time, so that no byte is moved often. */
static void keep_words(ck_peer *self, ck_bytes chunk) {
  ck_buffer *words = &self->words;
  ck_buffer_append_bytes(words, chunk);
  if (words->failed || words->len < 2 * CK_PEER_ERROR_MAX) return;
  memmove(words->data, words->data + words->len - CK_PEER_ERROR_MAX, CK_PEER_ERROR_MAX);
  words->len = CK_PEER_ERROR_MAX;
  words->data[words->len] = '\0';
}

/* A line that came in one piece is never copied. */
static void take_output(ck_peer *self, ck_bytes chunk) {
  if (!chunk.len && !*self->why) { /* its end, as a rule; it is waited for, since it says more */
    self->silent = true;
    ck_child_close_input(self->child);
  }
  while (chunk.len && !*self->why) {
    const char *newline = memchr(chunk.data, '\n', chunk.len);
    ck_bytes part = {chunk.data, newline ? (size_t)(newline - chunk.data) : chunk.len};
    if (part.len > self->line_max - self->line.len) {
      char text[TEXT_MAX];
      snprintf(text, sizeof text, "it wrote a line of more than %zu bytes", self->line_max);
      ck_peer_stop(self, text);
      return;
    }
    chunk = (ck_bytes){part.data + part.len + (newline != NULL),
                       chunk.len - part.len - (newline != NULL)};
    bool whole = newline && !self->line.len;
    if (!whole) ck_buffer_append_bytes(&self->line, part);
    if (self->line.failed)
      ck_peer_stop(self, ck_status_text(CK_E_NO_MEMORY));
    else if (newline)
      take_line(self, whole ? part : ck_buffer_bytes(&self->line));
    if (newline) ck_buffer_reset(&self->line);
  }
}

static bool on_wrote(void *to, int fd, ck_bytes chunk) {
  if (fd == STDERR_FILENO)
    keep_words(to, chunk);
  else
    take_output(to, chunk);
  return true;
}

/* ---- its end ---- */

static void append_last_words(ck_buffer *out, ck_bytes words) {
  while (words.len && strchr(" \t\r\n", words.data[words.len - 1])) words.len--;
  if (!words.len) return;
  if (words.len > LAST_WORDS_MAX) {
    words = (ck_bytes){words.data + words.len - LAST_WORDS_MAX, LAST_WORDS_MAX};
    while (words.len && is_of_word(*words.data)) words = (ck_bytes){words.data + 1, words.len - 1};
  }
  ck_buffer_append_text(out, "; its last words: ");
  ck_json_append_string(out, words);
}

static void append_ending(ck_buffer *out, const ck_peer *self, const ck_child_end *end) {
  if (*self->why)
    ck_buffer_append_text(out, self->why);
  else if (end->ending == CK_CHILD_EXITED)
    ck_buffer_append_format(out, "it ended with exit status %d", end->code);
  else if (end->ending == CK_CHILD_KILLED)
    ck_buffer_append_format(out, "it was ended by signal %d (%s)", end->code, strsignal(end->code));
  else if (end->ending == CK_CHILD_UNSTARTED)
    ck_buffer_append_format(out, "it cannot be started: %s", strerror(end->code));
  else if (end->ending == CK_CHILD_NO_MEMORY)
    ck_buffer_append_text(out, "out of memory for its output");
  else
    ck_buffer_append_text(out, "it closed its standard output, and was ended");
}

static void free_timer(uv_handle_t *timer) { free(timer); }

static void free_peer(ck_peer *self) {
  if (self->timer) uv_close((uv_handle_t *)self->timer, free_timer);
  ck_buffer_clear(&self->line);
  ck_buffer_clear(&self->words);
  free(self->name);
  free(self);
}

static void on_ended(void *to, const ck_child_end *end) {
  ck_peer *self = to;
  ck_buffer text = {0};
  ck_buffer_append_format(&text, "%s: ", self->name);
  append_ending(&text, self, end);
  append_last_words(&text, ck_buffer_bytes(&self->words));
  const char *why = text.failed ? ck_status_text(CK_E_NO_MEMORY) : text.data;
  if (!*self->why) snprintf(self->why, sizeof self->why, "it has ended");
  self->child = NULL;
  while (self->calls.next != &self->calls) {
    answer_call(self->calls.next, &(ck_peer_answer){.outcome = CK_PEER_LOST, .text = why});
  }
  self->ended(self->to, why);
  ck_buffer_clear(&text);
  free_peer(self);
}

/* The first reason is the one that is told. */
static void note_why(ck_peer *self, const char *why) {
  if (!*self->why) snprintf(self->why, sizeof self->why, "%s", why);
}

void ck_peer_stop(ck_peer *self, const char *why) {
  note_why(self, why);
  if (self->child) ck_child_cancel(self->child);
}

void ck_peer_end(ck_peer *self, const char *why) {
  note_why(self, why);
  if (self->child) ck_child_close_input(self->child);
}

void ck_peer_free(ck_peer *self) {
  if (!self) return;
  if (self->child) ck_child_dismiss(self->child, CK_PEER_PATIENCE_MS);
  while (self->calls.next != &self->calls) remove_call(self->calls.next);
  free_peer(self);
}

/* ---- what it is told ---- */

bool ck_peer_is_ending(const ck_peer *self) { return *self->why || !self->child || self->silent; }

static ck_status send_lines(ck_peer *self, ck_buffer *lines, ck_error *err) {
  ck_status status = ck_buffer_check(lines, err);
  if (status == CK_OK && ck_peer_is_ending(self)) {
    status = ck_error_set(err, CK_E_UNAVAILABLE, "%s: %s", self->name,
                          *self->why ? self->why : "it has ended");
  } else if (status == CK_OK) {
    status = ck_child_write(self->child, ck_buffer_bytes(lines), self->queue_max, err);
    if (status != CK_OK && status != CK_E_NO_MEMORY) {
      ck_error_prefix(err, "%s", self->name);
      if (err) err->status = CK_E_UNAVAILABLE;
      status = CK_E_UNAVAILABLE;
    }
  }
  ck_buffer_clear(lines);
  return status;
}

ck_status ck_peer_ask(ck_peer *self, ck_peer_call *call, const char *method, ck_bytes params,
                      ck_error *err) {
  ck_buffer lines = {0};
  if (call->deadline_ms && call->deadline_ms <= now_ms()) {
    return ck_error_set(err, CK_E_UNAVAILABLE, "%s was not asked: its deadline has passed",
                        self->name);
  }
  ck_rpc_write_request(&lines, self->last_id + 1, method, params);
  ck_status status = send_lines(self, &lines, err);
  if (status != CK_OK) return status;
  call->sent_id = ++self->last_id;
  ck_peer_renew(self, call);
  return CK_OK;
}

void ck_peer_renew(ck_peer *self, ck_peer_call *call) {
  call->id = call->sent_id;
  call->since_ms = now_ms();
  call->next = &self->calls;
  call->previous = self->calls.previous;
  call->previous->next = call->next->previous = call;
  set_timer(self);
}

void ck_peer_forget(ck_peer *self, ck_peer_call *call) {
  if (!call->id) return;
  remove_call(call);
  set_timer(self);
}

void ck_peer_touch(ck_peer *self, ck_peer_call *call) {
  call->since_ms = now_ms();
  if (call->id) set_timer(self);
}

/* A peer that misses an answer would wait for ever. */
static void send_or_stop(ck_peer *self, ck_buffer *lines) {
  ck_error err = CK_ERROR_INIT;
  ck_status status = send_lines(self, lines, &err);
  if (status == CK_E_NO_MEMORY)
    ck_peer_stop(self, ck_status_text(status));
  else if (status != CK_OK && !ck_peer_is_ending(self))
    ck_peer_stop(self, "it does not read its standard input");
}

void ck_peer_notify(ck_peer *self, const char *method, ck_bytes params) {
  ck_buffer lines = {0};
  ck_rpc_write_notification(&lines, method, params);
  send_or_stop(self, &lines);
}

void ck_peer_reply(ck_peer *self, ck_bytes id, ck_bytes result) {
  ck_buffer lines = {0};
  ck_rpc_write_result(&lines, id, result);
  send_or_stop(self, &lines);
}

void ck_peer_refuse(ck_peer *self, ck_bytes id, int code, const char *message) {
  ck_buffer lines = {0};
  ck_rpc_write_error(&lines, id, code, message);
  send_or_stop(self, &lines);
}

static ck_status start_child(ck_peer *self, const ck_peer_options *options, ck_error *err) {
  ck_child_options child = {
      .loop = options->loop,
      .argv = options->argv,
      .environment = options->environment,
      .directory = options->directory,
      .talks = true,
      .take = on_wrote,
      .grace_ms = GRACE_MS,
      .kill_ms = options->kill_ms ? options->kill_ms : CK_PEER_KILL_MS,
      .ended = on_ended,
      .to = self,
  };
  return ck_child_start(&self->child, &child, err);
}

ck_status ck_peer_open(ck_peer **out, const ck_peer_options *options, ck_error *err) {
  *out = NULL;
  ck_peer *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->name = strdup(options->name);
  uv_timer_t *timer = malloc(sizeof *timer);
  if (timer && self->name) {
    uv_timer_init(ck_loop_uv(options->loop), timer);
    timer->data = self;
    self->timer = timer;
  } else {
    free(timer);
  }
  self->line_max = options->line_max ? options->line_max : CK_PEER_LINE_MAX;
  self->queue_max = options->queue_max ? options->queue_max : CK_PEER_QUEUE_MAX;
  self->calls.next = self->calls.previous = &self->calls;
  self->told = options->told;
  self->ended = options->ended;
  self->to = options->to;
  ck_status status = self->timer ? start_child(self, options, err) : ck_error_no_memory(err);
  if (status != CK_OK)
    free_peer(self);
  else
    *out = self;
  return status;
}
