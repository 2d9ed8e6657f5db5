#!/bin/sh
# One night of a matrix: get what is missing, measure, look at the history, renew the pages, commit.
#
#     night.sh MATRIX [PAGE...]
#
# Run it inside of the repository that holds the matrix and its results. It says nothing unless there is something to say,
# so that whoever mails what a job says mails alarms only. It ends with
#
#     0    a night like others, or one that is better; or one that is kept and does not count, which is said
#     10   a regression that was confirmed tonight: the history is printed
#     5    a target failed: its row and the reason are printed
#     else what `orchestrate run` ended with, and nothing is committed; or what `history`, `readme` or `git` did
#
# TIME_LIMIT (3h) bounds the run, RESULTS (results) is the folder of the results, PUSH=1 also pushes.
set -eu

matrix=$1
shift
results=${RESULTS:-results}
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT

# `--quiet` leaves what must be said: that the time was over, and so the run does not count.
run=0
orchestrate run "$matrix" --quiet --provision=yes --results "$results" --time-limit "${TIME_LIMIT:-3h}" \
  >"$said/tables" 2>"$said/run" || run=$?
cat "$said/run"
case $run in
  0) ;;
  5) cat "$said/tables" ;;
  *) exit "$run" ;;
esac

# What is left out of the history is said although nothing else is.
history=0
orchestrate history "$matrix" --results "$results" --fail-on confirmed \
  >"$said/history" 2>"$said/doubts" || history=$?
[ "$history" = 0 ] || cat "$said/history"
cat "$said/doubts"

pages=0
if [ $# -gt 0 ]; then
  orchestrate readme --results "$results" "$@" 2>"$said/pages" || pages=$?
fi
[ "$pages" = 0 ] || cat "$said/pages"

# Also after a bad night: what the history told is kept beside the runs, so that it is told once. Whatever else is staged stays so.
keep() {
  git add -- "$results" "$@" || return
  git diff --cached --quiet -- "$results" "$@" ||
    git commit --quiet -m "results: night of $(date -u +%F)" -- "$results" "$@" || return
  [ -z "${PUSH:-}" ] || git push --quiet
}
kept=0
keep "$@" || kept=$?

[ "$history" != 10 ] || exit 10
for end in "$run" "$history" "$pages"; do
  [ "$end" = 0 ] || exit "$end"
done
exit "$kept"
