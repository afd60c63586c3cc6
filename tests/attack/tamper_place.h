/* tamper_place.h - where a store is attacked by one who can write it: its file, or the schema of a
 * server. In both the store under attack is `main`, and beside it are `kept` (as it was made),
 * `older` (itself, before), `twin` (another store with the same key) and `other` (with another
 * one): one text of SQL is the same attack. A failure of a place ends the program. */
#ifndef CK_TESTS_ATTACK_TAMPER_PLACE_H
#define CK_TESTS_ATTACK_TAMPER_PLACE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct tamper_table {
  const char *name, *key; /* columns */
  const char *sound; /* the check that anybody can make for a row; NULL: it has none of these */
} tamper_table;

typedef struct tamper_place {
  const tamper_table *tables; /* of meta first; to the first without a name */
  const char *columns;        /* SQL for numbers, names and types, of the table %s */
  const char *count;          /* SQL for the number of the store's tables */
  void (*open)(const char *where);
  void (*take_copy)(void);      /* main is as kept */
  bool (*attack)(const char *); /* SQL; false: it is refused, and nothing is changed */
  /* What the SQL answers: columns behind '\t', rows behind '\n'. Lasts until the next call. */
  const char *(*ask)(const char *sql);
  void (*put_copy)(void); /* main lies where `url` names it */
  const char *url;        /* set by open */
  /* SQL that puts the rows of FROM into a table; `over`: in the place of those that are there. */
  void (*put_rows)(char *out, size_t size, const tamper_table *to, const char *from, bool over);
  void (*close)(void);
} tamper_place;

extern const tamper_place tamper_file, tamper_server;

void tamper_must(bool holds, const char *what);

#endif
