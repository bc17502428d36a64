/* SPDX-License-Identifier: MIT
 *
 * Rescue threads: a pool is at its limit and all its workers are blocked, so items that continue started work run on threads beyond the
 * limit, and no other items do. Mirrors Starvation/Rescue.cs (Look), Scheduling/ThreadRoster.Rescue.cs (TryAddRescuer),
 * Scheduling/ThreadRoster.cs
 * and its parts (CountsChanged, TryEnterReserve, WaitInReserve, TryLeaveReserve), Queues/InjectorShard.Sorting.cs (Sort),
 * Queues/InjectorQueue.Sorting.cs (BeginSorting, EndSorting), Queues/WorkerQueues.Continuing.cs (TryTakeContinuing), Scheduling/Worker.Rescue.cs
 * (RunContinuing, WaitForRescue), NativeThreadPool.Entering.cs (EnqueueFromOutside) and of the drain IsNothingLeft and PassStopOn.
 *
 * One worker is the limit. Its items come from outside: the first waits for a continuation, which comes from outside as well; the
 * second queues a local item and waits for that. The continuation queues a local item, too, and waits for it or not. The injector
 * queue is a shard with tickets: a producer claims a slot, and fills it later. The monitor sorts: it goes over the filled slots once,
 * and moves the continuations into a shard of their own, behind what a producer that has seen the flag puts there itself. It marks a
 * worker that waits some time after it has seen it waiting, and counts it off when it waits no more. How the word wakes an idle
 * worker is worker_signal.pml's, how the monitor gets and gives back a pool monitoring.pml's: here an idle worker is one flag, and the
 * monitor has the pool while an item waits and no worker is idle. Memory is sequentially consistent: what the roster counts changes
 * under its lock, slots are filled and emptied by releases, and the flag is followed by looks without end.
 *
 * Property: no rescue thread runs an item that begins. In every state in which nothing can happen any more: all items have run,
 * unless as many rescue threads wait as there may be; the counts are right, and no permit is left over; and a pool that drains has
 * stopped, and has no thread left.
 *
 * Mutants, each of which must fail: the MUTANT_ names below.
 */
#ifndef RESCUERS
#define RESCUERS 2                   /* MaxRescueThreads */
#endif
#define TIMEOUTS 1                   /* after which a parked rescue thread stays: the protocol does not rely on a timeout */
#define ITEMS 5
#define SLOTS 3                      /* tickets: two items from outside and, perhaps, the continuation */
#define THREADS (RESCUERS + 1)       /* 0 is the worker */

/* Items. */
#define NONE 0
#define AWAITS 1                     /* from outside; waits for CONTINUATION */
#define FORKS 2                      /* from outside; waits for LOCAL_OF_FORKS */
#define CONTINUATION 3               /* from outside; waits for its local item, or not */
#define LOCAL_OF_FORKS 4
#define LOCAL_OF_CONTINUATION 5
bool done[ITEMS + 1];
bool awaited;                        /* AWAITS has started: its continuation may come */

/* The injector queue. */
byte slot[SLOTS];
byte tickets, head, cursor;          /* claimed; before head all were taken; before cursor all were sorted */
bool hole[SLOTS];
bool sorting;                        /* the flag */
bool apart;                          /* the shard of the continuations: there is one of these */
byte lane[THREADS];                  /* local items: at most one each */

/* Roster, under its lock. */
bool locked, stopped, draining;
bool listed[THREADS], counted[THREADS];
byte rescuers, parkedRescuers, permits, timeouts;
bool waits[THREADS];                 /* blocked in an item */
bool ordered[THREADS];
bool idle, chosen;                   /* the worker */

