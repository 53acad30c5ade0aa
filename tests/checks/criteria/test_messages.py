"""Messages and responses of many kinds, looked at through the checks: what each path finds, and nothing else."""

from typing import Any

import pytest

from assay.core.outcome import Scored
from assay.engine.criteria.complete_run import check_of
from assay.formats.field_rules.values import Plain
from tests.checks.criteria.fake_state import FakeState, hl7, x12

HEAD = "MSH|^~\\&|A|B|C|D|20260301||ADT^A04^ADT_A01|7|P|2.5"
ISA = "ISA*00*          *00*          *ZZ*S              *ZZ*R              *260301*1200*^*00501*{:09}*0*P*:~"
CLAIMS = (
    "GS*HN*S*R*20260301*1200*1*X*005010X214~ST*277*0001*005010X214~BHT*0085*08*1*20260301*1200*TH~HL*1**20*1~"
    "NM1*PR*2*PAYER*****PI*1~TRN*1*A~DTP*050*D8*20260301~HL*2*1*21*1~NM1*41*2*CLEAR*****46*S~TRN*2*B~"
    "STC*A1:19:PR*20260301*WQ*100~QTY*90*1~HL*3*2*19*1~NM1*85*2*DOC*****XX*1~HL*4*3*PT~NM1*QC*1*DOE*J~TRN*2*C1~"
    "STC*A2:20:PR~REF*1K*CL1~SVC*HC:99213*100~STC*A3:21~HL*5*3*PT~NM1*QC*1*ROE*K~TRN*2*C2~STC*A7:562:85~"
    "SE*25*0001~GE*1*1~IEA*1*000000001~"
)
ACKNOWLEDGED = (
    "GS*FA*S*R*20260301*1200*1*X*005010X231A1~ST*999*0001*005010X231A1~AK1*HC*1*005010X222A1~AK2*837*0001~"
    "IK3*NM1*8*2010AA*8~CTX*CLM01:123~IK4*9*67*7*X~CTX*CLM01:9~IK3*CLM*9**8~IK5*R*5~AK2*837*0002~IK5*A~"
    "AK9*P*2*2*1~SE*13*0001~GE*1*1~IEA*1*000000001~"
)
PAID = (
    "GS*HP*S*R*20260301*1200*1*X*005010X221A1~ST*835*0001~BPR*I*132*C*CHK~TRN*1*12345*1512345678~N1*PR*PAYER~"
    "N1*PE*DOC*XX*1~LX*1~CLP*C1*1*100*80*20*12*P1~CAS*PR*1*20**2*5*1~NM1*QC*1*DOE*J~SVC*HC:99213:25*100*80~"
    "CAS*CO*45*20~CAS*PR*3*5~LQ*HE*M25~CLP*C2*4*50*0**12~SVC*HC:99214*50*0~CAS*CO*97*50~PLB*1*20261231*WO:X*-10~"
    "SE*18*0001~GE*1*1~IEA*1*000000001~"
)
REVIEWED = (
    "GS*HI*S*R*20260301*1200*1*X*005010X217~ST*278*0001*005010X217~BHT*0007*11*1*20260301*1200~HL*1**20*1~"
    "NM1*X3*2*PAYER*****PI*1~HL*2*1*21*1~NM1*1P*2*DOC*****XX*1~HL*3*2*22*1~NM1*IL*1*DOE*J****MI*M1~HL*4*3*EV*1~"
    "TRN*2*T1*9X~UM*HS*I*3~HCR*A1*AUTH1~HL*5*4*SS*0~HCR*A3**0V~SV1*HC:99213*100~SE*16*0001~GE*1*1~"
    "IEA*1*000000001~"
)


def shown(assertion: dict[str, Any], state: FakeState, path: str) -> Plain:
    """What evidence shows as found at a path; "absent" where there is nothing."""
    rule = {"path": path, "operator": "exists"}
    answer = check_of({**assertion, "fields": [rule]}, {}).run(state)
    assert isinstance(answer, Scored)
    [row] = next(rows for rows in answer.evidence.values() if isinstance(rows, list) and rows)
    actual: Plain = "absent" if row.get("absent") else row["actual"]
    return actual


