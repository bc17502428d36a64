/* SPDX-License-Identifier: MIT
 *
 * The bound of operations of a pool: an operation takes a place when its item has its turn, or waits in a list, and the operation that ends passes its
 * place on. Mirrors Tasks/OperationLimit.cs (TryEnter, TryLeave, Leave, Abandon; LimitedFunction.TryEnter, BeginHere) and Tasks/Operation.cs
 * (BeginOrWait, TryBegin, TryAbandon; CancellableOperation.TakeFunction, Cancel).
 *
 * Each operation is one item, whose turn comes at any moment, and ends at any moment after it has started. The token of operation 0 is
 * cancelled at
 * any moment, also while it gets its place. With -DSTOPS a token stops the pool.
 *
 * Checked: unless the pool has stopped, never more operations in flight than places; an operation that is open, and has no item that waits or runs, is
 * noted, so that a draining pool waits for it; at the end each operation was started or cancelled, once, the list is empty, no item counts
 * as
 * cancelled, and all places are free, unless the pool was stopped.
 *
 * Mutants, each of which must fail: the MUTANT_ names below.
 */
#ifndef MOST
#define MOST 1
#endif
#define OPERATIONS 3

mtype = { OPEN, STARTED, ENDED, CANCELLED };

/* Under the lock: one step each. */
byte inFlight;
bool waits[OPERATIONS];              /* the list; any of it may be the first */
byte waiting;

bool hasFunction[OPERATIONS] = true; /* one exchange takes it */
mtype outcome[OPERATIONS] = OPEN;
byte items[OPERATIONS] = 1;          /* in a queue, or on a worker */
bool noted[OPERATIONS];              /* among the open operations */
short cancelledItems;
byte running;                        /* started, and not ended */
bool stopped;

inline join(operation) { waits[operation] = true; waiting++ }

inline takeFirst(operation) {
  if
  :: waits[0] -> operation = 0
  :: waits[1] -> operation = 1
  :: waits[2] -> operation = 2
  fi;
  waits[operation] = false;
  waiting--
}

/* From here on only the open operations keep a draining pool. */
inline endItem(operation) {
  atomic {
    items[operation]--;
    assert(items[operation] > 0 || noted[operation] || !hasFunction[operation]) /* taken: its canceller completes the task */
  }
}

/* CancellableOperation.TakeFunction */
inline takeFunction(operation) {
  atomic {
    mine = hasFunction[operation];
    hasFunction[operation] = false
  };
  if
  :: mine
  :: else -> cancelledItems--
  fi
}

inline tryLeave(operation, left) {
  atomic {
    left = waits[operation];
    if :: left -> waits[operation] = false; waiting-- :: else fi
  }
}

/* OperationLimit.Leave, and LimitedFunction.Enqueue. */
inline leave() {
#ifdef MUTANT_LEAVES_WITHOUT_THE_LOCK
  found = waiting > 0;
  atomic {
    if
    :: found && waiting > 0 -> takeFirst(next); items[next]++; run resumed(next)
    :: else -> inFlight--
    fi;
    next = 0;
    found = false
  }
#else
  atomic {
    if
    :: waiting > 0 -> takeFirst(next); items[next]++
    :: waiting == 0 -> inFlight--; next = OPERATIONS
    fi
  };
  atomic {
    if
    :: next != OPERATIONS -> run resumed(next)
    :: else
    fi;
    next = 0
  }
#endif
}

/* BeginHere of an operation with a place, until the operation has ended. */
inline begin(operation) {
  takeFunction(operation);
  if
  :: mine ->
    atomic {
      running++;
      assert(running <= MOST || stopped);
      assert(outcome[operation] == OPEN);
      outcome[operation] = STARTED
    };
    noted[operation] = true;         /* Operation.Follow */
    endItem(operation);
    atomic { running--; outcome[operation] = ENDED };
    leave()
  :: else ->
#ifndef MUTANT_CANCELLED_KEEPS_ITS_PLACE
    leave();
#endif
    endItem(operation)
  fi
}

/* The item of an operation has its turn: Operation.BeginOrWait. */
proctype item(byte operation) {
  byte next;
  bool mine, enters, left, found;
#ifdef MUTANT_ENTERS_WITHOUT_THE_LOCK
  enters = inFlight < MOST;
  atomic {
    if :: enters -> inFlight++ :: else -> join(operation) fi
  };
#else
  atomic {
    enters = inFlight < MOST;
    if :: enters -> inFlight++ :: else -> join(operation) fi
  };
#endif
  if
  :: enters -> begin(operation)
  :: else ->
#ifndef MUTANT_WAITING_IS_NOT_NOTED
    noted[operation] = true;
#endif
#ifndef MUTANT_STOP_IS_NOT_SEEN
    if
    :: stopped -> tryLeave(operation, left)
    :: else
    fi;
#endif
    if
    :: left -> left = false; begin(operation)
    :: else ->
      if
      :: outcome[operation] == CANCELLED -> tryLeave(operation, left)
      :: else
      fi;
      if
#ifndef MUTANT_LEAVES_AND_COUNTS
      :: left -> cancelledItems--
#endif
      :: else
      fi;
      endItem(operation)
    fi
  fi
}

/* LimitedFunction.BeginHere: an item again, which has the place of the operation that ended. */
proctype resumed(byte operation) {
  byte next;
  bool mine, found;
  if
  :: begin(operation)
#ifdef STOPS
  :: stopped ->                      /* Leftovers.Abandon: the place is not passed on */
    takeFunction(operation);
    atomic {
      if :: mine -> assert(outcome[operation] == OPEN); outcome[operation] = CANCELLED :: else fi;
    };
    endItem(operation)
#endif
  fi
}

/* CancellableOperation.Cancel */
proctype canceller() {
  bool mine, left;
  atomic { mine = hasFunction[0]; hasFunction[0] = false };
  if
  :: mine ->
    tryLeave(0, left);
    if
#ifdef MUTANT_CANCELLED_IS_ALWAYS_COUNTED
    :: true -> cancelledItems++
#else
    :: !left -> cancelledItems++
    :: left
#endif
    fi;
    atomic { assert(outcome[0] == OPEN); outcome[0] = CANCELLED }
  :: else
  fi
}

#ifdef STOPS
/* PoolLifecycle.StopNow; items that wait in the queue may run elsewhere, so they are left to their turn. */
proctype stop() {
  byte operation;
  bool mine;
  stopped = true;
  do
  :: atomic { waiting > 0 -> takeFirst(operation) };
     takeFunction(operation);
     if
     :: mine -> atomic { assert(outcome[operation] == OPEN); outcome[operation] = CANCELLED }
     :: else
     fi
  :: waiting == 0 -> break
  od
}
#endif

init {
  byte i;
  atomic {
    for (i : 0 .. OPERATIONS - 1) { run item(i) };
#ifdef STOPS
    run stop();
#endif
    run canceller()
  };
  _nr_pr == 1;
  for (i : 0 .. OPERATIONS - 1) { assert(!hasFunction[i] && outcome[i] != OPEN && outcome[i] != STARTED) };
  assert(waiting == 0 && cancelledItems == 0 && running == 0);
  assert(inFlight == 0 || stopped)
}
