"""What counts as a secret that was added, what does not, and that none is ever shown."""

# ruff: noqa: E501 - a case a line reads as a table.

import base64
import json
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.checks.forbid_secrets import ForbidSecrets
from assay.core.outcome import Scored
from assay.detectors.secrets.known import checksum
from assay.detectors.secrets.rules import RULES
from tests.checks.fake_workspace import FakeWorkspace, added, edited
from tests.checks.secret_samples import (
    BASE62,
    BY_RULE,
    HEX,
    SHAPES,
    UPPER,
    URL_SAFE,
    github,
    jwt,
    pem,
    random_text,
)
from tests.sampling import examples

TOKEN = github()
RANDOM_PART = random_text(BASE62, 30, 4)
CHECKED = "ghp" + "_" + RANDOM_PART + checksum(RANDOM_PART)
AWS_SECRET = random_text(BASE62 + "+/", 40, 2)


def scored(workspace: FakeWorkspace) -> Scored:
    found = ForbidSecrets().run(workspace)
    assert isinstance(found, Scored)
    return found


def rows(workspace: FakeWorkspace) -> list[dict[str, object]]:
    found = scored(workspace).evidence["findings"]
    assert isinstance(found, list)
    return found


def halves(text: str, at: int = 13) -> tuple[str, str]:
    return text[:at], text[at:]


def wrapped(text: str, width: int = 20, indent: str = "  ") -> str:
    return "\n".join(indent + text[at : at + width] for at in range(0, len(text), width))


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize("rule", BY_RULE)
@pytest.mark.parametrize(("path", "line"), [("a.py", 'x = "{}"'), (".env", "X={}"), ("README.md", "see {} there")])
def test_every_rule_finds_its_tokens(rule: str, path: str, line: str) -> None:
    assert [row["rule"] for row in rows(added(path, f"{line.format(BY_RULE[rule])}\n"))] == [rule]


def test_every_rule_has_a_token() -> None:
    found = {str(row["rule"]) for token in SHAPES.values() for row in rows(added("a.py", f'x = """{token}"""\n'))}
    assert {rule.name for rule in RULES} <= found | BY_RULE.keys()


@pytest.mark.parametrize("name", SHAPES)
def test_every_known_shape_is_found_in_source(name: str) -> None:
    source = f'import os\n\nVALUE = """{SHAPES[name]}"""\n'
    assert [row["line"] for row in rows(added("src/app.py", source))] == [3]