@pytest.mark.parametrize(
    ("text", "path", "found"),
    [
        (f"{HEAD}\rPID|1||a\\F\\b\\S\\c\\R\\d\\E\\e\\T\\f", "PID-3", "a|b^c~d\\e&f"),
        (f"{HEAD}\rPID|1||\\X41\\\\X4243\\\\.br\\\\H\\x\\N\\", "PID-3", "ABC\nx"),
        (f"{HEAD}\rPID|1||\\X4\\ \\XZZ\\ \\Z01\\ \\C2842\\", "PID-3", "\\X4\\ \\XZZ\\ \\Z01\\ \\C2842\\"),
        (f"{HEAD}\rPID|1||a&b^c~d", "PID-3", "a&b^c"),
        (f"{HEAD}\rPID|1||a&b^c~d", "PID-3.1", "a&b"),
        (f"{HEAD}\rPID|1||a&b^c~d", "PID-3.1.2", "b"),
        (f"{HEAD}\rPID|1||a&b^c~d", "PID-3[2].1", "d"),
        (f"{HEAD}\rPID|1||a&b^c~d", "PID-3[*].1", ["a&b", "d"]),
        (f"{HEAD}\rPID|1||a&b^c~d", "PID-3[3].1", "absent"),
        (f"{HEAD}\rPID|1||a", "PID-3.2", "absent"),
        (f"{HEAD}\rPID|1||a", "PID-4", "absent"),
        (f"{HEAD}\rPID|1|||b", "PID-3", ""),
        (f'{HEAD}\rPID|1||""', "PID-3", None),
        (f'{HEAD}\rPID|1||""', "PID-3.1", None),
        (f'{HEAD}\rPID|1||""^b', "PID-3", '""^b'),
        (f"{HEAD}\rPID|1\rZPI|x|y^z&w", "ZPI-2.2.2", "w"),
        (f"{HEAD}\nPID|1\nOBX|1||3^a\nOBX|2||4^b\n\n", "OBX[*]-3.1", ["3", "4"]),
        (f"{HEAD}\r\nOBX|1||3^a\r\nOBX|2||4^b\r\n", "OBX[3.2=b]-1", "2"),
        (f"{HEAD}\rOBX|1||3~4\rOBX|2||4", "OBX[3=4]-1", ["1", "2"]),
        (f"{HEAD}\rOBX|1||3~4\rOBX|2||4", "OBX[3=4][2]-1", "2"),
        (f"{HEAD}\rOBX|1||3~4\rOBX|2||4", "OBX[3]-1", "absent"),
        (f"{HEAD}\rOBX|1|TX|||one\ntwo|F\rNTE|1", "OBX-5", "one\ntwo"),
        (f"\x0b{HEAD}\rPID|1||x\r\x1c\r", "PID-3", "x"),
        (f"\ufeff{HEAD}\rPID|1||x", "PID-3", "x"),
        ("MSH^~|\\&^A\rPID^1^^x~y|z~w", "PID-3", "x^y"),
        ("MSH^~|\\&^A\rPID^1^^x~y|z~w", "PID-3[2].2", "w"),
        ("MSH|^~|A\rPID|1||a\\F\\b&c", "PID-3.1", "a\\F\\b&c"),
        ("MSH|^~\\&#|A\rPID|1||a\\P\\b", "PID-3", "a#b"),
        (HEAD, "MSH-1", "|"),
        (HEAD, "MSH-2", "^~\\&"),
        (HEAD, "MSH-9.2", "A04"),
        ("MSH|^~\\&", "MSH-9", "absent"),
    ],
)
def test_what_is_found_in_a_message(text: str, path: str, found: Plain) -> None:
    assert shown({"assert": "hl7-structural"}, FakeState(hl7=hl7(text)), path) == found


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (f"{HEAD}||||||UNICODE UTF-8\rPID|1||Müller".encode(), "Müller"),
        (f"{HEAD}||||||8859/1\rPID|1||Müller".encode("latin-1"), "Müller"),
        (f"{HEAD}||||||8859/15\rPID|1||5 €".encode("iso-8859-15"), "5 €"),
        (f"{HEAD}\rPID|1||Müller".encode(), "Müller"),
        (f"{HEAD}\rPID|1||Müller".encode("latin-1"), "Müller"),
        (f"{HEAD}||||||ASCII\rPID|1||Müller".encode(), "Müller"),
        (f"{HEAD}||||||UNICODE UTF-8\rPID|1||M\\XC3BC\\ller".encode(), "Müller"),
        (f"{HEAD}||||||8859/1\rPID|1||M\\XFC\\ller".encode(), "Müller"),
        (f"{HEAD}\rPID|1||Müller".encode("utf-16"), "Müller"),
    ],
)
def test_characters_of_a_message(data: bytes, found: str) -> None:
    events = [type(one)(one.id, one.type, data, one.at) for one in hl7("")]
    assert shown({"assert": "hl7-structural"}, FakeState(hl7=events), "PID-3") == found


