/* SPDX-License-Identifier: MIT
 *
 * Workers beyond the number that may run: found blocked and replaced, back again and parked in the reserve, called
 * back, or gone for good; threads that cannot be started and are tried again by the monitor; and the pool draining
 * meanwhile. Mirrors Scheduling/ThreadRoster.cs and its parts (RunningCount, MayRunMore, RunsAgain, ReplaceBlocked, EndOvershoot,
 * TryEnterReserve, WaitInReserve, TryLeaveReserve, TryAddRunner, TryCallBackOrEnlist, Start, TryStartRequested,
 * TryEndPostponement, TryRetire, Remove, TryClose), Scheduling/Reserve.cs, Scheduling/WorkerRequests.cs
 * (StartRequestedWorker), Scheduling/WorkerExit.cs (TryRetire, WaitInReserve, WorkerEnded, WorkerLeft),
 * Starvation/MonitoredPool.cs (BeginMonitoring, EndMonitoring),
 * Shutdown/PoolLifecycle.cs (TryFinishDraining, IsNothingLeft, AfterThreadLeft, PassStopOn) and, of the workers, Attend,
 * StayInReserve and WaitForWork.
 *
 * A thread is not started under the lock. Between enlisting and a successful start other threads see only a thread that has not started, so
 * these two are one step here; a start that fails is enlisted, and removed some time later.
 *
 * What runs under the roster's lock is one step, unless it looks at queues or at the word. Memory is sequentially
 * consistent, and a request reads the word and changes it in one step: worker_signal.pml and monitoring.pml are about
 * the rest. The semaphore is its permits: lifo_semaphore.pml has its inside. A worker that timed out has left the
 * semaphore and has not yet got the lock. Each worker lives once. Items push others or wait for a while, in which the
 * monitor may find them blocked; it marks them some time later, whatever they do by then, also when they have parked. When the
 * monitor may give the pool back, monitoring.pml is about; here it does so whenever it may, but for the one look that it makes
 * behind each mark: that sees who has parked (Starvation/Evidence.cs, RunsAgain), and a worker that parks behind it sees its mark
 * (Scheduling/Blocking.cs, BeginPark, EndProof). While the pool drains, items may begin an operation that ends elsewhere, and a producer may come late: it has asked before the
 * pool drained, and publishes when it does, or after its stop.
 *
 * Property, in every state in which nothing can happen any more: every item ran, on the pool unless it came after the stop;
 * no worker counts as blocked; each worker that counts in the reserve is there, and no permit is left over; and a draining pool has
 * stopped, and has no thread left. It does not stop while an operation is open.
 *
 * Mutants, each of which must fail: the MUTANT_ names below; run.sh knows the configuration in which each shows.
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef MOST_RUNNING
#define MOST_RUNNING 1               /* MaxThreads; MaxThreads + MaxBlockedThreads is WORKERS */
#endif
#ifndef FEWEST
#define FEWEST 1                     /* MinThreads */
#endif
#ifndef INJECTED
#define INJECTED 2                   /* items from outside */
#endif
#ifndef SPAWNED
#define SPAWNED 1                    /* items pushed by items into the lane of their worker */
#endif
#ifndef WAITS
#define WAITS 2                      /* items that wait for a while */
#endif
#ifndef REFUSALS
#define REFUSALS 0                   /* starts of threads that fail */
#endif
#ifndef OPERATIONS
#define OPERATIONS 0                 /* 1: an item may begin an operation, which is open until it ends elsewhere */
#endif

/* Of the state word. */
bool requested, unmonitored;
byte idle;

bool has, arriving;                  /* the pool is in the monitor's list, or about to be */
bool postponed;                      /* a start has failed: only the monitor tries another */
byte refusals;
byte vain;                           /* workers that are enlisted, and whose threads cannot be started */

/* Changed under the roster's lock. */
bool locked, stopped;
byte threads, blocked, started;
bool listed[WORKERS], counted[WORKERS];
#ifdef MUTANT_GONE_IS_MARKED
bool hasEnded[WORKERS];
#endif
byte reserved;                       /* in the reserve and not called back */
bool overshoot;                      /* one more may run for a moment */

