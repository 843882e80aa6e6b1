# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory
#
# Sourced by bash programs that run several parts and add up what they report. A part is a command that
# prints "N passed, N failed" as its last such line; one that prints none counts as one test.

parts_passed=0
parts_failed=0
parts_table=
parts_began=$SECONDS

# part TITLE COMMAND... - run it, show what it prints, count. Status 0 when nothing of it failed.
part() {
    local title=$1 began=$SECONDS status counts passed failed output
    shift
    output=$(mktemp) || return 1
    echo
    echo "== $title"
    "$@" 2>&1 | tee "$output"
    status=${PIPESTATUS[0]}
    counts=$(sed -n 's/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed$/\1 \2/p' "$output" | tail -n 1)
    rm -f "$output"
    if [ -z "$counts" ]; then
        # no count: the command itself is the test
        if [ "$status" -eq 0 ]; then counts="1 0"; else counts="0 1"; fi
    fi
    passed=${counts% *} failed=${counts#* }
    if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
        echo "$title: exit status $status though no test failed" >&2
        failed=1
    fi
    part_count "$title" "$passed" "$failed" $((SECONDS - began))
    [ "$failed" -eq 0 ]
}

# part_cannot TITLE WHY - a part that cannot run counts as failed
part_cannot() {
    echo
    echo "== $1"
    echo "cannot run: $2"
    part_count "$1" 0 1 0
}

part_count() {
    parts_passed=$((parts_passed + $2))
    parts_failed=$((parts_failed + $3))
    parts_table+=$(printf '%-40s %6d passed %4d failed %6d s' "$@")$'\n'
}

# parts_end - the table and the sum, alone on the last line. Status 0 when nothing failed.
parts_end() {
    echo
    printf '%s' "$parts_table"
    printf '%-40s %6d passed %4d failed %6d s\n\n' "together" "$parts_passed" "$parts_failed" $((SECONDS - parts_began))
    echo "$parts_passed passed, $parts_failed failed"
    [ "$parts_failed" -eq 0 ]
}
