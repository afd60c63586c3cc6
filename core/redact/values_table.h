/* values_table.h - shapes of tokens that are recognised by themselves. */
#ifndef CK_REDACT_VALUES_TABLE_H
#define CK_REDACT_VALUES_TABLE_H

#include "core/redact/token_services_table.h"
#include "core/redact/token_systems_table.h"

#define CK_BEARER \
  CK_FRONT "(?i:bearer)[ \\t]{1,4}(?=[A-Za-z._~+/-]*[0-9])([A-Za-z0-9._~+/-]{20,4096}={0,2})"
#define CK_BASIC                                                  \
  "(?i:authorization\"?'?[ \\t]{0,4}[:=][ \\t]{0,4}\"?'?basic)[ " \
  "\\t]{1,4}([A-Za-z0-9+/]{8,1024}={0,2})"
#define CK_AWS_SECRET                                                        \
  "(?i:aws_?secret_?(?:access_?)?key)[\"'\\\\]{0,4}[ \\t]{0,4}[:=]{1,2}>?[ " \
  "\\t]{0,4}[\"'\\\\]{0,4}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
#define CK_PEM_BODY "(?:[A-Za-z0-9+/=\\s]|\\\\[nrt\\\\]|\\\\(?=\\\\))"
#define CK_PEM                                                                                    \
  "-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----" /* headers of older formats */ \
  "(?:(?:\\s|\\\\[nr]){0,4}[A-Za-z-]{3,20}: [^\\n\\\\\"]{0,200}){0,4}"                            \
  "(?=" CK_PEM_BODY "{0,16}[A-Za-z0-9+/=]{16})" CK_PEM_BODY "++"                                  \
  "(?:-----END (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?"
#define CK_USERINFO                                               \
  "[^\\s/:@\"'<>\\\\?#`]{0,64}:([^\\s/:@\"'<>\\\\{}$%*()`][^\\s/" \
  "@\"'<>\\\\`]{2,255})@[A-Za-z0-9.\\[-]"
#define CK_QUERY                                                                                   \
  "(?:token|key|secret)=\\?{0,1}(?=[A-Za-z._~%+-]*[0-9])(?=[0-9._~%+-]*[A-Za-z])([A-Za-z0-9._~%+-" \
  "]{11,511}[A-Za-z0-9_%-])"
#define CK_IN_QUERY \
  "(?<=[?&/]|[?&]access_|[?&]refresh_|[?&]auth_|[?&]id_|[?&]api_|[?&]api|[?&]client_)" CK_QUERY
#define CK_ENV(name) \
  name "=[\"']?(?=[A-Za-z._~+/-]*[0-9])(?=[0-9._~+/-]*[A-Za-z])([A-Za-z0-9._~+/-]{16,512}={0,2})"
#define CK_HEADER                         \
  "(?i:x-api-key)[\"']?[ \\t]{0,4}[:=][ " \
  "\\t]{0,4}[\"']?(?=[A-Za-z._~+/-]*[0-9])([A-Za-z0-9._~+/-]{16,256})"

#define CK_AZURE_SECRET "(?<=[A-Za-z0-9_~.-]{3})[78]Q~" CK_AZURE "{31,34}" CK_BACK
#define CK_NETRC "machine[ \\t]+\\S{1,255}\\s+login\\s+\\S{1,255}\\s+password\\s+(\\S{1,255})"
#define CK_CRYPT "[./A-Za-z0-9]"
#define CK_ROUNDS "(?:rounds=[0-9]{1,9}\\$)?"
#define CK_ARGON2 \
  "\\$argon2(?:id|i|d)\\$[a-z0-9=,$]{1,64}\\$[A-Za-z0-9+/]{8,128}\\$[A-Za-z0-9+/]{16,128}"
#define CK_CURL_USER \
  "curl [^\\n]{0,400}?\\s(?:-u|--user)[ =][\"']?[^\\s:\"']{1,64}:([^\\s\"'$][^\\s\"']{2,255})"

/* X(kind, beginning, pattern): the pattern is matched where the beginning occurs; its group 1, else
 * the whole match, is masked. A beginning has at least three bytes. Tokens that are known by their
 * beginning alone have tables of their own: token_services_table.h, token_systems_table.h. */
