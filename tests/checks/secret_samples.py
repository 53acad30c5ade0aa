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
