# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Statistics of paired measurements: a value and its reference, run by run.

The logarithms of the ratios go through Wilcoxon's signed-rank test. Its p-value, the interval of the
ratio at 95 % and the estimate (Hodges and Lehmann) belong together, need no normal distribution and
tolerate a disturbed run. The effect size is Cohen's d, as in other publications.
"""

import math
import statistics

LEVEL = 0.95
EXACT = 40      # longer samples use the normal approximation
LIMIT = 1.02    # a ratio above it is missed, whatever its interval
WIDE = 1.05     # an interval that reaches beyond it does not show that a goal is met


def rank_sum_counts(n):
    """How many of the 2**n choices of signs give each sum of positive ranks."""
    counts = [1]
    for rank in range(1, n + 1):
        wider = counts + [0] * rank
        for total, number in enumerate(counts):
            wider[total + rank] += number
        counts = wider
    return counts


def p_value(differences):
    """Two-sided, of Wilcoxon's signed-rank test; 1 where nothing differs."""
    ordered = sorted((d for d in differences if d != 0), key=abs)
    n = len(ordered)
    if n == 0:
        return 1.0
    ranks = {}
    for position, d in enumerate(ordered, 1):
        ranks.setdefault(abs(d), []).append(position)
    positive = sum(statistics.mean(ranks[abs(d)]) for d in ordered if d > 0)
    low = min(positive, n * (n + 1) / 2 - positive)
    if n <= EXACT:
        counts = rank_sum_counts(n)
        return min(1.0, 2 * sum(counts[:math.floor(low) + 1]) / 2 ** n)
    spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return min(1.0, 2 * statistics.NormalDist().cdf((low + 0.5 - n * (n + 1) / 4) / spread))


def critical_value(n, level):
    """Number of the ordered averages of pairs that are outside of the interval on each side."""
    tail = (1 - level) / 2
    if n > EXACT:
        spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return max(0, math.floor(n * (n + 1) / 4 + statistics.NormalDist().inv_cdf(tail) * spread))
    outside, total = 0, 0
    for number in rank_sum_counts(n):
        total += number / 2 ** n
        if total > tail:
            break
        outside += 1
    return outside


def interval(differences, level=LEVEL):
    """(estimate, low, high) of the center of the differences. With less than 6 the interval does not
    have the level of 95 %."""
    n = len(differences)
    averages = sorted((differences[i] + differences[j]) / 2 for i in range(n) for j in range(i, n))
    outside = max(0, critical_value(n, level) - 1)
    return statistics.median(averages), averages[outside], averages[len(averages) - 1 - outside]


def effect_size(values, references):
    """Cohen's d: difference of the means in standard deviations."""
    if len(values) < 2 or len(references) < 2:
        return 0.0
    spread = math.sqrt((statistics.variance(values) + statistics.variance(references)) / 2)
    difference = statistics.mean(values) - statistics.mean(references)
    return difference / spread if spread > 0 else 0.0


def compare(values, references, level=LEVEL):
    """Statistics of values that were measured alternately with references."""
    differences = [math.log(value / reference) for value, reference in zip(values, references)]
    estimate, low, high = interval(differences, level)
    return {
        "pairs": len(differences),
        "median": statistics.median(values),
        "reference": statistics.median(references),
        "ratio": math.exp(estimate),
        "low": math.exp(low),
        "high": math.exp(high),
        "p": p_value(differences),
        "d": effect_size(values, references),
    }


def verdict(one):
    """Is a time, compared with its reference, the same? Every comparison is judged by itself: with
    many at once, a correction would let a slower one pass. Figures count as they are printed."""
    if round(one["low"], 3) > 1 or round(one["ratio"], 3) > LIMIT:
        return "missed"
    return "met" if one["high"] <= WIDE else "unclear"


def line(points):
    """(slope, intercept, worst residual as a part of the value) of the line through {x: y} that
    least squares of relative errors give."""
    weights = {x: 1 / y ** 2 for x, y in points.items()}
    total = sum(weights.values())
    x_mean = sum(w * x for x, w in weights.items()) / total
    y_mean = sum(w * points[x] for x, w in weights.items()) / total
    slope = (sum(w * (x - x_mean) * (points[x] - y_mean) for x, w in weights.items()) /
             sum(w * (x - x_mean) ** 2 for x, w in weights.items()))
    intercept = y_mean - slope * x_mean
    return slope, intercept, max(abs(y - slope * x - intercept) / y for x, y in points.items())
