/* test_outputs.c - long outputs that a store keeps itself are what was written, of any length, in
 * one row of a megabyte at a time; they are their session's, and only its owner's to write. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/maintenance.h"
#include "core/store/output.h"
#include "core/store/output_row.h"
#include "tests/store/fixture.h"
#include "tests/store/postgres_server.h"
#include "tests/tap.h"

static const char one[] = "mine-0123456789abcdef-1.stdout",
                  two[] = "mine-0123456789abcdef-2.stdout";
static char schema[64];

static char at(size_t i) { return (char)(i * 2654435761u >> 13); }

static ck_status put(const ck_shelf *shelf, const char *name, size_t len, ck_error *err) {
  ck_shelf_item *item;
  char chunk[70001];
  ck_status status = ck_shelf_make(&item, shelf, name, err);
  for (size_t done = 0; status == CK_OK && done < len;) {
    size_t some = len - done < sizeof chunk ? len - done : sizeof chunk;
    for (size_t i = 0; i < some; i++) chunk[i] = at(done + i);
    status = ck_shelf_write(item, (ck_bytes){chunk, some}, err);
    done += some;
  }
  if (status == CK_OK) status = ck_shelf_end(item, false, err);
  ck_shelf_free(item);
  return status;
}

/* How many bytes there are, each as it was written; -1: something else. */
static int64_t get(const ck_shelf *shelf, const char *name, ck_error *err) {
  ck_shelf_item *item;
  char room[99991];
  int64_t all = 0;
  size_t got = 1;
  bool same = true;
  ck_status status = ck_shelf_open_item(&item, shelf, name, err);
  while (status == CK_OK && got) {
    status = ck_shelf_read(&got, item, room, sizeof room, err);
    for (size_t i = 0; i < got; i++) same &= room[i] == at((size_t)all + i);
    all += (int64_t)got;
  }
  ck_shelf_free(item);
  return status == CK_OK && same ? all : -1;
}

static bool add_line(void *to, const char *name, int64_t bytes) {
  ck_buffer_append_format(to, "%s %lld\n", name, (long long)bytes);
  return false;
}

static void is_listed(const ck_shelf *shelf, const char *session, const char *want,
                      const char *what) {
  ck_buffer lines = {0};
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_shelf_list(shelf, session, add_line, &lines, &err), CK_OK, &err, "a list");
  ck_buffer_append_char(&lines, '\0');
  tap_is_text(lines.data, want, "%s", what);
  ck_buffer_clear(&lines);
}

static void test_sizes(const ck_shelf *shelf) {
  static const size_t sizes[] = {0, 1, CK_OUTPUT_PART, CK_OUTPUT_PART + 1, 3 * CK_OUTPUT_PART + 5};
  ck_error err = CK_ERROR_INIT;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char sql[100];
    size_t rows = sizes[i] ? (sizes[i] + CK_OUTPUT_PART - 1) / CK_OUTPUT_PART : 1;
    tap_is_status(put(shelf, one, sizes[i], &err), CK_OK, &err, "%zu bytes are kept", sizes[i]);
    tap_is_int(get(shelf, one, &err), (int64_t)sizes[i], "and are as they were (%s)", err.text);
    snprintf(sql, sizeof sql, "SELECT count(*) FROM output WHERE name = '%s'", one);
    tap_is_int(atoll(postgres_server_ask(schema, sql)), (int64_t)rows, "in rows of a megabyte");
  }
  tap_is_status(put(shelf, one, 7, &err), CK_OK, &err, "one in its place");
  tap_is_int(get(shelf, one, &err), 7, "leaves nothing of it");
}

static void test_names(const ck_shelf *shelf) {
  ck_error err = CK_ERROR_INIT;
  tap_is_status(put(shelf, two, 9, &err), CK_OK, &err, "another");
  is_listed(shelf, "mine", "mine-0123456789abcdef-1.stdout 7\nmine-0123456789abcdef-2.stdout 9\n",
            "both are the session's");
  is_listed(shelf, "other", "", "and not another's");
  tap_is_status(ck_shelf_move(shelf, two, two, &err), CK_OK, &err, "in its own place it stays");
  tap_is_int(get(shelf, two, &err), 9, "as it is");
  tap_is_status(ck_shelf_move(shelf, two, one, &err), CK_OK, &err, "it takes the other's place");
  is_listed(shelf, NULL, "mine-0123456789abcdef-1.stdout 9\n", "which is gone");
  tap_is_status(ck_shelf_remove(shelf, one, &err), CK_OK, &err, "it is removed");
  is_listed(shelf, NULL, "", "and nothing is left");
  err = (ck_error)CK_ERROR_INIT;
  ck_shelf_item *item;
  tap_is_status(ck_shelf_open_item(&item, shelf, one, &err), CK_E_NOT_FOUND, &err, "nor read");
  tap_is_status(put(shelf, "../x", 1, &err), CK_E_USAGE, &err, "another name is refused");
  tap_is_status(put(shelf, "other-0123456789abcdef-1.stdout", 1, &err), CK_E_FENCED, &err,
                "so is that of a session of nobody here");
}

