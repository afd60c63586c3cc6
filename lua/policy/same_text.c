/* same_text.c - compares descriptions of policies; knows the texts of shipped ones that mean the
 * same. */
#include <string.h>

#include "core/base/json.h"
#include "core/base/placeholder.h"
#include "lua/policy/same_text.h"

/* The digests of two texts of one shipped policy: an earlier one, and the present one, which
 * decides the same, always: it differs in comments and line breaks, or in how quickly it comes to
 * it. A change of what a policy decides ends its rows; any other one renews the second column and
 * adds a row for the text before it. */
static const struct {
  const char *earlier, *present;
} texts[] = {
    /* before_effect: also as it was before the calls of an answer had a boundary of their own */
    {"0dd666b05edab5488f7573dc86dd0768637d763e5cdfbe64072c17d85ec81f20",
     "63d5aa0213156ddcd95268856b7469d3bb2a5d67a2d29adca201cce2f1a8be00"},
    {"18a895160fda1784c504293c67b53ba873b699f834819103042a953d984b3edd",
     "63d5aa0213156ddcd95268856b7469d3bb2a5d67a2d29adca201cce2f1a8be00"},
    {"6fa77c07ba9c4093600f34d996640a4f98cf5897750fa0964fc5831b4a3a4819",
     "63d5aa0213156ddcd95268856b7469d3bb2a5d67a2d29adca201cce2f1a8be00"},
    {"81912e1703101fc26a846895b771da58abbf52fb63d0b7d1c8a6cbf8d4723057",
     "63d5aa0213156ddcd95268856b7469d3bb2a5d67a2d29adca201cce2f1a8be00"},
    /* every_boundary: also as it was before every_n_iterations, off unless switched on, counted the
     * turns of agents */
    {"1451ebba18961500650cde65d435482636e3d092d59b6e121639fb2a12b7700b",
     "bae234b82e7ad18565240cb4ce5c0409d24814f4307fc3ba1b023d0dd011f8bd"},
    {"50db5104fd73625e170f12aafb03199475347da549c17284c44704b74918c4b3",
     "bae234b82e7ad18565240cb4ce5c0409d24814f4307fc3ba1b023d0dd011f8bd"},
    {"750fe10d151212e0d8f071721fc225d4372c73dc45817df126890a26e0efdc27",
     "bae234b82e7ad18565240cb4ce5c0409d24814f4307fc3ba1b023d0dd011f8bd"},
    /* every_n */
    {"6430b2283a860a0a1cc6342ce06ae26784299b12a4908321a4f61579dc026ed9",
     "fbdcf6537cdfb1ffc4712cd2a78104013f9d129a9a3c84c95891e17ed9bd9ee8"},
    {"cfd21167d3b757fff6da9a18f0028f72051c3ec9ed9ac9ea884c169577f0540f",
     "fbdcf6537cdfb1ffc4712cd2a78104013f9d129a9a3c84c95891e17ed9bd9ee8"},
    /* keep_budget */
    {"a65fabbf6121fa2edaebe566efdac8a0effe84d825d652b90a4e97b32c2bd0be",
     "57e2f3ac4effa987986dd9ead70c430e0c30294b5b6289dccbbd3808f77dd5aa"},
    {"6eafbff1376fbc46f82d055ec5570e0a2b01666a95c2a2cae3794f3b72af5e4a",
     "57e2f3ac4effa987986dd9ead70c430e0c30294b5b6289dccbbd3808f77dd5aa"},
    {"7d06941a52f85d9354946b60672fdf36e5f05ca700507c958cfe61a53041603c",
     "57e2f3ac4effa987986dd9ead70c430e0c30294b5b6289dccbbd3808f77dd5aa"},
    /* keep_clean */
    {"a9ea06d2e365bf5b271036603bab63dd888114c41e1114b26ee6f6b303f85a50",
     "aaf2b6551d22e029617bd450458876a6478fefbffc4b76488bd16e964b8806fe"},
    {"66be81897b08c84e3e43d27d90019402eacf99d601733e6cab64de232e971d92",
     "aaf2b6551d22e029617bd450458876a6478fefbffc4b76488bd16e964b8806fe"},
    {"cf8fabebe8d0f015234fa3ac6d64767a6fd2fd830152ab8f3e1c5b954bc5a8c6",
     "aaf2b6551d22e029617bd450458876a6478fefbffc4b76488bd16e964b8806fe"},
    /* keep_recent */
    {"ac232f8587554f65103ce45fe5f10bc1642d8eb7d2ffca312bca5f627345443f",
     "1dc26a9485d2b548a96259f8a5b54dba4dd21259ab340bef5e195f84078774bb"},
    {"4c3f5a9c4228bd60d8c08cec89a36f4600b4d4a2955ed2af4ad63dc53f631450",
     "1dc26a9485d2b548a96259f8a5b54dba4dd21259ab340bef5e195f84078774bb"},
    {"bec19bfa17f26b4a36dd5d1f86da72e21c93ebe65e53d6c3c3d856dfa02f1280",
     "1dc26a9485d2b548a96259f8a5b54dba4dd21259ab340bef5e195f84078774bb"},
    /* keep_tiers */
    {"8d5a056170dfb46c09d7230b6afaa9b826585a41558588d4556982300e9d3ab1",
     "01b427200b5d212f51473609f9c00574bf0c4e77b7228cee0d34b3543d6e00f4"},
    {"6f8e1dd2b444d126de7563d120b21896550bc32acdd88cd7e4fbb992d3299d58",
     "01b427200b5d212f51473609f9c00574bf0c4e77b7228cee0d34b3543d6e00f4"},
    {"841906bc862709e5263d558d494e336dca083944087ee2be7c59e6c756a703a2",
     "01b427200b5d212f51473609f9c00574bf0c4e77b7228cee0d34b3543d6e00f4"},
    /* redact_keys */
    {"e06d22fa3d3819ce23df4f1f5044cbbe393697063f349a2649ea4bcac306612e",
     "5789c31759b308e797e9a6a24ee29043d98ddf673ef245bebd259362281cf832"},
    {"ec5aa8984610ca48f8b7309fba87545a94763ed0eef885b7968dd5bb66e667ef",
     "5789c31759b308e797e9a6a24ee29043d98ddf673ef245bebd259362281cf832"},
    /* resume_limits: also as it was before model_calls, which go on unless told otherwise, had a
     * rule */
    {"e2fa5e88eab49537e3b29eacc5ff924c1ab170fd5a3b37c6668ee057c4213b50",
     "fdcb45ccc4ebbfa4c0922ab98be7136d08e3748f20085b730260e6a3f9666978"},
    {"cd92fe4cdecc54122de47a01ccd16ea6b2ff2bb643773acb0f3d7d5823f9ea60",
     "fdcb45ccc4ebbfa4c0922ab98be7136d08e3748f20085b730260e6a3f9666978"},
    {"7b29214b809a6183b7d9698ffa38e99653afe1e353d2c13bec1c3e4d5ea5eeb3",
     "fdcb45ccc4ebbfa4c0922ab98be7136d08e3748f20085b730260e6a3f9666978"},
    /* smart: also as it was before the calls of an answer had a boundary of their own */
    {"a7e1fef7678a4e88190b2ff8edf90c4b9d6f6f6bc4c5c4099e2462a3ee154afa",
     "ca7da562b474a074bcd4562bc319add2879d08a050d1c011f64c35d502416c0d"},
    {"b8b25170a0097d6fd0eba90988010d3691ede356c43f72ebf2839551ed7c14f8",
     "ca7da562b474a074bcd4562bc319add2879d08a050d1c011f64c35d502416c0d"},
    {"2df20769e8a02c1a5c340febcfa3ea81597404ee3b054ee5175e2d724038f87f",
     "ca7da562b474a074bcd4562bc319add2879d08a050d1c011f64c35d502416c0d"},
    /* tail_involved */
    {"2fb05c8dfaa3446eadb4d3a5e62731a52b0daad9cf5fe6a16d27180203992557",
     "494a27eca1ef4f27cb8c2ded0e4b8deedf9e6896e0452d1a227fa1ca3583367d"},
    /* approve */
    {"65e3a1bffa0de3ad86361824e9f698a37aa4442082b4ff31d21c6746000f96f9",
     "003bd3123e34b4e034d7c22003e47a2d1cedc686b8369072e18aaafa475ccd27"},
    /* approve_over */
    {"8db68ca170f3ec053a71dc6ca9c0ac4b46cdc7e35497b861da66f317c5a8653c",
     "55032fddce6f517c28472aeb61d1805c6887e46140ead578bd7abdbd5a4300bc"},
    /* expected_loss */
    {"94a5eb0aef4cf91a1dac5e50bedcc0a6f1f28364c545c4b29a7c450f54b77338",
     "7981799717e8101c0fec425c643f80c3799ddb0f61fd179b07bfb75c9fd44773"},
    /* redact_personal */
    {"9fee759a7b871f97d1a65cd7aeff5c31f2bcd00ebe0644203a50427f3cf0a7a9",
     "04b7702b4ea1dc4efdb79ec0241e9ecc9151dc0d0a155a6df0c9cf69a05b64c2"},
};

