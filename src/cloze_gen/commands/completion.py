"""`cloze-gen completion`: what a shell is told once, so that it asks this program what to offer.

A shell asks by Typer's protocol: the program is called with `_CLOZE_GEN_COMPLETE=complete_SHELL` and what was typed, and prints what may
stand there (`completing`). Nothing of what it might say besides reaches the screen, on which somebody is typing.
"""

from __future__ import annotations

import os

import typer.completion

from cloze_gen.errors import UsageError
from cloze_gen.notation import shown

_VARIABLE = "_CLOZE_GEN_COMPLETE"

# Bash parts words at `=`, and a setting's value is typed right after it.
_BASH = """\
# cloze-gen completion bash >> ~/.bashrc
_cloze_gen_completion() {
    local IFS=$'\\n'
    COMPREPLY=( $(COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD _CLOZE_GEN_COMPLETE=complete_bash "$1" 2>/dev/null) )
    [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
    return 0
}
complete -o default -F _cloze_gen_completion cloze-gen"""

# Zsh gets the lines that fish gets, a value and what it means, and evaluates none of them.
_ZSH = """\
# cloze-gen completion zsh >> ~/.zshrc
_cloze_gen_completion() {
    local line
    local -a values shown after
    for line in "${(@f)$(_TYPER_COMPLETE_ARGS="${words[1,$CURRENT]}" _TYPER_COMPLETE_FISH_ACTION=get-args \\
                         _CLOZE_GEN_COMPLETE=complete_fish "${words[1]}" 2>/dev/null)}"; do
        [[ -n $line ]] || continue
        values+=("${line%%$'\\t'*}") shown+=("${line/$'\\t'/  -- }")
    done
    (( ${#values} )) || { _files; return }
    [[ ${values[1]} != *= ]] || after=(-S '')
    compadd "${after[@]}" -l -d shown -a values
}
(( ${+functions[compdef]} )) || { autoload -Uz compinit && compinit -i }
compdef _cloze_gen_completion cloze-gen"""

_FISH_ASKS = (
    "env _CLOZE_GEN_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION={} _TYPER_COMPLETE_ARGS=(commandline -cp) cloze-gen 2>/dev/null"
)
_FISH = f"""\
# cloze-gen completion fish > ~/.config/fish/completions/cloze-gen.fish
complete --command cloze-gen --no-files --arguments "({_FISH_ASKS.format("get-args")})" --condition "{_FISH_ASKS.format("is-args")}\""""

_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


SHELLS = ", ".join(_SCRIPTS)


def shell_names(incomplete: str) -> list[str]:
    """The shells that there is a script for."""
    return [name for name in _SCRIPTS if name.startswith(incomplete)]


def script_of(shell: str) -> str:
    """What a shell evaluates once.

    Raises:
        UsageError: there is no script for it; lists those there are.
    """
    if shell not in _SCRIPTS:
        raise UsageError(f"{shown(shell)}: no shell that can be taught here. Known: {SHELLS}.")
    return _SCRIPTS[shell]


def answer_shells() -> None:
    """Let Typer know the shells where one of them asks; else nothing is imported."""
    if _VARIABLE in os.environ:
        typer.completion.completion_init()  # type: ignore[attr-defined]  # typer says of nothing what is exported
