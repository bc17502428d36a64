/* SPDX-License-Identifier: MIT
 *
 * The monitor watches pools with items for which no worker can be requested: how a pool passes between its producers, its workers and the
 * monitor (UNMONITORED), blocking regions, and a request that finds its word out of date. Mirrors
 * Scheduling/WorkerRequests.cs (Request, IsAskedAlready, IsOneOnItsWay, StartRequestedWorker, EndRefusedRequest),
 * Starvation/MonitoredPool.cs (BeginMonitoring, EndMonitoring),
 * Scheduling/ThreadRoster.cs (CountsChanged, RunsAgain, Start), Worker.cs (Enqueue, AskForHelp, BeginLooking, EndLooking),
 * Worker.Execute.cs (PassRequestOn), IdleLoop.cs (LookAnnounced) and StarvationMonitor.cs
 * (Hold, Release, TryMonitor, Main). The pool's hold on the thread is left out: the thread may end whenever it has no pool,
 * which is more than it does, and starts again with the next.
 *
 * A worker's push into its own lane is a plain store in a one-entry store buffer (TSO), followed by a plain load of
 * the word: it is visible at any time, at the latest with the worker's next fence or with a process-wide barrier of another thread. Reading
 * the word, checking which workers scan for an item, and the native CAS are separate steps; the second may miss a worker that has just
 * started to scan. Code that runs under the roster's lock, or the monitor's, and touches one shared word besides, is one step.
 *
 * An item may push others, enter a region, and wait inside or outside of it, also indefinitely: the model repairs nothing, so a waiting
 * item stays where it is.
 *
 * Property, in every state in which nothing can happen any more: if an item waits, then no worker is idle or could be started, no request
 * is pending, and the monitor has the pool in its list.
 *
 * Mutants, each of which must fail: the MUTANT_ names below.
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef MOST_RUNNING
#define MOST_RUNNING 1               /* MaxThreads; MaxThreads + MaxBlockedThreads is WORKERS */
#endif
#ifndef INJECTED
#define INJECTED 2                   /* items from outside, each by a producer of its own */
#endif
#ifndef SPAWNED
#define SPAWNED 1                    /* items pushed by items */
#endif
#ifndef REGIONS
#define REGIONS 1                    /* regions entered */
#endif

/* The state word; every access to it is one atomic step. */
bool requested, growable, unmonitored;
byte idle;

/* Under the roster's lock. */
bool locked;
byte threads, started, blocked;
#define MAY_RUN_MORE (threads - blocked < MOST_RUNNING && threads < WORKERS)

bool isLooking[WORKERS];             /* between two items, and not idle */
bool ordered[WORKERS], announced[WORKERS], chosen[WORKERS];

byte injector, lane[WORKERS];        /* items that wait, as others see them */
bool buffered[WORKERS];              /* pushed, and not seen by other threads */
byte spawned, regions;
#if WORKERS > 2
#define WAITING (injector + lane[0] + lane[1] + lane[2])
#define SOME_WORKER_LOOKS (isLooking[0] || isLooking[1] || isLooking[2])
#else
#define WAITING (injector + lane[0] + lane[1])
#define SOME_WORKER_LOOKS (isLooking[0] || isLooking[1])
#endif

/* Under the monitor's lock. */
bool arriving, runs;
byte wakes;
bool has;                            /* the pool is in the monitor's list; its own */

inline drain(w) { if :: buffered[w] -> buffered[w] = false; lane[w]++ :: else fi }

inline drainAll() {                  /* the process-wide barrier */
  drain(0);
  drain(1)
#if WORKERS > 2
  ; drain(2)
#endif
}

#ifdef MUTANT_UNMONITORED_NOT_LOOKED_AT
#define NEEDS_SLOW_PATH (idle > 0 || growable)
#else
#define NEEDS_SLOW_PATH (idle > 0 || growable || unmonitored)
#endif

/* PendingWorkItemCount: one lane after the other. The own lane, if the caller is a worker, with what is buffered. */
inline lookEverywhere(me) {
  found = injector > 0;
  if :: !found -> found = lane[0] > 0 || (me == 0 && buffered[0]) :: else fi;
  if :: !found -> found = lane[1] > 0 || (me == 1 && buffered[1]) :: else fi;
#if WORKERS > 2
  if :: !found -> found = lane[2] > 0 || (me == 2 && buffered[2]) :: else fi;
#endif
}

