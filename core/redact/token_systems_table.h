/* token_systems_table.h - tokens of clouds, hosts of code and of data, builds. */
#ifndef CK_REDACT_TOKEN_SYSTEMS_TABLE_H
#define CK_REDACT_TOKEN_SYSTEMS_TABLE_H

#include "core/redact/token_shapes.h"

/* clang-format off */
#define CK_TOKEN_SYSTEMS(X) \
  X("aws_access_key", "AKIA", CK_APART("AKIA") CK_BASE32 "{16}") \
  X("aws_access_key", "ASIA", CK_APART("ASIA") CK_BASE32 "{16}") \
  X("aws_access_key", "ABIA", CK_APART("ABIA") CK_BASE32 "{16}") \
  X("aws_access_key", "ACCA", CK_APART("ACCA") CK_BASE32 "{16}") \
  X("aws_session_token", "IQoJb3JpZ2lu", CK_BASE64 "{80,2048}" CK_PAD) \
  X("aws_session_token", "FwoGZXIvYXdz", CK_BASE64 "{80,2048}" CK_PAD) \
  X("aws_bedrock_key", "ABSK", CK_APART("ABSK") CK_BASE64 "{100,300}" CK_PAD) \
  X("aws_bedrock_key", "bedrock-api-key-", CK_BASE64 "{80,4096}" CK_PAD) \
  X("gcp_api_key", "AIza", CK_APART("AIza") CK_WORD "{35}") \
  X("gcp_token", "ya29.", CK_WORD "{20,1024}") \
  X("gcp_token", "1//0", CK_APART("1//0") CK_WORD "{38,200}") \
  X("gcp_secret", "GOCSPX-", CK_WORD "{28}") \
  X("gcp_api_key", "AQ.Ab", CK_WORD "{40,120}") \
  X("fcm_key", "AAAA", CK_APART("AAAA") CK_WORD "{7}:APA91" CK_WORD "{100,200}") \
  X("github_token", "ghp_", CK_ALNUM "{36,255}") \
  X("github_token", "gho_", CK_ALNUM "{36,255}") \
  X("github_token", "ghu_", CK_ALNUM "{36,255}") \
  X("github_token", "ghs_", CK_ALNUM "{36,255}") \
  X("github_token", "ghr_", CK_ALNUM "{36,255}") \
  X("github_token", "github_pat_", "[A-Za-z0-9_]{50,255}") \
  X("gitlab_token", "glpat-", CK_WORD "{20,300}(?:\\." CK_WORD "{9})?") \
  X("gitlab_token", "glptt-", CK_WORD "{20,255}") \
  X("gitlab_token", "gldt-", CK_WORD "{20,255}") \
  X("gitlab_token", "glrt-", CK_WORD "{20,300}(?:\\." CK_WORD "{9})?") \
  X("gitlab_token", "glrtr-", CK_WORD "{20,300}(?:\\." CK_WORD "{9})?") \
  X("gitlab_token", "glcbt-", CK_WORD "{20,255}") \
  X("gitlab_token", "glft-", CK_WORD "{20,255}") \
  X("gitlab_token", "glsoat-", CK_WORD "{20,255}") \
  X("gitlab_token", "glagent-", CK_WORD "{20,255}") \
  X("gitlab_token", "glffct-", CK_WORD "{20,255}") \
  X("gitlab_token", "glimt-", CK_WORD "{20,255}") \
  X("gitlab_token", "gloas-", CK_WORD "{64}") \
  X("gitlab_token", "GR1348941", CK_WORD "{20}") \
  X("npm_token", "npm_", CK_DIGIT CK_ALNUM "{36}") \
  X("pypi_token", "pypi-", CK_WORD "{64,1000}") \
  X("rubygems_token", "rubygems_", CK_HEX "{48}") \
  X("crates_token", "cio", CK_APART("cio") CK_DIGIT CK_CASES CK_ALNUM "{32}") \
  X("nuget_key", "oy2", CK_APART("oy2") "[a-z0-9]{43}") \
  X("clojars_token", "CLOJARS_", CK_HEX "{60}") \
  X("packagist_token", "packagist_", "[a-z]{3}_" CK_HEX "{60,76}") \
  X("jsr_token", "jsrp_", CK_ALNUM "{40,64}") \
  X("jsr_token", "jsrd_", CK_ALNUM "{40,64}") \
  X("docker_token", "dckr_pat_", CK_WORD "{20,64}") \
  X("docker_token", "dckr_oat_", CK_WORD "{20,64}") \
  X("sentry_token", "sntrys_", "eyJ" CK_BASE64 "{40,500}" CK_PAD "_" CK_BASE64 "{43}") \
  X("sentry_token", "sntryu_", CK_HEX "{64}") \
  X("sentry_token", "sntrya_", CK_HEX "{64}") \
  X("grafana_token", "glc_", CK_BASE64 "{32,400}" CK_PAD) \
  X("grafana_token", "glsa_", CK_ALNUM "{32}_[A-Fa-f0-9]{8}") \
  X("grafana_token", "eyJrIjoi", CK_BASE64 "{60,400}" CK_PAD) \
  X("newrelic_key", "NRAK-", CK_DIGIT "[A-Z0-9]{27}") \
  X("newrelic_key", "NRII-", CK_WORD "{32}") \
  X("newrelic_key", "NRJS-", CK_HEX "{19}") \
  X("dynatrace_token", "dt0", \
    CK_APART("dt0") "[a-z][0-9]{2}\\." CK_ALNUM "{24}\\." CK_ALNUM "{64}") \
  X("honeycomb_key", "hcaik_", "[a-z0-9]{58}") \
  X("honeycomb_key", "hcbik_", "[a-z0-9]{58}") \
  X("honeycomb_key", "hcalk_", "[a-z0-9]{58}") \
  X("posthog_key", "phx_", CK_DIGIT CK_ALNUM "{40,60}") \
  X("posthog_key", "phs_", CK_DIGIT CK_ALNUM "{40,60}") \
  X("launchdarkly_key", "api-", CK_UUID) \
  X("launchdarkly_key", "sdk-", CK_UUID) \
  X("launchdarkly_key", "mob-", CK_UUID) \
  X("tailscale_key", "tskey-", "[a-z]{2,12}-" CK_ALNUM "{8,24}CNTRL-" CK_ALNUM "{20,40}") \
  X("tailscale_key", "tskey-auth-", CK_DASHED "{20,80}") \
  X("cloudflare_key", "v1.0-", CK_HEX "{24}-" CK_HEX "{146}") \
  X("github_token", "v1.", CK_HEX "{40}") \
  X("vercel_token", "vcp_", CK_ALNUM "{50,64}") \
  X("vercel_token", "vck_", CK_ALNUM "{50,64}") \
  X("vercel_token", "vercel_blob_rw_", CK_ALNUM "{16}_" CK_ALNUM "{30}") \
  X("netlify_token", "nfp_", CK_ALNUM "{36}") \
  X("netlify_token", "nfc_", CK_ALNUM "{36}") \
  X("netlify_token", "nfo_", CK_ALNUM "{36}") \
  X("netlify_token", "nfu_", CK_ALNUM "{36}") \
  X("fly_token", "fo1_", CK_WORD "{43}") \
  X("fly_token", "fm1a_", CK_BASE64 "{100,2048}" CK_PAD) \
  X("fly_token", "fm1r_", CK_BASE64 "{100,2048}" CK_PAD) \
  X("fly_token", "fm2_", CK_BASE64 "{100,2048}" CK_PAD) \
  X("render_key", "rnd_", CK_DIGIT CK_CASES CK_ALNUM "{28,32}") \
  X("heroku_key", "HRKU-", CK_WORD "{36,64}") \
  X("digitalocean_token", "dop_v1_", CK_HEX "{64}") \
  X("digitalocean_token", "doo_v1_", CK_HEX "{64}") \
  X("digitalocean_token", "dor_v1_", CK_HEX "{64}") \
  X("database_password", "AVNS_", CK_WORD "{19}") \
  X("planetscale_token", "pscale_tkn_", CK_DOTTED "{32,64}") \
  X("planetscale_token", "pscale_oauth_", CK_DOTTED "{32,64}") \
  X("planetscale_token", "pscale_pw_", CK_DOTTED "{32,64}") \
  X("neon_key", "napi_", CK_DIGIT CK_ALNUM "{60,80}") \
  X("supabase_key", "sbp_", CK_HEX "{40}") \
  X("supabase_key", "sbp_oauth_", CK_HEX "{40}") \
  X("supabase_key", "sb_secret_", CK_WORD "{22,40}_" CK_WORD "{8}") \
  X("mongodb_secret", "mdb_sa_sk_", CK_WORD "{40}") \
  X("cockroach_key", "CCDB1_", CK_ALNUM "{22}_" CK_ALNUM "{40}") \
  X("confluent_secret", "cflt", CK_APART("cflt") CK_DIGIT CK_CASES CK_BASE64 "{60}") \
  X("clickhouse_key", "4b1d", CK_APART("4b1d") "(?=[a-z0-9]*[A-Z])" CK_ALNUM "{38}") \
  X("elastic_key", "essu_", CK_BASE64 "{40,120}" CK_PAD) \
  X("databricks_token", "dapi", CK_APART("dapi") CK_HEX "{32}(?:-[0-9])?") \
  X("databricks_token", "dose", CK_APART("dose") CK_HEX "{32}") \
  X("dbt_token", "dbtc_", CK_WORD "{36,80}") \
  X("dbt_token", "dbtu_", CK_WORD "{36,80}") \
  X("prefect_key", "pnu_", CK_ALNUM "{36}") \
  X("prefect_key", "pnb_", CK_ALNUM "{36}") \
  X("hex_token", "hxtp_", CK_HEX "{64,96}") \
  X("pulumi_token", "pul-", CK_HEX "{40}") \
  X("vault_token", "hvs.", CK_WORD "{24,256}") \
  X("vault_token", "hvb.", CK_WORD "{100,400}") \
  X("vault_token", "hvr.", CK_WORD "{24,256}") \
  X("doppler_token", "dp.pt.", CK_ALNUM "{40,44}") \
  X("doppler_token", "dp.st.", "(?:[a-z0-9_-]{2,35}\\.)?" CK_ALNUM "{40,44}") \
  X("doppler_token", "dp.sa.", CK_ALNUM "{40,44}") \
  X("doppler_token", "dp.ct.", CK_ALNUM "{40,44}") \
  X("doppler_token", "dp.scim.", CK_ALNUM "{40,44}") \
  X("doppler_token", "dp.audit.", CK_ALNUM "{40,44}") \
  X("onepassword_token", "ops_eyJ", CK_BASE64 "{200,2000}" CK_PAD) \
  X("onepassword_key", "A3-", \
    "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}") \
  X("age_key", "AGE-SECRET-KEY-1", "[A-Z0-9]{58}") \
  X("openshift_token", "sha256~", CK_WORD "{43}") \
  X("scaleway_key", "SCW", CK_APART("SCW") CK_DIGIT "[A-Z0-9]{17}") \
  X("alibaba_key", "LTAI", CK_APART("LTAI") CK_DIGIT CK_ALNUM "{12,26}") \
  X("tencent_key", "AKID", CK_APART("AKID") CK_DIGIT CK_ALNUM "{32,36}") \
  X("yandex_key", "AQVN", CK_APART("AQVN") CK_WORD "{35,38}") \
  X("yandex_token", "t1.9", CK_WORD "{30,400}={0,2}\\." CK_WORD "{86}={0,2}") \
  X("yandex_token", "y0_", CK_WORD "{40,80}") \
  X("yandex_key", "YCA", CK_APART("YCA") CK_DIGIT CK_WORD "{37}") \
  X("yandex_key", "YCM", CK_APART("YCM") CK_DIGIT CK_WORD "{37}") \
  X("yandex_key", "YCN", CK_APART("YCN") CK_DIGIT CK_WORD "{37}") \
  X("yandex_key", "YCO", CK_APART("YCO") CK_DIGIT CK_WORD "{37}") \
  X("yandex_key", "YCP", CK_APART("YCP") CK_DIGIT CK_WORD "{37}") \
  X("jfrog_key", "AKCp", CK_APART("AKCp") CK_DIGIT CK_ALNUM "{69}") \
  X("jfrog_token", "cmVmd", CK_APART("cmVmd") CK_ALNUM "{59}") \
  X("octopus_key", "API-", CK_DIGIT "[A-Z0-9]{26}") \
  X("buildkite_token", "bkua_", CK_HEX "{40}") \
  X("buildkite_token", "bkct_", CK_ALNUM "{40,64}") \
  X("buildkite_token", "bkaj_", CK_WORD "{40,800}") \
  X("circleci_token", "CCIPAT_", CK_ALNUM "{22}_" CK_HEX "{40}") \
  X("circleci_token", "CCIPRJ_", CK_ALNUM "{22}_" CK_HEX "{40}") \
  X("sonar_token", "squ_", CK_HEX "{40}") \
  X("sonar_token", "sqp_", CK_HEX "{40}") \
  X("sonar_token", "sqa_", CK_HEX "{40}") \
  X("sourcegraph_token", "sgp_", "(?:(?:" CK_HEX "{16}|local)_)?" CK_HEX "{40}") \
  X("sourcegraph_token", "sgd_", CK_HEX "{64}") \
  X("depot_token", "depot_", "(?:org|project)_" CK_HEX "{64}") \
  X("socket_token", "sktsec_", CK_WORD "{30,80}_api") \
  X("chromatic_token", "chpt_", CK_ALNUM "{12,20}") \
  X("scalingo_token", "tk-us-", CK_WORD "{48}") \
  X("infracost_key", "ico-", CK_DIGIT CK_ALNUM "{32}") \
  X("deno_token", "ddp_", CK_ALNUM "{36}") \
  X("deno_token", "ddw_", CK_ALNUM "{36}") \
  X("valtown_token", "vtwn_", CK_ALNUM "{26,40}") \
  X("codesandbox_token", "csb_v1_", CK_WORD "{43}") \
  X("gitpod_token", "gitpod_pat_", CK_WORD "{40,80}")
/* clang-format on */

#endif
