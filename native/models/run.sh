#!/bin/sh
# SPDX-License-Identifier: MIT
# Verifies every Spin model exhaustively and demands that every mutant of it is rejected (T117).
# The mutants are the MUTANT_ names found in the models, so that none can be forgotten here.
# Usage: run.sh [--short] [model...]; --short leaves out the configurations and mutants that take longest: on a slow machine more than
# half a minute each.

models=$(cd "$(dirname "$0")" && pwd) || exit 1
if ! command -v spin >/dev/null 2>&1 || ! command -v gcc >/dev/null 2>&1; then
  echo "not ok: spin or gcc is missing; install both with: apt-get install spin gcc"
  echo "0 passed, 1 failed"
  exit 1
fi

# Compiling the verifier takes gcc longer than most mutants live; tcc needs a hundredth of that.
quick='gcc -O0'
! command -v tcc >/dev/null 2>&1 || quick=tcc

# check COMPILER MODEL OPTION... : leaves the verifier's report in ./log. COLLAPSE halves the memory, but where the
# state is small it costs half the time.
check() {
  compiler=$1
  model=$2
  shift 2
  rm -f pan* ./*.trail log
  spin "$@" -a "$models/$model.pml" >log 2>&1 || return 1
  storage=
  case $model in
    worker_signal | admission | reserve | rescue | loop_handover | steal_gate) storage=-DCOLLAPSE ;;
  esac
  # shellcheck disable=SC2086 # words, and an option or none
  $compiler -w -DSAFETY $storage -DMEMLIM=2000 -o pan pan.c >>log 2>&1 || return 1
  ./pan -m200000 >log 2>&1
}

# must_pass NAME MODEL OPTION...
must_pass() {
  name=$1
  shift
  check "gcc -O2" "$@"
  if grep -q 'errors: 0' log && ! grep -qE 'max search depth|out of memory|MEMLIM|too small' log; then
    echo "ok model $name"
  else
    echo "not ok model $name"
    tail -n 20 log | sed 's/^/# /'
  fi
}

# must_fail NAME MODEL OPTION... : only a property may fail it, not a crash or a full memory.
must_fail() {
  name=$1
  shift
  check "$quick" "$@"
  if grep -qE 'assertion violated|invalid end state' log && grep -q 'errors: [1-9]' log; then
    echo "ok mutant $name rejected"
  else
    echo "not ok mutant $name accepted"
    tail -n 20 log | sed 's/^/# /'
  fi
}

# The smallest configuration in which a mutant shows.
mutant_options() {
  case $1:$2 in
    lifo_semaphore:*) echo "-DWAITERS=2" ;;
    steal_gate:DEMAND_*) echo "-DDEMANDS=1" ;;
    steal_gate:CLAIM_* | steal_gate:DISPLACES_*) ;;
    steal_gate:*) echo "-DITEMS=3 -DTHIEVES=1" ;;
    event_loop:CLOSE_* | event_loop:SENDER_NOT_COUNTED) echo "-DCLOSING" ;;
    loop_handover:DRAINS_* | loop_handover:GOES_* | loop_handover:COUNTED_*) echo "-DDRAINING" ;;
    loop_handover:TELLS_*) echo "-DEVENTS=3" ;;
    loop_attention:STOPS_* | loop_attention:*_STOP)
      echo "-DSTOPPING -DITEMS=1" ;;
    group_wait:LOOKS_BEFORE_* | group_wait:READS_*) ;;
    group_wait:END_*) echo "-DGROUPS=1 -DPUBLISHED=2" ;;
    group_wait:WAKES_ONE) echo "-DGROUPS=1 -DPUBLISHED=2 -DPAIRED" ;;
    group_wait:*) echo "-DHELD" ;;
    keyed_line:REJECTED_*) echo "-DREJECTS" ;;
    keyed_line:ADDS_*) echo "-DTOKEN -DITEMS=1" ;;
    keyed_line:REMOVES_WITH_*) echo "-DMOST=2" ;;
    pause:LATE_* | pause:LEAVES_* | pause:PAUSE_BRINGS_* | pause:RESUME_* | pause:PARKS_*) echo "-DCONTINUES" ;;
    pause:RESIZE_*) echo "-DRESIZES" ;;
    pause:WAITS_*) echo "-DAWAITED" ;;
    pause:*) echo "-DDRAINS" ;;
    operation_limit:STOP_*) echo "-DSTOPS" ;;
    admission:*_CLOSE) echo "-DCLOSING" ;;
    admission:FAILED_*) echo "-DFAILING" ;;
    rescue:PARKED_RESCUER_AT_WORK | rescue:STOP_*) echo "-DDRAINS" ;;
    reserve:NOT_STARTED_*) echo "-DDRAINS -DREFUSALS=1 -DWAITS=1 -DINJECTED=1" ;;
    reserve:*_DRAINING | reserve:RESERVE_NOT_COUNTED | reserve:STOP_* | reserve:WHOLE_WORD_*)
      echo "-DDRAINS -DWAITS=1 -DINJECTED=1" ;;
    reserve:COMPLETED_*) echo "-DDRAINS -DLATE -DOPERATIONS=1 -DWAITS=0 -DSPAWNED=0" ;;
    reserve:RETRY_*) echo "-DDRAINS -DREFUSALS=1 -DWAITS=0 -DSPAWNED=0" ;;
    worker_signal:*LOOKING*) ;;
    worker_signal:REFUS*) echo "-DGROW -DINJECTED=2 -DSPAWNED=0" ;;
    worker_signal:RETIRE* | worker_signal:RETRY_*) echo "-DGROW -DINJECTED=2" ;;
    # These strand an item only while a third worker is parked.
    worker_signal:*_WITHOUT_FENCE | worker_signal:SENTINEL_READ_*) echo "-DWORKERS=3 -DINJECTED=2 -DNO_THROTTLE" ;;
  esac
}

# One job: must_pass or must_fail with its arguments, in its own directory. Its output goes to a file next to that directory.
if [ "${1:-}" = --job ]; then
  work=$2
  number=$3
  kind=$4
  shift 4
  mkdir "$work/$number" && cd "$work/$number" || exit 1
  "$kind" "$@" >"../$number.out" 2>&1
  rm -rf "$work/${number:?}"
  exit 0
fi

# Each job is a line, its words quoted. The number keeps the order of the reports.
jobs=0
job() {
  jobs=$((jobs + 1))
  printf '%03d' $jobs
  printf ' "%s"' "$@" # no blank at the end of a line: to xargs the next line would belong to it
  echo
}

# A configuration or a mutant that --short leaves out.
long_job() {
  if [ -z "$short" ]; then
    job "$@"
  fi
}

list_models() {
  for model; do
    job must_pass "$model" "$model"
    if [ "$model" = worker_signal ]; then
      job must_pass "$model, threads start and retire" "$model" -DGROW -DINJECTED=2
      long_job must_pass "$model, three threads start and retire" "$model" \
        -DGROW -DWORKERS=3 -DINJECTED=2 -DSPAWNED=0 -DNO_REFUSAL
      long_job must_pass "$model, three workers" "$model" -DWORKERS=3 -DINJECTED=2 -DNO_THROTTLE
      long_job must_pass "$model, three workers, of which one throttles wakes" "$model" -DWORKERS=3 -DINJECTED=2 -DSPAWNED=0
    fi
    if [ "$model" = event_loop ]; then
      job must_pass "$model, closed while senders run" "$model" -DCLOSING
    fi
    if [ "$model" = loop_attention ]; then
      job must_pass "$model, three posters" "$model" -DPOSTERS=3 -DITEMS=1
      job must_pass "$model, stopped while posters run" "$model" -DSTOPPING -DITEMS=1
    fi
    if [ "$model" = loop_handover ]; then
      job must_pass "$model, draining" "$model" -DDRAINING
      job must_pass "$model, stopped by a token" "$model" -DSTOPPING
    fi
    if [ "$model" = monitoring ]; then
      job must_pass "$model, two of three may run" "$model" -DWORKERS=3 -DMOST_RUNNING=2 -DSPAWNED=0
    fi
    if [ "$model" = steal_gate ]; then
      job must_pass "$model, a demand and a request" "$model" -DDEMANDS=1
      job must_pass "$model, two demands" "$model" -DDEMANDS=2
      job must_pass "$model, a thief that asks twice" "$model" -DITEMS=3 -DTHIEVES=1 -DROUNDS=2
    fi
    if [ "$model" = group_wait ]; then
      job must_pass "$model, crossed" "$model" -DCROSSED
      job must_pass "$model, items that wait for each other" "$model" -DGROUPS=1 -DPUBLISHED=3 -DWORKERS=3 -DPAIRED
      job must_pass "$model, one leaves" "$model" -DGROUPS=1 -DPUBLISHED=3 -DWORKERS=3 -DTIMED=2
      job must_pass "$model, held" "$model" -DHELD
    fi
    if [ "$model" = admission ]; then
      long_job must_pass "$model, two workers" "$model" -DWORKERS=2
      job must_pass "$model, two permits" "$model" -DLIMIT=2
      job must_pass "$model, draining" "$model" -DCLOSING
      job must_pass "$model, an item that cannot be published" "$model" -DFAILING
    fi
    if [ "$model" = keyed_line ]; then
      job must_pass "$model, two items at once" "$model" -DMOST=2 -DITEMS=3
      job must_pass "$model, a turn is rejected" "$model" -DREJECTS
      job must_pass "$model, an item is cancelled" "$model" -DTOKEN
      long_job must_pass "$model, two items at once, all that may happen" "$model" -DMOST=2 -DITEMS=3 -DREJECTS -DTOKEN
    fi
    if [ "$model" = pause ]; then
      job must_pass "$model, an item that continues work" "$model" -DCONTINUES
      job must_pass "$model, a caller waits until it is idle" "$model" -DAWAITED
      job must_pass "$model, resized" "$model" -DRESIZES
      long_job must_pass "$model, draining" "$model" -DDRAINS
    fi
    if [ "$model" = operation_limit ]; then
      job must_pass "$model, two places" "$model" -DMOST=2
      job must_pass "$model, stopped by a token" "$model" -DSTOPS
    fi
    if [ "$model" = rescue ]; then
      job must_pass "$model, draining" "$model" -DDRAINS
      job must_pass "$model, at the bound" "$model" -DRESCUERS=1
    fi
    if [ "$model" = reserve ]; then
      job must_pass "$model, draining, one item from outside" "$model" -DDRAINS -DWAITS=1 -DINJECTED=1
      long_job must_pass "$model, draining" "$model" -DDRAINS -DWAITS=1
      job must_pass "$model, draining, an operation and a late item" "$model" \
        -DDRAINS -DLATE -DOPERATIONS=1 -DWAITS=0 -DSPAWNED=0
      long_job must_pass "$model, draining, a thread cannot be started" "$model" -DDRAINS -DREFUSALS=1 -DWAITS=1 -DINJECTED=1
      long_job must_pass "$model, draining, threads cannot be started" "$model" -DDRAINS -DREFUSALS=2 -DWAITS=1 -DINJECTED=1
      long_job must_pass "$model, three workers" "$model" -DWORKERS=3 -DSPAWNED=0 -DWAITS=1
    fi
  done
}

list_mutants() {
  for model; do
    for mutant in $(grep -oE 'MUTANT_[A-Z_]+' "$models/$model.pml" | sort -u); do
      mutant=${mutant#MUTANT_}
      kind=job
      case $mutant in SENTINEL_READ_BEFORE_LOOK | SUPPRESS_WITHOUT_FENCE | TELLS_BESIDE_ANOTHER_CALL) kind=long_job ;; esac
      # shellcheck disable=SC2046 # a list of options
      $kind must_fail "$model $mutant" "$model" "-DMUTANT_$mutant" $(mutant_options "$model" "$mutant")
    done
  done
}

short=
if [ "${1:-}" = --short ]; then
  short=1
  shift
fi
[ $# -gt 0 ] || set -- reserve rescue steal_gate worker_signal lifo_semaphore event_loop loop_attention handler_gate loop_handover monitoring group_wait admission cancelled_items keyed_line pool_timers operation_limit pause

# Two at a time, for each may take 2 GB, and the long ones first: the draining pools of reserve.pml. Mutants, most of which fall at
# once, fill what is left.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
{ list_models "$@"; list_mutants "$@"; } >"$work/jobs"
expected=$(wc -l <"$work/jobs")
xargs -P 2 -L 1 "$0" --job "$work" <"$work/jobs" || echo "not ok: cut short" >"$work/cut.out"
cat "$work"/*.out

passed=$(cat "$work"/*.out | grep -c '^ok ')
failed=$(cat "$work"/*.out | grep -c '^not ok')
[ $((passed + failed)) -ge "$expected" ] || failed=$((failed + expected - passed - failed)) # one that said nothing
echo "$passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
