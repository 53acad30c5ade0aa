"""The page with the formulas of the statistics, written by hand: what a formula is for is in no docstring."""

from collections.abc import Iterator


def statistics_page() -> Iterator[str]:
    yield _PAGE.strip()


_PAGE = """
# Statistics

The formulas behind `assay report`, `assay compare` and `assay power`. All are in `assay.stats`, as functions
over plain numbers. Below, *G* is the number of tasks, *n* that of attempts at a task, *N* that of all rewards,
*z* and *t* are quantiles of the normal distribution and of Student's t with *G* - 1 degrees of freedom for the
level (95 %).

## Mean of rewards (`means.clustered_mean`)

With the rewards *y* of task *g* and their mean *m* over all rewards, the residual of a task is *e_g* = Σ (*y* -
*m*), and the standard error is √(*G* / (*G* - 1) · Σ *e_g*²) / *N*. It is that of statsmodels and inspect with
the task as cluster.

| rewards | interval |
|---|---|
| all 0 or 1, each task all alike and equally often tried | Wilson with *G* |
| all 0 or 1 | Wilson with the effective number |
| near normal: squared skewness of *e_g* over *G* at most 0.03 | *m* ± *t* · standard error, within 0 to 1 |
| others from 0 to 1 | Wilson with the effective number |
| others, 8 to 500 tasks | studentized bootstrap of tasks, 999 resamples |
| others | *m* ± *t* · standard error |

A t interval of rewards that all lie between 0 and 1 is cut there.

The **effective number** is *m* (1 - *m*) / variance, at most *N* where rewards are 0 or 1, times (*z* / *t_d*)²
for the degrees of freedom *d* = 2 *G* / (κ - 1), where κ is the kurtosis of the *e_g*. At 0 and 1 the interval
is the exact one (Clopper and Pearson) for *G* trials.

## pass@k and pass^k (`passes.pass_curves`)

For each *k*, the mean over tasks with at least *k* attempts of 1 - C(*n*-*c*, *k*) / C(*n*, *k*) and of C(*c*,
*k*) / C(*n*, *k*), with *c* successes. The interval is Wilson's with the effective number from the variance
between tasks; it is at most the number that tasks of equal difficulty would give. Where every task's value is 0
or 1, it is Wilson's with *G*. A trial without a reward is a failed attempt, as in harbor.

## Broken trials (`bounds.bounds_of_mean`)

With *b* broken trials: from Σ *y* / (*N* + *b*) to (Σ *y* + *b*) / (*N* + *b*).

## Difference of two agents (`paired.paired_difference`)

For each common task, *d_g* is the difference of the mean rewards of its attempts. The difference is their mean.

| data | interval | test |
|---|---|---|
| one attempt each, all 0 or 1 | Bonett and Price | McNemar, exact |
| other rewards from 0 to 1 | as for a mean, of (*d_g* + 1) / 2 | paired permutation |
| all *d_g* equal | exact: the share of tasks that may differ | paired permutation |
| other rewards | as for a mean | paired permutation |

Bonett and Price: with *b* tasks on which the second agent is better and *w* on which it is worse, *p* = (*b* +
1) / (*G* + 2), *q* = (*w* + 1) / (*G* + 2): *p* - *q* ± *z* √((*p* + *q* - (*p* - *q*)²) / (*G* + 2)).

The permutation test counts the choices of signs of the *d_g* whose sum is at least as far from 0. It is exact
where *d_g* are multiples of a common step and the table of sums fits; else 9,999 choices are drawn; for more
than 2,000 differing tasks the sum is taken as normal with the variance Σ *d_g*².

The **smallest difference shown** is the standard error times (*t* + *t* of 80 %).

Several agents: Holm's correction of the p-values of all pairs. An agent's best rank is 1 plus the number of
agents that are shown to be better; its worst is the number of agents less those that are shown to be worse.

## Gate (`--fail-if-worse-than X`)

Worse if the upper end of the interval lies below -*X*; not worse if the lower end lies above -*X*; else
undecided.

## Noise (`noise.variance_parts`)

A reward is mean + task + attempt + verifier. The verifier's variance is that within runs that were graded
several times, the attempts' is the variance of run means within tasks less the verifier's share, the tasks' is
the variance of task means less the attempts' share. Negative estimates are 0. The interval with a steady
verifier is the one found, with the verifier's part taken out of the standard error. How flaky a verifier is:
the share of later gradings that differ from the first, with its exact interval.

## Power (`power`)

The variance of a difference is (ω² + σ² / *n*) / *G*: ω² between tasks, σ² of one attempt of either agent
together. From two jobs, σ² is the variance within tasks, and ω² that of *d_g* less its share. From one job with
correlation *r*, ω² is twice the tasks' variance times 1 - *r*. A difference δ is shown if (*t* + *t* of the
power) · √variance ≤ δ.

## Agreement (`agreement`, `corrected_rate`)

| measure | standard error |
|---|---|
| percent agreement | binomial |
| Cohen's kappa, unweighted, linear or quadratic | Fleiss, Cohen and Everitt |
| Fleiss' kappa | leaving out one item at a time |
| Krippendorff's alpha, nominal, ordinal or interval, with missing ratings | leaving out one item at a time |

All are (*u* - *e*) / (1 - *e*), with the observed agreement *u* and that by chance *e*. The standard error
gives an effective number of items, that Wilson's interval of *u*, and its ends those of the measure.

`corrected_rate` is the rate behind an imperfect judge's: (*p* + specificity - 1) / (sensitivity + specificity -
1), with the interval of Lang and Reiczigel.

## How sure is all that?

[How often intervals cover](../evidence/interval-coverage.md) has the measured shares. The tests compare with
scipy, statsmodels, scikit-learn and krippendorff, whose answers are recorded in `tests/data/stats`.
"""
