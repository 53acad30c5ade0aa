"""What assertions in Go demand."""

from assay.detectors.test_code.model import Strength

VACUOUS, PRESENCE, SHAPE, CLOSE, EXACT = Strength

DEMANDS = [
    ("if got != 3 { t.Errorf(x) }", EXACT, "got", "3"),
    ("if got := f(1, 2); got != 3 { t.Fatalf(x) }", EXACT, "f(1, 2)", "3"),
    ("if 3 != got { t.Fail() }", EXACT, "got", "3"),
    ("if got == 3 { ok() } else { t.Error(x) }", EXACT, "got", "3"),
    ("if len(got) != 3 { t.FailNow() }", SHAPE, "got", "len 3"),
    ("if !reflect.DeepEqual(got, want) { t.Error(x) }", EXACT, "got", "want"),
    ("if !bytes.Equal(got, want) { t.Error(x) }", EXACT, "got", "want"),
    ("if bytes.Compare(got, want) != 0 { t.Error(x) }", EXACT, "got", "want"),
    ("if bytes.Compare(got, want) > 0 { t.Error(x) }", SHAPE, "bytes.Compare(got, want)", "<= 0"),
    ('if diff := cmp.Diff(want, got); diff != "" { t.Error(diff) }', EXACT, "got", "want"),
    ("if !errors.Is(err, ErrGone) { t.Error(x) }", EXACT, "err", "ErrGone"),
    ("if got < 3 { t.Error(x) }", SHAPE, "got", ">= 3"),
    ("if !strings.Contains(got, sub) { t.Error(x) }", SHAPE, "got", "contain(sub)"),
    ("if err == nil { t.Error(x) }", SHAPE, "err", "not nil"),
    ("if err != nil { t.Fatal(err) }", PRESENCE, "err", "nil"),
    ("if got == nil { t.Fatal(x) }", PRESENCE, "got", "not nil"),
    ("if !ok { t.Fatal(x) }", EXACT, "ok", "true"),
    ("if false { t.Fatal(x) }", VACUOUS, "false", "false"),
    ("if got != got { t.Fatal(x) }", VACUOUS, "got != got", "false"),
    ("if len(got) < 0 { t.Fatal(x) }", VACUOUS, "len(got) < 0", "false"),
    ("assert.Equal(t, 3, got)", EXACT, "got", "3"),
    ('assert.Equalf(t, 3, got, "why %d", 1)', EXACT, "got", "3"),
    ("require.NoError(t, err)", PRESENCE, "err", "nil"),
    ("assert.NotNil(t, got)", PRESENCE, "got", "not nil"),
    ("assert.Nil(t, err)", PRESENCE, "err", "nil"),
    ("assert.Nil(t, got)", EXACT, "got", "nil"),
    ("assert.Contains(t, got, 3)", SHAPE, "got", "contain(3)"),
    ("assert.Len(t, got, 3)", SHAPE, "got", "len 3"),
    ("assert.Error(t, err)", SHAPE, "err", None),
    ("assert.ErrorIs(t, err, ErrGone)", EXACT, "err", "ErrGone"),
    ("assert.True(t, got == 3)", EXACT, "got", "3"),
    ("assert.True(t, ok)", EXACT, "ok", "true"),
    ("assert.True(t, true)", VACUOUS, "true", "true"),
    ("assert.Equal(t, got, got)", VACUOUS, "got", "got"),
    ("assert.Equal(t, 1, 1)", VACUOUS, "1", "1"),
    ("assert.GreaterOrEqual(t, len(got), 0)", VACUOUS, "len(got)", ">= 0"),
    ("is := assert.New(t)\nis.Equal(3, got)", EXACT, "got", "3"),
    ("check := require.New(t)\ncheck.Equal(3, got)", EXACT, "got", "3"),
    ("Expect(got).To(Equal(3))", EXACT, "got", "3"),
    ("g.Expect(got).To(gomega.Equal(3))", EXACT, "got", "3"),
    ("Expect(err).NotTo(HaveOccurred())", PRESENCE, "err", "no error"),
    ("Expect(got).NotTo(BeNil())", PRESENCE, "got", "not nil"),
    ("Expect(got).To(HaveLen(3))", SHAPE, "got", "len 3"),
    ("Expect(got)", VACUOUS, "got", None),
    ("Expect(true).To(BeTrue())", VACUOUS, "true", "true"),
    ("c.Assert(got, qt.Equals, 3)", EXACT, "got", "3"),
    ("checkTotal(t, got, 3)", SHAPE, "got", "3"),
]

TOLERANCES = [
    ("assert.InDelta(t, 3.0, got, 0.01)", 0.01),
    ("assert.InEpsilon(t, 3.0, got, 0.5)", 0.5),
    ("if math.Abs(got-want) > 1e-9 { t.Error() }", 1e-09),
    ('Expect(got).To(BeNumerically("~", 3, 0.1))', 0.1),
]

SAME_TEXT = [
    ("assert.Equal(t, 3, got)", "assert.Equal(\n\tt,\n\t3,\n\tgot,\n)"),
    ('assert.Equal(t, "a", got)', "assert.Equal(t, `a`, got)"),
    ("assert.Equal(t, []int{1, 2}, got)", "assert.Equal(t, []int{\n1,\n2,\n}, got)"),
    ("if got != 3 { t.Error(x) }", "if (got) != (3) {\n\t// told\n\tt.Error(x)\n}"),
    ("if got != 3 { t.Error(x) }", 'if got != 3 {\n\tt.Fatalf("other words")\n}'),
]
