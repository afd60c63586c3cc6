/* test_keys.c - names that stand for secrets in every spelling, and names that only look like
 * them. */
#include "core/redact/keys.h"

#include <stdlib.h>
#include <string.h>

#include "core/redact/redact.h"
#include "tests/tap.h"

/* clang-format off */
static const char *const found[] = {
    "api_key", "apiKey", "ApiKey", "APIKey", "APIkey", "APIKEY", "API_KEY", "api-key", "Api-Key",
    "api.key", "api key", "apikey",
    "x-api-key", "X-API-Key", "X_API_KEY", "xApiKey", "openai_api_key", "OPENAI_API_KEY",
    "openaiApiKey", "OpenAIAPIKey",
    "api_key_2", "apiKey1", "api_keys", "apiKeys", "anthropic.api.key", "api_key_value",
    "apiKeyProd", "x-goog-api-key",
    "Ocp-Apim-Subscription-Key", "DD_APP_KEY", "access_key", "accessKey", "AccessKey",
    "secretAccessKey", "aws_secret_access_key",
    "AWS_SECRET_ACCESS_KEY", "AccountKey", "storageKey", "secret_key", "SecretKey", "SECRETKEY",
    "STRIPE_SECRET_KEY", "private_key",
    "privateKey", "PrivateKey", "private-key", "privateKeyPem", "ssh_private_key", "signing_key",
    "encryptionKey", "master_key",
    "pre_shared_key", "wifi_psk", "secret", "Secret", "secrets", "client_secret", "clientSecret",
    "CLIENT_SECRET", "clientsecret",
    "app-secret", "jwtSecret", "JWT_SECRET", "webhook_secret", "SecretString", "secretBase64",
    "totp_secret", "token_secret",
    "password", "Password", "PASSWORD", "passwords", "PassWord", "pass_word", "dbPassword",
    "db_password", "dbpassword",
    "DBPASSWORD", "DBPassword", "user-password", "password2", "new_password", "currentPassword",
    "password_confirmation",
    "password_hash", "passwd", "Passwd", "rootpasswd", "passphrase", "pass_phrase",
    "ssh_key_passphrase", "db_pass", "smtpPass",
    "MYSQL_PASS", "Passwort", "credentials", "Credentials", "credential", "aws_credentials",
    "awsCredentials", "creds", "db-creds",
    "access_token", "accessToken", "ACCESS_TOKEN", "accesstoken", "access-token",
    "facebookAccessToken", "auth_token", "authToken",
    "X-Auth-Token", "oauth_token", "OAuthToken", "oauth2Token", "refresh_token", "refreshToken",
    "session_token", "sessionToken",
    "X-Amz-Security-Token", "bearer", "bearerToken", "id_token", "apiToken", "SLACK_BOT_TOKEN",
    "GITHUB_TOKEN", "GH_TOKEN",
    "PRIVATE-TOKEN", "X-Vault-Token", "npm_token", "NPM_TOKEN", "CI_JOB_TOKEN", "authorization",
    "Authorization",
    "Proxy-Authorization", "Set-Cookie", "connection_string", "ConnectionString", "security_code",
    "cvv", "cvv2", "mfaCode",
    "2fa_code", "recovery_codes", "seedPhrase",
};
/* clang-format on */

/* clang-format off */
static const char *const left[] = {
    "monkey", "token_count", "tokenCount", "max_tokens", "maxTokens", "author", "authors",
    "author_email", "keyboard", "tokenizer",
    "public_key", "publicKey", "PUBLIC_KEY", "primary_key", "foreign_key", "cache_key", "sortKey",
    "partition_key", "key", "keys",
    "keyword", "keywords", "key_name", "key_id", "accessKeyId", "aws_access_key_id",
    "api_key_name", "api_key_env", "apiKeyId",
    "secretary", "secret_name", "secretId", "password_length", "passwordPolicy",
    "password_required", "has_password",
    "forgot_password", "resetPassword", "passed", "pass_rate", "passenger", "passengers",
    "passport", "bypass", "compass",
    "token_type", "tokens", "total_tokens", "promptTokens", "input_tokens", "next_token",
    "pageToken", "next_page_token",
    "eos_token", "padToken", "tokenized", "authority", "authored_by", "authorized",
    "authentication_method", "authType", "auth_url",
    "credit_card", "accredited", "bearing", "session_id", "sessionCount", "cookie_policy",
    "pinned", "pin_code", "opinion",
    "signature_algorithm", "is_private", "hotkey", "turkey", "donkey", "keyframe", "api_version",
    "apiUrl", "access_level",
    "refresh_rate", "client_name", "csrf_field", "secretion", "passive", "content", "description",
    "location", "id", "",
};
/* clang-format on */

enum { FOUND = sizeof found / sizeof *found, LEFT = sizeof left / sizeof *left };

