/* test_assignments.c - values behind names of secrets in plain text: settings, commands, code,
 * headers, connection strings; the same names in code and prose without a secret are left. */
#include "core/redact/assignments.h"

#include <string.h>

#include "core/base/placeholder.h"
#include "core/redact/redact.h"
#include "core/redact/scanner.h"
#include "tests/tap.h"

static ck_redactor *redactor;

/* Each text holds one secret between « and »; the signs are not part of it. */
/* clang-format off */
static const char *const found[] = {
    /* .env, shell */
    "DB_PASSWORD=«hunter2»", "DB_PASSWORD=«correct»\nNEXT=1", "export API_KEY=«a1b2c3»",
    "export SECRET_TOKEN='«s3cr3t-value»'", "PGPASSWORD=«hunter2» psql -h db",
    "AWS_SECRET=\"«q9x!w2»\"",
    "SMTP_PASS=«abcd1234»\r\nSMTP_HOST=h", "ENV DB_PASSWORD=«hunter2»",
    "docker run -e DB_PASSWORD=«hunter2» x",
    "OPENAI_API_KEY=«4f1c29b7d0e85a33»", "TOKEN_SECRET=«0a1B2c3D4e5F»",
    /* YAML, TOML, ini, properties */
    "password: «hunter2»", "db:\n  password: «hunter2» # mine\n", "  - api_key: «a1b2c3d4»", 
    "client_secret = \"«Zx81kw»\"", "[db]\npassword = «hunter2»\n",
    "spring.datasource.password=«pq81xk»",
    "secret_key: \"«4f1c29b7d0e85a33»\"", "passwd: «12345678»\n", "auth_token: «9f86d081884c7d65»",
    /* code */
    "password = \"«hunter2»\"", "const apiKey = '«abc123»';", "let secret: string = \"«Zx81-kw»\";",
    "config['password'] = '«hunter2»'", "config[\"api_key\"]=\"«a1b2c3»\"",
    "{'password': '«hunter2»', 'user': 'a'}",
    "connect(host='h', password='«hunter2»')", "'secret' => '«hunter2»',",
    "password := \"«hunter2»\"",
    "password: str = \"«hunter2»\"", "b = dict(access_token=b'«a1b2c3d4»')",
    "auth_token=`«a1b2c3d4e5»`",
    "os.environ[\"API_KEY\"] = \"«a1b2c3»\"", "api_key = «9f86d081884c7d659a2f»",
    "token = '«9f86d081884c7d659a2f»'",
    /* options of commands */
    "mysql --password=«hunter2» -u root", "mysql --password=«hunter» db",
    "login --password «hunter2»",
    "tool --api-key «a1b2c3d4e5»",
    "secret = '«sQkWpZtRmBvXnYcGhJ»'", "sshpass --password \"«hunter2»\" ssh h",
    /* XML */
    "<password>«hunter2»</password>", "<db:password>«hunter2»</db:password>",
    "<property name=\"password\">«hunter2»</property>",
    "<add key=\"ApiKey\" value=\"«a1b2c3»\" />", "<input name=\"password\" value=\"«hunter2»\">",
    /* connection strings */
    "Server=h;Uid=u;Pwd=«pq81xk»;Database=d", "jdbc:mysql://h/db?user=a&password=«pq81xk»&ssl=1",
    "Driver={x};User=a;Password=«pq81xk»", "host=h user=u password=«hunter22x» dbname=d",
    /* headers */
    "X-Auth-Token: «a1b2c3d4e5»", "Authorization: Token «9f86d081884c7d65»",
    "authorization: «9f86d081884c7d65»",
    "curl -H 'X-Api-Key: «a1b2c3»' https://h/", "Cookie: «sid=9f86d081; theme=dark»\r\n",
    "Set-Cookie: «sid=9f86d081; Path=/»\n",
    
    /* prose of tools */
    "Your new API key: «a1b2c3d4e5»", "Access token: «9f86d081884c7d65»\n",
    "The client secret is: no\nclient secret: «Zx81kw99»",
    /* a value with signs is masked to its end */
    "APP_PASSWORD=«Tr0ub4dor&3»\n", "APP_PASSWORD=«x1y2z3;w4»\n", "DB_PASSWORD=«abc,def1»",
    "PGPASSWORD=«abcdefgh» psql -h db", "user=bob password=«logpw123» ok",
    "psql \"host=h password=«connpw1» dbname=d\"", "> Authorization: Bearer «abcdef123456ghi»\n",
    "< set-cookie: «sid=9f86d081»\n", "> x-api-key: «a1b2c3d4»\n",
    /* known by what stands around them */
    "curl -s -u me:«pw123» https://h/", "sshpass -p «hunter2» ssh h",
    "CREATE USER a IDENTIFIED BY '«two words 1»';",
    "root:«$6$rounds=5000$abcd$"
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./abcdefghijklmnopqrstuv»:1:",
    "u:«$2b$12$abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0» end",
    /* files of their own kind */
    "machine h.example login me password «hunter2»\n",
};

