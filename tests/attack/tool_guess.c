/* tool_guess.c - guesses a PIN of four digits by its digest: KEYS FILE… looks in the files, as hex
 * and as bytes, for the first six bytes of BLAKE2b-256 of each PIN: as it is, behind its length,
 * and behind each key of KEYS (hex digits, one on a line) and its length. Prints what it finds. */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PINS = 10000, KEYS_MAX = 16, FORMS = KEYS_MAX + 2, SEEN = 6 };

typedef struct guess {
  unsigned char seen[SEEN];
  int pin;
} guess;

static guess guesses[PINS * FORMS];
static size_t count;

static void add(const unsigned char *key, size_t key_len, int with_len, int pin) {
  unsigned char text[64], hash[32];
  char digits[16];
  size_t len = key_len;
  memcpy(text, key, key_len);
  if (with_len) memcpy(text + len, "\4\0\0\0\0\0\0\0", 8), len += 8;
  snprintf(digits, sizeof digits, "%04d", pin);
  memcpy(text + len, digits, 4);
  crypto_generichash(hash, sizeof hash, text, len + 4, NULL, 0);
  memcpy(guesses[count].seen, hash, SEEN);
  guesses[count++].pin = pin;
}

static int compare(const void *a, const void *b) { return memcmp(a, b, SEEN); }

static int look(const char *file, const unsigned char *at, const char *form) {
  const guess *found = bsearch(at, guesses, count, sizeof *guesses, compare);
  if (found) printf("%s: %04d, as %s\n", file, found->pin, form);
  return found != NULL;
}

static int search(const char *file) {
  static unsigned char all[16 << 20], bytes[SEEN];
  FILE *in = fopen(file, "rb");
  size_t len = in ? fread(all, 1, sizeof all, in) : 0;
  int hits = 0;
  for (size_t i = 0; i + SEEN <= len; i++) {
    size_t made = 0;
    hits += look(file, all + i, "bytes");
    if (i + (size_t)2 * SEEN <= len &&
        sodium_hex2bin(bytes, SEEN, (char *)all + i, (size_t)2 * SEEN, NULL, &made, NULL) == 0 &&
        made == SEEN)
      hits += look(file, bytes, "hex");
  }
  if (in) fclose(in);
  return hits;
}

int main(int argc, char **argv) {
  unsigned char keys[KEYS_MAX][32];
  char line[128];
  size_t key_count = 0, len = 0;
  FILE *in = argc > 2 ? fopen(argv[1], "r") : NULL;
  if (!in || sodium_init() < 0) return 2;
  while (key_count < KEYS_MAX && fgets(line, sizeof line, in))
    key_count += sodium_hex2bin(keys[key_count], 32, line, 64, NULL, &len, NULL) == 0 && len == 32;
  fclose(in);
  for (int pin = 0; pin < PINS; pin++) {
    add(keys[0], 0, 0, pin);
    add(keys[0], 0, 1, pin);
    for (size_t i = 0; i < key_count; i++) add(keys[i], 32, 1, pin);
  }
  qsort(guesses, count, sizeof *guesses, compare);
  int hits = 0;
  for (int i = 2; i < argc; i++) hits += search(argv[i]);
  return hits > 0 ? 0 : 1;
}
