"""A client of the service, for scripts and other services. The public face.

>>> from assay.client import Client
>>> client = Client("https://assay.example", "ask_…")
>>> client.url
'https://assay.example'

``Client`` waits for each answer; ``AsyncClient`` has the same methods, to be awaited. ``Requests`` makes the
requests, and ``send`` sends one. Answers are plain dictionaries, as the API's reference describes them; one that
is no success raises ``ServiceError``. What may work a little later (409 busy, 429, 503) is tried again. So is
everything after a connection broke: what adds something has an ``Idempotency-Key``, and is done once.
"""

from assay.client.clients import AsyncClient, Client, ServiceError
from assay.client.requests import CodingRequests, Request, Requests

__all__ = ["AsyncClient", "Client", "CodingRequests", "Request", "Requests", "ServiceError"]