static const char *const left[] = {
    "password", "password:", "password=", "password = ", "--password", "--password=", "token=None",
    "password: string;",
    "password: str", "secret: Secret", "api_key: Optional[str] = None", "password=password",
    "api_key=api_key",
    "token = tokens[i]", "token = token2", "password = getpass()", "secret = get_secret(\"db\")",
    "password = user.password",
    "password = os.environ['DB_PASSWORD']", "api_key=os.getenv(\"API_KEY\")",
    "password=${DB_PASSWORD}", "password=$DB_PASSWORD",
    "api_key = \"${API_KEY}\"", "api_key: {{ .Values.apiKey }}", "password: <your password>",
    "api_key=\"your-api-key\"",
    "API_KEY=your_key_here", "password must have 8 characters", "Password: must have 8 characters",
    "password: required",
    "if password == \"\":", "if (password === other1) {", "secret::Vault", "secret://vault/x1",
    "token_count=12345",
    "max_tokens=4096", "key=a1b2c3d4", "keyboard: qwerty123", "author: me12345", "monkey=banana123",
    "passwords = 10000", "the token: a thing", "reset password: see9below",
    "forgot_password: link123",
    "password=/etc/secret1", "private_key=~/.ssh/id_ed25519", "password_file=/run/secrets/db1",
    "api_key=\"%s\"",
    "f\"password={password}\"", "print('password: ', x1)", "password>hunter2", "a->password=b1;x",
    "x = <password>",
    "<password></password>", "<password/>", "<a href=\"x1\">token</a>", "auth=none;",
    "credentials: include",
    "cookie: yes", "Authorization: Bearer $TOKEN", "Authorization: ${AUTH}", "--token TOKEN",
    "--api-key KEY --x",
    "pin: red", "otp=5", "public_key: a1b2c3d4", "csrf_token: a1b2c3d4e5f6",
    "password=[redacted:password:0123456789ab]",
    "DB_PASSWORD=[redacted:env_secret:0123456789ab]", "[redacted:api_key:0123456789ab]",
    "SECRET_KEY=changeme",
    "const STORAGE_KEY = 'todos';", "auth_token: 'required-field'",
    "Authorization: required since v2", "password = user_input1", "password: *anchor1",
    "sort -u a:b1", "export XAI_API_KEY=xai-...\n",
    "curl -s https://h/ -o u:x1", "password = \"user_password\"",
    "api_key: OPENAI_API_KEY_2\n", "the secret: patience1", "password='***'",
    "secret_name: db-1234", "api_key_id = a1b2c3d4e5",
};
/* clang-format on */
enum { FOUND = sizeof found / sizeof *found, LEFT = sizeof left / sizeof *left };

