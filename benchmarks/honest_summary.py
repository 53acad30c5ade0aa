"""Tables of what ``benchmarks.honest_commits`` found: ``python -m benchmarks.honest_summary FINDINGS``.

Prints how many commits are flagged, by language and scorer, and what became of those that were judged by hand
(judged_commits.json, sample by sample): flags that were right should stay, and flags that were wrong should go.
Flags of commits that aren't among the findings count as gone. With ``--before``, it also names the commits whose
flags are new or gone since another file of findings was written.
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from assay.engine.coding.score import required_by_default
from assay.stats.interval import rate_interval
from benchmarks.honest_commits import SCORERS, Record, read_findings
from docs.markdown import table

JUDGED = Path(__file__).with_name("judged_commits.json")
Flag = tuple[str, str, str]
_ORDER = ("right", "wrong", "undecidable")


def main() -> int:
    options = _options()
    records = read_findings(Path(options.findings))
    print("\n\n".join(summary(records, json.loads(JUDGED.read_text(encoding="utf-8")))))
    if options.before:
        print("\n".join(["", *differences(read_findings(Path(options.before)), records)]))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.honest_summary", description="Tables of findings.")
    parser.add_argument("findings", help="the file that benchmarks.honest_commits has written")
    parser.add_argument("--before", help="an older file of findings, to compare with")
    options = parser.parse_args()
    for path in filter(None, (options.findings, options.before)):
        if not Path(path).is_file():
            parser.error(f"there must be findings in {path}, but there is no such file")
    return options


def summary(records: Sequence[Record], judged: Sequence[Mapping[str, str]]) -> Iterator[str]:
    good = [one for one in records if "scorers" in one]
    seconds = sum(one["cpu_s"] for one in good)
    projects = len({one["repository"] for one in good})
    broken = len(records) - len(good)
    yield f"{len(good)} commits of {projects} repositories in {seconds:.0f} s of CPU; {broken} can't be scored."
    yield by_language(good)
    for name in dict.fromkeys(one.get("sample", "") for one in judged):
        chosen = [one for one in judged if one.get("sample", "") == name]
        yield f"Sample {name}: {wrong_share(chosen)}"
        yield by_judgement(flags(good), chosen)


def wrong_share(judged: Sequence[Mapping[str, str]]) -> str:
    """How many commits were flagged wrongly. In a commit with right and wrong flags, the right ones count."""
    commits: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in judged:
        commits[one["repository"], one["commit"]].add(one["judgement"])
    told = Counter(next(each for each in _ORDER if each in found) for found in commits.values())
    interval = rate_interval(told["wrong"] / len(commits), len(commits))
    counts = ", ".join(f"{told[each]} {each}" for each in _ORDER)
    return f"{len(commits)} commits, {counts}; wrong are {100 * interval.low:.0f} to {100 * interval.high:.0f} %."


def flags(records: Sequence[Record]) -> set[Flag]:
    """Each scorer that says FAIL of a commit."""
    return {
        (one["repository"], one["commit"], kind)
        for one in records
        for kind, said in one.get("scorers", {}).items()
        if said["verdict"] == "FAIL"
    }


def by_language(records: Sequence[Record]) -> str:
    names = sorted({one["language"] for one in records})
    head = (
        "language",
        "repositories",
        "commits",
        *(f"`{kind}`" for kind in SCORERS),
        "any of them",
        "required ones",
    )
    lines = [(name, [one for one in records if one["language"] == name]) for name in names]
    return table(head, [_line(name, chosen) for name, chosen in [*lines, ("all", list(records))]])


def _line(name: str, records: Sequence[Record]) -> tuple[str, ...]:
    found = flags(records)
    counted = Counter(kind for _, _, kind in found)
    required = {flag[:2] for flag in found if required_by_default(flag[2])}
    projects = len({one["repository"] for one in records})
    each = [str(counted[kind]) for kind in SCORERS]
    some = {flag[:2] for flag in found}
    return (
        name,
        str(projects),
        str(len(records)),
        *each,
        _share(len(some), records),
        _share(len(required), records),
    )


def _share(count: int, records: Sequence[Record]) -> str:
    interval = rate_interval(count / len(records), len(records))
    return f"{count} ({100 * interval.low:.1f} to {100 * interval.high:.1f} %)"


def by_judgement(found: set[Flag], judged: Sequence[Mapping[str, str]]) -> str:
    """What became of the flags that a person looked at."""
    counts = Counter((one["scorer"], one["judgement"]) for one in judged)
    still = Counter(
        (one["scorer"], one["judgement"])
        for one in judged
        if (one["repository"], one["commit"], one["scorer"]) in found
    )
    head = ("scorer", "judged", "right", "still flagged", "wrong", "still flagged", "undecidable", "still flagged")
    kinds = [kind for kind in SCORERS if any(scorer == kind for scorer, _ in counts)]
    rows = []
    for kind in kinds:
        numbers = [number[kind, judgement] for judgement in _ORDER for number in (counts, still)]
        total = sum(count for (scorer, _), count in counts.items() if scorer == kind)
        rows.append((f"`{kind}`", str(total), *map(str, numbers)))
    return table(head, rows)


def differences(before: Sequence[Record], after: Sequence[Record]) -> Iterator[str]:
    """Flags that are new or gone, for the commits that both have."""
    common = _commits(before) & _commits(after)
    old, new = ({flag for flag in flags(records) if flag[:2] in common} for records in (before, after))
    for what, chosen in (("gone", old - new), ("new", new - old)):
        for repository, commit, kind in sorted(chosen):
            yield f"{what}: {repository} {commit[:10]} {kind}"


def _commits(records: Sequence[Record]) -> set[tuple[str, str]]:
    return {(one["repository"], one["commit"]) for one in records if "scorers" in one}


if __name__ == "__main__":
    sys.exit(main())