#define IS_NEEDED (!stopped && counted[0])
#if RESCUERS > 1
#define RESCUERS_AT_WORK (rescuers - parkedRescuers - (counted[1] -> 1 : 0) - (counted[2] -> 1 : 0))
#define LOCAL_WAITS (lane[0] || lane[1] || lane[2])
#ifdef MUTANT_ITEMS_OF_RESCUERS_NOT_SEEN
#define LOCAL_FOR_RESCUE (lane[0] && counted[0])
#else
#define LOCAL_FOR_RESCUE ((lane[0] && counted[0]) || lane[1] || lane[2])
#endif
#else
#define RESCUERS_AT_WORK (rescuers - parkedRescuers - (counted[1] -> 1 : 0))
#define LOCAL_WAITS (lane[0] || lane[1])
#define LOCAL_FOR_RESCUE ((lane[0] && counted[0]) || lane[1])
#endif
#define FILLED(s) (slot[s] != NONE || hole[s])
#define READY (head < tickets && FILLED(head))
#define WAITING (head < tickets || apart || LOCAL_WAITS)

inline ask() {                       /* a producer, after its publication */
  atomic { if :: idle -> idle = false; chosen = true :: else fi }
}

/* The item in `mine` runs on thread `me`. */
inline runItem() {
  if
  :: mine == AWAITS ->
     awaited = true;
     waits[me] = true;
end_awaits:
     atomic { done[CONTINUATION] -> waits[me] = false }
  :: mine == FORKS ->
     lane[me] = LOCAL_OF_FORKS;
     ask();
     waits[me] = true;
end_forks:
     atomic { done[LOCAL_OF_FORKS] -> waits[me] = false }
  :: mine == CONTINUATION ->
     atomic { assert(lane[me] == NONE); lane[me] = LOCAL_OF_CONTINUATION };
     ask();
     if
     :: true -> waits[me] = true;
end_continues:
        atomic { done[LOCAL_OF_CONTINUATION] -> waits[me] = false }
     :: true
     fi
  :: else
  fi;
  atomic { done[mine] = true; mine = NONE }
}

inline takeLocalOf(w) {
  if
  :: atomic { mine == NONE && lane[w] -> mine = lane[w]; lane[w] = NONE }
  :: else
  fi
}

inline endProof() {
  atomic { !locked -> counted[me] = false }
}

#define LEFT_FOR_NOBODY (head == tickets && !apart && !LOCAL_WAITS)

/* PassStopOn: parked threads see that the pool has stopped. */
inline passStopOn() {
  atomic {
    !locked ->
#ifndef MUTANT_STOP_FORGETS_RESCUERS
    permits = permits + parkedRescuers;
    parkedRescuers = 0;
#endif
    if :: idle -> idle = false; chosen = true :: else fi
  }
}

#ifdef MUTANT_PARKED_RESCUER_AT_WORK
#define AT_WORK (1 + rescuers)
#else
#define AT_WORK (1 + rescuers - parkedRescuers)
#endif

/* IsNothingLeft, under the lock: each thread is idle or parked, and nothing waits. */
inline tryFinishDraining() {
  atomic {
    !locked ->
    if
    :: draining && !stopped && listed[0] && (idle -> 1 : 0) == AT_WORK && LEFT_FOR_NOBODY -> stopped = true; ends = true
    :: else
    fi
  };
  if
  :: atomic { ends -> ends = false }; passStopOn()
  :: else
  fi
}

proctype Worker() {
  byte mine;
  bool ends;
  byte me = 0;
search:
  if
  :: stopped -> goto leaves
  :: else -> endProof()
  fi;
  takeLocalOf(0);
  if
  :: atomic { mine == NONE && apart -> apart = false; mine = CONTINUATION }
  :: else
  fi;
  atomic {
    do
    :: mine == NONE && READY ->
       if
       :: hole[head]
       :: else -> mine = slot[head]
       fi;
       slot[head] = NONE;
       hole[head] = false;
       head++
    :: else -> break
    od
  };
  takeLocalOf(1);
#if RESCUERS > 1
  takeLocalOf(2);
#endif
  if
  :: mine != NONE -> runItem(); goto search
  :: else
  fi;
  idle = true;                       /* announces itself, and looks again */
  if
  :: READY || apart || LOCAL_WAITS || stopped ->
     atomic { if :: idle -> idle = false :: else -> chosen = false fi };
     goto search
  :: else
  fi;
  if
  :: draining -> tryFinishDraining()
  :: else
  fi;
end_parked:
  atomic { chosen -> chosen = false };
  goto search;
leaves:
  atomic { !locked -> listed[0] = false; counted[0] = false }
}

