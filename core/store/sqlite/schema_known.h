/* schema_known.h - the declarations that a store's tables and indexes may have.
 *
 * X(type, name, table, schemas, digest): the first half of BLAKE2b-256 of the text in
 * sqlite_schema, as of  printf %s "$(sqlite3 STORE "SELECT sql FROM sqlite_schema WHERE name =
 * 'NAME'")" | b2sum -l 256. A table that got columns has a row for each schema that it came from.
 * tests/golden/golden.t opens stores of all of them. */
#ifndef CK_STORE_SQLITE_SCHEMA_KNOWN_H
#define CK_STORE_SQLITE_SCHEMA_KNOWN_H

enum { IN_1 = 1 << 1, IN_2 = 1 << 2, IN_3 = 1 << 3 };

#define CK_SCHEMA_KNOWN_TABLE(X)                                                                 \
  X("table", "agent", "agent", IN_3, "6c5c83c77617fb7bec420dd13396b8e1")                         \
  X("table", "blob", "blob", IN_3, "cd4b1224f4a2e049208a465d4d0e39b4")                           \
  X("table", "blob_use", "blob_use", IN_3, "a3923132c378c1877c8a20158782664d")                   \
  X("table", "checkpoint", "checkpoint", IN_1 | IN_2 | IN_3, "5e2e5db40e238cafb5cec8e57a7f175d") \
  X("index", "checkpoint_seq", "checkpoint", IN_1 | IN_2 | IN_3,                                 \
    "f05e9d63080d0d16204f48b5018b0e6c")                                                          \
  X("table", "event", "event", IN_1 | IN_2, "511e8e00a39ddbde36853c4b69fa5a22")                  \
  X("table", "event", "event", IN_3, "3f10442158d2c72a13907e8b07b25794")                         \
  X("table", "event", "event", IN_3, "e0a5c40435cc6cac3954c4c446f4738a")                         \
  X("index", "event_seq", "event", IN_1, "7820303dde6c8ca8e42c7f7cd322f16d")                     \
  X("index", "event_seq", "event", IN_2 | IN_3, "b18695b3778804c38d4e56f7621dcd78")              \
  X("table", "fact", "fact", IN_2 | IN_3, "09d1dbf55c71f73217066e3d4e07f0c8")                    \
  X("table", "head", "head", IN_3, "2459b88062a92f2c83f76a4e94f1ba79")                           \
  X("table", "lease", "lease", IN_3, "ce35273c0d7cbf3a0be06822b38a2af3")                         \
  X("table", "meta", "meta", IN_1 | IN_2 | IN_3, "b09d82bbbfe9ed6ace58dad9da89d934")             \
  X("table", "pin", "pin", IN_2 | IN_3, "9725f9651d41d00f894cd73fb9099a80")                      \
  X("table", "request", "request", IN_1 | IN_2 | IN_3, "c3d46a35952a8d83da583a718341d2e0")       \
  X("table", "session", "session", IN_1, "f0a70fd3e22bca83f78849cf8a89ce36")                     \
  X("table", "session", "session", IN_2, "e35d3f6ca83ba43423e320e01d0e2e97")                     \
  X("table", "session", "session", IN_2, "6e42724902aff8fa9e2082910d6b80f8")                     \
  X("table", "session", "session", IN_3, "d16f2b3a79277d08283f5b7f208216ab")                     \
  X("table", "session", "session", IN_3, "dc748def2074ee8e76eef9d3a5de6bdd")                     \
  X("table", "session", "session", IN_3, "1c77b80274d5c26473d6000655de1cf1")                     \
  X("table", "session_key", "session_key", IN_3, "1a740127929bff5a06daa61b5a1ac806")             \
  X("index", "session_origin", "session", IN_2 | IN_3, "614b8b78e6a6cf46504ac4a90f4150c0")       \
  X("table", "timeline", "timeline", IN_1 | IN_2, "a59b5624f48030938130df55e817f475")            \
  X("table", "timeline", "timeline", IN_3, "34008ac541d1fba00efd3449cbf88184")                   \
  X("table", "timeline", "timeline", IN_3, "f4fa1a6fdc99588571c4eea2ee7b69d0")

#endif
