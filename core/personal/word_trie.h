/* word_trie.h - which of many words end where, in one pass over a text: the automaton of Aho and
 * Corasick (1975, doi 10.1145/360825.360855).
 *
 * Words are added, then it is closed, then it is stepped through a text byte by byte. A state is
 * the number of a node; 0 is the root, where nothing has been read. */
#ifndef CK_PERSONAL_WORD_TRIE_H
#define CK_PERSONAL_WORD_TRIE_H

#include "core/base/buffer.h"

typedef struct ck_word_node {
  uint32_t child, sibling; /* 0: none */
  uint32_t fail;           /* of the longest other word's beginning that ends here, too */
  uint32_t shorter;        /* the longest word that ends here besides the node's own; 0: none */
  uint32_t length;         /* characters of the word that ends here; 0: none does */
  unsigned char byte;
} ck_word_node;

/* Zero-initialise. */
typedef struct ck_word_trie {
  ck_word_node *nodes;
  size_t count, cap;
  uint32_t first[256]; /* the children of the root */
} ck_word_trie;

/* `length`: in characters, as whoever asks counts them. CK_E_NO_MEMORY. */
CK_CHECKED ck_status ck_word_trie_add(ck_word_trie *self, ck_bytes word, uint32_t length,
                                      ck_error *err);
CK_CHECKED ck_status ck_word_trie_close(ck_word_trie *self, ck_error *err);
void ck_word_trie_clear(ck_word_trie *self);

/* The state behind one more byte. `work` counts what that took: for a whole text no more than a
 * fixed number for each of its bytes. */
uint32_t ck_word_trie_step(const ck_word_trie *self, uint32_t state, unsigned char byte,
                           uint64_t *work);
/* The longest word that ends in the state; 0: none. Shorter ones: nodes[word].shorter. */
uint32_t ck_word_trie_word(const ck_word_trie *self, uint32_t state);

#endif