proctype Rescuer(byte me) {
  byte mine;
  bool ends;
end_absent:
  atomic { ordered[me] -> ordered[me] = false };
rescue:
  if
  :: stopped -> goto leaves
  :: else -> endProof()
  fi;
  if
  :: IS_NEEDED
  :: else -> goto parks
  fi;
  takeLocalOf(me);
  if
  :: atomic { mine == NONE && apart -> apart = false; mine = CONTINUATION }
  :: else
  fi;
  if
  :: atomic { mine == NONE && counted[0] && lane[0] -> mine = lane[0]; lane[0] = NONE }
  :: else
  fi;
  takeLocalOf(1);
#if RESCUERS > 1
  takeLocalOf(2);
#endif
#ifdef MUTANT_RESCUES_WHAT_BEGINS
  if
  :: atomic { mine == NONE && READY && !hole[head] -> mine = slot[head]; slot[head] = NONE; head++ }
  :: else
  fi;
#endif
  if
  :: mine != NONE -> assert(mine != AWAITS && mine != FORKS); runItem(); goto rescue
  :: else
  fi;
parks:                               /* WaitForRescue */
  /* TryEnterReserve */
  atomic { !locked -> if :: stopped -> goto leaves :: else -> parkedRescuers++ fi };
  if
  :: draining -> tryFinishDraining()
  :: else
  fi;
end_reserve:
  if
  :: atomic { permits > 0 -> permits--; goto rescue }
  :: atomic { timeouts < TIMEOUTS -> timeouts++ }
  fi;
  /* TryLeaveReserve */
  atomic {
    !locked ->
    if
#ifdef MUTANT_LEAVES_BLINDLY
    :: lane[me] || stopped -> timeouts--; goto end_reserve
    :: else -> if :: parkedRescuers > 0 -> parkedRescuers-- :: else fi
#else
    :: parkedRescuers == 0 || lane[me] -> timeouts--; goto end_reserve
    :: else -> parkedRescuers--
#endif
    fi;
    rescuers--;
    listed[me] = false;
    if :: rescuers == 0 -> sorting = false :: else fi
  };
  if
  :: draining -> tryFinishDraining()
  :: else
  fi;
  goto end_absent;                   /* another thread may come, with the same number */
leaves:
  atomic { !locked -> rescuers--; listed[me] = false; counted[me] = false; if :: rescuers == 0 -> sorting = false :: else fi }
}

/* An item that begins. */
proctype Producer(byte kind) {
  byte mine;
  atomic { mine = tickets; tickets++ };
  slot[mine] = kind;
  ask()
}

/* EnqueueFromOutside: to the items that continue work while the flag is set. */
proctype Completer() {
  byte mine;
  bool sees;
end_never:
  awaited;
  sees = sorting;
  if
  :: sees -> apart = true
  :: else ->
     atomic { mine = tickets; tickets++ };
     slot[mine] = CONTINUATION
  fi;
  ask()
}

