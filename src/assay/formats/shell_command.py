"""Requirements of every check on the shell command it runs."""

MAX_TIMEOUT = 3600


def check_command(command: str, timeout_s: int) -> None:
    """Raises ``ValueError`` for a command that says nothing, or a time limit that is none."""
    if not command.strip() or "\0" in command:
        raise ValueError(f"command must be a shell command, got {command!r}")
    if not 1 <= timeout_s <= MAX_TIMEOUT:
        raise ValueError(f"timeout_s must be from 1 to {MAX_TIMEOUT}, got {timeout_s}")
