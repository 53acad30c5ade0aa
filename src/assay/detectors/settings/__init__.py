"""Settings of test runners, builds, checkers and CI, compared before and after: what lets less run or more pass.

``files`` has those that change what runs by being there.
"""