bool ck_policy_is_same_text(ck_bytes then, ck_bytes now) {
  if (ck_bytes_equal(then, now)) return true;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (ck_json_is_text(then, texts[i].earlier) && ck_json_is_text(now, texts[i].present))
      return true;
  return false;
}

/* ---- options ---- */

enum { KEY_LENGTH = CK_FINGERPRINT_SIZE - 1 };

static char form_of(ck_bytes digest) {
  char first = digest.len > 1 ? digest.data[1] : 0;
  return first == 'k' || first == 'm' ? first : 0;
}

bool ck_policy_hides_options(ck_bytes entry) {
  return form_of(ck_json_get(entry, "options_digest")) == 'm';
}

/* Both are of the same key. */
static bool are_comparable(ck_bytes a, ck_bytes b) {
  if (form_of(a) != form_of(b)) return false;
  bool whole = a.len > 2 + KEY_LENGTH && b.len > 2 + KEY_LENGTH;
  return form_of(a) != 'k' || (whole && memcmp(a.data, b.data, 2 + KEY_LENGTH) == 0);
}

bool ck_policy_is_of_other_key(ck_bytes then, ck_bytes now) {
  ck_bytes a = ck_json_get(then, "options_digest"), b = ck_json_get(now, "options_digest");
  return form_of(a) == 'k' && form_of(b) == 'k' && !are_comparable(a, b);
}

