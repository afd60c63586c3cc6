/* values_table.h - shapes of tokens that are recognised by themselves. */
#ifndef CK_REDACT_VALUES_TABLE_H
#define CK_REDACT_VALUES_TABLE_H

/* A token may not be preceded by a character of a word, unless that ends an escape (\n, %3D). */
#define CK_FRONT "(?:(?<![A-Za-z0-9_-])|(?<=\\\\[nrt])|(?<=%[0-9A-F][0-9A-F]))"
#define CK_BACK "(?![A-Za-z0-9_-])"

#define CK_GITHUB CK_FRONT "gh[pousr]_[A-Za-z0-9]{36,255}" CK_BACK
#define CK_GITLAB CK_FRONT "gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent)-[A-Za-z0-9_-]{20,255}" CK_BACK
#define CK_SLACK CK_FRONT "xox[abeoprs]-(?=[A-Za-z0-9-]*[0-9])[A-Za-z0-9-]{16,255}"
#define CK_AWS CK_FRONT "(?:AKIA|ASIA|ABIA|ACCA)(?=[A-Z]*[2-7])[A-Z2-7]{16}" CK_BACK
#define CK_STRIPE CK_FRONT "[srp]k_(?:live|test)_(?=[A-Za-z]*[0-9])[A-Za-z0-9]{16,255}" CK_BACK
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

/* X(kind, beginning, pattern): the pattern is matched where the beginning occurs; its group 1, else
 * the whole match, is masked. A beginning has at least three bytes. */
/* clang-format off */
#define CK_VALUE_TABLE(X) \
  X("aws_access_key", "AKIA", CK_AWS) \
  X("aws_access_key", "ASIA", CK_AWS) \
  X("aws_access_key", "ABIA", CK_AWS) \
  X("aws_access_key", "ACCA", CK_AWS) \
  X("aws_secret_key", "aws_secret", CK_AWS_SECRET) \
  X("aws_secret_key", "AWS_SECRET", CK_AWS_SECRET) \
  X("aws_secret_key", "awsSecret", CK_AWS_SECRET) \
  X("gcp_api_key", "AIza", CK_FRONT "AIza[A-Za-z0-9_-]{35}" CK_BACK) \
  X("gcp_token", "ya29.", CK_FRONT "ya29\\.[A-Za-z0-9_-]{20,1024}") \
  X("gcp_secret", "GOCSPX-", CK_FRONT "GOCSPX-[A-Za-z0-9_-]{28}" CK_BACK) \
  X("azure_key", "AccountKey=", "AccountKey=([A-Za-z0-9+/]{40,120}={0,2})") \
  X("azure_key", "SharedAccessKey=", "SharedAccessKey=([A-Za-z0-9+/]{40,120}={0,2})") \
  X("github_token", "ghp_", CK_GITHUB) \
  X("github_token", "gho_", CK_GITHUB) \
  X("github_token", "ghu_", CK_GITHUB) \
  X("github_token", "ghs_", CK_GITHUB) \
  X("github_token", "ghr_", CK_GITHUB) \
  X("github_token", "github_pat_", CK_FRONT "github_pat_[A-Za-z0-9_]{50,255}" CK_BACK) \
  X("gitlab_token", "glpat-", CK_GITLAB) \
  X("gitlab_token", "glptt-", CK_GITLAB) \
  X("gitlab_token", "gldt-", CK_GITLAB) \
  X("gitlab_token", "glrt-", CK_GITLAB) \
  X("gitlab_token", "glcbt-", CK_GITLAB) \
  X("slack_token", "xoxa-", CK_SLACK) \
  X("slack_token", "xoxb-", CK_SLACK) \
  X("slack_token", "xoxe-", CK_SLACK) \
  X("slack_token", "xoxp-", CK_SLACK) \
  X("slack_token", "xoxr-", CK_SLACK) \
  X("slack_token", "xoxs-", CK_SLACK) \
  X("slack_token", "xapp-", \
    CK_FRONT "xapp-[0-9]-[A-Za-z0-9]{6,20}-[0-9]{6,20}-[a-f0-9]{32,128}" CK_BACK) \
  X("slack_webhook", "hooks.slack.com/", \
    "hooks\\.slack\\.com/(?:services|workflows)/([A-Za-z0-9/]{24,128})") \
  X("model_key", "sk-", \
    CK_FRONT "sk-(?:(?:ant|proj|svcacct|admin|or)-[A-Za-z0-9_-]{20,512}|" \
      "(?=[A-Za-z]*[0-9])[A-Za-z0-9]{32,128})" CK_BACK) \
  X("model_key", "gsk_", CK_FRONT "gsk_(?=[A-Za-z]*[0-9])[A-Za-z0-9]{40,64}" CK_BACK) \
  X("model_key", "xai-", CK_FRONT "xai-(?=[A-Za-z]*[0-9])[A-Za-z0-9]{60,100}" CK_BACK) \
  X("model_key", "hf_", CK_FRONT "hf_[A-Za-z0-9]{34,40}" CK_BACK) \
  X("model_key", "r8_", CK_FRONT "r8_[A-Za-z0-9]{37,40}" CK_BACK) \
  X("model_key", "pplx-", CK_FRONT "pplx-[A-Za-z0-9]{40,64}" CK_BACK) \
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
  X("npm_token", "npm_", CK_FRONT "npm_(?=[A-Za-z]*[0-9])[A-Za-z0-9]{36}" CK_BACK) \
  X("pypi_token", "pypi-", CK_FRONT "pypi-[A-Za-z0-9_-]{64,512}" CK_BACK) \
  X("docker_token", "dckr_pat_", CK_FRONT "dckr_pat_[A-Za-z0-9_-]{20,64}" CK_BACK) \
  X("stripe_key", "sk_live_", CK_STRIPE) \
  X("stripe_key", "rk_live_", CK_STRIPE) \
  X("stripe_key", "sk_test_", CK_STRIPE) \
  X("stripe_key", "whsec_", CK_FRONT "whsec_(?=[A-Za-z]*[0-9])[A-Za-z0-9]{24,64}" CK_BACK) \
  X("sendgrid_key", "SG.", CK_FRONT "SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}" CK_BACK) \
  X("telegram_token", ":AA", "(?<=[0-9]{8}|[0-9]{9}|[0-9]{10}):(AA[A-Za-z0-9_-]{33})" CK_BACK) \
  X("digitalocean_token", "dop_v1_", CK_FRONT "dop_v1_[a-f0-9]{64}" CK_BACK) \
  X("vault_token", "hvs.", CK_FRONT "hvs\\.[A-Za-z0-9_-]{24,256}" CK_BACK) \
  X("databricks_token", "dapi", CK_FRONT "dapi[a-f0-9]{32}(?:-[0-9])?" CK_BACK) \
  X("atlassian_token", "ATATT3", CK_FRONT "ATATT3[A-Za-z0-9_=-]{40,400}") \
  X("shopify_token", "shpat_", CK_FRONT "shpat_[a-fA-F0-9]{32}" CK_BACK) \
  X("notion_token", "ntn_", CK_FRONT "ntn_(?=[A-Za-z]*[0-9])[A-Za-z0-9]{40,60}" CK_BACK) \
  X("age_key", "AGE-SECRET-KEY-1", CK_FRONT "AGE-SECRET-KEY-1[A-Z0-9]{58}" CK_BACK)
/* clang-format on */

#endif
