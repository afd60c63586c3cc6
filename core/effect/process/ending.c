/* ending.c - one line for a person or a model about how a child ended. */
#include "core/effect/process/ending.h"

#include <signal.h>
#include <string.h>

#include "core/base/shortage.h"
#include "core/base/utf8.h"

ck_child_end ck_ending_known(const ck_child_end *end, bool repeats) {
  ck_child_end known = *end;
  known.late = end->ending == CK_CHILD_LATE && end->code >= 0;
  if (known.late || (end->ending == CK_CHILD_CANCELLED && end->code >= 0 && !repeats))
    known.ending = CK_CHILD_EXITED;
  return known;
}

enum { OF_TIMEOUT = 124, OF_A_SIGNAL = 128, LAST_SIGNAL = 64 };

/* By default these stop a program, let it go on, or are ignored: see signal(7). None ends one. */
static bool ends_programs(int signal) {
  static const int others[] = {SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP,
                               SIGTTIN, SIGTTOU, SIGURG,  SIGWINCH};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (signal == others[i]) return false;
  return signal >= 1 && signal <= LAST_SIGNAL;
}

bool ck_ending_status_tells(int status) {
  return status != OF_TIMEOUT && !ends_programs(status - OF_A_SIGNAL);
}

bool ck_ending_is_unknown(const ck_child_end *end) {
  return end->ending == CK_CHILD_KILLED || end->ending == CK_CHILD_LATE ||
         end->ending == CK_CHILD_FLOODED || end->ending == CK_CHILD_NO_MEMORY ||
         (end->ending == CK_CHILD_EXITED && !ck_ending_status_tells(end->code));
}

const char *ck_ending_start_text(const ck_child_end *end) {
  const char *shortage = ck_shortage_text(end->code);
  return shortage ? shortage : strerror(end->code);
}

static void append_status(ck_buffer *out, int status) {
  ck_buffer_append_format(out, "exit status %d", status);
  if (status == OF_TIMEOUT)
    ck_buffer_append_text(out, ", by which timeout(1) tells that it ended a program");
  else if (!ck_ending_status_tells(status))
    ck_buffer_append_format(out, ", by which a shell tells of signal %d (%s)", status - OF_A_SIGNAL,
                            strsignal(status - OF_A_SIGNAL));
}

void ck_ending_append_reason(ck_buffer *out, const ck_child_end *end) {
  switch (end->ending) {
    case CK_CHILD_EXITED:
      append_status(out, end->code);
      break;
    case CK_CHILD_KILLED:
      ck_buffer_append_format(out, "ended by signal %d (%s)", end->code, strsignal(end->code));
      break;
    case CK_CHILD_UNSTARTED:
      ck_buffer_append_format(out, "cannot be started: %s", ck_ending_start_text(end));
      break;
    case CK_CHILD_FLOODED:
      ck_buffer_append_text(out, "it wrote more output than is allowed and was killed");
      break;
    case CK_CHILD_LATE:
      ck_buffer_append_text(out, "it did not end before its deadline and was killed");
      break;
    case CK_CHILD_CANCELLED:
      ck_buffer_append_text(out, "it was cancelled");
      break;
    case CK_CHILD_NO_MEMORY:
      ck_buffer_append_text(out, "out of memory for its output");
      break;
  }
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static void append_clean(ck_buffer *out, ck_bytes text) {
  while (text.len > 0) {
    size_t len = *text.data ? ck_utf8_length(text.data, text.len) : 0;
    ck_buffer_append(out, len ? text.data : "\xef\xbf\xbd", len ? len : 3);
    text.data += len ? len : 1;
    text.len -= len ? len : 1;
  }
}

bool ck_ending_append_tail(ck_buffer *out, const char *before, ck_bytes text, size_t most) {
  while (text.len && is_space(text.data[text.len - 1])) text.len--;
  while (text.len && is_space(*text.data)) {
    text.data++;
    text.len--;
  }
  if (!text.len) return false;
  ck_buffer_append_text(out, before);
  size_t cut = text.len > most ? ck_utf8_cut(text.data, text.len - most) : 0;
  if (cut) ck_buffer_append_text(out, "…");
  append_clean(out, (ck_bytes){text.data + cut, text.len - cut});
  return true;
}
