"""Secrets that are none: made from a seed when a test runs, so that no file has anything that looks like one."""

import base64
import random
import string

BASE62 = string.ascii_letters + string.digits
URL_SAFE = BASE62 + "_-"
UPPER = string.ascii_uppercase + "234567"
HEX = "0123456789abcdef"


def random_text(alphabet: str, length: int, seed: int = 0) -> str:
    """Random characters with a digit, a capital and a small letter among them where the alphabet has them."""
    generator = random.Random(f"{alphabet}{length}{seed}")
    needed = [
        kind
        for kind in (string.digits, string.ascii_uppercase, string.ascii_lowercase)
        if set(kind) & set(alphabet)
    ]
    while True:
        text = "".join(generator.choice(alphabet) for _ in range(length))
        if all(set(text) & set(kind) for kind in needed) and text[0].isalnum() and text[-1].isalnum():
            return text


def github(seed: int = 0) -> str:
    return "ghp" + "_" + random_text(BASE62, 36, seed)


def pem(label: str = "RSA ") -> str:
    body = base64.b64encode(random.Random(7).randbytes(600)).decode()
    lines = "\n".join(body[at : at + 64] for at in range(0, len(body), 64))
    return f"-----BEGIN {label}PRIVATE " + f"KEY-----\n{lines}\n-----END {label}PRIVATE " + "KEY-----\n"


def jwt(claims: str = '{"sub":"4711","role":"admin","iat":1700000000}') -> str:
    parts = ['{"alg":"HS256","typ":"JWT"}', claims]
    encoded = [base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts]
    return ".".join([*encoded, random_text(URL_SAFE, 43)])


SHAPES: dict[str, str] = {
    "aws_access_key_id": "AK" + "IA" + random_text(UPPER, 16),
    "aws temporary": "AS" + "IA" + random_text(UPPER, 16, 3),
    "github": github(),
    "github oauth": "gho" + "_" + random_text(BASE62, 36),
    "github app": "ghs" + "_" + random_text(BASE62, 36),
    "github fine-grained": "github" + "_pat_" + random_text(BASE62, 22) + "_" + random_text(BASE62, 59),
    "gitlab": "gl" + "pat-" + random_text(URL_SAFE, 20),
    "slack bot": "xo" + "xb-" + "123456789012-1234567890123-" + random_text(BASE62, 24),
    "slack webhook": "https://hooks.slack"
    + ".com/services/T0"
    + random_text(UPPER, 8)
    + "/B0"
    + random_text(UPPER, 8, 1)
    + "/"
    + random_text(BASE62, 24),
    "stripe": "sk" + "_live_" + random_text(BASE62, 24),
    "stripe restricted": "rk" + "_live_" + random_text(BASE62, 24),
    "google": "AI" + "za" + random_text(URL_SAFE, 35),
    "google oauth": "GOC" + "SPX-" + random_text(URL_SAFE, 28),
    "azure storage": "AccountKey=" + random_text(BASE62 + "+/", 86) + "==",
    "openai": "sk" + "-" + random_text(BASE62, 48),
    "openai project": "sk" + "-proj-" + random_text(URL_SAFE, 80),
    "anthropic": "sk" + "-ant-api03-" + random_text(URL_SAFE, 93) + "AA",
    "npm": "np" + "m_" + random_text(BASE62, 36),
    "pypi": "pypi" + "-AgEIcHlwaS5vcmc" + random_text(URL_SAFE, 70),
    "hugging face": "h" + "f_" + random_text(BASE62, 34),
    "sendgrid": "S" + "G." + random_text(URL_SAFE, 22) + "." + random_text(URL_SAFE, 43),
    "digitalocean": "dop" + "_v1_" + random_text(HEX, 64),
    "jwt": jwt(),
    "rsa key": pem(),
    "openssh key": pem("OPENSSH "),
    "pkcs8 key": pem(""),
    "encrypted key": pem("ENCRYPTED "),
    "postgres url": "postgres://app:" + random_text(BASE62, 14) + "@db.internal.acme.io:5432/app",
    "mongodb url": "mongodb+srv://root:" + random_text(BASE62, 14) + "@cluster0.abcde.mongodb.net/prod",
    "redis url": "redis://:" + random_text(BASE62, 20) + "@cache.acme.io:6379/0",
}
"""One secret of each known shape."""


def digits_in_base64(count: int) -> str:
    numbers = random_text(string.digits, count)
    return base64.b64encode(numbers.encode()).decode().rstrip("=")