byte permits;                        /* of the reserve's semaphore */
bool draining, ordered[WORKERS], announced[WORKERS], chosen[WORKERS];
bool parked[WORKERS];                /* as the worker says */
bool inReserve[WORKERS];             /* for the property */

byte injector, lane[WORKERS];
byte spawned, waits, completed;
byte operation;                      /* the one that an item began: NONE, OPEN, DONE */
bool awaited, attached;              /* the drain waits for it, and is notified of its end */
#define NONE 0
#define OPEN 1
#define DONE 2
bool waitsInItem[WORKERS];

#define RUNNING (threads - blocked - reserved)
#define MAY_SPARE_ONE (threads - vain > FEWEST)
#define MAY_RUN(limit) (!stopped && RUNNING < (limit) && (reserved > 0 || threads < WORKERS))
#define HAS_SURPLUS (RUNNING > MOST_RUNNING + (overshoot -> 1 : 0))

inline lookInTurn() {                /* at the workers that are listed */
  found = injector > 0;
  if :: !found -> found = listed[0] && lane[0] > 0 :: else fi;
  if :: !found -> found = listed[1] && lane[1] > 0 :: else fi;
#if WORKERS > 2
  if :: !found -> found = listed[2] && lane[2] > 0 :: else fi
#endif
}

#define OTHER(k) ((me + (k)) % WORKERS)
#define LEFT_IN(w) (listed[w] && lane[w] > 0)
#if WORKERS > 2
#define LEFT_ANYWHERE (injector > 0 || LEFT_IN(0) || LEFT_IN(1) || LEFT_IN(2))
#else
#define LEFT_ANYWHERE (injector > 0 || LEFT_IN(0) || LEFT_IN(1))
#endif

inline pop() {
  requested = true;
  idle--;
  if
  :: announced[0] -> announced[0] = false; chosen[0] = true
  :: announced[1] -> announced[1] = false; chosen[1] = true
#if WORKERS > 2
  :: announced[2] -> announced[2] = false; chosen[2] = true
#endif
  fi
}

/* BeginMonitoring */
inline bring() {
  atomic { if :: unmonitored -> unmonitored = false; arriving = true :: else fi }
}

/* Under the lock. */
inline callBackOrStart() {
  if
  :: reserved > 0 ->
#ifndef MUTANT_CALLED_BACK_STILL_COUNTED
     reserved--;
#endif
     permits++
  :: else -> threads++; listed[started] = true; ordered[started] = true; started++
  fi
}

#define ENLISTS_IN_VAIN (reserved == 0 && refusals < REFUSALS)

/* Under the lock. */
inline enlistInVain() {
  refusals++;
  threads++;
  vain++
}

/* Start has failed. */
inline notStarted() {
  atomic { !locked -> assert(!stopped); threads--; vain--; postponed = true }
}

/* Under the lock. */
inline remove() {
  listed[me] = false;
  threads--;
  if :: counted[me] -> counted[me] = false; blocked-- :: else fi
}

/* PassStopOn. What a late producer published runs elsewhere; of everything else nothing may be left. */
inline passStopOn() {
#ifdef LATE
  injector = 0;
#else
  assert(injector == 0);
#endif
#ifndef MUTANT_STOP_FORGETS_RESERVE
  atomic { !locked -> permits = permits + reserved; reserved = 0 };
#endif
  atomic { if :: !requested && idle > 0 -> pop() :: else fi }
}

#ifdef MUTANT_WHOLE_WORD_COMPARED
#define UNLIKE_BEFORE (idle != seenIdle || requested || completed != seenCompleted || unmonitored != seenUnmonitored)
#else
#ifdef MUTANT_COMPLETED_NOT_COMPARED
#define UNLIKE_BEFORE (idle != seenIdle || requested)
#else
#define UNLIKE_BEFORE (idle != seenIdle || requested || completed != seenCompleted)
#endif
#endif

