"""Harbor 0.13.1: reward files, metrics, job statistics, pass@k, multi-step and outcome mapping, bit for bit.

This dialect shares only the arithmetic with the others. Its rewards may be -1, NaN or infinite, so they never
pass through ``Scored``. Everything here is pure; files are read by the adapters.
"""
