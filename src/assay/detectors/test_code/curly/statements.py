"""Kinds of statements that the grammars of Java and C# call the same."""

STATEMENTS = frozenset(
    {
        "block",
        "if_statement",
        "while_statement",
        "do_statement",
        "for_statement",
        "try_statement",
        "finally_clause",
        "labeled_statement",
        "return_statement",
        "throw_statement",
        "break_statement",
        "continue_statement",
        "yield_statement",
        "expression_statement",
    }
)
IFS = frozenset({"if_statement"})
LOOPS = frozenset({"while_statement", "for_statement"})
PASSING = frozenset({"do_statement", "labeled_statement", "finally_clause"})
ENDS = frozenset({"return_statement", "throw_statement"})
CALLS = frozenset({"expression_statement"})