A, B = halves(TOKEN)
DISGUISES: dict[str, FakeWorkspace] = {
    "adjacent literals": added("a.py", f'x = ("{A}"\n     "{B}")\n'),
    "adjacent with a comment sign between quotes": added("a.py", f"x = '{A}' '{B}'\n"),
    "plus": added("a.py", f"x = '{A}' + '{B}'\n"),
    "plus over lines": added("a.js", f'const x = "{A}" +\n  "{B}";\n'),
    "split inside the prefix": added("a.py", f"x = 'gh' + 'p_{TOKEN[4:]}'\n"),
    "dot": added("a.php", f"$x = '{A}' . '{B}';\n"),
    "backslash at the line's end": added("a.py", f"x = '{A}' \\\n    '{B}'\n"),
    "literal continued over a line": added("a.py", f"x = '{A}\\\n{B}'\n"),
    "join of a list": added("a.py", f'x = "".join(["{A}", "{B}"])\n'),
    "join in JavaScript": added("a.js", f"const x = ['{A}', '{B}'].join('')\n"),
    "join over lines": added("a.py", "x = ''.join([\n" + "".join(f"    '{TOKEN[i : i + 4]}',\n" for i in range(0, 40, 4)) + "])\n"),
    "names added": added("a.py", f"one = '{A}'\ntwo = '{B}'\nx = one + two\n"),
    "names in an f-string": added("a.py", f"one = '{A}'\ntwo = '{B}'\nx = f'{{one}}{{two}}'\n"),
    "names in a template": added("a.js", f"const one = '{A}'\nconst two = '{B}'\nconst x = `${{one}}${{two}}`\n"),
    "shell variables": added("run.sh", f"A={A}\nB={B}\nexport T=$A$B\n"),
    "far apart": added("a.py", f"ONE = '{A}'\n" + "y = 1\n" * 300 + f"TWO = '{B}'\n" + "y = 2\n" * 300 + "x = ONE + TWO\n"),
    "base64": added("a.py", f"x = b64decode('{b64(TOKEN)}')\n"),
    "base64 with other text around": added("a.py", f"x = '{b64('token is ' + TOKEN + ' ok')}'\n"),
    "base64 for URLs": added("a.py", f"x = '{base64.urlsafe_b64encode((TOKEN + '>>>???').encode()).decode()}'\n"),
    "base64 wrapped": added("secret.yaml", f"data: |\n{wrapped(b64('please use ' + TOKEN))}\n"),
    "base64 in adjacent literals": added("a.py", "x = (\n" + "".join(f"  '{b64(TOKEN)[i : i + 12]}'\n" for i in range(0, 56, 12)) + ")\n"),
    "base64 twice": added("a.py", f"x = '{b64(b64(TOKEN))}'\n"),
    "base64 of UTF-16": added("a.ps1", f"$x = '{base64.b64encode(TOKEN.encode('utf-16-le')).decode()}'\n"),
    "base64 behind a path": added("a.py", f"x = 'data/{b64(TOKEN)}'\n"),
    "hex": added("a.py", f"x = bytes.fromhex('{TOKEN.encode().hex()}')\n"),
    "hex in capitals": added("a.py", f"x = '{TOKEN.encode().hex().upper()}'\n"),
    "hex escapes": added("a.py", "x = '" + "".join(f"\\x{ord(c):02x}" for c in TOKEN) + "'\n"),
    "unicode escapes": added("a.js", "x = '" + "".join(f"\\u{ord(c):04x}" for c in TOKEN) + "'\n"),
    "octal escapes": added("a.sh", "x=$'" + "".join(f"\\{ord(c):03o}" for c in TOKEN) + "'\n"),
    "byte list": added("a.py", f"x = bytes({list(TOKEN.encode())})\n"),
    "byte list in hex": added("a.go", "x := []byte{" + ", ".join(f"0x{ord(c):02x}" for c in TOKEN) + "}\n"),
    "percent signs": added("a.py", "x = '" + "".join(f"%{ord(c):02X}" for c in TOKEN) + "'\n"),
    "percent signs for some": added("a.py", f"x = '{TOKEN.replace('_', '%5F')}'\n"),
    "entities": added("a.html", "".join(f"&#{ord(c)};" for c in TOKEN)),
    "turned round": added("a.py", f"x = '{TOKEN[::-1]}'[::-1]\n"),
    "base64 turned round": added("a.py", f"x = '{b64(TOKEN)[::-1]}'[::-1]\n"),
    "rot13": added("a.py", f"import codecs\nx = codecs.decode('{TOKEN.translate(str.maketrans(BASE62[:52], BASE62[13:26] + BASE62[:13] + BASE62[39:52] + BASE62[26:39]))}', 'rot13')\n"),
    "zero width inside": added("a.py", f"x = '{A}\u200b{B}'\n"),
    "soft hyphen and joiners inside": added("a.md", "\u00ad".join(TOKEN) + "\u2060\n"),
    "full width": added("a.txt", "".join(chr(ord(c) + 0xFEE0) for c in TOKEN)),
    "UTF-16 with a mark": added("a.txt", f"token {TOKEN}\n".encode("utf-16")),
    "UTF-16 without a mark": added("a.txt", f"token {TOKEN}\n".encode("utf-16-le")),
    "UTF-16, the other order": added("a.txt", f"token {TOKEN}\n".encode("utf-16-be")),
    "binary": added("a.bin", b"\x7fELF\0\1\2" + bytes(range(256)) * 4 + TOKEN.encode() + b"\0\xff"),
    "binary, wide characters": added("a.exe", b"MZ\0\1\xff\xfe\x80" * 900 + TOKEN.encode("utf-16-le") + b"\xff\0"),
    "lock file": added("package-lock.json", json.dumps({"packages": {"x": {"resolved": f"https://x:{TOKEN}@npm.acme.io/x"}}})),
    "notebook": added("a.ipynb", json.dumps({"cells": [{"source": [f'token = "{TOKEN}"\n']}]})),
    "notebook, split": added("a.ipynb", json.dumps({"cells": [{"source": [f"t = '{A}'\n", f"t += '{B}'\n"]}]})),
    "private key in JSON": added("sa.json", json.dumps({"type": "service_account", "private_key": pem("")})),
    "private key as literals": added("K.java", "String k = " + " +\n".join(json.dumps(line + "\n") for line in pem().splitlines()) + ";\n"),
    "private key in base64": added("a.yml", f"key: {b64(pem())}\n"),
    "file name": added(f"notes/{TOKEN}.txt", "nothing\n"),
    "folder name": added(f"{TOKEN}/a.txt", "nothing\n"),
    "base64 file name": added(f"{base64.urlsafe_b64encode(TOKEN.encode()).decode()}.txt", "nothing\n"),
    "renamed to it": FakeWorkspace({"a.txt": "x"}, {f"{TOKEN}.txt": "x"}),
    "link target": FakeWorkspace({}, {}, links={"a": f"/tmp/{TOKEN}"}),
    "a link that became a file": FakeWorkspace({}, {"a": TOKEN}, old_links={"a": "b"}),
    "comment": added("a.go", f"// {TOKEN}\n"),
    "format": added("a.py", f"t = '{{}}{{}}'.format('{A}', '{B}')\n"),
    "percent format": added("a.py", f"t = '%s%s' % ('{A}', '{B}')\n"),
    "appended": added("A.java", f'sb.append("{A}").append("{B}");\n'),
    "concat!": added("a.rs", f'let t = concat!("{A}", "{B}");\n'),
    "one character at a time": added("a.js", "const t = [" + ",".join(f"'{c}'" for c in TOKEN) + "].join('')\n"),
    "fromCharCode": added("a.js", "String.fromCharCode(" + ",".join(str(ord(c)) for c in TOKEN) + ")\n"),
    "hex dump": added("a.txt", " ".join(f"{ord(c):02x}" for c in TOKEN)),
    "base64 of JSON": added("a.json", json.dumps({"d": b64(json.dumps({"token": TOKEN}))})),
    "option of a command": added("a.sh", f"mysql --password={random_text(BASE62, 20)} -u root\n"),
    "uncompressed archive": added("a.tar", b"name\0" * 50 + TOKEN.encode() + b"\0" * 500),
    "glued to a word, with right check digits": added("a.txt", "my" + CHECKED),
    "one line of many changed": edited("a.py", "y = 1\n" * 500, "y = 1\n" * 250 + f"x = '{TOKEN}'\n" + "y = 1\n" * 250),
    "the last lines of a key": edited("k.pem", pem()[:300] + "\n", pem()),
    "in a test": added("tests/test_a.py", f"def test_a():\n    login('{TOKEN}')\n"),
    "next to a documented key": added("a.py", f"a = 'AKIAIOSFODNN7EXAMPLE'\nb = '{SHAPES['aws_access_key_id']}'\n"),
    "AWS secret key beside its id": added("a.ini", f"[default]\nid = {SHAPES['aws_access_key_id']}\nkey = {AWS_SECRET}\n"),
    "AWS secret key by its name": added("a.py", f"aws_secret_access_key = '{AWS_SECRET}'\n"),
    "crammed into one line": added("a.js", "x=1;" * 20_000 + f"y='{TOKEN}';" + "z=2;" * 20_000),
}  # fmt: skip


