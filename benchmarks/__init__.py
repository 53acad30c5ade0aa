"""How fast and how large Assay is, each number beside a baseline that was measured in the same run."""