/* StarvationMonitor.TryMonitor, under its lock. */
inline bringToMonitor() {
  atomic {
    arriving = true;
    if
    :: runs -> wakes++
    :: !runs -> runs = true
    fi
  }
}

inline readWord() { atomic { wordRequested = requested; wordIdle = idle > 0; wordGrowable = growable } }

/* WorkerRequests.TryRequest, with a word that was read before. */
inline request(me) {
  do
  :: wordRequested -> break
  :: !wordRequested && SOME_WORKER_LOOKS -> break
  :: !wordRequested && !wordIdle && !wordGrowable ->
     atomic { mine = unmonitored; unmonitored = false };
     if
     :: mine -> mine = false; bringToMonitor()
     :: else
     fi;
     break
  :: !wordRequested && (wordIdle || wordGrowable) ->
     atomic {                        /* the native request, a full fence */
       refused = false;
       if
       :: !requested && idle > 0 -> requested = true; idle--;
          if
          :: announced[0] -> announced[0] = false; chosen[0] = true
          :: announced[1] -> announced[1] = false; chosen[1] = true
#if WORKERS > 2
          :: announced[2] -> announced[2] = false; chosen[2] = true
#endif
          fi;
          break
       :: !requested && idle == 0 && growable -> requested = true
       :: else -> refused = true
       fi
     };
     if
     :: refused ->
        refused = false;
#ifdef MUTANT_OLD_WORD_BELIEVED
        break
#else
        readWord()
#endif
     :: else ->
        /* StartRequestedWorker */
        atomic { !locked -> locked = true };
        found = false;
        if
        :: MAY_RUN_MORE -> lookEverywhere(me)
        :: else
        fi;
        if
        :: found ->
           found = false;
           startWorker();
           locked = false;
           break
        :: else
        fi;
        locked = false;
        requested = false;           /* EndRefusedRequest */
        lookEverywhere(me);
        if
        :: found -> found = false; readWord()
        :: else -> break
        fi
     fi
  od;
  atomic { wordRequested = false; wordIdle = false; wordGrowable = false }
}

/* Under the lock. It is listed, and looking, before the word says that no more may be started. That the thread is started behind
 * the lock makes no difference: one that is ordered may begin at any later moment. */
inline startWorker() {
  atomic {
    if
    :: started == 0 -> started = 1
    :: started == 1 -> started = 2
#if WORKERS > 2
    :: started == 2 -> started = 3
#endif
    fi;
    threads++;
    isLooking[started - 1] = true
  };
  growable = MAY_RUN_MORE;
  ordered[started - 1] = true
}

/* Worker.PassRequestOn */
inline passRequestOn() {
  if
  :: NEEDS_SLOW_PATH ->
     lookEverywhere(me);
     if
     :: found ->
        atomic { found = false; drain(me) };
        readWord();
        request(me)
     :: else
     fi
  :: else
  fi
}

active proctype StoreBuffers() {
end:
  do
  :: atomic { buffered[0] -> drain(0) }
  :: atomic { buffered[1] -> drain(1) }
#if WORKERS > 2
  :: atomic { buffered[2] -> drain(2) }
#endif
  od
}

proctype Producer() {
  bool wordRequested, wordIdle, wordGrowable, found, mine, refused;
  injector++;                        /* ends with a full fence */
  if
  :: NEEDS_SLOW_PATH -> readWord(); request(WORKERS)
  :: else
  fi
}