/* Through the redactor, as a member: plain, in a string, and twice in a string. */
static bool masks(ck_redactor *redactor, const char *name, int depth) {
  ck_buffer json = {0};
  const char *quote = depth == 0 ? "\"" : depth == 1 ? "\\\"" : "\\\\\\\"";
  if (depth > 0) ck_buffer_append_text(&json, "\"");
  ck_buffer_append_format(&json, "{%s%s%s: %sZx81-kwq7712%s}", quote, name, quote, quote, quote);
  if (depth > 0) ck_buffer_append_text(&json, "\"");
  ck_value *value = NULL, *kept = NULL;
  tap_must(ck_value_from(&value, &json, NULL) == CK_OK, "a value");
  tap_must(ck_redactor_apply(&kept, redactor, CK_SINK_EVENT, NULL, value, NULL) == CK_OK,
           "it passes");
  bool masked = kept != value && !strstr(ck_value_bytes(kept).data, "kwq7712");
  if (kept != value) tap_must(ck_json_check(ck_value_bytes(kept), NULL) == CK_OK, "it stays JSON");
  ck_value_free(kept);
  ck_value_free(value);
  ck_buffer_clear(&json);
  return masked;
}

static void test_table(ck_redactor *redactor) {
  int missed = 0, hit = 0;
  for (int i = 0; i < FOUND; i++) {
    bool all = true;
    for (int depth = 0; depth < 3; depth++) all = masks(redactor, found[i], depth) && all;
    if (!all) tap_diag("not found: %s", found[i]);
    missed += !all;
  }
  for (int i = 0; i < LEFT; i++) {
    bool any = false;
    for (int depth = 0; depth < 3; depth++) any = masks(redactor, left[i], depth) || any;
    if (any) tap_diag("not left: %s", left[i]);
    hit += any;
  }
  tap_is_int(missed, 0, "%d spellings of names are found, also in strings", FOUND);
  tap_is_int(hit, 0, "%d near misses are left", LEFT);
  tap_ok(FOUND >= 120 && LEFT >= 60, "the tables are as long as promised");
}

/* What the quick look at a name's end lets pass must be what the slow one wants. */
static void test_quick(void) {
  ck_keys keys = {0};
  tap_must(ck_keys_init(&keys, NULL, NULL) == CK_OK, "the table");
  int lost = 0;
  for (int i = 0; i < FOUND; i++) {
    ck_buffer json = {0};
    size_t at = 0, depth = 9;
    ck_buffer_append_format(&json, "{\"a\":1,\"%s\" \n:2}", found[i]);
    const ck_key_rule *rule = ck_keys_next(&at, &depth, &keys, ck_buffer_bytes(&json));
    lost += rule != ck_keys_find(&keys, ck_bytes_text(found[i])) || !rule || depth != 0 ||
            json.data[at] != '2';
    ck_buffer_clear(&json);
  }
  tap_is_int(lost, 0, "the quick look loses none");
  static const char *const bare[] = {
      "\"", "\":", ":", "\":\":", "\\\":", "\"password\"", "password:", "\"\":\"\"", " \":\\\":"};
  int wrong = 0;
  for (size_t i = 0; i < sizeof bare / sizeof *bare; i++) {
    size_t at = 0, depth;
    char *exact = strdup(bare[i]); /* the sanitizer sees a look beyond */
    ck_bytes text = {exact, strlen(exact)};
    wrong += ck_keys_next(&at, &depth, &keys, text) != NULL;
    free(exact);
  }
  tap_is_int(wrong, 0, "colons and quotes alone are no names");
  ck_keys_clear(&keys);
}

static void test_extra(void) {
  ck_keys keys = {0};
  const char *names[] = {"homePhone", "", "__", "ssn", NULL};
  tap_must(ck_keys_init(&keys, names, NULL) == CK_OK, "extra names");
  const ck_key_rule *rule = ck_keys_find(&keys, ck_bytes_text("customer_home_phone"));
  tap_ok(rule && rule->flags & CK_KEY_EXCLUDED, "an extra name is found in another spelling");
  tap_ok(ck_keys_find(&keys, ck_bytes_text("SSN")) != NULL, "also a short one");
  tap_ok(!ck_keys_find(&keys, ck_bytes_text("phone")), "its last word alone is none");
  tap_ok(!ck_keys_find(&keys, ck_bytes_text("")) && !ck_keys_find(&keys, ck_bytes_text("7_")),
         "a name without letters is none");
  ck_keys_clear(&keys);
}

static void test_long_names(void) {
  ck_keys keys = {0};
  tap_must(ck_keys_init(&keys, NULL, NULL) == CK_OK, "the table");
  ck_buffer name = {0};
  for (int i = 0; i < 100000; i++) ck_buffer_append_char(&name, "aB_9"[i % 4]);
  tap_ok(!ck_keys_find(&keys, ck_buffer_bytes(&name)), "a name of 100,000 bytes is none");
  ck_buffer_append_text(&name, "_api_key");
  tap_ok(ck_keys_find(&keys, ck_buffer_bytes(&name)) != NULL, "but its end counts");
  ck_buffer_clear(&name);
  ck_keys_clear(&keys);
}

int main(void) {
  ck_redactor *redactor = NULL;
  tap_must(ck_redactor_new(&redactor, NULL) == CK_OK, "a redactor");
  test_table(redactor);
  test_quick();
  test_extra();
  test_long_names();
  ck_redactor_free(redactor);
  return tap_done();
}