@pytest.mark.parametrize("text", ["", "MSH", "MSH|", "MSH|\rPID|1", "msh|^~\\&|A", "MSH||||", "PID|1", "\x00\xff"])
def test_what_is_no_message_is_evidence(text: str) -> None:
    answer = check_of({"assert": "hl7-structural", "segments": {"PID": 0}}, {}).run(FakeState(hl7=hl7(text)))
    assert isinstance(answer, Scored)
    assert (answer.score, answer.passed) == (0.0, False)
    assert "line 1: " in str(answer.evidence["unreadable"])


def test_messages_of_a_batch_are_looked_at_one_by_one() -> None:
    batch = f"FHS|^~\\&|F\rBHS|^~\\&|B\r{HEAD}\rPID|1||a\r{HEAD.replace('A04', 'A08')}\rPID|1||b\rBTS|2\rFTS|1\r"
    assertion = {"assert": "hl7-structural", "message_type": "ADT^A08", "segments": {"PID": 1}}
    answer = check_of({**assertion, "fields": [{"path": "PID-3", "expected": "b"}]}, {}).run(
        FakeState(hl7=hl7(batch))
    )
    assert isinstance(answer, Scored)
    assert answer.passed
    assert answer.evidence["field_results"] == [
        {"path": "PID-3", "expected": "b", "actual": "b", "passed": True},
        {"path": "PID", "expected": 1, "actual": 1, "passed": True, "operator": "count"},
    ]


@pytest.mark.parametrize(
    ("text", "path", "found"),
    [
        (CLAIMS, "2200D/TRN02", ["C1", "C2"]),
        (CLAIMS, "2200D/STC01-1", ["A2", "A7"]),
        (CLAIMS, "2200D/STC[01-1=A7]01-2", "562"),
        (CLAIMS, "2220D/STC01", "A3:21"),
        (CLAIMS, "2000D[2]/2200D/TRN02", "C2"),
        (CLAIMS, "2200B/STC.1.3", "PR"),
        (CLAIMS, "STC01-1", ["A1", "A2", "A3", "A7"]),
        (ACKNOWLEDGED, "2100/IK3[01=NM1]03", "2010AA"),
        (ACKNOWLEDGED, "2100/CTX01-2", "123"),
        (ACKNOWLEDGED, "2110/CTX01-2", "9"),
        (ACKNOWLEDGED, "2110/IK4[01=9]03", "7"),
        (ACKNOWLEDGED, "2000[2]/IK501", "A"),
        (ACKNOWLEDGED, "IK3[2]03", ""),
        (ACKNOWLEDGED, "AK9-1", "P"),
        (PAID, "2100/CLP[01=C1]04", "80"),
        (PAID, "2100/CAS[01=PR]03", "20"),
        (PAID, "2100/CAS04", ""),
        (PAID, "2110/CAS[01=CO]03", ["20", "50"]),
        (PAID, "2100[2]/2110/CAS03", "50"),
        (PAID, "2110/SVC[01-2=99213]02", "100"),
        (PAID, "2110/SVC01-3", "25"),
        (PAID, "1000A/N102", "PAYER"),
        (PAID, "SET/PLB03-1", "WO"),
        (PAID, "CLP09", "absent"),
        (REVIEWED, "2000E/HCR02", "AUTH1"),
        (REVIEWED, "2000F/HCR[01=A3]03", "0V"),
        (REVIEWED, "2000E/TRN02", "T1"),
        (REVIEWED, "2010C/NM109", "M1"),
    ],
)
@pytest.mark.parametrize("written", ["as it is", "lines", "other separators"])
def test_what_is_found_in_a_response(text: str, path: str, found: Plain, written: str) -> None:
    whole = ISA.format(1) + text
    if written == "lines":
        whole = whole.replace("~", "~\r\n") + "\r\n\r\n"
    if written == "other separators":
        whole = whole.translate(str.maketrans("*:^~", "|>!\n"))
        found = found.replace(":", ">") if isinstance(found, str) else found
    assert shown({"assert": "x12-response"}, FakeState(x12=x12(whole)), path) == found


