/* lines.c - finds the line of a key in the text of a profile: reads Lua's tokens, and follows the
 * table that the text returns. */
#include "lua/profile/lines.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32 };

/* NAME and TEXT (a quoted name) carry a name; any other token is a character. */
typedef enum { END, NAME, TEXT, OTHER } token_kind;

typedef struct token {
  token_kind kind;
  ck_bytes text; /* without quotes */
  char mark;     /* of OTHER: its last character */
  int line;
} token;

typedef struct reader {
  const char *at, *end;
  int line;
} reader;

/* ---- tokens ---- */

static void skip_to(reader *self, const char *to) {
  for (; self->at < to && self->at < self->end; self->at++) self->line += *self->at == '\n';
}

/* The length of "[[", "[=[", …; 0: none begins here. */
static size_t long_bracket(const reader *self) {
  const char *at = self->at;
  if (at >= self->end || *at != '[') return 0;
  for (at++; at < self->end && *at == '=';) at++;
  return at < self->end && *at == '[' ? (size_t)(at - self->at) + 1 : 0;
}

/* Behind the bracket that closes one of `open` bytes. */
static const char *long_end(const reader *self, size_t open) {
  for (const char *at = self->at + open; at + open <= self->end; at++) {
    size_t level = 1;
    if (*at != ']') continue;
    while (level < open - 1 && at[level] == '=') level++;
    if (level == open - 1 && at[level] == ']') return at + open;
  }
  return self->end;
}

static void skip_blank(reader *self) {
  for (;;) {
    while (self->at < self->end && isspace((unsigned char)*self->at)) skip_to(self, self->at + 1);
    if (self->end - self->at < 2 || strncmp(self->at, "--", 2) != 0) return;
    skip_to(self, self->at + 2);
    size_t open = long_bracket(self);
    const char *end = memchr(self->at, '\n', (size_t)(self->end - self->at));
    skip_to(self, open ? long_end(self, open) : end ? end : self->end);
  }
}

static const char *quoted_end(const reader *self) {
  const char *at = self->at + 1;
  while (at < self->end && *at != *self->at) at += *at == '\\' ? 2 : 1;
  return at < self->end ? at : self->end;
}

static token next(reader *self) {
  skip_blank(self);
  token found = {.line = self->line};
  const char *from = self->at;
  size_t open = long_bracket(self);
  if (from >= self->end) return found;
  if (isalpha((unsigned char)*from) || *from == '_') {
    const char *to = from;
    while (to < self->end && (isalnum((unsigned char)*to) || *to == '_')) to++;
    skip_to(self, to);
    found.kind = NAME;
    found.text = (ck_bytes){from, (size_t)(to - from)};
  } else if (*from == '"' || *from == '\'') {
    const char *to = quoted_end(self);
    found.kind = TEXT;
    found.text = (ck_bytes){from + 1, (size_t)(to - from) - (to > from)};
    skip_to(self, to < self->end ? to + 1 : to);
  } else {
    found.kind = OTHER;
    found.mark = open ? '"' : *from;
    skip_to(self, open ? long_end(self, open) : from + 1);
    bool doubled = !open && self->at < self->end && *self->at == '=' && strchr("=~<>", *from);
    if (doubled) skip_to(self, self->at + 1);
    if (doubled) found.mark = '~'; /* a comparison, not "=" */
  }
  return found;
}

static bool is_mark(const token *self, char mark) {
  return self->kind == OTHER && self->mark == mark;
}

/* ---- the table ---- */

typedef struct level {
  int matched; /* segments of the path that lead to this table; -1: it is another one */
  int index;   /* of the item in the list part that is read, from 0 before the first */
  bool fresh;  /* an item begins with the next token */
  int pending; /* segments that lead to the item's value */
} level;

typedef struct search {
  reader reader;
  ck_bytes segments[DEPTH_MAX];
  int count;
  level levels[DEPTH_MAX];
  int depth; /* of levels; 0: outside of the table */
  int round; /* open "(" within the item */
} search;

static void split(search *self, const char *path) {
  while (*path && self->count < DEPTH_MAX) {
    size_t len = strcspn(path, ".");
    self->segments[self->count++] = (ck_bytes){path, len};
    path += len + (path[len] == '.');
  }
}

/* The item of this name: how many segments lead to its value, or -1. */
static int match(const search *self, const level *at, ck_bytes name) {
  bool on = at->matched >= 0 && at->matched < self->count;
  return on && ck_bytes_equal(self->segments[at->matched], name) ? at->matched + 1 : -1;
}

/* Reads the beginning of an item. True: it is what is looked for. */
static bool begin_item(search *self, token *first, level *at) {
  reader ahead = self->reader;
  char place[16];
  token name = *first;
  bool bracketed = is_mark(first, '[');
  if (bracketed) name = next(&ahead);
  if (bracketed) next(&ahead);
  token equals = next(&ahead);
  at->fresh = false;
  if ((bracketed || name.kind == NAME) && is_mark(&equals, '=')) {
    at->pending = match(self, at, name.text);
    self->reader = ahead;
    *first = next(&self->reader);
  } else {
    snprintf(place, sizeof place, "[%d]", ++at->index);
    at->pending = match(self, at, ck_bytes_text(place));
  }
  return at->pending == self->count;
}

static void open_level(search *self, int matched) {
  if (self->depth < DEPTH_MAX)
    self->levels[self->depth] = (level){.matched = matched, .fresh = true, .pending = -1};
  self->depth++;
}

/* The line of the key, or 0; up to the end of the table that was opened. */
static int follow(search *self) {
  while (self->depth > 0 && self->depth <= DEPTH_MAX) {
    token now = next(&self->reader);
    level *at = &self->levels[self->depth - 1];
    if (now.kind == END) return 0;
    int line = now.line;
    if (at->fresh && !is_mark(&now, '}') && begin_item(self, &now, at)) return line;
    if (is_mark(&now, '{'))
      open_level(self, at->pending);
    else if (is_mark(&now, '}'))
      self->depth--;
    else if (is_mark(&now, '(') || is_mark(&now, ')'))
      self->round += now.mark == '(' ? 1 : -1;
    else if (self->round == 0 && (is_mark(&now, ',') || is_mark(&now, ';')))
      at->fresh = true, at->pending = -1;
  }
  return 0;
}

/* The first field of this name that is given a value. */
static int find_field(ck_bytes text, ck_bytes name) {
  reader self = {.at = text.data, .end = text.data + text.len, .line = 1};
  for (token now = next(&self); now.kind != END; now = next(&self)) {
    reader ahead = self;
    token after = next(&ahead);
    if (now.kind == TEXT && is_mark(&after, ']')) after = next(&ahead);
    bool same = (now.kind == NAME || now.kind == TEXT) && ck_bytes_equal(now.text, name);
    if (same && is_mark(&after, '=')) return now.line;
  }
  return 0;
}

int ck_profile_line(ck_bytes text, const char *path) {
  search self = {.reader = {.at = text.data, .end = text.data + text.len, .line = 1}};
  if (!text.data || !*path) return 0;
  split(&self, path);
  for (token now = next(&self.reader); now.kind != END;) {
    bool returns = now.kind == NAME && ck_bytes_equal(now.text, ck_bytes_text("return"));
    now = next(&self.reader);
    if (!returns || !is_mark(&now, '{')) continue;
    open_level(&self, 0);
    int line = follow(&self);
    if (line) return line;
    self.depth = self.round = 0;
  }
  return find_field(text, self.segments[self.count - 1]);
}
