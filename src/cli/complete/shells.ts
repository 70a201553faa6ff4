import { visible } from '../text.ts'
import type { Candidate } from './offer.ts'

export interface Shell {
  /** Defines the completion; it calls `menagerie __complete <shell> <words…>`, and reads a line a candidate. */
  readonly script: string
  /** The words as they were typed. */
  words(given: readonly string[]): readonly string[]
  line(candidate: Candidate, typed: string): string
}

const asTheyAre = (given: readonly string[]) => given

/** Bash takes the word apart at = and : and wants only what follows the last of them. */
function joined(given: readonly string[]): readonly string[] {
  const words: string[] = []
  let isBroken = false
  for (const word of given) {
    const isBreak = /^[=:]+$/.test(word)
    if ((isBreak || isBroken) && words.length > 0) words.push(`${words.pop()}${word}`)
    else words.push(word)
    isBroken = isBreak
  }
  return words
}

const beforeLastBreak = (typed: string) => /^.*[=:]/.exec(typed)?.[0].length ?? 0

export const shells: Record<'bash' | 'zsh' | 'fish', Shell> = {
  bash: {
    script: `# Completion of menagerie for bash. In ~/.bashrc: source <(menagerie completion bash)
_menagerie() {
  local line cur="\${COMP_WORDS[COMP_CWORD]}" words
  words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  # Bash splits a word at these, and the part after them is what is completed.
  case "$cur" in '=' | ':' | '::') cur='' ;; esac
  COMPREPLY=()
  # By eval, so that an alias is followed, too.
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
    words: joined,
    line: ({ value }, typed) => value.slice(beforeLastBreak(typed)),
  },
  zsh: {
    script: `#compdef menagerie
# Completion of menagerie for zsh. In ~/.zshrc, after compinit: source <(menagerie completion zsh)
_menagerie() {
  local -a offered
  local line
  # By eval, so that an alias is followed, too.
  for line in "\${(@f)$(eval 'menagerie __complete zsh "\${(@)words[2,CURRENT]}"' 2>/dev/null)}"; do
    case "$line" in
      '') ;;
      :files) compset -P '*='; _files; return ;;
      :folders) compset -P '*='; _files -/; return ;;
      *) offered+=("$line") ;;
    esac
  done
  _describe menagerie offered
}
if [ "$funcstack[1]" = _menagerie ]; then _menagerie "$@"; else compdef _menagerie menagerie; fi`,
    words: asTheyAre,
    // _describe parts value and description at the first colon.
    line: ({ value, help }) => `${value.replace(/[\\:]/g, '\\$&')}${help && `:${help}`}`,
  },
  fish: {
    script: `# Completion of menagerie for fish. In ~/.config/fish/config.fish: menagerie completion fish | source
function __menagerie_offer
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
complete -c menagerie -f -a '(__menagerie_offer)'`,
    words: asTheyAre,
    line: ({ value, help }) => (help ? `${value}\t${help}` : value),
  },
}

/** A line a candidate, of which no text of strangers can make another. */
export const linesFor = (shell: Shell, candidates: readonly Candidate[], typed: string) =>
  candidates.map(({ value, help }) => `${shell.line({ value: visible(value), help: visible(help) }, typed)}\n`).join('')
