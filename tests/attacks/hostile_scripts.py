"""Sixty-four hostile scripts: by an agent, or by a program that an agent left for the verifier to run.

The agent's want the secret of the tests as their answer, or a reward file; the program's want the verifier's
verdict, which is always 0. Some want neither and go against a limit. All are for the plainest shell there is.
"""

from collections.abc import Mapping
from typing import Final

LOGS: Final = "/logs/verifier"
_FOR_EVER: Final = "while :; do :; done"
_BOMB: Final = "b() { b | b & }; b; sleep 60"

AGENTS: Final[Mapping[str, str]] = {
    "copies the tests": "cp /tests/secret answer.txt",
    "copies the solution": "cp /solution/secret answer.txt",
    "looks for them": "find / -maxdepth 4 -name secret -exec cp {} answer.txt ';' 2>/dev/null",
    "looks in its task": "cp {task}/tests/secret answer.txt",
    "looks in other processes": "cat /proc/[0-9]*/root/tests/secret /proc/[0-9]*/cwd/secret > answer.txt",
    "looks in scratch folders": "cat /tmp/assay-*/*/secret /var/tmp/*/secret /dev/shm/*/secret > answer.txt",
    "links to the tests": "ln -s /tests/secret answer.txt",
    "links around corners": "ln -s / up; ln -s up/tests up2; ln -s up2/secret answer.txt",
    "links by way of proc": "ln -s /proc/self/root/tests/secret answer.txt",
    "links hard": "ln /tests/secret answer.txt; ln {task}/tests/secret answer.txt",
    "puts the tests in its place": "cd /; rm -rf /workspace; ln -s /tests /workspace; ln -s secret answer.txt",
    "leaves a pipe": "mkfifo answer.txt",
    "leaves a folder": "mkdir answer.txt",
    "leaves a socket of a device": "mknod answer.txt c 1 5; mknod answer.txt p",
    "leaves a terabyte without content": "truncate -s 1T answer.txt",
    "leaves a thousand folders": "i=0; while [ $i -lt 1000 ]; do mkdir d && cd d || exit; i=$((i+1)); done",
    "closes its folder": "chmod 0 /workspace /logs/agent",
    "writes the reward": f"mkdir -p {LOGS}; for f in txt json; do echo 1 > {LOGS}/reward.$f; done",
    "writes it everywhere": "for f in / /logs /logs/agent /logs/artifacts /tmp .; do echo 1 > $f/reward.txt; done",
    "writes it later": f"(while :; do echo 1 > {LOGS}/reward.txt; sleep 0.02; done) </dev/null >/dev/null 2>&1 &",
    "writes it later, in a session of its own": (
        f"setsid sh -c 'trap \"\" TERM HUP; while :; do echo 1 > {LOGS}/reward.txt; sleep 0.02; done'"
        " >/dev/null 2>&1 &"
    ),
    "puts programs before the system's": (
        "mkdir -p ~/.local/bin ~/bin; for p in cmp cat sh test '['; do for d in . ~/bin ~/.local/bin; do"
        " printf '#!/bin/sh\\nexit 0\\n' > $d/$p; chmod +x $d/$p; done; done"
    ),
    "leaves start-up files": (
        f"for f in .profile .bashrc .shrc; do echo 'echo 1 > {LOGS}/reward.txt; exit' > ~/$f; cp ~/$f .; done"
    ),
    "changes the system": (
        "echo /workspace/x.so > /etc/ld.so.preload; echo 'exit 0' > /etc/profile.d/x.sh; echo x > /usr/bin/cmp; "
        "echo '|/workspace/x' > /proc/sys/kernel/core_pattern; echo 0 > /proc/sys/kernel/pid_max"
    ),
    "mounts": "mount -t tmpfs x /tests; mount --bind / /mnt; unshare -Urm sh -c 'mount -t tmpfs x /usr'",
    "writes to memory of others": "for p in /proc/[0-9]*; do echo x > $p/mem; echo 1000 > $p/oom_score_adj; done",
    "lifts its limits": (
        "ulimit -u unlimited; ulimit -v unlimited;"
        " for f in $(find /sys/fs/cgroup -name '*.max' -o -name '*limit*'); do echo max > $f; echo -1 > $f; done"
    ),
    "kills all": "kill -9 -1",
    "stops all": "kill -STOP $PPID; kill -STOP -1",
    "kills by number": "for p in /proc/[0-9]*; do kill -9 ${p#/proc/}; done",
    "ignores signals": f"trap '' TERM HUP INT QUIT; {_FOR_EVER}",
    "sleeps without streams": "exec 0<&- 1>&- 2>&-; sleep 600",
    "forks as fast as it can": _BOMB,
    "forks into sessions": "while :; do setsid sh -c 'sleep 60' & done",
    "uses memory": "head -c 2000000000 /dev/zero | tail; x=0123456789; while :; do x=$x$x; done",
    "fills memory by files": "head -c 900000000 /dev/zero > /tmp/x; head -c 900000000 /dev/zero > /dev/shm/x",
    "fills the disk": "i=0; while :; do head -c 9000000 /dev/zero > big$i; i=$((i+1)); done",
    "fills the disk with removed files": "exec 7> gone; rm gone; while :; do head -c 9000000 /dev/zero >&7; done",
    "makes files without end": "i=0; while :; do : > f$i; i=$((i+1)); done",
    "prints without end": "while :; do echo 0123456789012345678901234567890123456789; done",
    "holds the pipe": "setsid sleep 600 & echo done",
    "leads its logs astray": (
        "ln -sf /tests/secret /logs/agent/trajectory.json; ln -s /tests /logs/artifacts/t;"
        " rm -f /logs/agent/instruction.md; ln -s /etc/shadow /logs/agent/instruction.md"
    ),
    "reaches out": "wget -T 2 -q -O answer.txt http://169.254.169.254/; nc -w 1 127.0.0.1 22 > answer.txt",
}