@pytest.mark.parametrize(
    ("transaction_set", "text", "passed"),
    [
        ("277", CLAIMS, True),
        ("277CA", CLAIMS, True),
        ("277CA", CLAIMS.replace("X214", "X212").replace("*0085*", "*0010*"), False),
        ("278", REVIEWED, True),
        ("271", REVIEWED, False),
    ],
)
def test_which_set_is_meant(transaction_set: str, text: str, passed: bool) -> None:
    rule = {"path": "ST02", "expected": "0001"}
    check = check_of({"assert": "x12-response", "transaction_set": transaction_set, "fields": [rule]}, {})
    answer = check.run(FakeState(x12=x12(ISA.format(1) + text)))
    assert isinstance(answer, Scored)
    assert answer.passed is passed


REFUSED = "TA1*000000007*250601*1200*R*006~IEA*0*000000001~"


@pytest.mark.parametrize(
    ("asked", "text", "passed"),
    [
        ({"transaction_set": "TA1", "path": "TA104", "expected": "R"}, REFUSED, True),
        ({"transaction_set": "TA1", "path": "TA104", "expected": "A"}, REFUSED, False),
        ({"path": "TA105", "expected": "006", "correlate_by": {"TA101": "000000007"}}, REFUSED, True),
        ({"path": "TA105", "expected": "006", "correlate_by": {"TA101": "000000008"}}, REFUSED, False),
        ({"transaction_set": "271", "path": "TA104", "expected": "R"}, REFUSED, False),
        ({"path": "EB01", "operator": "notExists"}, REFUSED, False),
        ({"transaction_set": "TA1", "path": "TA104", "operator": "exists"}, CLAIMS, False),
        ({"transaction_set": "277", "path": "TA104", "expected": "R"}, REFUSED.partition("IEA")[0] + CLAIMS, True),
    ],
)
def test_an_interchange_that_only_acknowledges_another(asked: dict[str, Any], text: str, passed: bool) -> None:
    which = {name: value for name, value in asked.items() if name in ("transaction_set", "correlate_by")}
    rule = {name: value for name, value in asked.items() if name not in which}
    answer = check_of({"assert": "x12-response", **which, "fields": [rule]}, {}).run(
        FakeState(x12=x12(ISA.format(1) + text))
    )
    assert isinstance(answer, Scored)
    assert answer.passed is passed


@pytest.mark.parametrize("written", ["271 ", "27", "eligibility", "277ca", ""])
def test_a_transaction_set_that_is_none(written: str) -> None:
    with pytest.raises(ValueError, match="three digits, such as 271, or 277CA"):
        check_of({"assert": "x12-response", "transaction_set": written, "envelope": True}, {})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (CLAIMS, None),
        (CLAIMS.replace("SE*25", "SE*24"), "SE01 is 24, but the number of segments from ST to SE is 25"),
        (CLAIMS.replace("SE*25*0001", "SE*25*0002"), "ST02 is '0001', but SE02 is '0002'"),
        (CLAIMS.replace("GE*1*1", "GE*2*1"), "GE01 is 2"),
        (CLAIMS.replace("GE*1*1", "GE*1*7"), "GS06 is '1', but GE02 is '7'"),
        (CLAIMS.replace("IEA*1*000000001", "IEA*1*2"), "ISA13 is '000000001', but IEA02 is '2'"),
        (CLAIMS.replace("IEA*1*000000001", "IEA*1*1"), None),
        (CLAIMS.replace("SE*25*0001~", ""), "has no SE"),
        (CLAIMS.partition("GE*")[0], "the interchange has no IEA"),
        (CLAIMS.replace("DOE", "D\nOE"), None),
        (CLAIMS.replace("DOE", "DÖE"), None),
        (CLAIMS + ISA.format(2) + PAID.replace("SE*18", "SE*1").replace("000000001", "000000002"), None),
    ],
)
def test_the_envelopes_around_the_set_that_is_meant(text: str, says: str | None) -> None:
    check = check_of({"assert": "x12-response", "envelope": True, "correlate_by": {"ST01": "277"}}, {})
    data = (ISA.format(1) + text).encode("latin-1")
    events = [type(one)(one.id, one.type, data, one.at) for one in x12("")]
    answer = check.run(FakeState(x12=events))
    assert isinstance(answer, Scored)
    assert answer.passed is (says is None)
    assert says is None or says in str(answer.evidence["findings"])