@pytest.mark.parametrize("name", DISGUISES)
def test_a_secret_is_found_in_every_disguise(name: str) -> None:
    found = scored(DISGUISES[name])
    assert (found.score, found.passed) == (0.0, False)
    assert found.evidence["findings"]


VALUE = random_text(BASE62, 24, 9)
ASSIGNMENTS: dict[str, tuple[str, str]] = {
    "python": ("a.py", f'password = "{VALUE}"'),
    "annotated": ("a.py", f'API_KEY: str = "{VALUE}"'),
    "keyword argument": ("a.py", f'connect(user="x", password="{VALUE}")'),
    "dictionary": ("a.py", f'{{"client_secret": "{VALUE}"}}'),
    "item": ("a.py", f'config["api_key"] = "{VALUE}"'),
    "default of a look-up": ("a.py", f'os.environ.get("API_KEY", "{VALUE}")'),
    "JavaScript": ("a.js", f"const authToken = '{VALUE}';"),
    "TypeScript": ("a.ts", f"const token: string = `{VALUE}`"),
    "Go": ("a.go", f'apiKey := "{VALUE}"'),
    "Java": ("A.java", f'private static final String DB_PASSWORD = "{VALUE}";'),
    "Ruby": ("a.rb", f":secret => '{VALUE}'"),
    "environment file": (".env", f"DB_PASSWORD={VALUE}"),
    "YAML": ("a.yaml", f"  password: {VALUE}"),
    "properties": ("app.properties", f"spring.datasource.password={VALUE}"),
    "XML element": ("a.xml", f"<password>{VALUE}</password>"),
    "XML attributes": ("web.config", f'<add key="ApiToken" value="{VALUE}" />'),
    "npm": (".npmrc", f"//registry.acme.io/:_authToken={VALUE}"),
    "bearer": ("a.sh", f'curl -H "Authorization: Bearer {VALUE}"'),
    "basic": ("a.sh", f'curl -H "Authorization: Basic {b64("deploy:" + VALUE)}"'),
    "hexadecimal": ("a.py", f'api_key = "{random_text(HEX, 32)}"'),
    "notebook": ("a.ipynb", json.dumps({"source": [f'secret = "{VALUE}"']})),
    "header with a key": ("a.sh", f"curl -H 'X-Api-Key: {VALUE}' https://api.acme.io"),
    "user of a command": ("a.sh", f"curl -s -u deploy:{VALUE} https://api.acme.io"),
    "connection string": ("A.cs", f'var c = "Server=db.acme.io;User ID=sa;Password={VALUE};";'),
    "registry": ("config.json", f'{{"auths": {{"https://r.acme.io": {{"auth": "{b64("deploy:" + VALUE)}"}}}}}}'),
    "key as JSON": ("k.json", f'{{"kty": "EC", "crv": "P-256", "d": "{random_text(URL_SAFE, 43)}"}}'),
    "key of an application": ("a.py", f'dd_app_key = "{random_text(HEX, 40)}"'),
    "personal access token": ("a.py", f'AZURE_PAT = "{random_text(HEX, 52)}"'),
    "with signs": ("a.py", 'password = "kX9#mQ2$vL7!pR4z"'),
}


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_a_random_literal_behind_a_telling_name_is_found(name: str) -> None:
    path, text = ASSIGNMENTS[name]
    assert [row["line"] for row in rows(added(path, f"\n{text}\n"))] == [2]


