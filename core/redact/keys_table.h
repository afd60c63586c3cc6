/* keys_table.h - which names of members and keys stand for secrets. */
#ifndef CK_REDACT_KEYS_TABLE_H
#define CK_REDACT_KEYS_TABLE_H

/* How the words of a rule match a name, and which values the rule is for. */
enum {
  CK_KEY_SUFFIX = 0,    /* the last words of a name: "openai api key" for "api key" */
  CK_KEY_WHOLE = 1,     /* the whole name */
  CK_KEY_JOINED = 2,    /* also the end of a longer word: "dbpassword" */
  CK_KEY_RANDOM = 4,    /* only a text that looks random, because the name has other meanings */
  CK_KEY_CODE = 8,      /* a short code: numbers count from three digits */
  CK_KEY_PAIRS = 16,    /* only a text that has a '=' */
  CK_KEY_EXCLUDED = 32, /* of the profile: a state key is dropped whole */
  CK_KEY_ANY = 64       /* whatever the value is */
};

/* X(words, kind of the placeholder, flags). Words are lower case, one space between them; digits do
 * not count. "ap ikey" is how APIkey falls apart. */
/* clang-format off */
#define CK_KEY_TABLE(X) \
  X("api key", "api_key", CK_KEY_JOINED) X("api keys", "api_key", CK_KEY_JOINED) \
  X("apikey", "api_key", CK_KEY_JOINED) X("apikeys", "api_key", CK_KEY_JOINED) \
  X("ap ikey", "api_key", CK_KEY_SUFFIX) X("app key", "api_key", CK_KEY_SUFFIX) \
  X("access key", "access_key", CK_KEY_SUFFIX) X("access keys", "access_key", CK_KEY_SUFFIX) \
  X("accesskey", "access_key", CK_KEY_JOINED) X("account key", "access_key", CK_KEY_SUFFIX) \
  X("storage key", "access_key", CK_KEY_SUFFIX) X("subscription key", "api_key", CK_KEY_SUFFIX) \
  X("license key", "api_key", CK_KEY_SUFFIX) X("admin key", "api_key", CK_KEY_SUFFIX) \
  X("service key", "api_key", CK_KEY_SUFFIX) X("integration key", "api_key", CK_KEY_SUFFIX) \
  X("consumer key", "api_key", CK_KEY_SUFFIX) X("auth key", "api_key", CK_KEY_SUFFIX) \
  X("authkey", "api_key", CK_KEY_SUFFIX) X("secret key", "secret_key", CK_KEY_SUFFIX) \
  X("secret keys", "secret_key", CK_KEY_SUFFIX) X("secretkey", "secret_key", CK_KEY_JOINED) \
  X("private key", "private_key", CK_KEY_SUFFIX) X("private keys", "private_key", CK_KEY_SUFFIX) \
  X("private key pem", "private_key", CK_KEY_SUFFIX) \
  X("privatekey", "private_key", CK_KEY_JOINED) X("privkey", "private_key", CK_KEY_SUFFIX) \
  X("priv key", "private_key", CK_KEY_SUFFIX) X("signing key", "private_key", CK_KEY_SUFFIX) \
  X("encryption key", "encryption_key", CK_KEY_SUFFIX) \
  X("decryption key", "encryption_key", CK_KEY_SUFFIX) \
  X("master key", "encryption_key", CK_KEY_SUFFIX) \
  X("root key", "encryption_key", CK_KEY_SUFFIX) \
  X("shared key", "encryption_key", CK_KEY_SUFFIX) \
  X("pre shared key", "encryption_key", CK_KEY_SUFFIX) X("psk", "encryption_key", CK_KEY_SUFFIX) \
  X("hmac key", "encryption_key", CK_KEY_SUFFIX) X("aes key", "encryption_key", CK_KEY_SUFFIX) \
  X("session key", "session_key", CK_KEY_SUFFIX) X("ssh key", "private_key", CK_KEY_SUFFIX) \
  X("deploy key", "private_key", CK_KEY_SUFFIX) X("gpg key", "private_key", CK_KEY_SUFFIX) \
  X("pgp key", "private_key", CK_KEY_SUFFIX) X("secret", "secret", CK_KEY_SUFFIX) \
  X("secrets", "secret", CK_KEY_SUFFIX) X("clientsecret", "secret", CK_KEY_JOINED) \
  X("appsecret", "secret", CK_KEY_JOINED) X("apisecret", "secret", CK_KEY_JOINED) \
  X("password", "password", CK_KEY_JOINED) X("passwords", "password", CK_KEY_JOINED) \
  X("pass word", "password", CK_KEY_SUFFIX) X("password hash", "password", CK_KEY_SUFFIX) \
  X("passwd", "password", CK_KEY_JOINED) X("passphrase", "password", CK_KEY_JOINED) \
  X("pass phrase", "password", CK_KEY_SUFFIX) X("passwort", "password", CK_KEY_JOINED) \
  X("kennwort", "password", CK_KEY_JOINED) X("contrasena", "password", CK_KEY_JOINED) \
  X("mot de passe", "password", CK_KEY_SUFFIX) X("db pass", "password", CK_KEY_SUFFIX) \
  X("dbpass", "password", CK_KEY_SUFFIX) X("database pass", "password", CK_KEY_SUFFIX) \
  X("user pass", "password", CK_KEY_SUFFIX) X("userpass", "password", CK_KEY_SUFFIX) \
  X("root pass", "password", CK_KEY_SUFFIX) X("admin pass", "password", CK_KEY_SUFFIX) \
  X("login pass", "password", CK_KEY_SUFFIX) X("smtp pass", "password", CK_KEY_SUFFIX) \
  X("email pass", "password", CK_KEY_SUFFIX) X("mysql pass", "password", CK_KEY_SUFFIX) \
  X("redis pass", "password", CK_KEY_SUFFIX) X("pass", "password", CK_KEY_WHOLE | CK_KEY_RANDOM) \
  X("pwd", "password", CK_KEY_SUFFIX | CK_KEY_RANDOM) \
  X("pw", "password", CK_KEY_SUFFIX | CK_KEY_RANDOM) \
  X("credential", "credentials", CK_KEY_SUFFIX) X("credentials", "credentials", CK_KEY_JOINED) \
  X("creds", "credentials", CK_KEY_SUFFIX) X("access token", "access_token", CK_KEY_SUFFIX) \
  X("access tokens", "access_token", CK_KEY_SUFFIX) \
  X("accesstoken", "access_token", CK_KEY_JOINED) X("auth token", "auth_token", CK_KEY_SUFFIX) \
  X("auth tokens", "auth_token", CK_KEY_SUFFIX) X("authtoken", "auth_token", CK_KEY_JOINED) \
  X("authentication token", "auth_token", CK_KEY_SUFFIX) \
  X("authorization token", "auth_token", CK_KEY_SUFFIX) \
  X("oauth token", "auth_token", CK_KEY_SUFFIX) \
  X("refresh token", "refresh_token", CK_KEY_SUFFIX) \
  X("refresh tokens", "refresh_token", CK_KEY_SUFFIX) \
  X("refreshtoken", "refresh_token", CK_KEY_JOINED) \
  X("session token", "session_token", CK_KEY_SUFFIX) \
  X("sessiontoken", "session_token", CK_KEY_JOINED) X("bearer token", "bearer", CK_KEY_SUFFIX) \
  X("bearertoken", "bearer", CK_KEY_SUFFIX) X("bearer", "bearer", CK_KEY_WHOLE) \
  X("id token", "id_token", CK_KEY_SUFFIX) X("api token", "api_token", CK_KEY_SUFFIX) \
  X("api tokens", "api_token", CK_KEY_SUFFIX) X("apitoken", "api_token", CK_KEY_JOINED) \
  X("secret token", "secret_token", CK_KEY_SUFFIX) \
  X("security token", "session_token", CK_KEY_SUFFIX) \
  X("personal token", "api_token", CK_KEY_SUFFIX) X("private token", "api_token", CK_KEY_SUFFIX) \
  X("bot token", "api_token", CK_KEY_SUFFIX) X("user token", "api_token", CK_KEY_SUFFIX) \
  X("app token", "api_token", CK_KEY_SUFFIX) X("client token", "api_token", CK_KEY_SUFFIX) \
  X("service token", "api_token", CK_KEY_SUFFIX) X("admin token", "api_token", CK_KEY_SUFFIX) \
  X("root token", "api_token", CK_KEY_SUFFIX) X("deploy token", "api_token", CK_KEY_SUFFIX) \
  X("job token", "api_token", CK_KEY_SUFFIX) X("ci token", "api_token", CK_KEY_SUFFIX) \
  X("webhook token", "api_token", CK_KEY_SUFFIX) \
  X("registration token", "api_token", CK_KEY_SUFFIX) \
  X("login token", "api_token", CK_KEY_SUFFIX) X("sso token", "api_token", CK_KEY_SUFFIX) \
  X("remember token", "api_token", CK_KEY_SUFFIX) X("reset token", "api_token", CK_KEY_SUFFIX) \
  X("jwt token", "api_token", CK_KEY_SUFFIX) X("web token", "api_token", CK_KEY_SUFFIX) \
  X("sas token", "api_token", CK_KEY_SUFFIX) X("vault token", "api_token", CK_KEY_SUFFIX) \
  X("github token", "api_token", CK_KEY_SUFFIX) X("gh token", "api_token", CK_KEY_SUFFIX) \
  X("gitlab token", "api_token", CK_KEY_SUFFIX) X("npm token", "api_token", CK_KEY_SUFFIX) \
  X("pypi token", "api_token", CK_KEY_SUFFIX) X("hf token", "api_token", CK_KEY_SUFFIX) \
  X("huggingface token", "api_token", CK_KEY_SUFFIX) X("hub token", "api_token", CK_KEY_SUFFIX) \
  X("slack token", "api_token", CK_KEY_SUFFIX) X("discord token", "api_token", CK_KEY_SUFFIX) \
  X("telegram token", "api_token", CK_KEY_SUFFIX) X("notion token", "api_token", CK_KEY_SUFFIX) \
  X("jira token", "api_token", CK_KEY_SUFFIX) X("aws token", "api_token", CK_KEY_SUFFIX) \
  X("azure token", "api_token", CK_KEY_SUFFIX) X("google token", "api_token", CK_KEY_SUFFIX) \
  X("openai token", "api_token", CK_KEY_SUFFIX) X("anthropic token", "api_token", CK_KEY_SUFFIX) \
  X("token", "token", CK_KEY_WHOLE | CK_KEY_RANDOM) \
  X("jwt", "jwt", CK_KEY_SUFFIX | CK_KEY_RANDOM) X("auth", "auth", CK_KEY_WHOLE | CK_KEY_RANDOM) \
  X("authorization", "authorization", CK_KEY_WHOLE) \
  X("http authorization", "authorization", CK_KEY_SUFFIX) \
  X("proxy authorization", "authorization", CK_KEY_SUFFIX) \
  X("authorization header", "authorization", CK_KEY_SUFFIX) \
  X("auth header", "authorization", CK_KEY_SUFFIX) \
  X("basic auth", "authorization", CK_KEY_SUFFIX) X("set cookie", "cookie", CK_KEY_SUFFIX) \
  X("session cookie", "cookie", CK_KEY_SUFFIX) X("auth cookie", "cookie", CK_KEY_SUFFIX) \
  X("cookie", "cookie", CK_KEY_WHOLE | CK_KEY_PAIRS) \
  X("cookies", "cookie", CK_KEY_WHOLE | CK_KEY_PAIRS) \
  X("connection string", "connection", CK_KEY_SUFFIX) \
  X("connectionstring", "connection", CK_KEY_SUFFIX) \
  X("passcode", "code", CK_KEY_SUFFIX | CK_KEY_CODE) \
  X("security code", "code", CK_KEY_SUFFIX | CK_KEY_CODE) \
  X("cvv", "code", CK_KEY_SUFFIX | CK_KEY_CODE) X("cvc", "code", CK_KEY_WHOLE | CK_KEY_CODE) \
  X("otp", "code", CK_KEY_WHOLE | CK_KEY_CODE) \
  X("mfa code", "code", CK_KEY_SUFFIX | CK_KEY_CODE) \
  X("fa code", "code", CK_KEY_SUFFIX | CK_KEY_CODE) \
  X("verification code", "code", CK_KEY_SUFFIX | CK_KEY_CODE) \
  X("recovery code", "code", CK_KEY_SUFFIX | CK_KEY_CODE) \
  X("recovery codes", "code", CK_KEY_SUFFIX | CK_KEY_CODE) \
  X("backup codes", "code", CK_KEY_SUFFIX | CK_KEY_CODE) \
  X("pin", "code", CK_KEY_WHOLE | CK_KEY_CODE | CK_KEY_RANDOM) \
  X("seed phrase", "seed", CK_KEY_SUFFIX) X("recovery phrase", "seed", CK_KEY_SUFFIX) \
  X("security answer", "secret", CK_KEY_SUFFIX)
/* clang-format on */

#endif
