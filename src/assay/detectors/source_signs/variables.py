"""Variables of the environment that tell of a test run or of a CI, whatever the language."""

import re

from assay.detectors.test_code.word_sets import word_set

RUNNER_VARIABLES = re.compile(
    r"_?PYTEST(?:_\w*)?|UNITTEST_\w+|TOX_ENV_NAME|NOX_CURRENT_SESSION|JEST_WORKER_ID|VITEST(?:_(?:WORKER|POOL)_ID)?|"
    r"RUST_TEST_\w+|NEXTEST\w*|CARGO_TARGET_TMPDIR|VSTEST_\w+|DOTNET_TEST\w*|PHPUNIT_\w+|PEST_\w+|"
    r"XCTestConfigurationFilePath|XCTestBundlePath|XCTestSessionIdentifier|SWIFT_TESTING\w*|GO_TEST\w*"
)
"""Only a test runner sets these."""
RUNNER_NAMES = re.compile(
    r"org\.(?:junit|testng)\.\w[\w.]*|junit\.framework\.\w+|__(?:vitest|jest|mocha|jasmine|karma|playwright)_?\w*__|"
    r"(?:Xunit|NUnit\.Framework|Microsoft\.VisualStudio\.TestTools)[\w.]*|PHPUnit(?:\\{1,2}\w+)+|"
    r"RSpec::\w[\w:]*|Minitest::\w+|@(?:jest|vitest)/\w+|_called_from_test|_pytest_running|_running_under_pytest"
)
"""Classes, globals and modules of test runners, which are there only while tests run."""
CI_VARIABLES = word_set(
    "CI GITHUB_ACTIONS GITLAB_CI TRAVIS CIRCLECI BUILDKITE JENKINS_URL TEAMCITY_VERSION CONTINUOUS_INTEGRATION "
    "TF_BUILD APPVEYOR"
)