/* clang-format off */
#define CK_VALUE_TABLE(X) \
  X("aws_secret_key", "aws_secret", CK_AWS_SECRET) \
  X("aws_secret_key", "AWS_SECRET", CK_AWS_SECRET) \
  X("aws_secret_key", "awsSecret", CK_AWS_SECRET) \
  X("azure_key", "AccountKey=", "AccountKey=([A-Za-z0-9+/]{40,120}={0,2})") \
  X("azure_key", "SharedAccessKey=", "SharedAccessKey=([A-Za-z0-9+/]{40,120}={0,2})") \
  X("slack_webhook", "hooks.slack.com/", \
    "hooks\\.slack\\.com/(?:services|workflows)/([A-Za-z0-9/]{24,128})") \
  X("discord_webhook", "/api/webhooks/", "/api/webhooks/[0-9]{17,20}/(" CK_WORD "{60,80})") \
  X("teams_webhook", "/IncomingWebhook/", "/IncomingWebhook/([0-9a-f]{32}/[0-9a-f-]{36})") \
  X("zapier_webhook", "hooks.zapier.com/", \
    "hooks\\.zapier\\.com/hooks/catch/([0-9]{1,12}/" CK_ALNUM "{4,40})") \
  X("url_signature", "sig=", "(?<=[?&])sig=([A-Za-z0-9%/+]{40,200}={0,2})") \
  X("url_signature", "X-Amz-Signature=", "X-Amz-Signature=([a-f0-9]{64})") \
  X("azure_secret", "7Q~", CK_AZURE_SECRET) \
  X("azure_secret", "8Q~", CK_AZURE_SECRET) \
  X("terraform_token", ".atlasv1.", \
    "(?<=[A-Za-z0-9]{14})\\.atlasv1\\.[A-Za-z0-9=_-]{60,70}" CK_BACK) \
  X("password", "machine ", CK_NETRC) \
  X("password", "curl ", CK_CURL_USER) \
  X("password", "sshpass -p", "sshpass -p ?[\"']?([^\\s\"'$]{3,255})") \
  X("password", "IDENTIFIED BY", "IDENTIFIED BY\\s{1,8}['\"]([^'\"\\n]{1,255})['\"]") \
  X("password", "identified by", "identified by\\s{1,8}['\"]([^'\"\\n]{1,255})['\"]") \
  X("password_hash", "$1$", "\\$1\\$" CK_CRYPT "{1,8}\\$" CK_CRYPT "{22}") \
  X("password_hash", "$apr1$", "\\$apr1\\$" CK_CRYPT "{1,8}\\$" CK_CRYPT "{22}") \
  X("password_hash", "$5$", "\\$5\\$" CK_ROUNDS CK_CRYPT "{1,16}\\$" CK_CRYPT "{43}") \
  X("password_hash", "$6$", "\\$6\\$" CK_ROUNDS CK_CRYPT "{1,16}\\$" CK_CRYPT "{86}") \
  X("password_hash", "$2a$", "\\$2a\\$[0-9]{2}\\$" CK_CRYPT "{53}") \
  X("password_hash", "$2b$", "\\$2b\\$[0-9]{2}\\$" CK_CRYPT "{53}") \
  X("password_hash", "$2y$", "\\$2y\\$[0-9]{2}\\$" CK_CRYPT "{53}") \
  X("password_hash", "$argon2", CK_ARGON2) \
  X("jwt", "eyJ", \
    CK_FRONT "eyJ[A-Za-z0-9_-]{8,8192}\\.eyJ[A-Za-z0-9_-]{8,32768}\\.[A-Za-z0-9_-]{16,2048}") \
  X("private_key", "-----BEGIN ", CK_PEM) \
  X("url_password", "://", "://" CK_USERINFO) \
  X("url_password", ":\\/\\/", ":\\\\/\\\\/" CK_USERINFO) /* JSON as plain text */ \
  X("bearer", "Bearer ", CK_BEARER) \
  X("bearer", "bearer ", CK_BEARER) \
  X("bearer", "BEARER ", CK_BEARER) \
  X("basic_auth", "Authorization", CK_BASIC) \
  X("basic_auth", "authorization", CK_BASIC) \
  X("api_key", "x-api-key", CK_HEADER) \
  X("api_key", "X-API-Key", CK_HEADER) \
  X("api_key", "X-Api-Key", CK_HEADER) \
  X("api_key", "API_KEY=", CK_ENV("API_KEY")) \
  X("env_secret", "_SECRET=", CK_ENV("_SECRET")) \
  X("env_secret", "_TOKEN=", CK_ENV("_TOKEN")) \
  X("env_secret", "_PASSWORD=", CK_ENV("_PASSWORD")) \
  X("env_secret", "_SECRET_KEY=", CK_ENV("_SECRET_KEY")) \
  X("url_token", "token=", CK_IN_QUERY) \
  X("url_token", "key=", CK_IN_QUERY) \
  X("url_token", "secret=", CK_IN_QUERY) \
  X("telegram_token", ":AA", "(?<=[0-9]{8}|[0-9]{9}|[0-9]{10}):(AA[A-Za-z0-9_-]{33})" CK_BACK)
/* clang-format on */

#endif
