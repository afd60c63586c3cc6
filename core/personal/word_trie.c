/* word_trie.c - a trie of bytes whose children are lists; the root's are a table. */
#include "core/personal/word_trie.h"

#include <stdlib.h>

#include "core/base/reserve.h"

static ck_status reserve_node(ck_word_trie *self, ck_error *err) {
  if (self->count < self->cap) return CK_OK;
  size_t cap = self->cap ? self->cap * 2 : 64;
  ck_word_node *moved = realloc(self->nodes, cap * sizeof *moved);
  if (!moved) return ck_error_no_memory(err);
  self->nodes = moved;
  self->cap = cap;
  return CK_OK;
}

static ck_status make_node(uint32_t *out, ck_word_trie *self, ck_word_node from, ck_error *err) {
  ck_status status = reserve_node(self, err);
  if (status != CK_OK) return status;
  *out = (uint32_t)self->count;
  self->nodes[self->count++] = from;
  return CK_OK;
}

static uint32_t find_child(const ck_word_trie *self, uint32_t node, unsigned char byte,
                           uint64_t *work) {
  if (node == 0) return self->first[byte];
  uint32_t at = self->nodes[node].child;
  for (; at && self->nodes[at].byte != byte; at = self->nodes[at].sibling) ++*work;
  return at;
}

static ck_status take_child(uint32_t *out, ck_word_trie *self, uint32_t node, unsigned char byte,
                            ck_error *err) {
  uint64_t work = 0;
  *out = find_child(self, node, byte, &work);
  if (*out) return CK_OK;
  uint32_t sibling = node ? self->nodes[node].child : 0;
  ck_status status = make_node(out, self, (ck_word_node){.byte = byte, .sibling = sibling}, err);
  if (status != CK_OK) return status;
  if (node)
    self->nodes[node].child = *out;
  else
    self->first[byte] = *out;
  return CK_OK;
}

ck_status ck_word_trie_add(ck_word_trie *self, ck_bytes word, uint32_t length, ck_error *err) {
  uint32_t node = 0;
  ck_status status = CK_OK;
  if (self->count == 0) status = make_node(&node, self, (ck_word_node){0}, err);
  for (size_t i = 0; status == CK_OK && i < word.len; i++)
    status = take_child(&node, self, node, (unsigned char)word.data[i], err);
  if (status == CK_OK && node) self->nodes[node].length = length;
  return status;
}

uint32_t ck_word_trie_step(const ck_word_trie *self, uint32_t state, unsigned char byte,
                           uint64_t *work) {
  for (;; state = self->nodes[state].fail) {
    uint32_t next = find_child(self, state, byte, work);
    ++*work;
    if (next || state == 0) return next;
  }
}

uint32_t ck_word_trie_word(const ck_word_trie *self, uint32_t state) {
  if (state == 0) return 0;
  return self->nodes[state].length ? state : self->nodes[state].shorter;
}

/* The node is the child of one whose own links are made. */
static void link_node(ck_word_trie *self, uint32_t parent, uint32_t node) {
  uint64_t work = 0;
  uint32_t fail = 0;
  if (parent)
    fail = ck_word_trie_step(self, self->nodes[parent].fail, self->nodes[node].byte, &work);
  self->nodes[node].fail = fail;
  self->nodes[node].shorter = ck_word_trie_word(self, fail);
}

/* Nodes in the order of their depth: the links of one lead to nodes above it. */
ck_status ck_word_trie_close(ck_word_trie *self, ck_error *err) {
  if (self->count == 0) return CK_OK;
  uint32_t *queue = reallocarray(NULL, self->count, sizeof *queue);
  if (!queue) return ck_error_no_memory(err);
  size_t read = 0, filled = 0;
  for (int byte = 0; byte < 256; byte++) {
    if (!self->first[byte]) continue;
    link_node(self, 0, self->first[byte]);
    queue[filled++] = self->first[byte];
  }
  while (read < filled) {
    uint32_t parent = queue[read++];
    for (uint32_t at = self->nodes[parent].child; at; at = self->nodes[at].sibling) {
      link_node(self, parent, at);
      queue[filled++] = at;
    }
  }
  free(queue);
  return CK_OK;
}

void ck_word_trie_clear(ck_word_trie *self) {
  free(self->nodes);
  *self = (ck_word_trie){0};
}