/* Every early return says who calls again. seenIdle, found: the caller's, 0 and false before and after. */
inline tryFinishDraining() {
  do
  :: atomic { !locked -> locked = true };
     if
     :: draining && !stopped ->
        atomic {
          seenIdle = idle;
          found = requested;
#ifdef MUTANT_WHOLE_WORD_COMPARED
          seenUnmonitored = unmonitored;
#endif
          seenCompleted = completed
        };
        if
#ifdef MUTANT_RESERVE_NOT_COUNTED
        :: !found && seenIdle == threads ->
#else
        :: !found && seenIdle + reserved == threads ->
#endif
           lookInTurn();
           seenOpen = operation == OPEN;
           atomic {
             found = found || UNLIKE_BEFORE || (seenOpen && awaited);
             seenOpen = seenOpen && !found;
             if
             :: seenOpen -> awaited = true
             :: !seenOpen && !found -> assert(operation != OPEN); stopped = true
             :: else
             fi;
             seenIdle = 0; seenCompleted = 0; locked = false
           };
           if
           :: atomic { found -> found = false; break }
           :: atomic { seenOpen -> seenOpen = false; /* ContinueWith: at once if it has ended meanwhile */
                if :: operation == OPEN -> attached = true; break :: else fi
              }
           :: else -> passStopOn(); break
           fi
        :: atomic { else -> found = false; seenIdle = 0; seenCompleted = 0; locked = false; break }
        fi
     :: atomic { else -> locked = false; break }
     fi
  od
}

/* started never exceeds WORKERS: a pool whose threads come and go starts no more of them here. */
#define CAN_START (reserved > 0 || started < WORKERS)
#define GROWABLE (!postponed && MAY_RUN(MOST_RUNNING) && CAN_START)

inline request() {
  do
  :: atomic { !requested && idle > 0 -> pop(); break }
  :: atomic { !requested && idle == 0 && GROWABLE -> requested = true };
     if
     :: atomic { !locked && LEFT_ANYWHERE && MAY_RUN(MOST_RUNNING) && CAN_START -> callBackOrStart(); break }
     :: atomic { !locked && LEFT_ANYWHERE && MAY_RUN(MOST_RUNNING) && ENLISTS_IN_VAIN -> enlistInVain() };
        notStarted()                 /* WorkerLeft comes to nothing while the request stands */
     :: atomic { !locked && !(LEFT_ANYWHERE && MAY_RUN(MOST_RUNNING) && (CAN_START || ENLISTS_IN_VAIN)) }
     fi;
     requested = false;              /* EndRefusedRequest */
     if
     :: LEFT_ANYWHERE && !stopped
     :: else ->
#ifndef MUTANT_REFUSED_FORGETS_DRAINING
        if
        :: draining -> tryFinishDraining()
        :: else
        fi;
#endif
        break
     fi
  :: atomic { requested -> break }
  :: atomic { !requested && idle == 0 && !GROWABLE }; bring(); break
  od
}

inline requestForPending() {
  if
  :: LEFT_ANYWHERE -> request()
  :: else
  fi
}

#ifdef MUTANT_WHOLE_WORD_COMPARED
#define LOCALS byte seenIdle, seenCompleted; bool found, seenOpen, seenUnmonitored
#else
#define LOCALS byte seenIdle, seenCompleted; bool found, seenOpen
#endif

/* Blocking.EndProof */
inline endProof(me) {
  if
  :: counted[me] -> atomic { !locked -> if :: counted[me] -> counted[me] = false; blocked-- :: else fi }
  :: else
  fi
}

/* Blocking.BeginPark */
inline beginPark(me) {
  parked[me] = true;
#ifndef MUTANT_PARKS_MARKED
  endProof(me)
#endif
}

proctype Producer() {
  byte sent;
  LOCALS;
  do
#ifdef LATE
  :: sent < INJECTED && !draining -> atomic { injector++; sent++ }; /* it may drain by now, or have stopped */
     request();
     if :: stopped -> injector = 0 :: else fi
#else
  :: sent < INJECTED && !draining -> atomic { if :: draining -> break :: else -> injector++; sent++ fi }; request()
#endif
  :: sent == INJECTED || draining -> break
  od
}

