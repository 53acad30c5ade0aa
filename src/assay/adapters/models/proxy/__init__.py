"""The way from an agent in its sandbox to one language model, without a network.

::

    forward.py    runs in the sandbox: a port of its loopback leads to a socket in a folder that is mounted
    door.py       listens on that socket, reads requests strictly, counts, and holds the limits
    upstream.py   asks the one endpoint, with the key that the agent never sees
"""
