/* test_values.c - tokens are recognised by their shape; what merely looks like one is left, made up
 * or recorded; time is bounded. */
#include "core/redact/values.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/redact/redact.h"
#include "tests/tap.h"

static ck_redactor *redactor;

/* In two halves, so that no scanner of repositories takes them for real ones. */
#define T(left, right) left right
#define A36 "0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"
#define A64 "4f1c29b7d0e85a3366f1c29b7d0e85a3964f1c29b7d0e85a3966f1c29b7d0e81"
static const struct {
  const char *kind, *token;
} tokens[] = {
    {"aws_access_key", T("AKIA", "Z7QX2LMN5PRS3TUV")},
    {"aws_access_key", T("ASIA", "Z7QX2LMN5PRS3TUV")},
    {"gcp_api_key", T("AIza", "SyD4f8Gh2Jk5Lm7Np9Qr1St3Uv6Wx8Yz0Ab")},
    {"gcp_token", T("ya29.", "a0AfH6SMBx7qk2Lw9ZpT")},
    {"gcp_secret", T("GOCSPX-", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4")},
    {"github_token", T("gh", "p_" A36)},
    {"github_token", T("gh", "s_" A36)},
    {"github_token", T("github_", "pat_11ABCDEFG0a1B2c3D4e5F6_" A36 A36)},
    {"gitlab_token", T("glpat-", "a1B2c3D4e5F6g7H8i9J0")},
    {"slack_token", T("xox", "b-123456789012-a1B2c3D4e5F6")},
    {"model_key", T("sk-", "ant-api03-a1B2c3D4e5F6_g7H8-i9J0")},
    {"model_key", T("sk-", "proj-a1B2c3D4e5F6_g7H8-i9J0")},
    {"model_key", T("sk-", "0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X")},
    {"model_key", T("hf_", "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH")},
    {"model_key", T("gsk_", "0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z")},
    {"jwt",
     T("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P")},
    {"stripe_key", T("sk_", "live_0a1B2c3D4e5F6g7H8i9J")},
    {"sendgrid_key",
     T("SG.", "a1B2c3D4e5F6g7H8i9J0k1.a1B2c3D4e5F6g7H8i9J0k1a1B2c3D4e5F6g7H8i9J0k")},
    {"npm_token", T("npm_", A36)},
    {"pypi_token", T("pypi-", "AgEIcHlwaS5vcmc" A36 A36)},
    {"docker_token", T("dckr_", "pat_a1B2c3D4e5F6g7H8i9J0k1L2m3N")},
    {"digitalocean_token", T("dop_v1_", A64)},
    {"vault_token", T("hvs.", "a1B2c3D4e5F6g7H8i9J0k1L2")},
    {"telegram_token", T("1234567890:", "AAa1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q")},
    {"bearer", T("Bearer ", "a1B2c3D4e5F6g7H8i9J0")},
    {"basic_auth", T("Authorization: Basic ", "dXNlcjpodW50ZXIyMg==")},
    {"api_key", T("x-api-key: ", "a1B2c3D4e5F6g7H8")},
    {"env_secret", T("export APP_SECRET=", "a1B2c3D4e5F6g7H8")},
    {"api_key", T("OPENAI_API_KEY='", "a1B2c3D4e5F6g7H8")},
    {"url_token", T("https://h/reset?token=", "asfbuy3y2cdaqhvei")},
    {"url_password", T("postgres://admin:", "Pq81-xkw0@db.example.org:5432/app")},
    {"url_password", T("redis://:", "Pq81xkw0@cache:6379")},
    {"slack_webhook",
     T("https://hooks.slack.com/services/", "T01ABCDEF/B02GHIJKL/a1B2c3D4e5F6g7H8")},
    {"azure_key", T("AccountKey=", A36 A36 "==;EndpointSuffix=core")},
    {"aws_secret_key", T("aws_secret_access_key = ", "wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzKEY12345")},
    {"private_key", T("-----BEGIN OPENSSH PRIVATE ",
                      "KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\nAAAA==\n"
                      "-----END OPENSSH PRIVATE KEY-----")},
    {"private_key",
     T("-----BEGIN RSA PRIVATE ",
       "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011\n\nMIIEowIBAAKCAQEA0Z3VS5J"
       "\nJcds3x\n")},
};
enum { TOKENS = sizeof tokens / sizeof *tokens };

static bool masks_text(ck_bytes text, const char *kind, const char *token) {
  ck_buffer out = {0};
  tap_must(ck_redactor_apply_text(&out, redactor, CK_SINK_LOG, text, NULL) == CK_OK,
           "a text passes");
  bool masked = !strstr(out.data, token + strlen(token) / 2) && strstr(out.data, kind);
  if (!masked) tap_diag("%s became %s", text.data, out.data);
  ck_buffer_clear(&out);
  return masked;
}

static bool masks_json(const char *kind, const char *token, bool slashes) {
  ck_buffer json = {0}, inner = {0};
  ck_json_append_string(&inner, ck_bytes_text(token));
  ck_buffer_append_text(&json, "[\"see ");
  for (size_t i = 1; i + 1 < inner.len; i++) {
    if (slashes && inner.data[i] == '/') ck_buffer_append_char(&json, '\\');
    ck_buffer_append_char(&json, inner.data[i]);
  }
  ck_buffer_append_text(&json, " there\"]");
  ck_value *value = NULL, *kept = NULL;
  tap_must(ck_value_new(&value, ck_buffer_bytes(&json), NULL) == CK_OK, "a value");
  tap_must(ck_redactor_apply(&kept, redactor, CK_SINK_EXPORT, NULL, value, NULL) == CK_OK,
           "it passes");
  const char *text = ck_value_bytes(kept).data;
  bool masked = kept != value && strstr(text, kind) && strncmp(text, "[\"see ", 6) == 0 &&
                ck_json_check(ck_value_bytes(kept), NULL) == CK_OK;
  if (!masked) tap_diag("%s became %s", json.data, text);
  ck_value_free(kept);
  ck_value_free(value);
  ck_buffer_clear(&json);
  ck_buffer_clear(&inner);
  return masked;
}

static void test_shapes(void) {
  for (int i = 0; i < TOKENS; i++) {
    const char *kind = tokens[i].kind, *token = tokens[i].token;
    ck_buffer text = {0};
    ck_buffer_append_format(&text, "a=%s\n", token);
    bool all = masks_text(ck_buffer_bytes(&text), kind, token);
    all = masks_json(kind, token, false) && all;
    all = masks_json(kind, token, true) && all;
    tap_ok(all, "%s: %.12s… is found in text and JSON", kind, token);
    ck_buffer_clear(&text);
  }
}

/* ---- what is none ---- */

static uint64_t state = 88172645463325252u;
static unsigned random_below(unsigned n) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (unsigned)(state >> 11) % n;
}
static void append_of(ck_buffer *out, const char *alphabet, unsigned len) {
  unsigned n = (unsigned)strlen(alphabet);
  while (len-- > 0) ck_buffer_append_char(out, alphabet[random_below(n)]);
}
#define HEX "0123456789abcdef"
#define ALNUM "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

static void append_words(ck_buffer *out, unsigned count, const char *between) {
  static const char *const words[] = {
      "the",        "token",  "key",  "password",   "secret", "author",   "monkey",   "request",
      "session",    "flight", "task", "risk-based", "desk",   "sk-learn", "api",      "auth",
      "credential", "npm",    "pypi", "bearer",     "Bearer", "private",  "public",   "header",
      "model",      "user",   "id",   "AKIA",       "eyJ",    "begin",    "passenger"};
  for (unsigned i = 0; i < count; i++)
    ck_buffer_append_format(out, "%s%s", i ? between : "",
                            words[random_below(sizeof words / sizeof *words)]);
}

static void append_uuid(ck_buffer *out) {
  static const unsigned lens[] = {8, 4, 4, 4, 12};
  for (int i = 0; i < 5; i++) {
    if (i) ck_buffer_append_char(out, '-');
    append_of(out, HEX, lens[i]);
  }
}

/* Texts without secrets. ~u: a UUID; ~hN, ~dN, ~aN, ~bN, ~cN: N hex digits, digits, letters and
 * digits, characters of base64, digits of 1 to 3; ~wNC: N words joined by C. */
static const char *const clean_texts[] = {
    "~u",
    "~h40", /* a commit */
    "sha256:~h64",
    "0.~d16",
    "/home/user/~w4/.py",
    "~w12 ",
    "const csrfToken = getCsrfToken(req.session.csrfToken, '~w2_');",
    "https://example.org:8443/~w3/?page_token=~a20&id=~u",
    "~b120==",
    "call_~a24",
    "~w6-", /* a class of CSS, a branch */
    "~w6_",
    "data:image/png;base64,iVBORw0KGgo~b200",
    "+~d12 DE~d20",
    "password: str = Field(..., min_length=8)  # ~w5 ",
    "Authorization: Bearer ${TOKEN} x-api-key: $API_KEY https://user:password@host:80/",
    "-----BEGIN PUBLIC KEY-----\n~a64",
    "git@github.com:~w2/.git https://host:443/@a/b",
    "key=~w2. token_count=~c6",
    "~a32",
};

static void append_clean(ck_buffer *out, unsigned kind) {
  const char *at = clean_texts[kind % (sizeof clean_texts / sizeof *clean_texts)];
  while (*at) {
    char *end = NULL;
    if (*at != '~') {
      ck_buffer_append_char(out, *at++);
      continue;
    }
    unsigned long count = strtoul(at + 2, &end, 10);
    const char joint[] = {*end, '\0'};
    switch (at[1]) {
      case 'u':
        append_uuid(out);
        end = (char *)(uintptr_t)(at + 2);
        break;
      case 'w':
        append_words(out, (int)count, joint);
        end++;
        break;
      default:
        append_of(out,
                  at[1] == 'h'   ? HEX
                  : at[1] == 'd' ? "0123456789"
                  : at[1] == 'a' ? ALNUM
                  : at[1] == 'b' ? ALNUM "+/"
                                 : "123",
                  count);
        break;
    }
    at = end;
  }
}

static void test_clean(void) {
  enum { STRINGS = 10000 };
  int alarms = 0;
  for (unsigned i = 0; i < STRINGS; i++) {
    ck_buffer text = {0}, out = {0}, json = {0};
    append_clean(&text, i);
    tap_must(
        ck_redactor_apply_text(&out, redactor, CK_SINK_LOG, ck_buffer_bytes(&text), NULL) == CK_OK,
        "a text passes");
    ck_buffer_append_text(&json, "{\"content\":");
    ck_json_append_string(&json, ck_buffer_bytes(&text));
    ck_buffer_append_char(&json, '}');
    ck_value *value = NULL, *kept = NULL;
    tap_must(ck_value_from(&value, &json, NULL) == CK_OK, "a value");
    tap_must(ck_redactor_apply(&kept, redactor, CK_SINK_EVENT, NULL, value, NULL) == CK_OK,
             "it passes");
    bool alarm = kept != value || !ck_bytes_equal(ck_buffer_bytes(&out), ck_buffer_bytes(&text));
    if (alarm) tap_diag("false alarm: %s -> %s", text.data, out.data);
    alarms += alarm;
    ck_value_free(kept);
    ck_value_free(value);
    ck_buffer_clear(&text);
    ck_buffer_clear(&out);
    ck_buffer_clear(&json);
  }
  tap_ok(alarms <= 5, "%d false alarms in %d clean strings", alarms, STRINGS);
}

/* ---- recorded sessions ---- */

static int lines_seen, hits_planted, hits_elsewhere;

static void look_at(const char *path, ck_bytes text) {
  ck_value *value = NULL, *kept = NULL;
  bool changed;
  if (ck_value_new(&value, text, NULL) == CK_OK) {
    tap_must(ck_redactor_apply(&kept, redactor, CK_SINK_EVENT, NULL, value, NULL) == CK_OK,
             "%s passes", path);
    changed = kept != value;
  } else {
    ck_buffer out = {0};
    tap_must(ck_redactor_apply_text(&out, redactor, CK_SINK_LOG, text, NULL) == CK_OK, "%s passes",
             path);
    changed = !ck_bytes_equal(ck_buffer_bytes(&out), text);
    ck_buffer_clear(&out);
  }
  lines_seen++;
  if (changed && strstr(path, "agentdojo"))
    hits_planted++;
  else if (changed)
    hits_elsewhere++, tap_diag("hit in %s: %.60s", path, text.data);
  ck_value_free(kept);
  ck_value_free(value);
}

static int look_into(const char *path, const struct stat *info, int type, struct FTW *walk) {
  (void)walk;
  if (type != FTW_F || strstr(path, "LICENSES") || strstr(path, ".md")) return 0;
  FILE *file = fopen(path, "r");
  tap_must(file != NULL, "%s opens", path);
  size_t size = (size_t)info->st_size;
  char *data = malloc(size + 1);
  tap_must(data && fread(data, 1, size, file) == size, "%s is read", path);
  fclose(file);
  data[size] = '\0';
  bool lines = strstr(path, ".jsonl") != NULL;
  for (size_t at = 0; at < size;) {
    char *end = lines ? memchr(data + at, '\n', size - at) : NULL;
    size_t stop = end ? (size_t)(end - data) : size;
    if (stop > at) look_at(path, (ck_bytes){data + at, stop - at});
    at = stop + 1;
  }
  free(data);
  return 0;
}

static void print_counts(void) {
  ck_redact_count count;
  for (size_t i = 0; ck_redactor_count_at(&count, redactor, i); i++)
    if (count.count)
      tap_diag("%6llu %s:%s", (unsigned long long)count.count, count.family, count.rule);
}

static void test_recorded(void) {
  const char *dir = tap_data_dir();
  if (!dir) {
    tap_skip("no recorded sessions here");
    return;
  }
  ck_redactor_free(redactor);
  tap_must(ck_redactor_new(&redactor, NULL) == CK_OK, "a redactor");
  nftw(dir, look_into, 16, FTW_PHYS);
  tap_diag("%d documents:", lines_seen);
  print_counts();
  tap_ok(hits_elsewhere <= 5, "%d false alarms in %d recorded documents", hits_elsewhere,
         lines_seen);
  tap_ok(hits_planted >= 10, "the planted passwords and reset links are found (%d documents)",
         hits_planted);
}

/* ---- hostile texts ---- */

/* Beginnings and parts of tokens that are repeated. */
static const char *const hostile_units[] = {"eyJ",
                                            "eyJhbGciOiJI.",
                                            "eyJaaaaaaaa.eyJ",
                                            "://",
                                            "://a:",
                                            "://a:b",
                                            "Bearer ",
                                            "sk-",
                                            "sk-ant-",
                                            "xoxb-1",
                                            "-----BEGIN ",
                                            "-----BEGIN PRIVATE KEY-----\n",
                                            "-----BEGIN PRIVATE KEY-----\nA: b\n",
                                            "AKIA",
                                            "AccountKey=",
                                            "AccountKey=a",
                                            "?token=a",
                                            "?token=1.",
                                            "_TOKEN=a.",
                                            "[redacted:",
                                            "authorization:",
                                            "gh",
                                            "ghp_a",
                                            "\"key\":",
                                            "\"password\":\"",
                                            "\\\"password\\\":\\\"",
                                            "{\"a\":\"",
                                            "[",
                                            ":AA",
                                            "12345678:AAa",
                                            "hooks.slack.com/services/a",
                                            "ATATT3a",
                                            "awsSecretKey=a",
                                            "SG.a.",
                                            "password=",
                                            "password=a1",
                                            "password='",
                                            "password = \"",
                                            "password: ",
                                            "<password>",
                                            "value=\"",
                                            "key=\"password\" value=",
                                            "--password ",
                                            "api key api key:",
                                            "cookie: a=1;",
                                            "password: x = ",
                                            "\\",
                                            "%",
                                            "\\u00",
                                            "\"\\\\\":"};

static void test_hostile(void) {
  for (size_t i = 0; i < sizeof hostile_units / sizeof *hostile_units; i++) {
    ck_buffer text = {0}, json = {0}, out = {0};
    while (text.len < 300000) ck_buffer_append_text(&text, hostile_units[i]);
    ck_json_append_string(&json, ck_buffer_bytes(&text));
    ck_value *value = NULL, *kept = NULL;
    tap_must(ck_value_from(&value, &json, NULL) == CK_OK, "a value");
    bool passed =
        ck_redactor_apply(&kept, redactor, CK_SINK_EVENT, NULL, value, NULL) == CK_OK &&
        ck_redactor_apply_text(&out, redactor, CK_SINK_LOG, ck_buffer_bytes(&text), NULL) == CK_OK;
    tap_ok(passed && ck_json_check(ck_value_bytes(kept), NULL) == CK_OK, "300 kB of %s pass",
           hostile_units[i]);
    ck_value_free(kept);
    ck_value_free(value);
    ck_buffer_clear(&text);
    ck_buffer_clear(&json);
    ck_buffer_clear(&out);
  }
}

/* A known secret glued to a token hides the token's end: both go, and once is as twice. */
static void test_beside_known(void) {
  static const char token[] = T("AKIA", "Z7QX2LMN5PRS3TUV");
  ck_buffer text = {0}, out = {0}, again = {0};
  ck_redactor *knowing = NULL;
  tap_must(ck_redactor_new(&knowing, NULL) == CK_OK, "a redactor");
  tap_must(
      ck_redactor_add_secret(knowing, "canary", ck_bytes_text("hunter22hunter"), NULL) == CK_OK,
      "a secret");
  ck_buffer_append_format(&text, "see %shunter22hunter, then", token);
  tap_must(
      ck_redactor_apply_text(&out, knowing, CK_SINK_LOG, ck_buffer_bytes(&text), NULL) == CK_OK &&
          ck_redactor_apply_text(&again, knowing, CK_SINK_LOG, ck_buffer_bytes(&out), NULL) ==
              CK_OK,
      "a text passes twice");
  tap_ok(!strstr(out.data, token) && !strstr(out.data, "hunter22"),
         "in text a token glued to a known secret is masked as well: %s", out.data);
  tap_is_bytes(ck_buffer_bytes(&again), ck_buffer_bytes(&out), "text masked again stays as it is");
  ck_redactor_free(knowing);
  ck_buffer_clear(&text);
  ck_buffer_clear(&out);
  ck_buffer_clear(&again);
}

int main(void) {
  tap_must(ck_redactor_new(&redactor, NULL) == CK_OK, "a redactor");
  test_beside_known();
  test_shapes();
  test_clean();
  test_hostile();
  test_recorded();
  ck_redactor_free(redactor);
  return tap_done();
}