proctype Worker(byte me) {
  LOCALS;
  bool elsewhere;
end_absent:
  atomic { ordered[me] -> ordered[me] = false };
awake:
  requested = false;

search:
  /* Attend */
  if
  :: stopped -> goto ends
  :: else -> endProof(me)
  fi;
  if
  :: HAS_SURPLUS -> goto nothing
  :: else
  fi;
  atomic {
    elsewhere = false;
    if
    :: lane[me] > 0 -> lane[me]--
    :: lane[me] == 0 && injector > 0 -> injector--; elsewhere = true
    :: lane[me] == 0 && injector > 1 -> injector = injector - 2; lane[me]++; elsewhere = true
    :: lane[me] == 0 && LEFT_IN(OTHER(1)) -> lane[OTHER(1)]--; elsewhere = true
#if WORKERS > 2
    :: lane[me] == 0 && LEFT_IN(OTHER(2)) -> lane[OTHER(2)]--; elsewhere = true
#endif
    :: else -> goto nothing
    fi
  };
  if
  :: elsewhere -> elsewhere = false; requestForPending() /* PassRequestOn */
  :: else
  fi;

  do                                 /* the item runs */
  :: atomic { spawned < SPAWNED -> spawned++; lane[me]++ }; request()
  :: atomic { waits < WAITS -> waits++; waitsInItem[me] = true };
     waitsInItem[me] = false
  :: atomic { OPERATIONS > 0 && operation == NONE -> operation = OPEN }
  :: break
  od;
#if OPERATIONS > 0
  completed = 1 - completed;         /* counted up; here it is enough that it changes */
#endif
  goto search;

nothing:
  if
  :: stopped -> goto ends
  :: HAS_SURPLUS -> skip
  :: else -> goto announces
  fi;
  atomic { !locked -> if :: stopped || !HAS_SURPLUS -> goto announces :: else -> reserved++; inReserve[me] = true fi };
  if
  :: draining -> tryFinishDraining()
  :: else
  fi;
  requestForPending();               /* PassRequestOn */
  beginPark(me);
end_reserve:
  if
  :: atomic { permits > 0 -> permits--; inReserve[me] = false; parked[me] = false;
#ifdef MUTANT_CALLED_BACK_STILL_COUNTED
       reserved--;
#endif
       goto awake
     }
  :: MAY_SPARE_ONE -> skip           /* timed out */
  fi;
  atomic {
    !locked ->
    if
#ifdef MUTANT_LEAVES_BLINDLY
    :: !MAY_SPARE_ONE -> goto end_reserve
    :: else -> inReserve[me] = false; parked[me] = false; if :: reserved > 0 -> reserved-- :: else fi;
#else
    :: reserved == 0 || !MAY_SPARE_ONE -> goto end_reserve
    :: else -> inReserve[me] = false; parked[me] = false; reserved--;
#endif
#ifndef MUTANT_LEAVES_WITH_ITEMS
       injector = injector + lane[me]; lane[me] = 0;
#endif
       remove()
    fi
  };
  requestForPending();
  requested = false;                 /* StayInReserve acknowledges in any case */
  goto ends;

announces:
  atomic { announced[me] = true; idle++ };
  if
  :: LEFT_ANYWHERE || stopped ->
     atomic {
       if
       :: announced[me] -> announced[me] = false; idle--; goto search
       :: else
       fi
     }
  :: else ->
     if
     :: draining -> tryFinishDraining()
     :: else
     fi
  fi;
  beginPark(me);
end_parked:
  if
  :: atomic { chosen[me] -> chosen[me] = false; parked[me] = false; goto awake }
  :: atomic { !chosen[me] && MAY_SPARE_ONE -> announced[me] = false; idle--; parked[me] = false };  /* timed out */
     atomic { !locked ->
       if
       :: !MAY_SPARE_ONE -> goto search
       :: else -> remove()
       fi
     };
     requestForPending()
  fi;

ends:                                /* WorkerEnded */
  atomic { if :: lane[me] > 0 -> injector = injector + lane[me]; lane[me] = 0; assert(!stopped) :: else fi };
  atomic { !locked -> found = listed[me]; if :: found -> remove() :: else fi };
#ifdef MUTANT_GONE_IS_MARKED
  hasEnded[me] = true;
#endif
  if
  :: stopped -> passStopOn()
  :: else ->
     if
     :: draining -> tryFinishDraining()
     :: else
     fi;
     if
     :: found && !stopped -> requestForPending()
     :: else
     fi
  fi
}

