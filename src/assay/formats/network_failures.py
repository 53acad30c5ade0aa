"""Find the line in a program's output that says that the network, or what was to be downloaded, was not there."""

import re

LONGEST_LINE = 300

_SIGNS = re.compile(
    rb"could not resolve (?:host|proxy)|temporary failure (?:resolving|in name resolution)"
    rb"|name or service not known|nodename nor servname|no address associated with hostname"
    rb"|unable to resolve host|failed to lookup address|dns error|\bEAI_AGAIN\b|\bENOTFOUND\b|\bENETUNREACH\b"
    rb"|network is unreachable|no route to host|failed to establish a new connection|newconnectionerror"
    rb"|curl: \((?:5|6|7|28|35|56)\)|error sending request for url|could not fetch url"
    rb"|unable to (?:access|connect to) '?https?:|failed to (?:connect to|download|fetch) '?\"?`?https?:"
    rb"|E: (?:unable to (?:locate package|fetch)|failed to fetch|could not open lock file)"
    rb"|(?:apt-get|curl|git|npm|npx|pip3?|uvx?|wget): (?:command )?not found"
    rb"|npm err(?:or|!) (?:network|code E(?:AI_AGAIN|NOTFOUND|CONNREFUSED|TIMEDOUT))"
    rb"|no matching distribution found for|wget: (?:unable to|bad address)|getaddrinfo (?:failed|enotfound)",
    re.IGNORECASE,
)

# A connection within the machine needs no network: a program that was to listen doesn't.
_OWN_MACHINE = re.compile(rb"\blocalhost\b|\b127\.\d+\.\d+\.\d+\b|\[?::1\]?", re.IGNORECASE)


def network_failure(output: bytes) -> str | None:
    """The first such line, cut to a readable length; None if there is none."""
    for line in output.splitlines():
        if _SIGNS.search(line[:2000]) and not _OWN_MACHINE.search(line[:2000]):
            return line.strip()[:LONGEST_LINE].decode(errors="replace")
    return None