static void spoil(const char *sql) { postgres_server_ask(schema, sql); }

static void test_damage(const ck_shelf *shelf) {
  static const char *const damages[][2] = {
      {"UPDATE output SET body = set_byte(body, 9, get_byte(body, 9) # 1) WHERE part = 1", "a bit"},
      {"UPDATE output SET last = 1 WHERE part = 0", "one that says it is the last"},
      {"UPDATE output SET part = part + 10", "parts under other numbers"},
      {"DELETE FROM output WHERE part = 1", "the middle is gone"},
      {"DELETE FROM output WHERE part = 2", "the end is gone"},
      {"DELETE FROM output WHERE part = 0", "the beginning is gone"}};
  for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
    ck_error err = CK_ERROR_INIT;
    tap_must(put(shelf, one, 2 * CK_OUTPUT_PART + 100, &err) == CK_OK, "a long one");
    spoil(damages[i][0]);
    tap_ok(get(shelf, one, &err) == -1 && (err.status == CK_E_CORRUPT || i == 2 || i == 5),
           "%s: it is found (%s)", damages[i][1], err.text);
    spoil("DELETE FROM output");
  }
}

/* Of a process that was taken over the server takes nothing, whatever it believes. */
static void test_fence(const ck_shelf *shelf) {
  ck_error err = CK_ERROR_INIT;
  tap_must(put(shelf, one, 5, &err) == CK_OK, "an output");
  spoil("UPDATE lease SET epoch = epoch + 1");
  tap_is_status(put(shelf, one, 6, &err), CK_E_FENCED, &err, "a zombie writes none");
  err = (ck_error)CK_ERROR_INIT;
  tap_is_status(ck_shelf_move(shelf, one, two, &err), CK_E_FENCED, &err, "nor moves it");
  err = (ck_error)CK_ERROR_INIT;
  tap_is_status(ck_shelf_remove(shelf, one, &err), CK_E_FENCED, &err, "nor removes it");
  tap_is_int(get(shelf, one, &err), 5, "it is as it was");
  spoil("UPDATE lease SET epoch = epoch - 1");
}

static void test_lost_server(const ck_shelf *shelf) {
  ck_error err = CK_ERROR_INIT;
  postgres_server_stop();
  ck_status status = put(shelf, two, 5, &err);
  tap_ok(status != CK_OK, "a server that is away keeps nothing (%s)", err.text);
  postgres_server_start();
  err = (ck_error)CK_ERROR_INIT;
  tap_is_status(put(shelf, two, 5, &err), CK_OK, &err, "and does when it is back");
  tap_is_int(get(shelf, two, &err), 5, "the whole");
}

int main(void) {
  ck_shelf shelf;
  ck_error err = CK_ERROR_INIT;
  const char *url = postgres_server_store("outputs", "a store on a server");
  if (!url) return tap_done();
  char full[512];
  snprintf(full, sizeof full, "%sa", url);
  snprintf(schema, sizeof schema, "%s", strstr(full, "schema=") + strlen("schema="));
  schema[strcspn(schema, "&")] = '\0';
  ck_store *store = fixture_open(full);
  fixture session;
  tap_must(fixture_create(&session, store, "mine", &err) == CK_OK, "a session");
  tap_ok(ck_store_keeps_outputs(store), "it keeps long outputs");
  tap_is_status(ck_store_open_outputs(&shelf, store, &err), CK_OK, &err, "here");
  test_sizes(&shelf);
  test_names(&shelf);
  test_damage(&shelf);
  test_fence(&shelf);
  test_lost_server(&shelf);
  tap_is_status(ck_store_delete_session(store, session.lease, false, &err), CK_OK, &err,
                "the session goes");
  is_listed(&shelf, NULL, "", "with them");
  ck_shelf_close(&shelf);
  ck_store_close(store);
  store = fixture_open("memory:");
  tap_ok(!ck_store_keeps_outputs(store), "a store in memory keeps none");
  ck_store_close(store);
  return tap_done();
}