HL7_TWICE = [f"{HEAD}\rPID|1||1^^^H^MR||DOE\r", f"{HEAD}\rPID|1||1^^^H^MR||ROE\r"]
X12_TWICE = [ISA.format(1) + CLAIMS, ISA.format(1) + CLAIMS.replace("A2:20", "A1:20")]
NAME = {"fields": [{"path": "PID.5.1", "expected": "DOE"}]}
STATUS = {"fields": [{"path": "STC01-1", "expected": "A2"}]}


@pytest.mark.parametrize(
    ("cardinality", "rules", "sent", "says"),
    [
        (None, True, 2, None),
        ({"max": 1}, True, 2, "2 of the"),
        ({"max": 1}, True, 1, None),
        ({"min": 2}, True, 1, "1 of the"),
        ({"min": 0, "max": 0}, False, 0, None),
        ({"min": 0, "max": 0}, False, 1, "1 of the"),
        ({"min": 0, "max": 1}, True, 0, "there are no "),
        ({"min": 1}, False, 0, "0 of the"),
        ({"min": 2, "max": 2}, False, 2, None),
    ],
)
@pytest.mark.parametrize("kind", ["hl7-structural", "x12-response"])
def test_how_many_may_be_meant(
    kind: str, cardinality: dict[str, int] | None, rules: bool, sent: int, says: str | None
) -> None:
    asked: dict[str, Any] = {"assert": kind, **({"cardinality": cardinality} if cardinality else {})}
    asked |= (NAME if kind == "hl7-structural" else STATUS) if rules else {}
    state = FakeState(hl7=hl7(*HL7_TWICE[:sent]), x12=x12(*X12_TWICE[:sent]))
    answer = check_of(asked, {}).run(state)
    assert isinstance(answer, Scored)
    assert (answer.passed, says is None or says in answer.summary) == (says is None, True)


@pytest.mark.parametrize(("cardinality", "passed"), [({"max": 1}, False), ({"min": 1}, True)])
@pytest.mark.parametrize("kind", ["hl7-structural", "x12-response"])
def test_what_can_not_be_read_may_be_one_too_many(kind: str, cardinality: dict[str, int], passed: bool) -> None:
    state = FakeState(hl7=hl7(HL7_TWICE[0], "junk"), x12=x12(X12_TWICE[0], "junk"))
    answer = check_of({"assert": kind, "cardinality": cardinality}, {}).run(state)
    assert isinstance(answer, Scored)
    assert answer.passed is passed


@pytest.mark.parametrize(
    ("text", "numbers", "strict"),
    [
        (ISA.format(1) + PAID, True, True),
        (ISA.format(1) + PAID.replace("SE*18", "SE*17"), False, False),
        (ISA.format(1) + PAID.replace("GE*1*1", "GE*1*2"), False, False),
        (ISA.format(1) + PAID.replace("IEA*1*000000001~", ""), False, False),
        (ISA.format(1).replace("S              *", "S*") + PAID, True, False),
        (ISA.format(1) + PAID + "JUNK*1~", True, False),
        ("junk" + ISA.format(1) + PAID, True, False),
    ],
)
def test_envelopes_by_their_numbers_and_by_their_form(text: str, numbers: bool, strict: bool) -> None:
    for envelope, holds in (("numbers", numbers), (True, numbers), ("strict", strict)):
        answer = check_of({"assert": "x12-response", "envelope": envelope}, {}).run(FakeState(x12=x12(text)))
        assert isinstance(answer, Scored)
        assert answer.passed is holds


def test_kinds_of_a_claim() -> None:
    claim = "GS*HC*S*R*20260301*1200*1*X*{0}~ST*837*0001*{0}~BHT*0019*00*7~SE*3*0001~GE*1*1~IEA*1*000000001~"
    state = FakeState(x12=x12(ISA.format(1) + claim.format("005010X223A2")))
    for kind, holds in (("837", True), ("837I", True), ("837P", False)):
        rules = [{"path": "BHT03", "expected": "7"}]
        answer = check_of({"assert": "x12-response", "transaction_set": kind, "fields": rules}, {}).run(state)
        assert isinstance(answer, Scored)
        assert answer.passed is holds
