/* SPDX-License-Identifier: MIT
 *
 * A pool that is paused and resumed, with items, a shutdown, and a caller that waits until the pool is idle. Mirrors NativeThreadPool.Control.cs
 * (Pause, Resume, Resize), Scheduling/ThreadRoster.Blocking.cs (SetPaused, Resize), Queues/InjectorQueue.cs and InjectorQueue.Sorting.cs (AnyItem,
 * TryTransfer, Sort), NativeThreadPool.Entering.cs (EnqueueAlways), Scheduling/WorkerRequests.cs (Request, RequestForPending),
 * Starvation/MonitoredPool.cs (Look, EndMonitoring) and Shutdown/PoolLifecycle.cs (BeginShutdown, WhenIdle, IsNothingLeft).
 *
 * Producers publish items that begin work, and with -DCONTINUES one that continues work. That one goes to the shard for such items if its producer has seen that
 * the pool is paused, else among the others. Workers take from that shard first, and from it alone while the pool is paused. The monitor moves items
 * that continue work there, and leaves after a look that has found nothing to do. One thread pauses the pool and may resume it. With -DDRAINS the
 * pool is shut down at any moment, with -DAWAITED a caller waits until it is idle. With -DRESIZES there may be one thread at first: its item
 * waits until another has run, and then the limit is raised.
 *
 * Checked, when nothing can happen any more: no item that continues work waits, and another one only while the pool is paused; a pool that drains
 * has stopped, and is not paused; the caller was called back, unless an item waits; the monitor has left.
 *
 * Mutants, each of which must fail: the MUTANT_ names below. LATE_PRODUCER_TELLS_NO_MONITOR and LEAVES_WHAT_IS_UNSORTED are errors that the code had: an
 * item that continues work, published by a producer that had read the flag before the pause, waited for the end of the pause.
 */
#ifdef RESIZES
#define WORKERS 2
#else
#define WORKERS 1
#endif
#ifdef CONTINUES
#define FRESH 1
#else
#define FRESH 2
#endif

byte fresh, late, apart;             /* items that begin work; that continue it and lie among those; that continue it, apart */
byte ran, mayRun = 1, listed = 1;    /* MaxThreads, and threads, which are there to the end */
bool paused;                         /* and Sorts: both change under the roster's lock */
bool unsorted;                       /* items that continue work may lie among others since the monitor looked last */
bool draining, stopped, awaited;

/* The word */
bool requested, unmonitored = true;
byte idle;
bool announced[WORKERS], chosen[WORKERS], isLooking[WORKERS];
bool arrives;                        /* the pool is brought to the monitor */

#define RUNNABLE (apart + (paused -> 0 : fresh + late))
#define GROWABLE (listed < mayRun && listed < WORKERS)
#if WORKERS > 1
#define SOME_WORKER_LOOKS (isLooking[0] || isLooking[1])
#else
#define SOME_WORKER_LOOKS isLooking[0]
#endif

inline beginMonitoring() {
  atomic { if :: unmonitored && !stopped -> unmonitored = false; arrives = true :: else fi }
}

/* WorkerRequests.Request */
inline request() {
  do
  :: requested -> break
  :: !requested && SOME_WORKER_LOOKS -> break
  :: else ->
     atomic {
       if
       :: !requested && idle > 0 ->
          requested = true;
          idle--;
          if
          :: announced[0] -> announced[0] = false; chosen[0] = true
#if WORKERS > 1
          :: announced[1] -> announced[1] = false; chosen[1] = true
#endif
          fi;
          break
       :: !requested && idle == 0 && GROWABLE -> requested = true; chosen[listed] = true; listed++; break
       :: !requested && idle == 0 && !GROWABLE -> if :: unmonitored && !stopped -> unmonitored = false; arrives = true :: else fi; break
       :: requested -> break
       fi
     }
  od
}

/* PoolLifecycle.TryFinishDraining, under the roster's lock. */
inline tryFinish() {
  atomic {
    if
    :: (draining || awaited) && !stopped && !requested && idle == listed && fresh + late + apart == 0 ->
       awaited = false;
       stopped = draining
    :: else
    fi
  }
}

inline resume() {
  atomic { was = paused; paused = false };
  if
#ifndef MUTANT_RESUME_ASKS_FOR_NO_WORKER
  :: was && RUNNABLE > 0 -> request()
#endif
  :: else
  fi;
  was = false
}

proctype producer() {
  fresh++;
  request()
}

