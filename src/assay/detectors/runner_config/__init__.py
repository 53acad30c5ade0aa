"""Settings of test runners, builds and CI, compared before and after: what changes which tests run or what
passes.
"""
