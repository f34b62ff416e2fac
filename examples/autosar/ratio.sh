#!/usr/bin/env bash
# ratio.sh -- how long are the specs, next to the code that they are about?  Lines that are neither
# empty nor comments; of code, with the headers that declare its interface.
set -eu
cd "$(dirname "$0")"

lines() {
    perl -0777 -ne 's!/\*.*?\*/!!gs; s!//.*!!g; $n += () = /^.*\S.*$/mg; END { print $n }' "$@"
}

row() { # NAME SPEC CODE
    awk -v name="$1" -v spec="$2" -v code="$3" \
        'BEGIN { printf "%-16s %6d %6d %8.2f\n", name, spec, code, spec / code }'
}

total_spec=0 total_code=0
compare() { # NAME "SPEC..." "CODE..."
    local spec code
    spec=$(lines $2) code=$(lines $3)
    row "$1" "$spec" "$code"
    total_spec=$((total_spec + spec)) total_code=$((total_code + code))
}

printf '%-16s %6s %6s %8s\n' component spec code ratio
compare 'circular buffer' 'buffer/spec.c buffer/spec.h' \
    'buffer/implementations/cirq_buffer.c include/cirq_buffer.h'
compare 'message box' 'mbox/spec.c mbox/spec.h' 'mbox/implementations/mbox.c include/mbox.h'
compare 'CAN driver' can/can_spec.c 'can/Can.c can/Can.h'
compare 'CAN interface' can/canif_spec.c 'can/CanIf.c can/CanIf.h'
compare 'CAN manager' can/cansm_spec.c 'can/CanSM.c can/CanSM.h'
compare 'CAN transport' can/cantp_spec.c 'can/CanTp.c can/CanTp.h'
compare 'what they share' 'can/stack.h can/frames.c' 'can/ComStack_Types.h include/Std_Types.h'
row all $total_spec $total_code
