"""ASC X12: interchanges, their loops, and paths into them.

``tokenize`` reads any text with an ISA header, however wrong its envelopes are; what is wrong is said as
findings. ``place_sets`` puts the segments of every transaction set into the loops of its implementation guide.
``parse_path`` reads a path such as ``2110C/EB[01=B]07`` once, and ``select`` finds its values. Nothing
here checks code lists or required elements.
"""