proctype Worker(byte me) {
  bool wordRequested, wordIdle, wordGrowable, found, mine, refused, othersRun;
end_absent:
  ordered[me];
  ordered[me] = false;
  requested = false;

search:
  atomic {
    if
    :: buffered[me] -> buffered[me] = false
    :: !buffered[me] && lane[me] > 0 -> lane[me]--
    :: !buffered[me] && lane[me] == 0 && injector > 0 -> injector--
    :: !buffered[me] && lane[me] == 0 && lane[(me + 1) % WORKERS] > 0 -> lane[(me + 1) % WORKERS]--
#if WORKERS > 2
    :: !buffered[me] && lane[me] == 0 && lane[(me + 2) % WORKERS] > 0 -> lane[(me + 2) % WORKERS]--
#endif
    :: else -> goto nothing
    fi
  };
#ifndef MUTANT_RUN_WHILE_LOOKING
  atomic { isLooking[me] = false; drain(me) };
#endif
#ifndef MUTANT_REQUEST_NOT_PASSED_ON
  passRequestOn();
#endif

  /* The item runs. */
  do
  :: atomic { spawned < SPAWNED -> spawned++; drain(me); buffered[me] = true };
     if
     :: NEEDS_SLOW_PATH ->       /* read without a fence */
#ifndef MUTANT_HELP_WITHOUT_FENCE
        atomic { drain(me) };
#endif
        readWord();
        request(me)
     :: else
     fi
  :: atomic { regions < REGIONS && !locked -> regions++;
#ifdef MUTANT_REGION_PASSES_ON_FIRST
       skip };
     passRequestOn();
     atomic { !locked ->
#endif
       drain(me);
       blocked++;
       growable = MAY_RUN_MORE
     };
#if !defined(MUTANT_REGION_PASSES_NOTHING_ON) && !defined(MUTANT_REGION_PASSES_ON_FIRST)
     passRequestOn();
#endif
end_waits_in_region:
     if
     :: atomic { !locked -> drain(me); blocked--; growable = MAY_RUN_MORE }
     :: true -> goto end_waits /* indefinitely */
     fi
  :: goto end_waits                  /* without a region, and indefinitely */
  :: break
  od;
  if
  :: !buffered[me] && lane[me] == 0 -> isLooking[me] = true
  :: else
  fi;
  goto search;

nothing:
  atomic { drain(me); announced[me] = true; idle++ };
  atomic { isLooking[me] = false; drain(me) };
  atomic { othersRun = idle < threads };
  atomic { if :: othersRun -> othersRun = false; drainAll() :: else fi };
  lookEverywhere(me);
  if
  :: found ->
     isLooking[me] = true;
     atomic { found = false;
       if
       :: announced[me] -> announced[me] = false; idle--; drain(me); goto search
       :: else                       /* a request was faster */
       fi
     }
  :: else
  fi;
end_parked:
  atomic { chosen[me] -> chosen[me] = false };
  isLooking[me] = true;
  requested = false;
  goto search;

end_waits:
  false
}

active proctype Monitor() {
  bool woken, found;
end_no_thread:
  runs;
end_wait:
  if
  :: atomic { wakes > 0 -> wakes--; woken = true }
  :: atomic { !has && wakes == 0 -> woken = false }       /* the stay is over */
  :: atomic { has -> woken = false }
  fi;
  atomic {                           /* Main, under the lock */
    assert(!(has && arriving));
    has = has || arriving;
#ifndef MUTANT_ENDS_BESIDE_ARRIVAL
    arriving = false;
#endif
    if
#ifdef MUTANT_ENDS_BESIDE_ARRIVAL
    :: !has && !woken -> skip
#else
    :: !has && !woken -> runs = false; goto end_no_thread
#endif
    :: else
    fi
  };
#ifdef MUTANT_ENDS_BESIDE_ARRIVAL
  atomic {
    if
    :: !has && !woken -> runs = false; arriving = false; goto end_no_thread
    :: else -> arriving = false
    fi
  };
#endif
  if
  :: !has -> goto end_wait
  :: else
  fi;

  /* Looks without waiting work, and then EndMonitoring. */
end_look:
  if
  :: WAITING == 0 || idle > 0
  fi;
#ifdef MUTANT_LOOKS_BEFORE_GIVING_BACK
  atomic { drainAll() };
  lookEverywhere(WORKERS);
  unmonitored = true;
#else
  unmonitored = true;
#ifndef MUTANT_GIVEN_BACK_WITHOUT_BARRIER
  atomic { drainAll() };
#endif
#ifndef MUTANT_GIVEN_BACK_WITHOUT_LOOK
  lookEverywhere(WORKERS);
#endif
#endif
  atomic {
    if
    :: found && idle == 0 && unmonitored -> unmonitored = false; found = false; goto end_look
    :: else -> found = false; has = false; goto end_wait
    fi
  }
}

init {
  byte w;
  atomic {
    growable = true;
    unmonitored = true;
    for (w : 0 .. WORKERS - 1) { run Worker(w) };
    for (w : 1 .. INJECTED) { run Producer() };
    w = 0
  };
  timeout ->                         /* nothing can happen any more */
    assert(!requested && !locked);
    if
    :: WAITING > 0 -> assert(idle == 0 && !growable && !unmonitored && has)
    :: else
    fi
}
