"""The estimators of repeated attempts: pass@k (at least one of k succeeds) and pass^k (all k succeed)."""


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """The unbiased estimate that at least one of ``k`` attempts succeeds, from ``c`` successes in ``n``.

    None if ``n < k``, which is too few attempts. The order of operations is harbor's, because another order gives
    other last bits: (5, 1, 2) is 0.3999999999999999.
    """
    _validate(n, c, k)
    return None if n < k else chance_of_a_success(n, c, k)


def chance_of_a_success(n: int, c: int, k: int) -> float:
    """The estimate without a check that ``n`` is large enough; ``n - c < k`` is a certain success."""
    if n - c < k:
        return 1.0
    all_fail = 1.0
    for i in range(k):
        all_fail *= (n - c - i) / (n - i)
    return 1.0 - all_fail


def pass_hat_k(n: int, c: int, k: int) -> float | None:
    """The unbiased estimate that all of ``k`` attempts succeed. None if ``n < k``."""
    _validate(n, c, k)
    if n < k:
        return None
    all_pass = 1.0
    for i in range(k):
        all_pass *= max(c - i, 0) / (n - i)
    return all_pass


def _validate(n: int, c: int, k: int) -> None:
    if not 0 <= c <= n:
        raise ValueError(f"successes must be from 0 to the number of attempts ({n}), got {c}")
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
