# raddle.bash -- bash completes raddle's commands, their options, and what these take.
#
# What there is, is read from --help, so that this file knows no command and no option itself.
# Test programs have the same options; tell bash which they are:
#
#     complete -o default -F _raddle_tests ./queue_tests

# Options in the help text of a command: "  --seed N     what it does".
_raddle_options() {
    "$@" --help 2>/dev/null | sed -n 's/^  \(--[a-z-]*\).*/\1/p'
}

# What the option before the cursor takes, in the help text's own word; nothing: it takes nothing.
_raddle_value_of() {
    local option=$1
    shift
    "$@" --help 2>/dev/null | sed -n "s/^  $option \([A-Z][A-Z/]*\)  *[^ ].*/\1/p"
}

# Words for an option that takes one of a few; COMMAND is asked for the names of its tests.
_raddle_words_for() {
    local option=$1
    shift
    case $option in
    --color) echo auto always never ;;
    --volatile) echo acq-rel relaxed plain ;;
    --format | --strategy | --fail-on | --faults)
        # "report as human, tap, junit or json; may be repeated"
        # which may go on in the next line
        "$@" --help 2>/dev/null | sed ':again; $!N; s/\n \{20\}/ /; t again; P; D' |
            sed -n "s/^  $option [A-Z]*  *//p" | sed 's/;.*//; s/.*: //
            s/^report as //; s/([^)]*)//g; s/\.\.\.//; s/ or / /; s/,/ /g' ;;
    --filter) "$@" --list 2>/dev/null ;;
    --regressions) echo beside none ;;
    esac
}

# Complete the word at the cursor, as one of the options of COMMAND or of what the one before takes.
_raddle_complete_for() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} value words
    if [ "$before" = = ]; then # bash takes --seed=1 for three words
        before=${COMP_WORDS[COMP_CWORD - 2]}
    elif [ "$word" = = ]; then
        word='' before=${COMP_WORDS[COMP_CWORD - 1]}
    fi
    COMPREPLY=()
    if [[ $before == --* ]]; then
        value=$(_raddle_value_of "$before" "$@")
        words=$(_raddle_words_for "$before" "$@")
        if [ -n "$words" ]; then
            COMPREPLY=($(compgen -W "$words" -- "$word"))
            return
        fi
        case $value in
        '') ;; # a flag: what follows is another word
        DIR | DIRECTORY | FOLDER) COMPREPLY=($(compgen -d -- "$word")); return ;;
        *) COMPREPLY=($(compgen -f -- "$word")); return ;;
        esac
    fi
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$(_raddle_options "$@")" -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}

_raddle_tests() {
    _raddle_complete_for "${COMP_WORDS[0]}"
}

_raddle_commands() {
    "$1" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p'
}

_raddle() {
    local command=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]} i
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W "$(_raddle_commands "${COMP_WORDS[0]}"
            echo --help --version)" -- "$word"))
        return
    elif [ "$COMP_CWORD" = 2 ] && [ "$command" = help ]; then
        COMPREPLY=($(compgen -W "$(_raddle_commands "${COMP_WORDS[0]}")" -- "$word"))
        return
    fi
    # Behind -- there is a program with arguments of its own, or options for programs.
    for ((i = 2; i < COMP_CWORD; i++)); do
        if [ "${COMP_WORDS[i]}" = -- ]; then
            if [ "$command" = run ]; then
                _raddle_complete_for "${COMP_WORDS[2]}"
            elif [ $((i + 1)) = "$COMP_CWORD" ]; then
                COMPREPLY=($(compgen -c -- "$word") $(compgen -f -- "$word"))
            else
                COMPREPLY=($(compgen -f -- "$word"))
            fi
            return
        fi
    done
    if [ "$command" = deviations ] && [ "$COMP_CWORD" -gt 2 ]; then
        _raddle_complete_for "${COMP_WORDS[2]}"
    else
        _raddle_complete_for "${COMP_WORDS[0]}" "$command"
    fi
}

complete -o filenames -F _raddle raddle