UUID = "-".join([random_text(HEX, 8), *(random_text(HEX, 4, seed) for seed in range(3)), random_text(HEX, 12)])
# By the name of the rule that finds them. The prefixes are in two parts, so that no file has a token's shape.
BY_RULE: dict[str, str] = {
    "aws_access_key_id": "AB" + "IA" + random_text(UPPER, 16),
    "bedrock_key": "AB" + "SK" + random_text(BASE62, 128),
    "gitlab_runner_token": "GR" + "1348941" + random_text(URL_SAFE, 20),
    "slack_app_token": "xa" + "pp-1-A0" + random_text(UPPER, 9) + "-1234567890123-" + random_text(HEX, 64),
    "stripe_webhook_secret": "wh" + "sec_" + random_text(BASE62, 32),
    "google_access_token": "ya" + "29." + random_text(URL_SAFE, 120),
    "azure_client_secret": random_text(BASE62, 3) + "8Q" + "~" + random_text(URL_SAFE, 34),
    "azure_sas_signature": "https://x.blob.core.windows.net/c?sv=2022&s" + "ig=" + random_text(BASE62, 43) + "%3D",
    "azure_access_key": "Endpoint=sb://x.net/;SharedAcc" + "essKey=" + random_text(BASE62, 43) + "=",
    "openrouter_key": "sk" + "-or-v1-" + random_text(HEX, 64),
    "groq_key": "gs" + "k_" + random_text(BASE62, 52),
    "xai_key": "xa" + "i-" + random_text(BASE62, 80),
    "perplexity_key": "pp" + "lx-" + random_text(BASE62, 48),
    "replicate_token": "r" + "8_" + random_text(BASE62, 37),
    "rubygems_key": "ruby" + "gems_" + random_text(HEX, 48),
    "crates_token": "ci" + "o" + random_text(BASE62, 32),
    "nuget_key": "oy" + "2" + random_text(string.ascii_lowercase + string.digits, 43),
    "docker_token": "dc" + "kr_pat_" + random_text(URL_SAFE, 27),
    "mailgun_key": "ke" + "y-" + random_text(HEX, 32),
    "mailchimp_key": random_text(HEX, 32) + "-u" + "s12",
    "telegram_token": "1234567890:" + "AA" + random_text(URL_SAFE, 33),
    "discord_webhook": "https://discord" + ".com/api/webhooks/123456789012345678/" + random_text(URL_SAFE, 68),
    "discord_token": digits_in_base64(18) + "." + random_text(URL_SAFE, 6) + "." + random_text(URL_SAFE, 38),
    "shopify_token": "sh" + "pat_" + random_text(HEX, 32),
    "databricks_token": "da" + "pi" + random_text(HEX, 32),
    "vault_token": "hv" + "s." + random_text(URL_SAFE, 90),
    "doppler_token": "dp" + ".pt." + random_text(BASE62, 43),
    "linear_key": "li" + "n_api_" + random_text(BASE62, 40),
    "notion_token": "nt" + "n_" + random_text(BASE62, 46),
    "notion_secret": "sec" + "ret_" + random_text(BASE62, 43),
    "square_token": "sq" + "0atp-" + random_text(URL_SAFE, 22),
    "atlassian_token": "AT" + "ATT3" + random_text(URL_SAFE, 180),
    "terraform_token": random_text(BASE62, 14) + ".atl" + "asv1." + random_text(URL_SAFE, 67),
    "figma_token": "fi" + "gd_" + random_text(URL_SAFE, 40),
    "new_relic_key": "NR" + "AK-" + random_text(UPPER, 27),
    "sentry_token": "sn" + "trys_" + random_text(BASE62, 100),
    "grafana_token": "gl" + "sa_" + random_text(BASE62, 32) + "_" + random_text(HEX, 8),
    "pulumi_token": "pu" + "l-" + random_text(HEX, 40),
    "planetscale_token": "ps" + "cale_tkn_" + random_text(URL_SAFE, 43),
    "airtable_token": "pa" + "t" + random_text(BASE62, 14) + "." + random_text(HEX, 64),
    "age_secret_key": "AGE-SEC" + "RET-KEY-1" + random_text(UPPER, 58),
    "twilio_key": "S" + "K" + random_text(HEX, 32),
    "heroku_key": "HR" + "KU-AA" + random_text(URL_SAFE, 58),
    "facebook_token": "EAACEd" + "Eose0cBA" + random_text(BASE62, 80),
    "postman_key": "PM" + "AK-" + random_text(HEX, 24) + "-" + random_text(HEX, 34),
    "cloudflare_origin_key": "v1" + ".0-" + random_text(HEX, 24) + "-" + random_text(HEX, 146),
    "fly_token": "fm" + "2_" + random_text(BASE62, 100),
    "netlify_token": "nf" + "p_" + random_text(BASE62, 40),
    "vercel_blob_token": "vercel_bl" + "ob_rw_" + random_text(BASE62, 16) + "_" + random_text(BASE62, 30),
    "supabase_key": "sb" + "p_" + random_text(HEX, 40),
    "dropbox_token": "s" + "l." + random_text(URL_SAFE, 140),
    "asana_token": "1/1234567890123456" + ":" + random_text(HEX, 32),
    "jfrog_key": "AK" + "Cp" + random_text(BASE62, 69),
    "jfrog_reference_token": "cmVm" + "dGtu" + random_text(BASE62, 56),
    "circleci_token": "CCI" + "PAT_" + random_text(BASE62, 22) + "_" + random_text(HEX, 40),
    "buildkite_token": "bk" + "ua_" + random_text(HEX, 40),
    "launchdarkly_key": "sd" + "k-" + UUID,
    "dynatrace_token": "dt0" + "c01." + random_text(UPPER, 24) + "." + random_text(UPPER, 64),
    "mapbox_secret_token": "s" + "k.eyJ1I" + random_text(BASE62, 80) + "." + random_text(URL_SAFE, 22),
    "shippo_key": "ship" + "po_live_" + random_text(HEX, 40),
    "easypost_key": "EZ" + "AK" + random_text(BASE62, 54),
    "duffel_token": "duf" + "fel_live_" + random_text(URL_SAFE, 43),
    "contentful_token": "CF" + "PAT-" + random_text(URL_SAFE, 43),
    "typeform_token": "tf" + "p_" + random_text(URL_SAFE, 59),
    "readme_key": "rd" + "me_" + random_text(string.ascii_lowercase + string.digits, 70),
    "prefect_key": "pn" + "u_" + random_text(BASE62, 36),
    "tailscale_key": "ts" + "key-auth-" + random_text(BASE62, 12) + "-" + random_text(BASE62, 32),
    "onepassword_token": "op" + "s_eyJ" + random_text(BASE62, 300),
    "langsmith_key": "ls" + "v2_pt_" + random_text(HEX, 32) + "_" + random_text(HEX, 10),
    "adafruit_key": "ai" + "o_" + random_text(BASE62, 28),
    "google_refresh_token": "1/" + "/0" + random_text(URL_SAFE, 60),
    "meta_or_square_token": "EA" + "A" + random_text(BASE62, 120),
    "bitbucket_app_password": "AT" + "BB" + random_text(BASE62, 32),
    "pinecone_key": "pc" + "sk_" + random_text(BASE62, 6) + "_" + random_text(BASE62, 60),
    "twitter_token": "A" * 21 + random_text(BASE62, 40) + "%2B" + random_text(BASE62, 40),
    "flutterwave_key": "FLW" + "SECK-" + random_text(HEX, 32) + "-X",
    "brevo_key": "xkey" + "sib-" + random_text(HEX, 64) + "-" + random_text(BASE62, 16),
    "alibaba_key_id": "LT" + "AI" + random_text(BASE62, 20),
    "tencent_key_id": "AK" + "ID" + random_text(BASE62, 32),
    "sourcegraph_token": "sg" + "p_" + random_text(HEX, 16) + "_" + random_text(HEX, 40),
    "hubspot_token": "pat" + "-na1-" + UUID,
    "clojars_token": "CLO" + "JARS_" + random_text(string.ascii_lowercase + string.digits, 60),
    "azure_devops_token": random_text(BASE62, 76) + "AZ" + "DO" + random_text(BASE62, 4),
    "teams_webhook": f"https://corp.webhook.office.com/webhookb2/{UUID}@{UUID}/Incoming"
    + f"Webhook/{random_text(HEX, 32)}/{UUID}",
    "neon_key": "na" + "pi_" + random_text(string.ascii_lowercase + string.digits, 64),
    "posthog_key": "ph" + "x_" + random_text(BASE62, 43),
    "stytch_secret": "secret" + "-live-" + random_text(BASE62, 36),
    "plaid_token": "access" + "-production-" + UUID,
    "langfuse_key": "sk" + "-lf-" + UUID,
    "npm_login": "//registry.npmjs.org/:_auth" + "Token=" + UUID,
}