/* The text without its signs, and where the secret stands. */
static void unmark(ck_buffer *out, ck_bytes *secret, const char *marked) {
  const char *open = strstr(marked, "«"), *close = strstr(marked, "»");
  size_t sign = strlen("«");
  tap_must(open && close, "%s has a secret", marked);
  ck_buffer_append(out, marked, (size_t)(open - marked));
  size_t at = out->len;
  ck_buffer_append(out, open + sign, (size_t)(close - open) - sign);
  size_t len = out->len - at;
  ck_buffer_append_text(out, close + sign);
  *secret = (ck_bytes){out->data + at, len};
}

/* What is before and behind the secret stays, and the secret is gone. */
static bool is_cut_out(ck_bytes text, ck_bytes secret, ck_bytes masked) {
  size_t front = (size_t)(secret.data - text.data), back = text.len - front - secret.len;
  if (masked.len < front + back || memcmp(masked.data, text.data, front) != 0) return false;
  ck_bytes middle = {masked.data + front, masked.len - front - back};
  return memcmp(masked.data + masked.len - back, secret.data + secret.len, back) == 0 &&
         ck_placeholder_is(middle);
}

static void scan(ck_buffer *out, ck_bytes text, size_t piece) {
  ck_scanner *scanner = NULL;
  tap_must(ck_scanner_new(&scanner, redactor, NULL) == CK_OK, "a scanner");
  for (size_t at = 0; at < text.len; at += piece) {
    size_t len = text.len - at < piece ? text.len - at : piece;
    tap_must(ck_scanner_push(out, scanner, (ck_bytes){text.data + at, len}, NULL) == CK_OK,
             "a piece passes");
  }
  tap_must(ck_scanner_finish(out, scanner, NULL) == CK_OK, "the rest passes");
  ck_scanner_free(scanner);
}

static void apply_json(ck_buffer *out, ck_bytes text) {
  ck_buffer json = {0};
  ck_value *value = NULL, *kept = NULL;
  ck_buffer_append_text(&json, "{\"content\":");
  ck_json_append_string(&json, text);
  ck_buffer_append_char(&json, '}');
  tap_must(ck_value_from(&value, &json, NULL) == CK_OK, "a value");
  tap_must(ck_redactor_apply(&kept, redactor, CK_SINK_EVENT, NULL, value, NULL) == CK_OK,
           "it passes");
  ck_buffer_append_bytes(out, ck_value_bytes(kept));
  ck_value_free(kept);
  ck_value_free(value);
  ck_buffer_clear(&json);
}

static void test_found(const char *marked) {
  ck_buffer text = {0}, out = {0}, pieces = {0}, json = {0};
  ck_bytes secret;
  unmark(&text, &secret, marked);
  tap_must(
      ck_redactor_apply_text(&out, redactor, CK_SINK_LOG, ck_buffer_bytes(&text), NULL) == CK_OK,
      "a text passes");
  bool cut = is_cut_out(ck_buffer_bytes(&text), secret, ck_buffer_bytes(&out));
  scan(&pieces, ck_buffer_bytes(&text), 3);
  bool same = ck_bytes_equal(ck_buffer_bytes(&out), ck_buffer_bytes(&pieces));
  apply_json(&json, ck_buffer_bytes(&text));
  bool kept = memmem(json.data, json.len, secret.data, secret.len) != NULL;
  tap_ok(cut && same && !kept, "found: %s", marked);
  if (!cut || !same || kept) tap_diag("text: %s\njson: %s", out.data, json.data);
  ck_buffer_clear(&text);
  ck_buffer_clear(&out);
  ck_buffer_clear(&pieces);
  ck_buffer_clear(&json);
}

