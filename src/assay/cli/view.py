"""Look at a job in the browser: its numbers with their denominators, a strip of attempts for each task, every run.

JOB is a job folder, or a folder of terminal-bench results. 'assay view JOB' prints an address of this machine that
only you know, and serves the pages until Ctrl-C. With -o, everything is written to one HTML file that needs
nothing else, to send to somebody (up to 500 runs).

Exit codes: 0 all is well, 2 the job can't be read.
"""

import argparse
import webbrowser

from assay.adapters.atomic_write import write_text
from assay.cli.arguments import port_number
from assay.cli.read_jobs import read_results
from assay.core.errors import InputError
from assay.engine.report import Question, report_job


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("job", metavar="JOB", help="a job folder")
    parser.add_argument("-o", "--output", metavar="FILE", help="write one HTML file instead of serving pages")
    parser.add_argument("--port", type=port_number, default=0, metavar="N", help="port to serve at (default: any)")
    parser.add_argument("--open", action="store_true", help="open the address in the browser")


def run(args: argparse.Namespace) -> int:
    try:
        from assay.web.viewing import pages_of, serve  # noqa: PLC0415 - help needs no pages
    except ImportError as error:
        raise InputError(f"pages need {error.name or 'more packages'}: install assay[view]") from error
    results = read_results(args.job)
    report = report_job(results.job, Question(by="trial"), results.histories, results.regrades)
    if args.output is not None:
        try:
            write_text(args.output, pages_of(report, results.histories, args.job).one_file())
        except OSError as error:
            raise InputError(f"the page can't be written to {args.output}: {error.strerror}") from error
        print(f"wrote {args.output}")
        return 0
    server = serve(report, results.histories, args.job, args.port)
    print(f"{server.address}\nCtrl-C ends it", flush=True)
    if args.open:
        webbrowser.open(server.address)
    try:
        server.serve()
    except KeyboardInterrupt:
        return 0
    return 0
