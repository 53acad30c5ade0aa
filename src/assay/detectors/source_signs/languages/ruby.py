"""Ruby."""

from assay.detectors.source_signs.words import Words
from assay.detectors.test_code.word_sets import word_set

_EXIT = "<exit|exit!|Process.exit|Process.exit!|Kernel.exit|Kernel.exit!>"

WORDS = Words(
    equality=("<==|===|eql?|equal?>",),
    inequality=("!=",),
    environment=("^ENV.*", "^ENV.<fetch|key?|has_key?|include?>(*)", "^ENV.fetch(*,…)"),
    outside=("^<$0|$PROGRAM_NAME|$LOADED_FEATURES|$\">", "^__FILE__", "Process.argv0"),
    asks=(
        "defined?(<RSpec|Minitest|MiniTest|Test>)", "defined?(::<RSpec|Minitest|MiniTest|Test>)",
        "const_defined?(<RSpec|Minitest>)", "const_defined?(:<RSpec|Minitest>)", "defined?(Test::Unit*)",
    ),
    modes=("Rails.env.test?", "^<Sinatra.|>*.environment.test?"),
    stack=("^<Kernel.|><caller|caller_locations>",),
    clocks=("^<Time|Date|DateTime|Process>.<now|today|clock_gettime>",),
    freezes=("Timecop.<freeze|travel>", "Timecop.<freeze|travel>(*)", "<Time|Process|Date>.singleton_class"),
    exits=(f"^{_EXIT}", f"^{_EXIT}(0)", f"^{_EXIT}(true)", f"^{_EXIT}()"),
    at_end=("^at_exit", "after_run", "*.after(:suite)", "after(:suite)", "TracePoint.new(*)"),
    framework=(
        "^<RSpec|Minitest|Test>.**.<class_eval|prepend|send|define_method|alias_method|include|singleton_class>",
    ),
    results=("failure_exit_code", "dry_run"),
    changes=(
        "filter_run_excluding", "filter_run_excluding(*)", "exclusion_filter", "filter_run_including",
        "filter_run_including(*)", "set_exception(nil)", "failures.clear",
        "instance_variable_set(:@<exception|failures>*)",
        "instance_variable_set(:@<exception|failures>,…)", "instance_variable_set(@<exception|failures>*)",
    ),
    shadows=(
        "RSpec::<Core|Expectations|Matchers|Mocks>*", "Minitest::<Assertions|Test|Reporter*>", "MiniTest::*",
        "Test::Unit::*",
    ),
    assertions=("<assert|refute|expect|flunk>", "<assert|refute>_*"),
    exits_anywhere_in_tests=False,
    top_level_runs=True,
)  # fmt: skip

METHODS = word_set(
    "passed? failure failures to not_to to_not expect flunk handle_failure finish matches? exit_code exception"
)
"""Methods of a framework that decide about results, beside those that begin with assert, refute, run or report."""