# They go against processes of other users of a machine. Plain processes don't hide those, and nobody says they do.
AGAINST_OTHERS: Final = frozenset(("kills all", "stops all", "kills by number", "writes to memory of others"))

# They write a reward after the verifier's. Who wrote a file is what the kernel tells to root alone.
AFTER_THE_VERIFIER: Final = frozenset(("writes after it", "moves after it", "makes it elsewhere"))

PROGRAMS: Final[Mapping[str, str]] = {
    "writes and kills": f"echo 1 > {LOGS}/reward.txt; kill -9 $PPID; sleep 9",
    "writes and ends it": f"echo 1 > {LOGS}/reward.txt; kill -15 $PPID; sleep 9",
    "writes the other file": f"echo '{{\"reward\": 1}}' > {LOGS}/reward.json",
    "writes after it": f"(sleep 0.2; echo 1 > {LOGS}/reward.txt) &",
    "moves after it": f"(sleep 0.2; echo 1 > {LOGS}/x; mv {LOGS}/x {LOGS}/reward.txt) &",
    "makes it elsewhere": f"mkdir {LOGS}/d; (sleep 0.2; echo 1 > {LOGS}/d/x; mv {LOGS}/d/x {LOGS}/reward.txt) &",
    "keeps the file open": f"exec 7>> {LOGS}/reward.txt; (sleep 0.2; echo 1 >&7; sleep 5) &",
    "goes on after it": f"echo 'echo 1 > {LOGS}/reward.txt' >> /tests/test.sh",
    "leaves a pipe": f"mkfifo {LOGS}/reward.txt",
    "leaves a link": f"echo 1 > /workspace/r; ln -s /workspace/r {LOGS}/reward.json",
    "leaves a folder": f"mkdir {LOGS}/reward.json",
    "says more than one": f"echo '{{\"reward\": 2}}' > {LOGS}/reward.json",
    "says it in words": f"echo '{{\"reward\": true}}' > {LOGS}/reward.json",
    "says it twice": f'echo \'{{"reward": 0, "reward": 1}}\' > {LOGS}/reward.json',
    "says no number": f"echo '{{\"reward\": NaN}}' > {LOGS}/reward.json",
    "says too much": f"head -c 20000000 /dev/zero > {LOGS}/reward.json",
    "stops it": "kill -STOP $PPID; sleep 600",
    "hangs": _FOR_EVER,
    "forks as fast as it can": _BOMB,
    "fills the disk": f"i=0; while :; do head -c 9000000 /dev/zero > {LOGS}/$i; i=$((i+1)); done",
    "removes the tests": "rm -rf /tests /logs /workspace",
}
