"""Print a script that lets a shell complete commands and options.

assay completion bash > ~/.local/share/bash-completion/completions/assay
assay completion zsh > ~/.zfunc/_assay
assay completion fish > ~/.config/fish/completions/assay.fish

After a command, words that begin with a dash are completed to its options, other words to files.
"""

import argparse
from collections.abc import Callable, Iterator

from assay.cli.help.overview import GROUPS, WORDS, options_of
from assay.cli.main import COMMANDS, parser_of
from assay.cli.options.common import option


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "shell", "for which shell", choices=sorted(SHELLS))


def run(args: argparse.Namespace) -> int:
    print("\n".join(SHELLS[args.shell]()))
    return 0


def _names() -> list[str]:
    return [name for names in GROUPS.values() for name in names]


def _bash() -> Iterator[str]:
    yield "_assay() {"
    yield '    local word=${COMP_WORDS[COMP_CWORD]} known="" line'
    yield "    if [ $COMP_CWORD -eq 1 ]; then"
    yield f'        known="{" ".join(_names())}"'
    yield "    elif [[ $word == -* ]]; then"
    yield from _cases("${COMP_WORDS[1]}", 'known="{}"')
    yield "    fi"
    yield "    COMPREPLY=()"
    yield '    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -W "$known" -- "$word")'
    yield "}"
    yield "complete -o default -F _assay assay"


def _zsh() -> Iterator[str]:
    yield "#compdef assay"
    yield "_assay() {"
    yield "    if (( CURRENT == 2 )); then"
    yield f"        compadd -- {' '.join(_names())}"
    yield "    elif [[ $words[CURRENT] == -* ]]; then"
    yield from _cases("$words[2]", "compadd -- {}")
    yield "    else"
    yield "        _files"
    yield "    fi"
    yield "}"
    yield 'if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then _assay "$@"; else compdef _assay assay; fi'


def _cases(command: str, then: str) -> Iterator[str]:
    yield f'        case "{command}" in'
    for name in COMMANDS:
        yield f"            {name}) {then.format(' '.join(options_of(parser_of(name))))} ;;"
    yield "        esac"


def _fish() -> Iterator[str]:
    summaries = {**COMMANDS, **WORDS}
    for name in _names():
        summary = summaries[name].replace("'", "\\'")
        yield f"complete -c assay -n __fish_use_subcommand -f -a {name} -d '{summary}'"
    for name in COMMANDS:
        for found in options_of(parser_of(name)):
            yield f"complete -c assay -n '__fish_seen_subcommand_from {name}' -l {found.lstrip('-')}"


SHELLS: dict[str, Callable[[], Iterator[str]]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
