"""The words of Ginkgo."""

from dataclasses import dataclass

from assay.detectors.test_code.calls import Names
from assay.detectors.test_code.scopes import Role

_ROLES = {
    **dict.fromkeys(("Describe", "Context", "When", "DescribeTable"), Role.SUITE),
    **dict.fromkeys(("It", "Specify", "Entry"), Role.TEST),
    **dict.fromkeys(
        ("BeforeEach", "AfterEach", "JustBeforeEach", "JustAfterEach", "BeforeSuite", "AfterSuite"), Role.HOOK
    ),
    **dict.fromkeys(("BeforeAll", "AfterAll", "DeferCleanup"), Role.HOOK),
}


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a call declares, and whether its word has the P, X or F in front."""

    role: Role
    pending: bool = False
    focused: bool = False


def declaration(names: Names) -> Declaration | None:
    """What a call of these names declares, if anything."""
    if not names or len(names) > 2 or (len(names) == 2 and names[0] != "ginkgo"):
        return None
    word = names[-1]
    if word in _ROLES:
        return Declaration(_ROLES[word])
    if word[0] in "PXF" and word[1:] in _ROLES and _ROLES[word[1:]] is not Role.HOOK:
        return Declaration(_ROLES[word[1:]], pending=word[0] in "PX", focused=word[0] == "F")
    return None