/* A look sorts before it asks whether there is something to rescue. */
inline sort() {
  do
#ifdef MUTANT_SORTS_ONCE
  :: atomic { cursor < tickets && !sorted ->
#else
  :: atomic { cursor < tickets && (cursor < head || FILLED(cursor)) ->
#endif
       if
       :: cursor >= head && slot[cursor] == CONTINUATION ->
          if
          :: rescuers == 0 -> found = true; break      /* looks only, and stays there */
          :: else -> slot[cursor] = NONE; hole[cursor] = true; assert(!apart); apart = true
          fi
       :: else
       fi;
       cursor++
     }
#ifdef MUTANT_SORTS_ONCE
  :: atomic { else -> sorted = rescuers > 0; break }
#else
#ifdef MUTANT_SORTS_PAST_UNFILLED
  :: atomic { cursor < tickets && cursor >= head && !FILLED(cursor) -> cursor++ }
#endif
  :: atomic { else -> break }
#endif
  od
}

#ifdef MUTANT_PARKED_NOT_CALLED_BACK
#define MAY_CALL_BACK false
#else
#define MAY_CALL_BACK (parkedRescuers > 0)
#endif

inline callBackOrStart() {
  atomic {
    !locked ->
    if
    :: MAY_CALL_BACK -> parkedRescuers--; permits++
    :: else ->
       if
       :: IS_NEEDED && rescuers < RESCUERS && !listed[1] -> rescuers++; listed[1] = true; ordered[1] = true; sorting = true
#if RESCUERS > 1
       :: IS_NEEDED && rescuers < RESCUERS && listed[1] && !listed[2] -> rescuers++; listed[2] = true; ordered[2] = true
#endif
       :: else
       fi
    fi
  }
}

#ifdef MUTANT_RESCUER_NOT_MARKED
#define MARKS(w) false
#else
#define MARKS(w) (listed[w] && waits[w] && !counted[w])
#endif

active proctype Monitor() {
  byte proven;
  bool found;
#ifdef MUTANT_SORTS_ONCE
  bool sorted;
#endif
end:
  do
  :: atomic { WAITING && !idle && listed[0] && waits[0] && !counted[0] && !locked -> counted[0] = true }
  :: atomic { WAITING && !idle && MARKS(1) && !locked -> counted[1] = true }
#if RESCUERS > 1
  :: atomic { WAITING && !idle && MARKS(2) && !locked -> counted[2] = true }
#endif
  :: atomic { counted[0] && !waits[0] && !locked -> counted[0] = false }
  :: atomic { counted[1] && !waits[1] && !locked -> counted[1] = false }
#if RESCUERS > 1
  :: atomic { counted[2] && !waits[2] && !locked -> counted[2] = false }
#endif
  :: atomic { WAITING && !idle && IS_NEEDED && RESCUERS_AT_WORK == 0 &&
       (apart || LOCAL_FOR_RESCUE || cursor < head || (cursor < tickets && FILLED(cursor))) &&
       (MAY_CALL_BACK || rescuers < RESCUERS || (cursor < tickets && FILLED(cursor))) -> skip };
     sort();
     if
     :: atomic { found || apart || LOCAL_FOR_RESCUE -> found = false }; callBackOrStart()
     :: else
     fi
  od
}

#ifdef DRAINS
active proctype Drainer() {
  bool ends;
  done[AWAITS] && done[FORKS];       /* producers come before */
  draining = true;
  tryFinishDraining()
}
#endif

init {
  atomic {
    listed[0] = true;
    run Worker();
    run Rescuer(1);
#if RESCUERS > 1
    run Rescuer(2);
#endif
    run Producer(AWAITS);
    run Producer(FORKS);
    run Completer()
  };
  timeout ->
#if RESCUERS > 1
    assert(done[AWAITS] && done[FORKS] && done[CONTINUATION] && done[LOCAL_OF_FORKS] && done[LOCAL_OF_CONTINUATION]);
    assert(!counted[0] && !counted[1] && !counted[2] && permits == 0 && LEFT_FOR_NOBODY);
    assert(rescuers == parkedRescuers);
#else
    assert(done[AWAITS] || counted[1]);
#endif
#ifdef DRAINS
    assert(stopped && !listed[0] && rescuers == 0);
#endif
    assert(!locked)
}