static void test_left(const char *text) {
  ck_buffer out = {0};
  tap_must(ck_redactor_apply_text(&out, redactor, CK_SINK_LOG, ck_bytes_text(text), NULL) == CK_OK,
           "a text passes");
  tap_ok(ck_bytes_equal(ck_bytes_text(text), ck_buffer_bytes(&out)), "left: %s", text);
  if (strcmp(out.data, text) != 0) tap_diag("became %s", out.data);
  ck_buffer_clear(&out);
}

/* ---- pieces ---- */

static uint64_t state = 88172645463325252u;
static unsigned below(unsigned n) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (unsigned)(state >> 11) % n;
}

static void append_some(ck_buffer *out) {
  static const char *const fill[] = {" ",  "\n", "; ", "a word ", "the-next.one",
                                     "= ", "'",  "\"", "&"};
  if (below(2)) {
    ck_buffer_append_text(out, fill[below(sizeof fill / sizeof *fill)]);
    return;
  }
  unsigned i = below(FOUND + LEFT);
  const char *text = i < FOUND ? found[i] : left[i - FOUND];
  for (; *text; text++)
    if ((unsigned char)*text != 0xc2 && (unsigned char)*text != 0xab &&
        (unsigned char)*text != 0xbb)
      ck_buffer_append_char(out, *text);
}

/* What a text becomes does not depend on how it is cut. */
static void test_pieces(void) {
  enum { TEXTS = 300, PARTS = 60 };
  int wrong = 0;
  for (int i = 0; i < TEXTS && wrong < 3; i++) {
    ck_buffer text = {0}, whole = {0}, pieces = {0};
    for (unsigned n = 1 + below(PARTS); n > 0; n--) append_some(&text);
    tap_must(ck_redactor_apply_text(&whole, redactor, CK_SINK_LOG, ck_buffer_bytes(&text), NULL) ==
                 CK_OK,
             "a text passes");
    scan(&pieces, ck_buffer_bytes(&text), 1 + below(400));
    bool same = ck_bytes_equal(ck_buffer_bytes(&whole), ck_buffer_bytes(&pieces));
    if (!same) tap_diag("text: %s\nwhole: %s\npieces: %s", text.data, whole.data, pieces.data);
    wrong += !same;
    ck_buffer_clear(&text);
    ck_buffer_clear(&whole);
    ck_buffer_clear(&pieces);
  }
  tap_ok(wrong == 0, "a text that arrives in pieces becomes the same as the whole");
}

/* Longer than what is held back of any text. */
static void test_long(const char *front, const char *unit, const char *back) {
  ck_buffer text = {0}, whole = {0}, pieces = {0};
  ck_buffer_append_text(&text, front);
  while (text.len < 3000) ck_buffer_append_text(&text, unit);
  ck_buffer_append_text(&text, back);
  tap_must(
      ck_redactor_apply_text(&whole, redactor, CK_SINK_LOG, ck_buffer_bytes(&text), NULL) == CK_OK,
      "a text passes");
  scan(&pieces, ck_buffer_bytes(&text), 100);
  bool masked = strstr(whole.data, "[redacted:") && !strstr(whole.data, unit);
  tap_ok(masked && ck_bytes_equal(ck_buffer_bytes(&whole), ck_buffer_bytes(&pieces)),
         "a value of 3,000 bytes behind %s is masked as a whole, in pieces, too", front);
  ck_buffer_clear(&text);
  ck_buffer_clear(&whole);
  ck_buffer_clear(&pieces);
}

int main(void) {
  tap_must(ck_redactor_new(&redactor, NULL) == CK_OK, "a redactor");
  for (int i = 0; i < FOUND; i++) test_found(found[i]);
  for (int i = 0; i < LEFT; i++) test_left(left[i]);
  test_pieces();
  test_long("DB_PASSWORD=", "a1b2c3d4", "\n");
  test_long("password: '", "a1b2c3d4", "'\n");
  test_long("<password>", "a1b2c3d4", "</password>\n");
  test_long("Cookie: a=", "a1b2c3d4", "\n");
  ck_redactor_free(redactor);
  return tap_done();
}