static bool match(ck_bytes a, ck_bytes b) {
  return ck_placeholder_equal(a, b) || ck_placeholder_matches(a, b) || ck_placeholder_matches(b, a);
}

/* What is masked in one of them stands for any text, or number, but for no structure. */
static bool can_be_same(ck_bytes a, ck_bytes b) {
  ck_json_type type = ck_json_type_of(a);
  bool inner = type == CK_JSON_OBJECT || type == CK_JSON_ARRAY;
  if (!inner) return a.len && b.len && match(a, b);
  if (ck_json_type_of(b) != type || ck_json_count(a) != ck_json_count(b)) return false;
  ck_json_iterator it = ck_json_iterate(a), by = ck_json_iterate(b);
  while (ck_json_next(&it) && ck_json_next(&by))
    if (!ck_bytes_equal(it.name, by.name) || !can_be_same(it.value, by.value)) return false;
  return true;
}

/* What earlier versions started says nothing of options. */
bool ck_policy_has_same_options(ck_bytes then, ck_bytes now) {
  ck_bytes a = ck_json_get(then, "options_digest"), b = ck_json_get(now, "options_digest");
  if (a.len == 0 || ck_bytes_equal(a, b)) return true;
  bool told = ck_json_type_of(a) == CK_JSON_STRING && ck_json_type_of(b) == CK_JSON_STRING;
  return told && !are_comparable(a, b) &&
         can_be_same(ck_json_get(then, "options"), ck_json_get(now, "options"));
}

bool ck_policy_is_same(ck_bytes then, ck_bytes now) {
  static const char *const fields[] = {"name", "version", "agent"};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (!ck_bytes_equal(ck_json_get(then, fields[i]), ck_json_get(now, fields[i]))) return false;
  return ck_policy_has_same_options(then, now) &&
         ck_policy_is_same_text(ck_json_get(then, "digest"), ck_json_get(now, "digest"));
}

bool ck_policies_equal(ck_bytes then, ck_bytes now) {
  if (ck_bytes_equal(then, now)) return true;
  if (ck_json_type_of(then) != CK_JSON_ARRAY || ck_json_count(then) != ck_json_count(now))
    return false;
  ck_json_iterator a = ck_json_iterate(then), b = ck_json_iterate(now);
  while (ck_json_next(&a) && ck_json_next(&b))
    if (!ck_policy_is_same(a.value, b.value)) return false;
  return true;
}
