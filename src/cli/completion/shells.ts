// The completion scripts of the shells, and how each shell expects the candidates.

export interface Candidate {
  readonly value: string
  readonly help: string
}

interface Shell {
  /** Calls `menagerie __complete <shell> <words…>`, which prints one line per candidate. */
  readonly script: string
  /** Joins words that the shell splits. */
  joinWords?(words: readonly string[]): readonly string[]
  formatLine(candidate: Candidate, typed: string): string
}

/** Bash splits words at = and : */
function joinBashWords(parts: readonly string[]): readonly string[] {
  const words: string[] = []
  let isAfterBreak = false
  for (const word of parts) {
    const isBreak = /^[=:]+$/.test(word)
    if ((isBreak || isAfterBreak) && words.length > 0) words.push(`${words.pop()}${word}`)
    else words.push(word)
    isAfterBreak = isBreak
  }
  return words
}

/** Bash completes only the part after the last = or : */
const lengthToLastBreak = (typed: string) => /^.*[=:]/.exec(typed)?.[0].length ?? 0

export const shells: Record<'bash' | 'zsh' | 'fish', Shell> = {
  bash: {
    script: `# Completion of menagerie for bash. In ~/.bashrc: source <(menagerie completion bash)
_menagerie() {
  local line cur="\${COMP_WORDS[COMP_CWORD]}" words
  words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  # Bash splits words at these characters and completes the part after them.
  case "$cur" in '=' | ':' | '::') cur='' ;; esac
  COMPREPLY=()
  # eval, so that aliases work.
  while IFS= read -r line; do
    case "$line" in
      :files | :folders)
        compopt -o filenames 2>/dev/null
        [ "$line" = :files ] && line=-f || line=-d
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$line" -- "$cur")
        return
        ;;
      *) COMPREPLY+=("$line") ;;
    esac
  done < <(eval 'menagerie __complete bash "\${words[@]}"' 2>/dev/null)
}
complete -F _menagerie menagerie`,
    joinWords: joinBashWords,
    formatLine: ({ value }, typed) => value.slice(lengthToLastBreak(typed)),
  },
  zsh: {
    script: `#compdef menagerie
# Completion of menagerie for zsh. In ~/.zshrc, after compinit: source <(menagerie completion zsh)
_menagerie() {
  local -a candidates
  local line
  # eval, so that aliases work.
  for line in "\${(@f)$(eval 'menagerie __complete zsh "\${(@)words[2,CURRENT]}"' 2>/dev/null)}"; do
    case "$line" in
      '') ;;
      :files) compset -P '*='; _files; return ;;
      :folders) compset -P '*='; _files -/; return ;;
      *) candidates+=("$line") ;;
    esac
  done
  _describe menagerie candidates
}
if [ "$funcstack[1]" = _menagerie ]; then _menagerie "$@"; else compdef _menagerie menagerie; fi`,
    // _describe splits value and description at the first colon.
    formatLine: ({ value, help }) => `${value.replace(/[\\:]/g, '\\$&')}${help && `:${help}`}`,
  },
  fish: {
    script: `# Completion of menagerie for fish. In ~/.config/fish/config.fish: menagerie completion fish | source
function __menagerie_candidates
  set -l before (commandline -opc)
  set -l typed (commandline -ct)
  for line in (menagerie __complete fish $before[2..-1] "$typed" 2>/dev/null)
    switch $line
      case :files
        __fish_complete_path "$typed"
      case :folders
        __fish_complete_directories "$typed"
      case '*'
        echo $line
    end
  end
end
complete -c menagerie -f -a '(__menagerie_candidates)'`,
    formatLine: ({ value, help }) => (help ? `${value}\t${help}` : value),
  },
}
