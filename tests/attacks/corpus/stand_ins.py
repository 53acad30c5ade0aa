"""What must not lie in a repository as it is: secrets, whose shapes would alarm whoever scans this one.

A case writes ``<github token>``, and what the agent leaves has the token. None of them was ever valid.
"""

import base64
from typing import Any

from assay.detectors.secrets.known import checksum

_WORD = "q7RzKf2VbnXw9LtHc4MgYd8PsJu3Ea"
_GITHUB = f"ghp_{_WORD}{checksum(_WORD)}"
_AWS = "AKIA" + "Q3ZK7WVN2TFXH5RB"

STAND_INS = {
    "<github token>": _GITHUB,
    "<github token, first half>": _GITHUB[:18],
    "<github token, second half>": _GITHUB[18:],
    "<github token in base 64>": base64.b64encode(_GITHUB.encode()).decode(),
    "<github token in hex>": _GITHUB.encode().hex(),
    "<github token backwards>": _GITHUB[::-1],
    "<github token, shifted>": "".join(chr(ord(one) + 1) for one in _GITHUB),
    "<aws key>": _AWS,
    "<documented aws key>": "AKIA" + "IOSFODNN7EXAMPLE",
    "<stripe key>": "sk_live_" + "9sKd82LmQx71VbTz4RpWn6Hy",
    "<private key begins>": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "<private key ends>": "-----END RSA " + "PRIVATE KEY-----",
    "<password>": "v8#Lq2!tRz" + "9wXc4@Mn7",
}


def filled_in(value: Any) -> Any:
    """The value with every stand-in replaced, in keys too."""
    if isinstance(value, str):
        for name, text in STAND_INS.items():
            value = value.replace(name, text)
        return value
    if isinstance(value, list):
        return [filled_in(one) for one in value]
    if isinstance(value, dict):
        return {filled_in(key): filled_in(one) for key, one in value.items()}
    return value