STRIPE_TEST = "sk" + "_test_4eC39HqLyjWDarjtT1zdp7dc"
HONEST: dict[str, tuple[str, str]] = {
    "AWS's documented id": ("a.py", "KEY = 'AKIAIOSFODNN7EXAMPLE'"),
    "AWS's documented pair": ("a.ini", "aws_access_key_id = AKIAI44QH8DHBEXAMPLE\naws_secret_access_key = je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY"),
    "AWS's documented secret": ("a.py", "aws_secret_access_key = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'"),
    "the documented secret in base64": ("a.py", f"x = '{b64('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY')}'"),
    "Stripe's test key": ("a.py", f"stripe.api_key = '{STRIPE_TEST}'"),
    "jwt.io's token": ("a.js", "const token = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c'"),
    "another token for John Doe": ("a.js", "x = '" + jwt(json.dumps({"sub": "1234567890", "name": "John Doe"})) + "'"),
    "crossed out": ("README.md", "export GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
    "your key": ("README.md", "OPENAI_API_KEY=sk-your-api-key-goes-right-here-1234567890"),
    "placeholder in brackets": ("a.yaml", "token: <your-personal-access-token-1>"),
    "change me": (".env.example", "SECRET_KEY=changeme-please-123456"),
    "stars": ("a.py", "password = '****************'"),
    "shell reference": (".env", "API_TOKEN=${CI_JOB_TOKEN_V2}"),
    "workflow reference": (".github/workflows/a.yml", "      token: ${{ secrets.GITHUB_TOKEN_2 }}"),
    "template": ("a.yaml", "password: {{ .Values.database.password1 }}"),
    "environment": ("a.py", "password = os.environ['DATABASE_PASSWORD_2']"),
    "environment in JavaScript": ("a.js", "const token = process.env.GITHUB_TOKEN_2;"),
    "getpass": ("a.py", "password = getpass.getpass('Password for db1: ')"),
    "npm's reference": (".npmrc", "//registry.npmjs.org/:_authToken=${NPM_TOKEN}"),
    "integrity": ("package-lock.json", f'"integrity": "sha512-{b64(random_text(BASE62, 64))}"'),
    "pip's hashes": ("requirements.txt", "x==1 \\\n    --hash=sha256:" + random_text(HEX, 64)),
    "cargo's checksum": ("Cargo.lock", f'checksum = "{random_text(HEX, 64)}"'),
    "go.sum": ("go.sum", f"github.com/x/y v1.2.3 h1:{b64(random_text(BASE62, 32))}"),
    "commit": ("a.py", f"COMMIT = '{random_text(HEX, 40)}'"),
    "commit near aws": ("a.tf", f'source = "git::https://github.com/aws/x?ref={random_text(HEX, 40)}"'),
    "uuid": ("a.py", "client_secret_id = token = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'"),
    "hash of a password": ("a.py", f"password_hash = '{random_text(HEX, 64)}'"),
    "bcrypt": ("a.py", "password = '$2b$12$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW'"),
    "made-up password": ("tests/test_a.py", "login(username='a', password='Passw0rd123!')"),
    "another made-up password": ("tests/test_a.py", 'password = "correct-horse-battery-1"'),
    "test token": ("tests/test_a.py", "token = 'test-token-1234567890'"),
    "name of a header": ("a.py", "TOKEN_HEADER = 'X-Auth-Token-V2-Internal'"),
    "message": ("a.py", "error = {'password': 'must have at least 12 characters'}"),
    "translation": ("de.json", '"password": "Passwort (mindestens 8 Zeichen)"'),
    "pattern": ("a.py", "TOKEN = re.compile(r'ghp_[A-Za-z0-9]{36}')"),
    "prefix": ("a.py", "if token.startswith('github_pat_'):"),
    "header of a key": ("a.py", "if text.startswith('-----BEGIN RSA PRIVATE KEY-----'): raise ValueError"),
    "header with dots": ("README.md", "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg...\n-----END PRIVATE KEY-----"),
    "public key": ("a.pub", pem().replace("PRIVATE", "PUBLIC")),
    "certificate": ("a.crt", pem().replace("RSA PRIVATE KEY", "CERTIFICATE")),
    "local database": ("docker-compose.yml", "DATABASE_URL: postgres://app:app@db:5432/app"),
    "local database, word": ("a.py", "URL = 'postgresql://postgres:postgres@localhost:5432/test'"),
    "example database": ("README.md", "mysql://user:password@host:3306/db"),
    "example.com": ("README.md", "https://alice:s3cr3tvalue9@example.com/path"),
    "URL with a short password in percent signs": ("a.py", "http://user:p%40ss@wikipedia.org"),
    "URL with a reference": ("a.yml", "postgres://app:${DB_PASSWORD}@db.acme.io/app"),
    "URL with a format": ("a.py", "f'postgres://{user}:{password}@{host}/{name}'"),
    "port and mail": ("a.md", "see http://acme.io:8080/a@b and mail me@acme.io"),
    "CSS class": ("a.css", ".sk-cube-grid-2 .sk-cube1-very-long-class-name-4 { }"),
    "identifier": ("a.py", "task-risk-desk-sk-circle-fade-dot-animation-wrapper-12"),
    "image": ("a.html", f"<img src='data:image/png;base64,{base64.b64encode(bytes(range(256)) * 20).decode()}'>"),
    "minified": ("a.min.js", "!function(e,t){" + "a1.b2(c3,d4);" * 4000 + "}"),
    "list of words": ("a.py", "NAMES = ['ghost', 'p_value', 'alpha', 'beta', 'gamma', 'delta1', 'epsilon2']"),
    "list of hashes": ("a.py", "H = [" + ", ".join(f"'{random_text(HEX, 40, n)}'" for n in range(20)) + "]"),
    "numbers": ("a.py", f"PRIMES = {list(range(32, 120))}"),
    "tokenizer": ("a.json", '{"tokenizer_class": "GPT2TokenizerFast", "pad_token": "<|endoftext|>"}'),
    "next page": ("a.json", f'{{"nextPageTokenId": "{random_text(BASE62, 40)}"}}'),
    "place in a list": ("a.json", f'{{"NextContinuationToken": "{random_text(BASE62, 40)}"}}'),
    "place in another list": ("a.py", f'next_token = "{random_text(BASE62, 40)}"'),
    "made-up password in base64": ("README.md", f"'//registry.npmjs.org/:_password': '{b64('not my real password')}',"),
    "name of an operation of aws": ("aws.py", "x = 'CreateCloudFrontOriginAccessIdentity2014'"),
    "invoice": ("a.py", "choice_of_invoices_2024 = load_the_invoices_of('2024-invoices-long-name')"),
    "made-up connection": ("A.cs", 'var c = "Server=localhost;User ID=sa;Password=Password12345!;";'),
    "user of an example": ("README.md", "curl -u username:your-password-123 https://api.acme.io"),
    "reference in a header": ("a.sh", 'curl -H "X-Api-Key: $API_KEY" https://api.acme.io'),
    "public key as JSON": ("k.json", f'{{"kty": "EC", "x": "{random_text(URL_SAFE, 43)}"}}'),
    "path": ("a.py", "token_file = '/var/run/secrets/kubernetes.io/serviceaccount/token1'"),
    "enum": ("a.ts", "enum T { AccessToken = 'access-token-v2', RefreshToken = 'refresh-token-v2' }"),
    "slack's documented hook": ("README.md", "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"),
    "azurite": (".env", "X=DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;"),
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_what_is_no_secret_is_not_reported(name: str) -> None:
    path, text = HONEST[name]
    found = scored(added(path, f"{text}\n"))
    assert (found.score, found.passed, found.evidence["findings"]) == (1.0, True, [])


UNCHANGED: dict[str, FakeWorkspace] = {
    "a line that was there": edited("a.py", f"x = '{TOKEN}'\n", f"x = '{TOKEN}'\ny = 1\n"),
    "a line that moved": edited("a.py", f"x = '{TOKEN}'\na = 1\nb = 2\n", f"a = 1\nb = 2\nx = '{TOKEN}'\n"),
    "a line that was reformatted": edited("a.py", f"x='{TOKEN}'\n", f'x = "{TOKEN}"\n'),
    "a key with another line": edited("k.pem", pem(), pem() + "# ours\n"),
    "a renamed file": FakeWorkspace({"a.py": TOKEN}, {"b.py": TOKEN}),
    "a removed secret": edited("a.py", f"x = '{TOKEN}'\n", "x = load()\n"),
    "a deleted file": FakeWorkspace({"a.py": TOKEN}, {}),
    "moved to another file": FakeWorkspace({"a.py": f"x = '{TOKEN}'\n", "b.py": ""}, {"a.py": "", "b.py": f"x = '{TOKEN}'\n"}),
    "only its mode": FakeWorkspace({"a.sh": TOKEN}, {"a.sh": TOKEN}, modes={"a.sh": 0o755}),
}  # fmt: skip


@pytest.mark.parametrize("name", UNCHANGED)
def test_what_was_there_is_not_new(name: str) -> None:
    assert rows(UNCHANGED[name]) == []


def test_a_secret_copied_to_another_file_is_new() -> None:
    line = f"x = '{TOKEN}'\n"
    workspace = FakeWorkspace({"a.env": line, "b.py": ""}, {"a.env": line, "b.py": line})
    assert [row["path"] for row in rows(workspace)] == ["b.py"]


def test_a_finding_says_where_and_what_kind() -> None:
    [row] = rows(edited("src/app.py", "a = 1\n", f"a = 1\nkey = '{TOKEN}'\n"))
    fingerprint = row.pop("fingerprint")
    assert row == {
        "rule": "github_token",
        "path": "src/app.py",
        "line": 2,
        "column": 8,
        "length": 40,
        "mask": "ghp_…(40 characters)",
        "form": "plain",
    }
    assert isinstance(fingerprint, str)
    assert len(fingerprint) == 8


def test_lines_are_those_of_the_file() -> None:
    old = "\n".join(f"x{n} = {n}" for n in range(500))
    new = old.replace("x400 = 400", f"t = '{A}' + \\\n  '{B}'")
    assert [row["line"] for row in rows(edited("a.py", old, new))] == [401]


def test_where_nothing_changed_nothing_was_added() -> None:
    unchanged = ForbidSecrets().run(FakeWorkspace({"a": "x"}, {"a": "x"}))
    assert isinstance(unchanged, Scored)
    assert unchanged.passed


def test_what_was_not_searched_is_said() -> None:
    large = b"a line of text\n" * 700_000
    found = scored(FakeWorkspace({}, {"big.log": large}, cut=("2 files were left out.",)))
    assert found.evidence["notes"] == [
        "2 files were left out.",
        f"big.log: only the first and the last 4 MiB of {len(large)} bytes were searched.",
    ]
    assert found.summary == "no secret in 1 changed path, but not all of it was searched"
    assert scored(added("a", "x")).summary == "no secret in 1 changed path"


def test_a_repository_inside_the_workspace_was_not_searched() -> None:
    workspace = FakeWorkspace({}, {"sub/a.py": "x = 1\n"}, nested_repositories=("sub",))
    assert scored(workspace).evidence["notes"] == ["sub/.git: the repository was not searched."]


def test_a_file_that_is_too_large_to_be_read_was_not_searched() -> None:
    class Unread(FakeWorkspace):
        def after(self, path: str) -> bytes | None:  # noqa: ARG002
            return None

    assert scored(Unread({}, {"big.bin": b"x" * 9_000_000})).evidence["notes"] == [
        "big.bin: its content was not captured, so it was not searched."
    ]


def test_the_end_of_a_large_file_is_searched() -> None:
    assert rows(added("big.log", b"a line of text\n" * 700_000 + TOKEN.encode()))


def shown(workspace: FakeWorkspace) -> str:
    outcome = ForbidSecrets().run(workspace)
    assert isinstance(outcome, Scored)
    assert not outcome.passed
    return repr(outcome) + outcome.summary + json.dumps(dict(outcome.evidence))


def traces(secret: str, public: int) -> set[str]:
    private = secret[public:]
    return {private[at : at + 6] for at in range(len(private) - 5)}


Hide = Callable[[str], FakeWorkspace]
HIDING: list[Hide] = [
    lambda secret: added("a.py", f"x = '{secret}'\n"),
    lambda secret: added(f"{secret}.txt", f"x = '{secret}'\n"),
    lambda secret: added(f"a/{secret}/b", "x"),
    lambda secret: added(f"{secret[::-1]}/{secret}", "x"),
    lambda secret: added(f"{b64(secret).rstrip('=')}.txt", secret),
    lambda secret: FakeWorkspace({}, {f"x-{secret[3:20]}": secret}),
    lambda secret: FakeWorkspace({}, {"a": secret}, cut=(f"{secret} was left out.",)),
    lambda secret: FakeWorkspace({}, {}, links={secret: secret}),
]


@examples(60)
@given(st.text(BASE62, min_size=36, max_size=36).filter(lambda text: len(set(text)) > 12), st.sampled_from(HIDING))
def test_no_output_shows_six_characters_of_a_secret(body: str, hide: Hide) -> None:
    secret = "ghp" + "_" + body
    output = shown(hide(secret))
    assert [trace for trace in traces(secret, 4) if trace in output] == []


@examples(60)
@given(st.integers(0, 10_000))
def test_no_output_shows_an_assigned_secret(seed: int) -> None:
    secret = random_text(BASE62 + "+-#", 24, seed)
    assume(rows(added("a.py", f"password = '{secret}'\n")))
    output = shown(added(f"{secret}.py", f"password = '{secret}'\n"))
    assert [trace for trace in traces(secret, 0) if trace in output] == []


@examples(150)
@given(st.binary(max_size=2000), st.binary(max_size=2000), st.text(min_size=1, max_size=40))
def test_no_bytes_raise(before: bytes, after: bytes, path: str) -> None:
    assert isinstance(ForbidSecrets().run(edited(path, before, after)), Scored)


FRAGMENTS = (
    "'",
    '"',
    "`",
    "+",
    "\\",
    "\n",
    " ",
    "ghp_",
    "eyJ",
    ".",
    "=",
    "password",
    ":",
    "://",
    "@",
    "%41",
    "\\x41",
    "0x4",
    ",",
)


@examples(200)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=300).map("".join))
def test_no_text_of_suggestive_parts_raises(text: str) -> None:
    assert isinstance(ForbidSecrets().run(added("a.env", text)), Scored)


def test_keys_of_capitals_are_no_words() -> None:
    assert rows(added("a.py", "x = 'AK" + f"IA{random_text(UPPER, 16, 5)}'\n"))
