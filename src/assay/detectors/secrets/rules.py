"""The table of tokens that are known by their shape.

Every pattern runs in linear time on any text: what may repeat is bounded or ends a match, and a look-behind keeps a
search from starting again inside of a run that has failed already.
"""

# ruff: noqa: E501 - a pattern a line reads as a table.

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of token. ``hints`` are literals of which one is in every text that can match.

    ``public`` counts the characters at the front that are no secret. ``group`` is the part that is the secret.
    """

    name: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    public: int = 0
    group: int = 0


def _rule(name: str, hints: str, pattern: str, public: int | None = None) -> Rule:
    words = tuple(hints.split())
    count = len(words[0]) if public is None else public
    return Rule(name, words, re.compile(_LEFT + pattern), count)


_LEFT = r"(?<![A-Za-z0-9])"

RULES: tuple[Rule, ...] = (
    Rule(
        "aws_access_key_id",
        ("AKIA", "ASIA", "ABIA"),
        re.compile(r"(?<![A-Za-z0-9/+_])A[KSB]IA[A-Z0-9]{16}(?![A-Za-z0-9/+=])"),
        4,
    ),
    _rule("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    _rule("github_fine_grained_token", "github_pat_", r"github_pat_[A-Za-z0-9_]{36,255}"),
    _rule(
        "gitlab_token",
        "glpat- glptt- glrt- gldt- glcbt- glsoat- glft- glimt- glagent- gloas- glffct-",
        r"gl(?:pat|ptt|rt|dt|cbt|soat|ft|imt|agent|oas|ffct)-[A-Za-z0-9_.-]{20,255}",
        5,
    ),
    _rule(
        "slack_token",
        "xoxb- xoxp- xoxa- xoxo- xoxr- xoxs- xoxe- xoxe.",
        r"xox[abeoprs][-.](?=[^\s]{0,40}\d)[A-Za-z0-9.-]{16,255}",
    ),
    _rule("slack_app_token", "xapp-", r"xapp-\d-[A-Z0-9]{8,20}-\d{8,20}-[A-Za-z0-9]{32,128}"),
    _rule(
        "slack_webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows)/T[A-Z0-9]{6,16}/[AB][A-Z0-9]{6,16}/[A-Za-z0-9]{16,64}",
        25,
    ),
    _rule("stripe_live_key", "sk_live_ rk_live_", r"[sr]k_live_[A-Za-z0-9]{16,255}"),
    _rule("stripe_webhook_secret", "whsec_", r"whsec_[A-Za-z0-9+/]{32,64}"),
    Rule(
        "google_api_key",
        ("AIza",),
        re.compile(r"(?<![A-Za-z0-9_+/-])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_+/=-])"),
        4,
    ),
    _rule("google_oauth_secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{24,64}"),
    _rule("google_access_token", "ya29.", r"ya29\.[A-Za-z0-9_-]{30,500}"),
    Rule("azure_storage_key", ("AccountKey=",), re.compile(r"AccountKey=([A-Za-z0-9+/]{60,100}={0,2})"), 0, 1),
    _rule("azure_client_secret", "8Q~ 7Q~", r"[A-Za-z0-9_~.]{3}[78]Q~[A-Za-z0-9_~.-]{31,40}", 0),
    Rule("azure_sas_signature", ("sig=",), re.compile(r"[?&]sig=([A-Za-z0-9%+/]{43,80}(?:%3[Dd]|=))"), 0, 1),
    _rule("anthropic_key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,255}"),
    _rule("openrouter_key", "sk-or-v1-", r"sk-or-v1-[0-9a-f]{32,128}"),
    _rule("openai_key", "sk-proj- sk-svcacct- sk-admin-", r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,255}"),
    _rule("secret_key", "sk-", r"sk-(?=[^\s]{0,60}\d)[A-Za-z0-9]{20,128}(?![A-Za-z0-9-])"),
    _rule("groq_key", "gsk_", r"gsk_[A-Za-z0-9]{40,64}"),
    _rule("xai_key", "xai-", r"xai-[A-Za-z0-9]{60,100}"),
    _rule("perplexity_key", "pplx-", r"pplx-[A-Za-z0-9]{40,64}"),
    _rule("hugging_face_token", "hf_", r"hf_[A-Za-z0-9]{30,48}(?![A-Za-z0-9_])"),
    _rule("replicate_token", "r8_", r"r8_[A-Za-z0-9]{37}(?![A-Za-z0-9_])"),
    _rule("npm_token", "npm_", r"npm_[A-Za-z0-9]{30,64}(?![A-Za-z0-9_])"),
    _rule("pypi_token", "pypi-", r"pypi-(?=[^\s]{0,60}\d)[A-Za-z0-9_-]{50,500}"),
    _rule("rubygems_key", "rubygems_", r"rubygems_[0-9a-f]{40,64}"),
    _rule("crates_token", "cio", r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    _rule("nuget_key", "oy2", r"oy2[a-z0-9]{43}(?![A-Za-z0-9])"),
    _rule("docker_token", "dckr_pat_ dckr_oat_", r"dckr_[po]at_[A-Za-z0-9_-]{24,64}"),
    _rule("sendgrid_key", "SG.", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    _rule("mailgun_key", "key-", r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    _rule("telegram_token", ":AA", r"\d{8,10}:AA[A-Za-z0-9_-]{32,36}(?![A-Za-z0-9_-])", 0),
    _rule(
        "discord_webhook",
        "/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/\d{15,22}/[A-Za-z0-9_-]{50,90}",
        11,
    ),
    _rule("digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    _rule("shopify_token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _rule("databricks_token", "dapi", r"dapi[0-9a-f]{32}(?![0-9A-Za-z])"),
    _rule("vault_token", "hvs. hvb.", r"hv[sb]\.(?=[^\s]{0,40}\d)[A-Za-z0-9_-]{24,200}"),
    _rule("doppler_token", "dp.pt. dp.st.", r"dp\.[ps]t\.[A-Za-z0-9_.-]{40,64}", 6),
    _rule("linear_key", "lin_api_", r"lin_api_[A-Za-z0-9]{32,64}"),
    _rule("notion_token", "ntn_", r"ntn_[A-Za-z0-9]{40,64}"),
    _rule("notion_secret", "secret_", r"secret_(?=[^\s]{0,43}\d)[A-Za-z0-9]{43}(?![A-Za-z0-9_])"),
    _rule("square_token", "sq0atp- sq0csp-", r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,60}"),
    _rule("atlassian_token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{60,300}"),
    _rule("terraform_token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,80}", 0),
    _rule("figma_token", "figd_", r"figd_[A-Za-z0-9_-]{36,64}"),
    _rule("new_relic_key", "NRAK-", r"NRAK-[A-Z0-9]{27}"),
    _rule("sentry_token", "sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9_=+/]{50,300}"),
    _rule("grafana_token", "glsa_ glc_eyJ", r"gl(?:sa_[A-Za-z0-9_]{32,64}|c_eyJ[A-Za-z0-9+/=]{40,300})", 4),
    _rule("pulumi_token", "pul-", r"pul-[0-9a-f]{40}(?![0-9A-Za-z])"),
    _rule("planetscale_token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,64}", 7),
    _rule("airtable_token", "pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _rule("bedrock_key", "ABSK", r"ABSK[A-Za-z0-9+/]{100,200}={0,2}"),
    _rule("gitlab_runner_token", "GR1348941", r"GR1348941[A-Za-z0-9_-]{20,64}"),
    _rule("twilio_key", "SK", r"SK[0-9a-f]{32}(?![0-9A-Za-z])"),
    _rule("mailchimp_key", "-us", r"[0-9a-f]{32}-us\d{1,2}(?![0-9A-Za-z])", 0),
    _rule("heroku_key", "HRKU-", r"HRKU-[A-Za-z0-9_-]{50,80}"),
    _rule("facebook_token", "EAACEdEose0cBA", r"EAACEdEose0cBA[A-Za-z0-9]{20,300}"),
    _rule("postman_key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    _rule("cloudflare_origin_key", "v1.0-", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
    _rule("fly_token", "fm2_ fo1_", r"(?:fm2_[A-Za-z0-9+/=_-]{60,2000}|fo1_[A-Za-z0-9_-]{40,64})"),
    _rule("netlify_token", "nfp_", r"nfp_[A-Za-z0-9]{36,64}(?![A-Za-z0-9_])"),
    _rule("vercel_blob_token", "vercel_blob_rw_", r"vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{30}"),
    _rule("supabase_key", "sbp_ sb_secret_", r"(?:sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{30,64})"),
    _rule("dropbox_token", "sl.", r"sl\.(?=[^\s]{0,60}\d)[A-Za-z0-9_-]{120,2000}"),
    _rule("asana_token", "1/", r"1/\d{16}:[0-9a-f]{32}(?![0-9A-Za-z])"),
    _rule("jfrog_key", "AKCp", r"AKCp[A-Za-z0-9]{60,80}(?![A-Za-z0-9])"),
    _rule("jfrog_reference_token", "cmVmdGtu", r"cmVmdGtu[A-Za-z0-9]{50,72}"),
    _rule("circleci_token", "CCIPAT_", r"CCIPAT_[A-Za-z0-9]{16,32}_[0-9a-f]{40}"),
    _rule("buildkite_token", "bkua_", r"bkua_[0-9a-f]{40}"),
    _rule("launchdarkly_key", "sdk-", r"sdk-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])"),
    _rule("dynatrace_token", "dt0c01. dt0s01. dt0s16.", r"dt0[cs]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    _rule("mapbox_secret_token", "sk.eyJ", r"sk\.eyJ[A-Za-z0-9_-]{40,400}\.[A-Za-z0-9_-]{20,64}"),
    _rule("shippo_key", "shippo_live_", r"shippo_live_[0-9a-f]{40}"),
    _rule("easypost_key", "EZAK", r"EZAK[A-Za-z0-9]{54}(?![A-Za-z0-9])"),
    _rule("duffel_token", "duffel_live_", r"duffel_live_[A-Za-z0-9_=-]{40,64}"),
    _rule("contentful_token", "CFPAT-", r"CFPAT-[A-Za-z0-9_-]{43}"),
    _rule("typeform_token", "tfp_", r"tfp_[A-Za-z0-9_.=-]{50,80}"),
    _rule("readme_key", "rdme_", r"rdme_[a-z0-9]{70}"),
    _rule("prefect_key", "pnu_ pnb_", r"pn[ub]_[A-Za-z0-9]{36}(?![A-Za-z0-9_])"),
    _rule(
        "tailscale_key", "tskey-", r"tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{16,64}"
    ),
    _rule("onepassword_token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9+/=_-]{200,4000}"),
    _rule("langsmith_key", "lsv2_", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    _rule("adafruit_key", "aio_", r"aio_(?=[^\s]{0,28}\d)[A-Za-z0-9]{28}(?![A-Za-z0-9_])"),
    Rule("azure_access_key", ("AccessKey=",), re.compile(r"AccessKey=([A-Za-z0-9+/]{40,100}={0,2})"), 0, 1),
    Rule(
        "npm_login",
        ("_authToken=",),
        re.compile(r"_authToken=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-f])"),
        0,
        1,
    ),
    _rule("google_refresh_token", "1//0", r"1//0[A-Za-z0-9_-]{40,200}"),
    Rule(
        "meta_or_square_token",
        ("EAA",),
        re.compile(r"(?<![A-Za-z0-9+/_-])EAA[A-Za-z0-9_-]{57,300}(?![A-Za-z0-9+/=_-])"),
        3,
    ),
    _rule("bitbucket_app_password", "ATBB", r"ATBB[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    _rule("pinecone_key", "pcsk_", r"pcsk_[A-Za-z0-9]{5,8}_[A-Za-z0-9]{50,80}"),
    _rule("twitter_token", "AAAAAAAAAAAAAAAAAAAAA", r"A{21}(?=[^\s]{0,90}%)[A-Za-z0-9%]{60,120}"),
    _rule("flutterwave_key", "FLWSECK-", r"FLWSECK-[0-9a-f]{32}-X"),
    _rule("brevo_key", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    _rule("alibaba_key_id", "LTAI", r"LTAI(?=[^\s]{0,20}\d)[A-Za-z0-9]{12,20}(?![A-Za-z0-9])"),
    _rule("tencent_key_id", "AKID", r"AKID(?=[^\s]{0,32}\d)[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    _rule("sourcegraph_token", "sgp_", r"sgp_(?:[0-9a-f]{16}_)?[0-9a-f]{40}(?![0-9A-Za-z])"),
    _rule("hubspot_token", "pat-na1- pat-eu1-", r"pat-(?:na|eu|ap)\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    _rule("clojars_token", "CLOJARS_", r"CLOJARS_[a-z0-9]{60}"),
    _rule("azure_devops_token", "AZDO", r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])", 0),
    _rule(
        "teams_webhook",
        "webhook.office.com",
        r"webhook\.office\.com/webhookb2/[0-9a-f@-]{60,80}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36}",
        29,
    ),
    _rule("neon_key", "napi_", r"napi_[a-z0-9]{60,68}(?![A-Za-z0-9_])"),
    _rule("posthog_key", "phx_", r"phx_[A-Za-z0-9]{40,50}(?![A-Za-z0-9_])"),
    _rule("stytch_secret", "secret-live-", r"secret-live-[A-Za-z0-9_=-]{30,60}"),
    _rule("plaid_token", "access-production-", r"access-production-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    _rule("langfuse_key", "sk-lf-", r"sk-lf-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    _rule("age_secret_key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    Rule(
        "json_web_token",
        ("eyJ",),
        re.compile(
            r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]{16,2000}"
        ),
        3,
    ),
)
"""Every token that is known by its own shape."""

HINTS: tuple[str, ...] = tuple(sorted({hint for rule in RULES for hint in rule.hints}))
"""What tokens begin with, or have in them."""