#ifdef MUTANT_PARKED_NOT_SEEN
#define RUNS_AGAIN(w) (!waitsInItem[w] && !parked[w])
#define SEES_PARKED false
#else
#define RUNS_AGAIN(w) (!waitsInItem[w])
#if WORKERS > 2
#define SEES_PARKED ((counted[0] && parked[0]) || (counted[1] && parked[1]) || (counted[2] && parked[2]))
#else
#define SEES_PARKED ((counted[0] && parked[0]) || (counted[1] && parked[1]))
#endif
#endif

/* Samples while a worker may be blocked, and acts on the sample later. */
active proctype Monitor() {
  byte proven;
  LOCALS;
end:
  do
  :: atomic { arriving -> arriving = false; has = true }
  :: atomic { has && !(LEFT_ANYWHERE && idle == 0) && !SEES_PARKED -> unmonitored = true };
     /* EndMonitoring: the pool may be brought again at this moment */
     atomic { if :: LEFT_ANYWHERE && idle == 0 && unmonitored -> unmonitored = false :: else -> has = false fi }
  :: atomic { has && postponed && !locked -> postponed = false };
#ifndef MUTANT_RETRY_FORGETS_ITEMS
     requestForPending()             /* TryEndPostponement */
#endif
  :: atomic { has && waitsInItem[0] && listed[0] && !counted[0] -> proven = 0 }; goto replace
  :: atomic { has && waitsInItem[1] && listed[1] && !counted[1] -> proven = 1 }; goto replace
#if WORKERS > 2
  :: atomic { has && waitsInItem[2] && listed[2] && !counted[2] -> proven = 2 }; goto replace
#endif
  :: atomic { !locked && has && counted[0] && listed[0] && RUNS_AGAIN(0) -> counted[0] = false; blocked-- } /* RunsAgain */
  :: atomic { !locked && has && counted[1] && listed[1] && RUNS_AGAIN(1) -> counted[1] = false; blocked-- }
#if WORKERS > 2
  :: atomic { !locked && has && counted[2] && listed[2] && RUNS_AGAIN(2) -> counted[2] = false; blocked-- }
#endif
  :: atomic { !locked && overshoot -> overshoot = false }  /* EndOvershoot */
  od;
replace:
  atomic {
    !locked ->
    if :: LEFT_ANYWHERE :: else -> goto end fi;
    if
#ifdef MUTANT_GONE_IS_MARKED
    :: !hasEnded[proven] && !counted[proven] -> counted[proven] = true; blocked++
#else
    :: listed[proven] && !counted[proven] -> counted[proven] = true; blocked++
#endif
    :: else
    fi;
    if
    :: MAY_RUN(MOST_RUNNING + 1) -> overshoot = true        /* hardly any worker makes progress */
    :: true
    fi;
    proven = 0
  };
  do
  :: atomic { !locked && MAY_RUN(MOST_RUNNING + (overshoot -> 1 : 0)) && CAN_START -> callBackOrStart() }
  :: atomic { !locked && MAY_RUN(MOST_RUNNING + (overshoot -> 1 : 0)) && ENLISTS_IN_VAIN -> enlistInVain() };
     notStarted();
#ifndef MUTANT_NOT_STARTED_FORGETS_DRAINING
     if                              /* WorkerLeft */
     :: draining -> tryFinishDraining()
     :: else
     fi;
#endif
     requestForPending();
     break
  :: atomic { !locked -> break }
  od;
  goto end
}

#if OPERATIONS > 0
active proctype Completer() {
  LOCALS;
end:
  atomic { operation == OPEN -> operation = DONE; found = attached };
  if
  :: atomic { found -> found = false }; tryFinishDraining()
  :: else
  fi
}
#endif

#ifdef DRAINS
active proctype Drainer() {
  LOCALS;
  draining = true;
  tryFinishDraining()
}
#endif

init {
  byte w;
  atomic {
    unmonitored = true;
    for (w : 0 .. WORKERS - 1) { run Worker(w) };
    w = 0;
    run Producer()
  };
  timeout ->                         /* nothing can happen any more */
    assert(injector == 0 && lane[0] + lane[1] == 0 && blocked == 0 && permits == 0 && !requested && !locked);
    assert(reserved == inReserve[0] + inReserve[1] + (WORKERS > 2 -> inReserve[WORKERS - 1] : 0));
    assert(threads == idle + reserved);
#ifdef DRAINS
    assert(stopped && threads == 0)
#endif
}
