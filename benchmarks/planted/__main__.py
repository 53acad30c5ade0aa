"""Plant defects into the tasks of folders and say how many are found.

    python -m benchmarks.planted [--half seen|unseen] [--each N] [--missed] TASKS…

Tasks and ways to make each kind of mistake are split into two halves by hashes of their names: one to improve
rules with, and one to measure them.
"""

import argparse

from benchmarks.planted.recall import HALVES, by_half, clean_tasks, half, interval, planted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tasks", nargs="+", metavar="TASKS", help="folders with tasks in them")
    parser.add_argument("--half", choices=HALVES, default="unseen")
    parser.add_argument(
        "--each", type=int, default=2, metavar="N", help="plant each defect in N tasks (default: 2)"
    )
    parser.add_argument("--missed", action="store_true", help="also name the defects that aren't found")
    args = parser.parse_args()
    tasks = {name: files for name, files in clean_tasks(args.tasks).items() if half(name) == args.half}
    results = list(planted(tasks, by_half(args.half), args.each))
    print(f"{len(tasks)} clean tasks of the {args.half} half")
    for kind in [*dict.fromkeys(result.defect.kind for result in results), None]:
        own = [result for result in results if kind in (None, result.defect.kind)]
        found = sum(result.is_found for result in own)
        ways = len({(result.defect.kind, result.defect.name) for result in own})
        low, high = interval(found * ways / len(own), ways)
        print(f"{kind or 'all'}: {found} of {len(own)} found, {ways} ways, {100 * low:.0f} to {100 * high:.0f} %")
    for result in results:
        if args.missed and not result.is_found:
            print(f"missed: {result.defect.kind}: {result.defect.name} in {result.task}")


main()