/* EnqueueAlways, from outside */
proctype continuingProducer() {
  if
  :: paused -> apart++; request()
  :: !paused ->
     late++;
     request();
#ifndef MUTANT_LATE_PRODUCER_TELLS_NO_MONITOR
     if
     :: paused -> unsorted = true; beginMonitoring()
     :: else
     fi
#endif
  fi
}

proctype pauser() {
  bool was;
  if
  :: draining
  :: !draining ->
     paused = true;
     unsorted = true;
#ifndef MUTANT_PAUSE_BRINGS_NO_MONITOR
     beginMonitoring();
#endif
     if
#ifndef MUTANT_PAUSES_WHILE_IT_DRAINS
     :: draining -> resume()
#endif
     :: else
     fi
  fi;
  if
  :: resume()
  :: true
  fi
}

proctype shutDown() {
  bool was;
  draining = true;
  tryFinish();
#ifndef MUTANT_SHUTDOWN_LEAVES_IT_PAUSED
  resume()
#endif
}

proctype waitForIdle() {
  awaited = true;
#ifndef MUTANT_WAITS_WITHOUT_A_LOOK
  tryFinish();
#endif
  atomic { if :: stopped -> awaited = false :: else fi }
}

#ifdef RESIZES
proctype resize() {
  mayRun = 2;
#ifndef MUTANT_RESIZE_ASKS_FOR_NO_WORKER
  if
  :: RUNNABLE > 0 -> request()
  :: else
  fi
#endif
}
#endif

proctype worker(byte me) {
  bool sees;
  if
  :: me == 0
  :: else ->
end_absent:
    chosen[me];
    atomic { chosen[me] = false; isLooking[me] = true };
    requested = false
  fi;

search:
  if
  :: atomic { apart > 0 -> apart--; goto execute }
  :: else
  fi;
  sees = paused;
  if
  :: atomic { !sees && fresh > 0 -> fresh--; goto execute }
  :: atomic { !sees && late > 0 -> late--; goto execute }
  :: sees || fresh + late == 0
  fi;
  atomic { sees = false; announced[me] = true; idle++ };
  isLooking[me] = false;
#ifndef MUTANT_PARKS_WITHOUT_A_LOOK
  sees = paused;
  if
  :: apart > 0 || (!sees && fresh + late > 0) ->
     isLooking[me] = true;
     atomic {
       sees = false;
       if
       :: announced[me] -> announced[me] = false; idle--; goto search
       :: else
       fi
     }
  :: else -> sees = false
  fi;
#endif
  if
#ifndef MUTANT_IDLE_WORKER_TELLS_NO_CALLER
  :: draining || awaited -> tryFinish()
#endif
  :: else
  fi;
end_parked:
  chosen[me];
  atomic { chosen[me] = false; isLooking[me] = true };
  requested = false;
  goto search;

execute:
  isLooking[me] = false;
  if
  :: RUNNABLE > 0 -> request()
  :: else
  fi;
  ran++;
#ifdef RESIZES
  ran > 1 || fresh + late + apart == 0 || paused;
#endif
  isLooking[me] = true;
  goto search
}

active proctype Monitor() {
end_away:
  atomic { arrives -> arrives = false };
end_looks:
  do
  :: stopped -> goto end_away
  :: unsorted || (paused && late > 0) ->
     unsorted = false;
     if
     :: atomic { paused -> apart = apart + late; late = 0 }
     :: else
     fi;
     if
     :: apart > 0 -> request()
     :: else
     fi
  :: RUNNABLE == 0 || idle > 0 ->    /* quiet for long enough */
     unmonitored = true;
     atomic {
       if
#ifdef MUTANT_LEAVES_WHAT_IS_UNSORTED
       :: RUNNABLE > 0 && idle == 0 && unmonitored -> unmonitored = false
#else
       :: ((RUNNABLE > 0 && idle == 0) || unsorted) && unmonitored -> unmonitored = false
#endif
       :: else -> goto end_away
       fi
     }
  od
}

init {
  byte i;
  atomic {
    isLooking[0] = true;
    for (i : 0 .. WORKERS - 1) { run worker(i) };
    for (i : 1 .. FRESH) { run producer() };
#ifdef CONTINUES
    run continuingProducer();
#endif
#ifndef RESIZES
    run pauser();
#endif
#ifdef DRAINS
    run shutDown();
#endif
#ifdef AWAITED
    run waitForIdle();
#endif
#ifdef RESIZES
    run resize();
#endif
    i = 0
  };
  timeout ->                         /* nothing can happen any more */
    assert(late + apart == 0);
    assert(paused || fresh == 0);
    assert(!draining || (stopped && !paused && fresh == 0));
    assert(!awaited || fresh > 0);
    assert(!requested && ((unmonitored && !arrives) || stopped))
}
