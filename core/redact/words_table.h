/* words_table.h - words that change what a name means, beside those of secrets (keys_table.h). */
#ifndef CK_REDACT_WORDS_TABLE_H
#define CK_REDACT_WORDS_TABLE_H

/* Words after a secret name that do not change its meaning: api_key_value, passwordBase64. */
/* clang-format off */
#define CK_KEY_QUALIFIERS(X) \
  X("value") X("plain") X("plaintext") X("cleartext") X("raw") X("base") X("b") X("hex") \
  X("string") X("str") X("binary") X("bytes") X("encrypted") X("old") X("new") X("current") \
  X("previous") X("prod") X("production") X("dev") X("test") X("testing") X("staging") X("live") \
  X("sandbox") X("confirmation") X("confirm") X("again") X("repeat") X("backup") X("primary") \
  X("secondary")
/* clang-format on */

/* Words before a secret name that make it an action or a property: reset_password, has_secret. */
/* clang-format off */
#define CK_KEY_ACTIONS(X) \
  X("forgot") X("reset") X("change") X("has") X("is") X("needs") X("requires") X("require") \
  X("show") X("hide") X("toggle") X("missing") X("invalid") X("wrong") X("verify") X("check") \
  X("validate") X("generate") X("rotate") X("create") X("delete") X("update") X("list") X("get") \
  X("set") X("use") X("max") X("min") X("allow") X("allows") X("no") X("non") X("not") \
  X("public") X("without")
/* clang-format on */

/* Last words of names whose values identify something: never edited inside. */
/* clang-format off */
#define CK_KEY_IDS(X) \
  X("id") X("ids") X("uuid") X("guid") X("signature") X("signatures") X("digest") X("sha") \
  X("md") X("checksum") X("hash") X("fingerprint") X("etag") X("integrity") X("commit") X("uid")
/* clang-format on */

/* Members that tell what an object is: kept when all of its other values are removed. */
/* clang-format off */
#define CK_KEY_SKELETON(X) \
  X("type") X("kind") X("role") X("object") X("status") X("via") X("scope") X("class") \
  X("agent")
/* clang-format on */

#endif
