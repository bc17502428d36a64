/* SPDX-License-Identifier: MIT
 *
 * Cancelled tasks that keep their slots: which thread runs or cancels a task, and when the count of cancelled items decreases. Mirrors
 * Tasks/CancelledItems.cs (Cancel, Forget), NativeTaskScheduler.cs (TryDequeue, Execute, TryExecuteTaskInline) and of the framework
 * Task.ExecuteEntry: one interlocked step claims a task, and only then the token is read.
 *
 * One task is in one slot. A token is cancelled, a worker reaches the slot, and a waiter runs the task inline: it takes the slot back
 * first, or leaves the slot to the worker if it cannot.
 *
 * Property, when nothing can happen any more: the task has ended, its function ran at most once, and not if the cancelling thread claimed
 * the task; the slot is free, and the task no longer counts as cancelled.
 *
 * Mutants, each of which must fail: the MUTANT_ names below.
 */
mtype = { CREATED, INVOKED, RAN, CANCELLED };

mtype state = CREATED;               /* the task's word */
bool requested;                      /* the token */
bool noted;                          /* the task is in the set ... */
byte count;                          /* ... and is counted */
bool inSlot = true;
bool cancellerClaimed;
byte runs;

#define HAS_ENDED (state == RAN || state == CANCELLED)

/* TaskScheduler.TryExecuteTask: true also for a task that was cancelled before. */
inline execute(mine, result) {
  atomic {
    mine = state == CREATED;
    result = state == CREATED || state == CANCELLED;
    if :: mine -> state = INVOKED :: else fi
  };
  if
  :: mine ->
    if
    :: requested -> state = CANCELLED
    :: !requested ->
      runs++;
      if
      :: state = RAN
      :: requested -> state = CANCELLED /* the function has thrown the cancellation of its token */
      fi
    fi
  :: else
  fi
}

/* Under the lock. */
inline note() { atomic { noted = true; count++ } }

inline forget() { atomic { if :: noted -> noted = false; count-- :: else fi } }

proctype canceller() {
  bool mine, result, hasStarted;
  requested = true;
#ifdef MUTANT_NOTE_LAST
  execute(mine, result);
  if :: result -> note() :: else fi;
  cancellerClaimed = mine
#else
  atomic {                           /* under the lock */
#ifdef MUTANT_NO_LOOK
    hasStarted = false;
#else
#ifdef MUTANT_NOTES_BEGUN
    hasStarted = HAS_ENDED;
#else
    hasStarted = state != CREATED;
#endif
#endif
    if :: hasStarted :: else -> noted = true; count++ fi
  };
  if
  :: hasStarted
  :: else ->
    execute(mine, result);           /* a claim after the note finds the token cancelled: the slot's turn will count it off */
    cancellerClaimed = mine
  fi
#endif
}

/* NativeTaskScheduler.Execute */
inline executeOfSlot(mine, result) {
  execute(mine, result);
#ifdef MUTANT_WORKER_FORGETS_NOTHING
  skip
#else
#ifdef MUTANT_WORKER_KEEPS_BEGUN
  if :: state == CANCELLED -> forget() :: else fi
#else
  if :: !result || state == CANCELLED -> forget() :: else fi
#endif
#endif
}

proctype worker() {
  bool mine, result, taken;
  atomic { taken = inSlot; inSlot = false };
  if :: taken -> executeOfSlot(mine, result) :: else fi
}

/* NativeTaskScheduler.TryExecuteTaskInline */
proctype waiter() {
  bool mine, result, taken;
  if
  :: atomic { taken = inSlot; inSlot = false }
  :: taken = false                   /* the slot is in another worker's queue */
  fi;
  if
#ifdef MUTANT_WAITER_FORGETS_NOTHING
  :: taken -> execute(mine, result)
#else
  :: taken -> executeOfSlot(mine, result)
#endif
  :: else -> execute(mine, result)
  fi
}

init {
  atomic { run canceller(); run worker(); run waiter() };
  _nr_pr == 1;
  assert(HAS_ENDED);
  assert(runs <= 1 && !(cancellerClaimed && runs != 0));
  assert(!inSlot && !noted && count == 0)
}
