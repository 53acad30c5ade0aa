"""Python."""

from assay.detectors.source_signs.words import Words
from assay.detectors.test_code.word_sets import word_set

_CLOCKS = "<time|time_ns|perf_counter|perf_counter_ns|monotonic|monotonic_ns|process_time|thread_time|sleep>"
_RUNNER = "<pytest|py.test|_pytest|unittest|nose|nose2|hypothesis|doctest|pluggy>"
_HARD = "^<os.|posix.|>_exit"
_POLITE = "^<sys.|builtins.|><exit|quit|SystemExit>"

WORDS = Words(
    equality=("__<eq|contains|instancecheck|subclasscheck>__",),
    inequality=("__ne__",),
    variables=("^<os.|><environ|environb|getenv>",),
    outside=("^<sys|os|psutil|importlib|multiprocessing>.*", "^__main__", "^globals"),
    asks=("<_called_from_test|_pytest_running|_running_under_pytest>",),
    stack=(
        "inspect.<stack|currentframe|getouterframes|trace>(*)",
        "sys.<_getframe|_current_frames|_getframemodulename>(*)",
        "traceback.<extract_stack|format_stack|walk_stack|print_stack>(*)",
        "f_back",
    ),
    clocks=(f"^time.{_CLOCKS}", "^datetime.<datetime|date>", "^timeit.default_timer"),
    freezes=("^freezegun.freeze_time(*)", "^time_machine.travel(*)"),
    exits=(
        f"{_HARD}(0)", f"{_HARD}(*.<EX_OK|OK>)", f"{_POLITE}()", f"{_POLITE}(0)", f"{_POLITE}(null)",
        f"{_POLITE}(*.<EX_OK|OK>)", "^pytest.exit(*returncode=0*)",
    ),
    hard_exits=(_HARD,),
    at_end=("^<@|>atexit.register",),
    exit_hooks=("^sys.<excepthook|exitfunc>",),
    framework=(
        f"^<sys.modules.|>{_RUNNER}.*",
        "^<xdist|numpy.testing|pandas.testing|torch.testing|django.test|twisted.trial|assertpy|testtools>.*",
        "^<numpy.allclose|numpy.isclose|math.isclose|operator.eq|operator.ne|sys.exit|os._exit>",
    ),
    shadows=(f"sys.modules.{_RUNNER}", f"sys.modules.{_RUNNER}.*"),
    setters=(
        "^<setattr|builtins.setattr|object.__setattr__|type.__setattr__>(*)", "monkeypatch.<setattr|delattr>(*)",
        "patch.object(*)",
    ),
    top_level_runs=True,
)  # fmt: skip

ALSO = word_set(
    "__eq__ __ne__ __contains__ __instancecheck__ __subclasscheck__ getattr vars __dict__ __import__ "
    "import_module modules builtins __builtins__ runtest runtestprotocol call_and_report fork exec eval compile "
    "marshal meta_path path_hooks settrace setprofile ANY SystemExit option"
)
"""Names that rules know by themselves."""
