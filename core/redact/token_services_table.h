/* token_services_table.h - tokens of models, payments, messages and other services. */
#ifndef CK_REDACT_TOKEN_SERVICES_TABLE_H
#define CK_REDACT_TOKEN_SERVICES_TABLE_H

#include "core/redact/token_shapes.h"

/* clang-format off */
#define CK_TOKEN_SERVICES(X) \
  X("slack_token", "xoxa-", CK_DIGIT CK_DASHED "{16,255}") \
  X("slack_token", "xoxb-", CK_DIGIT CK_DASHED "{16,255}") \
  X("slack_token", "xoxc-", CK_DIGIT CK_DASHED "{16,255}") \
  X("slack_token", "xoxd-", CK_DIGIT "[A-Za-z0-9%+/=-]{16,512}") \
  X("slack_token", "xoxe-", CK_DIGIT CK_DASHED "{16,255}") \
  X("slack_token", "xoxe.xox", "[bp]-" CK_DIGIT CK_DASHED "{16,255}") \
  X("slack_token", "xoxo-", CK_DIGIT CK_DASHED "{16,255}") \
  X("slack_token", "xoxp-", CK_DIGIT CK_DASHED "{16,255}") \
  X("slack_token", "xoxr-", CK_DIGIT CK_DASHED "{16,255}") \
  X("slack_token", "xoxs-", CK_DIGIT CK_DASHED "{16,255}") \
  X("slack_token", "xapp-", "[0-9]-" CK_ALNUM "{6,20}-[0-9]{6,20}-" CK_HEX "{32,128}") \
  X("model_key", "sk-ant-", CK_WORD "{20,512}") \
  X("model_key", "sk-proj-", CK_WORD "{20,512}") \
  X("model_key", "sk-svcacct-", CK_WORD "{20,512}") \
  X("model_key", "sk-admin-", CK_WORD "{20,512}") \
  X("model_key", "sk-None-", CK_WORD "{20,512}") \
  X("model_key", "sk-service-", CK_WORD "{20,512}") \
  X("model_key", "sk-or-", CK_WORD "{20,512}") \
  X("model_key", "sk-lf-", CK_UUID) \
  X("model_key", "sk-helicone-", CK_DASHED "{20,80}") \
  X("model_key", "sk-", CK_DIGIT CK_ALNUM "{32,128}") \
  X("model_key", "gsk_", CK_DIGIT CK_ALNUM "{40,64}") \
  X("model_key", "xai-", CK_DIGIT CK_ALNUM "{60,100}") \
  X("model_key", "hf_", CK_ALNUM "{34,40}") \
  X("model_key", "api_org_", CK_ALNUM "{34}") \
  X("model_key", "r8_", CK_ALNUM "{37,40}") \
  X("model_key", "pplx-", CK_ALNUM "{40,64}") \
  X("model_key", "nvapi-", CK_WORD "{60,80}") \
  X("model_key", "csk-", CK_DIGIT CK_ALNUM "{40,64}") \
  X("model_key", "fw_", CK_DIGIT CK_CASES CK_ALNUM "{22,40}") \
  X("model_key", "tgp_v1_", CK_WORD "{43}") \
  X("model_key", "pa-", CK_DIGIT CK_CASES CK_WORD "{43}") \
  X("model_key", "jina_", CK_DIGIT CK_WORD "{60,70}") \
  X("model_key", "sk_", CK_HEX "{48}") \
  X("model_key", "lsv2_pt_", CK_HEX "{32}_" CK_HEX "{10}") \
  X("model_key", "lsv2_sk_", CK_HEX "{32}_" CK_HEX "{10}") \
  X("model_key", "ls__", CK_HEX "{32}") \
  X("model_key", "pcsk_", CK_ALNUM "{5,6}_" CK_ALNUM "{50,70}") \
  X("model_key", "tvly-", CK_WORD "{32,64}") \
  X("model_key", "fc-", CK_HEX "{32}") \
  X("model_key", "e2b_", CK_HEX "{40}") \
  X("model_key", "rpa_", CK_DIGIT "[A-Z0-9]{40,50}[a-z0-9]{0,8}") \
  X("model_key", "esecret_", CK_ALNUM "{40,64}") \
  X("model_key", "key_", CK_HEX "{64}") \
  X("model_key", "apify_api_", CK_ALNUM "{36}") \
  X("model_key", "bb_live_", CK_WORD "{27,40}") \
  X("model_key", "AKLT", CK_APART("AKLT") CK_DIGIT CK_ALNUM "{40,60}") \
  X("model_key", "bce-v3/", "ALTAK-" CK_ALNUM "{20,40}/" CK_HEX "{40}") \
  X("stripe_key", "sk_live_", CK_DIGIT CK_ALNUM "{16,255}") \
  X("stripe_key", "sk_test_", CK_DIGIT CK_ALNUM "{16,255}") \
  X("stripe_key", "sk_prod_", CK_DIGIT CK_ALNUM "{16,255}") \
  X("stripe_key", "rk_live_", CK_DIGIT CK_ALNUM "{16,255}") \
  X("stripe_key", "rk_test_", CK_DIGIT CK_ALNUM "{16,255}") \
  X("stripe_key", "rk_prod_", CK_DIGIT CK_ALNUM "{16,255}") \
  X("stripe_key", "whsec_", CK_DIGIT CK_BASE64 "{24,64}" CK_PAD) \
  X("square_token", "EAAA", CK_APART("EAAA") CK_WORD "{60}") \
  X("square_token", "sq0atp-", CK_WORD "{22,60}") \
  X("square_token", "sq0csp-", CK_WORD "{43}") \
  X("square_token", "sandbox-sq0csb-", CK_WORD "{43}") \
  X("facebook_token", "EAA", CK_APART("EAA") CK_DIGIT CK_CASES CK_ALNUM "{100,400}") \
  X("flutterwave_key", "FLWSECK-", CK_DIGIT "[A-Za-z0-9]{32}-" CK_ALNUM "{1,24}") \
  X("flutterwave_key", "FLWSECK_TEST-", CK_DIGIT "[A-Za-z0-9]{12,40}(?:-X)?") \
  X("plaid_token", "access-sandbox-", CK_UUID) \
  X("plaid_token", "access-development-", CK_UUID) \
  X("plaid_token", "access-production-", CK_UUID) \
  X("paypal_token", "access_token$", \
    "(?:production|sandbox)\\$" CK_ALNUM "{10,20}\\$" CK_HEX "{32}") \
  X("paddle_key", "pdl_", "(?:live|sdbx)_apikey_[a-z0-9]{26}_" CK_ALNUM "{22}_" CK_ALNUM "{3}") \
  X("persona_key", "persona_", "(?:production|sandbox)_" CK_WORD "{30,64}") \
  X("xendit_key", "xnd_", "(?:development|production)_" CK_DIGIT CK_ALNUM "{40,80}") \
  X("checkout_key", "sk_sbox_", CK_DIGIT "[a-z0-9]{26,40}[A-Za-z0-9*#$=]{0,3}") \
  X("lob_key", "live_", CK_HEX "{35}") \
  X("lob_key", "test_", CK_HEX "{35}") \
  X("mollie_key", "live_", CK_DIGIT CK_CASES CK_ALNUM "{30,34}") \
  X("mollie_key", "test_", CK_DIGIT CK_CASES CK_ALNUM "{30,34}") \
  X("duffel_token", "duffel_", "(?:test|live)_" CK_WORD "{43}") \
  X("easypost_key", "EZAK", CK_APART("EZAK") CK_DIGIT CK_ALNUM "{54}") \
  X("easypost_key", "EZTK", CK_APART("EZTK") CK_DIGIT CK_ALNUM "{54}") \
  X("shippo_token", "shippo_", "(?:live|test)_" CK_HEX "{40}") \
  X("shopify_token", "shpat_", "[a-fA-F0-9]{32}") \
  X("shopify_token", "shpca_", "[a-fA-F0-9]{32}") \
  X("shopify_token", "shppa_", "[a-fA-F0-9]{32}") \
  X("shopify_token", "shpss_", "[a-fA-F0-9]{32}") \
  X("shopify_token", "shptka_", "[a-fA-F0-9]{32}") \
  X("twilio_key", "SK0", CK_APART("SK0") CK_HEX "{31}") \
  X("twilio_key", "SK1", CK_APART("SK1") CK_HEX "{31}") \
  X("twilio_key", "SK2", CK_APART("SK2") CK_HEX "{31}") \
  X("twilio_key", "SK3", CK_APART("SK3") CK_HEX "{31}") \
  X("twilio_key", "SK4", CK_APART("SK4") CK_HEX "{31}") \
  X("twilio_key", "SK5", CK_APART("SK5") CK_HEX "{31}") \
  X("twilio_key", "SK6", CK_APART("SK6") CK_HEX "{31}") \
  X("twilio_key", "SK7", CK_APART("SK7") CK_HEX "{31}") \
  X("twilio_key", "SK8", CK_APART("SK8") CK_HEX "{31}") \
  X("twilio_key", "SK9", CK_APART("SK9") CK_HEX "{31}") \
  X("twilio_key", "SKa", CK_APART("SKa") CK_HEX "{31}") \
  X("twilio_key", "SKb", CK_APART("SKb") CK_HEX "{31}") \
  X("twilio_key", "SKc", CK_APART("SKc") CK_HEX "{31}") \
  X("twilio_key", "SKd", CK_APART("SKd") CK_HEX "{31}") \
  X("twilio_key", "SKe", CK_APART("SKe") CK_HEX "{31}") \
  X("twilio_key", "SKf", CK_APART("SKf") CK_HEX "{31}") \
  X("sendgrid_key", "SG.", CK_WORD "{22}\\." CK_WORD "{43}") \
  X("mailgun_key", "key-", CK_HEX "{32}") \
  X("mandrill_key", "md-", CK_DIGIT CK_CASES CK_WORD "{22}") \
  X("brevo_key", "xkeysib-", CK_HEX "{64}-" CK_ALNUM "{16}") \
  X("brevo_key", "xsmtpsib-", CK_HEX "{64}-" CK_ALNUM "{16}") \
  X("mailersend_token", "mlsn.", CK_HEX "{64}") \
  X("resend_key", "re_", CK_DIGIT CK_ALNUM "{8}_" CK_ALNUM "{24}") \
  X("klaviyo_key", "pk_", CK_HEX "{34}") \
  X("clickup_token", "pk_", "[0-9]{6,9}_[A-Z0-9]{32}") \
  X("onesignal_key", "os_v2_", "(?:app|org)_[a-z0-9]{60,110}") \
  X("telnyx_key", "KEY0", CK_APART("KEY0") "[0-9A-F]{31}_" CK_ALNUM "{22}") \
  X("twitch_token", "oauth:", CK_DIGIT "[a-z0-9]{30}") \
  X("twitter_token", "AAAAAAAAAAAAAAAAAAAAA", "[A-Za-z0-9%]{60,120}") \
  X("discord_token", "MTA", \
    CK_APART("MTA") CK_WORD "{20,25}\\." CK_WORD "{6}\\." CK_WORD "{27,40}") \
  X("discord_token", "MTE", \
    CK_APART("MTE") CK_WORD "{20,25}\\." CK_WORD "{6}\\." CK_WORD "{27,40}") \
  X("discord_token", "MTI", \
    CK_APART("MTI") CK_WORD "{20,25}\\." CK_WORD "{6}\\." CK_WORD "{27,40}") \
  X("discord_token", "MTM", \
    CK_APART("MTM") CK_WORD "{20,25}\\." CK_WORD "{6}\\." CK_WORD "{27,40}") \
  X("discord_token", "MTQ", \
    CK_APART("MTQ") CK_WORD "{20,25}\\." CK_WORD "{6}\\." CK_WORD "{27,40}") \
  X("matrix_token", "syt_", "[A-Za-z0-9=]{1,120}_" CK_ALNUM "{20}_" CK_ALNUM "{6}") \
  X("dropbox_token", "sl.", "(?:u\\.)?" CK_WORD "{120,2048}") \
  X("salesforce_token", "00D", CK_APART("00D") CK_ALNUM "{12,15}![A-Za-z0-9._]{80,120}") \
  X("zoho_token", "1000.", CK_HEX "{32}\\." CK_HEX "{32}") \
  X("intercom_token", "dG9rO", CK_APART("dG9rO") CK_BASE64 "{40,100}" CK_PAD) \
  X("hubspot_token", "pat-", "(?:na|eu|ap)[0-9]-" CK_UUID) \
  X("airtable_token", "pat", CK_APART("pat") CK_ALNUM "{14}\\." CK_HEX "{64}") \
  X("harness_token", "pat.", CK_WORD "{22}\\." CK_ALNUM "{24}\\." CK_ALNUM "{20}") \
  X("harness_token", "sat.", CK_WORD "{22}\\." CK_ALNUM "{24}\\." CK_ALNUM "{20}") \
  X("notion_token", "ntn_", CK_DIGIT CK_ALNUM "{40,60}") \
  X("notion_token", "secret_", CK_DIGIT CK_ALNUM "{43}") \
  X("linear_key", "lin_api_", CK_ALNUM "{40}") \
  X("linear_key", "lin_oauth_", CK_HEX "{64}") \
  X("figma_token", "figd_", CK_WORD "{38,48}") \
  X("figma_token", "figu_", CK_WORD "{38,48}") \
  X("postman_key", "PMAK-", CK_HEX "{24}-" CK_HEX "{34}") \
  X("readme_key", "rdme_", "[a-z0-9]{70}") \
  X("typeform_token", "tfp_", CK_WORD "{44}_[A-Za-z0-9]{14}") \
  X("contentful_token", "CFPAT-", CK_WORD "{43}") \
  X("gitbook_token", "gb_api_", CK_ALNUM "{40}") \
  X("trello_token", "ATTA", CK_APART("ATTA") CK_HEX "{64}[A-F0-9]{8}") \
  X("atlassian_token", "ATATT3", CK_APART("ATATT3") "[A-Za-z0-9_=-]{40,400}") \
  X("atlassian_token", "ATCTT3", CK_APART("ATCTT3") "[A-Za-z0-9_=-]{40,400}") \
  X("atlassian_token", "ATBB", CK_APART("ATBB") CK_DIGIT CK_ALNUM "{24,40}") \
  X("frameio_token", "fio-u-", CK_WORD "{64}") \
  X("adobe_secret", "p8e-", CK_DIGIT "[A-Za-z0-9]{32}") \
  X("maps_token", "sk.eyJ", CK_WORD "{20,200}\\." CK_WORD "{20,40}") \
  X("settlemint_token", "sm_aat_", CK_ALNUM "{16}") \
  X("settlemint_token", "sm_pat_", CK_ALNUM "{16}") \
  X("settlemint_token", "sm_sat_", CK_ALNUM "{16}") \
  X("intra42_secret", "s-s4t2ud-", CK_HEX "{64}") \
  X("intra42_secret", "s-s4t2af-", CK_HEX "{64}") \
  X("onfido_token", "api_live", "(?:_[a-z]{2})?\\." CK_WORD "{11}\\." CK_WORD "{32}") \
  X("onfido_token", "api_sandbox", "(?:_[a-z]{2})?\\." CK_WORD "{11}\\." CK_WORD "{32}") \
  X("stytch_secret", "secret-live-", CK_WORD "{35}=?") \
  X("stytch_secret", "secret-test-", CK_WORD "{35}=?") \
  X("nightfall_key", "NF-", CK_DIGIT CK_CASES CK_ALNUM "{32}") \
  X("rootly_token", "rootly_", CK_HEX "{64}") \
  X("samsara_token", "samsara_api_", CK_DIGIT CK_ALNUM "{28,32}") \
  X("zuplo_key", "zpka_", CK_HEX "{32}_" CK_HEX "{8}") \
  X("ubidots_token", "BBFF-", CK_ALNUM "{30}") \
  X("defined_token", "dnkey-", "[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}")
/* clang-format on */

#endif
