/* SPDX-License-Identifier: MIT
 *
 * The pool's request protocol: at most one outstanding request, at most one lingerer, at most one sentinel.
 *
 * A worker's push into its own lane is a plain store in a one-entry store buffer (TSO): invisible to others until it
 * drains by itself, by the worker's own fence or RMW, or by another worker's process-wide barrier. The native stack of
 * parked workers is a set from which any member may be popped (LIFO is one of the orders covered); the pop happens
 * some time after the CAS that set REQUESTED, done by the thread that holds the lock (WAKE_OWED).
 *
 * Items spawn others and block on queued ones, at most WORKERS - 1 of them, so that one worker is always free to run the rest. A worker
 * that finds no item may then announce itself, as the sentinel or not, or linger. While there is a sentinel, a worker may keep LINGERING set
 * while it runs items: it throttles wakes, until it scans again or the sentinel does. Property, checked in
 * every state in which nothing can happen any more: all published items ran, all workers are parked, no bit of the word
 * is left set.
 *
 * With GROW threads start on demand, a start may be refused (not with NO_REFUSAL), and a worker retires when it was idle
 * for long. While a worker is between two items no worker is woken or started: it will scan all lanes, and requests the next worker itself.
 *
 * Mutants, each of which must fail: the MUTANT_ names below; run.sh knows the configuration in which each shows.
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef INJECTED
#define INJECTED 3                   /* items pushed from outside */
#endif
#ifndef SPAWNED
#define SPAWNED 1                    /* items pushed by items into their worker's lane */
#endif
#define ITEMS (INJECTED + SPAWNED)
#define BLOCKERS (WORKERS - 1)

/* The state word; every access to it is one atomic step. */
bool requested, lingering, sentinel, owed;
byte idle;
bool growable;                       /* with GROW: threads start on demand and retire when idle for long */

byte threads;
bool anyStarted;                          /* the workers are alike up to rotation: number 0 is the first to do anything */
bool started[WORKERS];
#ifdef GROW
bool ordered[WORKERS];               /* a request orders the start of this thread */
#endif
bool isLooking[WORKERS];             /* in the list of workers, and neither running an item nor idle */
#ifdef MUTANT_LOOKING_ENDED_WITHOUT_FENCE
bool endBuffered[WORKERS];           /* the store that ends isLooking, after the item in the store buffer */
#endif
bool announced[WORKERS];             /* on the stack */
bool chosen[WORKERS];                /* popped: the token */

chan injector = [ITEMS] of { byte };
chan lane[WORKERS] = [ITEMS] of { byte };
byte buffered[WORKERS];              /* an item that the worker pushed and no other thread sees yet */

byte queued;                         /* bit sets of items: published and not taken; finished */
byte finished;
byte spawned, blocked;

#define BIT(item) (1 << ((item) - 1))
#define OTHER(k) ((me + (k)) % WORKERS)

#ifdef MUTANT_LOOKING_ENDED_WITHOUT_FENCE
#define STORES_BUFFERED(w) (buffered[w] != 0 || endBuffered[w])
#else
#define STORES_BUFFERED(w) (buffered[w] != 0)
#endif

inline drain(w) {
  if
  :: buffered[w] != 0 -> lane[w]!buffered[w]; buffered[w] = 0
  :: else
  fi
#ifdef MUTANT_LOOKING_ENDED_WITHOUT_FENCE
  ;
  if
  :: endBuffered[w] -> endBuffered[w] = false; isLooking[w] = false
  :: else
  fi
#endif
}

/* The process-wide barrier: what others pushed without a fence becomes visible. */
inline drainAll() {
  drain(0);
  drain(1)
#if WORKERS > 2
  ; drain(2)
#endif
}

#define ASKED_ALREADY (requested || lingering)
#define NEEDS_SLOW_PATH (idle > 0 || growable)

/* The native request, one step: a CAS that fails evaluates the rule anew. A full fence in any case. */
inline nativeRequest() {
  atomic {
#ifdef MUTANT_OWN_PUSH_WITHOUT_FENCE
    drainAll();                      /* the caller's buffer, and more: may happen at any time */
#endif
    if
    :: !ASKED_ALREADY && idle > 0 -> requested = true; owed = true
#ifdef GROW
    :: !ASKED_ALREADY && idle == 0 && growable ->
       requested = true;
       if
       :: !started[0] -> ordered[0] = true; anyStarted = true
       :: anyStarted && !started[1] -> ordered[1] = true
#if WORKERS > 2
       :: anyStarted && !started[2] -> ordered[2] = true
#endif
       fi
#endif
    :: else
    fi
  }
}

#if WORKERS > 2
#define SOME_WORKER_LOOKS (isLooking[0] || isLooking[1] || isLooking[2])
#else
#define SOME_WORKER_LOOKS (isLooking[0] || isLooking[1])
#endif

/* The one request. The word is read first, then, worker by worker, whether one of them scans: a worker that starts to scan may
 * be missed. The word may have changed by then. */
inline request(suppressed) {
  if
  :: atomic { ASKED_ALREADY || (suppressed) || !NEEDS_SLOW_PATH -> skip }
  :: atomic { else -> skip };
     if
     :: atomic { SOME_WORKER_LOOKS -> skip }
     :: nativeRequest()
     fi
  fi
}

active proctype Environment() {
  byte w;
end:
  do
  :: atomic { owed ->                /* the lock holder pops one worker and sets its token */
       select(w : 0 .. WORKERS - 1);
       if
       :: announced[w] && (w == 0 || anyStarted) ->
          announced[w] = false; chosen[w] = true; idle--; owed = false; anyStarted = true
       :: else
       fi;
       w = 0
     }
  :: atomic { STORES_BUFFERED(0) -> drain(0) }
  :: atomic { STORES_BUFFERED(1) -> drain(1) }
#if WORKERS > 2
  :: atomic { STORES_BUFFERED(2) -> drain(2) }
#endif
  od
}

proctype Producer() {
  byte pushed;
  do
  :: pushed < INJECTED ->
     atomic { pushed++; injector!pushed; queued = queued | BIT(pushed) }; /* an RMW: a full fence */
     request(false)
  :: else -> break
  od
}

/* After a push into the own lane: no fence while no worker is idle, nor for a single item while there is a sentinel. */
inline afterOwnPush(suppressed, isNew) {
  if
#ifdef MUTANT_SUPPRESS_WITHOUT_FENCE
  :: atomic { (idle == 0 && !growable) || lingering || (sentinel && suppressed) -> skip }
#else
  :: atomic { (idle == 0 && !growable) || (sentinel && suppressed) -> skip }
#endif
  :: atomic { else ->
#ifndef MUTANT_OWN_PUSH_WITHOUT_FENCE
       drain(me)
#endif
     };
     if :: isNew -> endThrottle() :: else fi;
     request(false)
  fi
}

inline endThrottle() {
  atomic { if :: throttles -> throttles = false; lingering = false; drain(me) :: else fi }
}

#ifdef GROW
#if WORKERS > 2
#define THIRD_LANE (len(lane[2]) > 0)
#else
#define THIRD_LANE false
#endif

inline lookEverywhere() {
  if
  :: len(injector) > 0 || len(lane[0]) > 0 || len(lane[1]) > 0 || THIRD_LANE -> request(false)
  :: else
  fi
}

/* A thread that must start a worker and cannot: no worker follows, so the request ends here, with a scan. Either no thread can
 * be started from now on, or a timer tries again. */
#ifndef NO_REFUSAL
active proctype RefusedStart() {
  byte refused;
  bool retry;
end:
  atomic {
    if
    :: ordered[0] -> refused = 0
    :: ordered[1] -> refused = 1
#if WORKERS > 2
    :: ordered[2] -> refused = 2
#endif
    fi;
    ordered[refused] = false;
    isLooking[refused] = true
  };
#ifndef MUTANT_REFUSED_STAYS_LISTED
  atomic { isLooking[refused] = false; refused = 0 };
#endif
  growable = false;
  if
  :: atomic { threads > 0 && blocked == 0 -> blocked = BLOCKERS }
  :: retry = true
  fi;
  requested = false;
#ifndef MUTANT_REFUSAL_WITHOUT_LOOK
  lookEverywhere();
#endif
  if
  :: atomic { retry -> growable = threads < WORKERS };
#ifndef MUTANT_RETRY_WITHOUT_BARRIER
     atomic { drainAll() };
#endif
     lookEverywhere()
  :: else
  fi
}
#endif
#endif

#define OWN_LANE_EMPTY (len(lane[me]) == 0 && buffered[me] == 0)

/* The own lane and the injector one: a single step, because no other thread fills the own lane in between. */
inline takeOwnOrInjected() {
  atomic {
    if
    :: len(lane[me]) > 0 -> lane[me]?item
    :: len(lane[me]) == 0 && buffered[me] != 0 -> item = buffered[me]; buffered[me] = 0
    :: OWN_LANE_EMPTY && len(injector) > 0 -> injector?item; baton = true
    :: OWN_LANE_EMPTY && len(injector) > 1 -> injector?item; injector?moving; baton = true
    :: OWN_LANE_EMPTY && len(injector) == 0
    fi;
    if :: item != 0 -> queued = queued & ~BIT(item) :: else fi
  };
  if
  :: moving != 0 ->                  /* until here the rest of the batch is in no lane */
     atomic { drain(me); buffered[me] = moving; moving = 0; moved = true }
  :: else
  fi
}

inline steal(from) {
  atomic {
    if
    :: len(lane[from]) > 0 -> lane[from]?item; queued = queued & ~BIT(item); baton = true
    :: len(lane[from]) <= 1          /* a lone item is left alone until it has lain still for a while */
    fi
  }
}

/* Whether a worker that is not announced may hold items. Otherwise no worker reads the lanes of the others. */
#ifdef MUTANT_ITSELF_TAKEN_FOR_ANOTHER
#define OTHERS_MAY_HOLD(self) (idle < threads - 1)
#else
#define OTHERS_MAY_HOLD(self) (idle - (self) < threads - 1)
#endif

inline scan() {
  takeOwnOrInjected();
  if
  :: atomic { item == 0 && OTHERS_MAY_HOLD(0) -> skip };
     steal(OTHER(1));
#if WORKERS > 2
     if :: item == 0 -> steal(OTHER(2)) :: else fi;
#endif
  :: else
  fi
}

inline look() {                      /* a scan that takes nothing; one step per lane */
  visible = !OWN_LANE_EMPTY || len(injector) > 0;
  if :: atomic { !visible && OTHERS_MAY_HOLD(0) -> skip }; lookAtOthers() :: else fi
}

inline lookAtOthers() {
  if :: !visible -> visible = len(lane[OTHER(1)]) > 0 :: else fi;
#if WORKERS > 2
  if :: !visible -> visible = len(lane[OTHER(2)]) > 0 :: else fi;
#endif
}

/* The look between announcing and parking: a lone item of another worker may be left to the sentinel. */
inline lookAt(other) {
  atomic {
    if
    :: len(lane[other]) > 0 -> visible = true
    :: len(lane[other]) == 1 -> lone = true
    :: len(lane[other]) == 0
    fi
  }
}

inline finalLook() {
  visible = !OWN_LANE_EMPTY || len(injector) > 0;
  if
  :: atomic { !visible && OTHERS_MAY_HOLD(1) -> skip };
     lookAt(OTHER(1));
#if WORKERS > 2
     if :: !visible -> lookAt(OTHER(2)) :: else fi;
#endif
  :: else
  fi;
  /* Left to a sentinel that is still there after the item was seen: it looks again, and passes the baton. */
#if !defined(MUTANT_SENTINEL_READ_BEFORE_LOOK) && !defined(MUTANT_LONE_LEFT_TO_NOBODY)
  atomic { if :: lone -> hasSentinel = sentinel :: else fi };
#endif
#ifndef MUTANT_LONE_LEFT_TO_NOBODY
  visible = visible || (lone && !hasSentinel);
#endif
  atomic { lone = false; hasSentinel = false }
}

/* Called with an item in hand and before it runs, if the item is not from the own lane. No fence: what is visible here was
 * published by others. */
inline passTheBaton() {
  if
  :: moved -> moved = false; baton = false;
#ifndef MUTANT_BATCH_WITHOUT_REQUEST
     afterOwnPush(false, false)
#endif
  :: atomic { !moved && baton && (idle > 0 || growable) -> skip };
     look();
     if
     :: atomic { visible -> visible = false; drain(me) }; request(false)
     :: else
     fi
  :: else
  fi;
  baton = false
}

inline runItem() {
  do
  :: atomic { spawned < SPAWNED ->
       alone = OWN_LANE_EMPTY;
       drain(me);
       spawned++;
       buffered[me] = INJECTED + spawned;
       queued = queued | BIT(INJECTED + spawned)
     };
     afterOwnPush(alone, true);
     alone = false
  :: atomic { blocked < BLOCKERS && queued != 0 ->
       blocked++;
       select(awaited : 1 .. ITEMS);
       if
       :: queued & BIT(awaited)
       :: else -> blocked--; awaited = 0
       fi
     };
     if
     :: awaited == 0
     :: awaited != 0 && (finished & BIT(awaited)) -> awaited = 0
     fi
  :: break
  od;
  atomic { finished = finished | BIT(item); item = 0 }
}

inline endSentinel() {
  atomic { if :: isSentinel -> isSentinel = false; sentinel = false; drain(me) :: else fi }
}

/* A plain store that is seen too late at worst: then one too many is asked for. */
inline beginLooking() {
  isLooking[me] = true
}

/* Before the worker searches for more items than it took, and before the last scan of a worker that parks. With a fence, so
 * that either that scan sees the published item, or the producer sees that no worker scans. */
inline endLooking() {
#ifdef MUTANT_LOOKING_ENDED_WITHOUT_FENCE
  endBuffered[me] = isLooking[me]
#else
  atomic { if :: isLooking[me] -> isLooking[me] = false; drain(me) :: else fi }
#endif
}

inline acknowledge() {
  atomic { if :: chosen[me] -> chosen[me] = false; requested = false; drain(me) :: else fi }
}

/* An announced worker takes itself off the stack, unless a requester was or will be faster. */
inline withdraw() {
  atomic {
    drain(me);
    if
    :: chosen[me] -> skip
    :: announced[me] -> announced[me] = false; idle-- /* an owed wake falls to the next one announced */
    :: announced[me] && owed -> announced[me] = false; idle--; owed = false; chosen[me] = true
    fi
#ifdef MUTANT_WITHDRAW_DROPS_CHOICE
    ; chosen[me] = false
#endif
  }
}

proctype Worker(byte me) {
  byte item, moving, awaited;
  bool moved, visible, alone, isSentinel, hasSentinel, lone, othersActive, baton, lingered, throttles, wasSentinel;
#ifdef GROW
end_absent:
  atomic {
    ordered[me] -> ordered[me] = false;
    started[me] = true;
    chosen[me] = true;
    threads++;
    isLooking[me] = true
  };
  atomic { growable = threads < WORKERS };
  goto awake;
#else
  goto park;
#endif

search:
  if
  :: throttles ->                    /* its time is over */
     endThrottle();
     look();
     if :: visible -> visible = false; request(false) :: else fi
  :: skip
  fi;
  scan();
  if
  :: item == 0 -> goto nothing
  :: else
  fi;
#ifdef MUTANT_RUN_BEFORE_REQUEST
  runItem();
  passTheBaton();
#else
#if !defined(MUTANT_RUN_WHILE_LOOKING) && !defined(MUTANT_LOOKING_ENDED_AFTER_LOOK)
  endLooking();
#endif
  passTheBaton();
#ifdef MUTANT_LOOKING_ENDED_AFTER_LOOK
  endLooking();
#endif
#ifdef MUTANT_CLEAR_AFTER_SCAN
  acknowledge();
#endif
#ifdef MUTANT_SENTINEL_CLEARED_LATE
  endSentinel();
#endif
  runItem();
#endif
  if                                 /* what it takes from its own lane is followed by no look for more */
  :: OWN_LANE_EMPTY -> beginLooking()
#ifdef MUTANT_LOOKING_AT_OWN_ITEMS
  :: !OWN_LANE_EMPTY -> beginLooking()
#else
  :: else
#endif
  fi;
  goto search;

nothing:
#ifdef MUTANT_CLEAR_AFTER_SCAN
  acknowledge();
#endif
#ifdef MUTANT_SENTINEL_CLEARED_LATE
  endSentinel();
#endif
  if
  :: atomic { !lingering || throttles -> lingering = true; drain(me) };
     throttles = false;
     do
     :: look();
        if
        :: visible -> visible = false;
#ifdef MUTANT_LINGERER_RUNS_FIRST
           scan();
           if
           :: item != 0 -> passTheBaton(); runItem()
           :: else
           fi;
#endif
           if
#ifdef MUTANT_THROTTLE_WITHOUT_SENTINEL
           :: throttles = true
#elif !defined(NO_THROTTLE)
           :: atomic { sentinel -> throttles = true }
#endif
           :: atomic { lingering = false; drain(me) }
           fi;
           goto search
        :: else
        fi
     :: break                        /* its time is over */
     od;
#ifndef MUTANT_LINGERER_PARKS_FIRST
     atomic { lingering = false; drain(me) }
#else
     lingered = true
#endif
  :: endThrottle()
  fi;

#ifdef MUTANT_BARRIER_BEFORE_ANNOUNCE
  atomic { drainAll() };
#endif
  atomic {
    drain(me);
    announced[me] = true;
    idle++;
    if
#ifdef NO_THROTTLE
    :: idle < threads && !sentinel -> sentinel = true; isSentinel = true
#else
    :: !sentinel -> sentinel = true; isSentinel = true
#endif
    :: true
    fi
  };
#if !defined(MUTANT_PARKED_WHILE_LOOKING) && !defined(MUTANT_LOOKING_ENDED_AFTER_LAST_LOOK)
  endLooking();
#endif
  atomic {
    othersActive = idle < threads && !isSentinel;
#ifdef MUTANT_SENTINEL_READ_BEFORE_LOOK
    hasSentinel = sentinel
#endif
  };
#if !defined(MUTANT_PARK_WITHOUT_BARRIER) && !defined(MUTANT_BARRIER_BEFORE_ANNOUNCE)
  atomic { if :: othersActive -> othersActive = false; drainAll() :: else fi };
#else
  othersActive = false;
#endif
#ifndef MUTANT_PARK_WITHOUT_SCAN
  finalLook();
#endif
#ifdef MUTANT_LOOKING_ENDED_AFTER_LAST_LOOK
  endLooking();
#endif
#ifdef MUTANT_LINGERER_PARKS_FIRST
  atomic { if :: lingered -> lingered = false; lingering = false; drain(me) :: else fi };
#endif
  if
  :: visible -> visible = false; beginLooking(); withdraw(); goto awake
  :: else
  fi;

park:
  if
  :: isSentinel ->
     if
     :: chosen[me]
     :: withdraw();                  /* its time is over */
        if
        :: atomic { !chosen[me] && lingering ->       /* another worker has started to throttle a short time ago */
             sentinel = false; drain(me);
             isSentinel = false }
           if
           :: atomic { !sentinel -> announced[me] = true; idle++; sentinel = true; isSentinel = true; drain(me) };
              goto park
           :: atomic { else -> skip }
           fi
        :: skip
        fi
     fi
  :: else ->
end_parked:
     if
#ifdef GROW
     :: withdraw();                  /* the idle timeout */
        if
        :: !chosen[me] ->
           atomic { drain(me);
                    started[me] = false;
                    threads--;
                    growable = true;
                  };
#ifndef MUTANT_RETIRE_WITHOUT_BARRIER
           atomic { if :: threads > 0 -> drainAll() :: else fi };
#endif
#ifndef MUTANT_RETIRE_WITHOUT_SCAN
           visible = !OWN_LANE_EMPTY || len(injector) > 0;
           lookAtOthers();
           if :: visible -> visible = false; request(false) :: else fi;
#endif
           goto end_absent
        :: else
        fi
#endif
     :: chosen[me]
     fi
  fi;

awake:
  beginLooking();
#ifndef MUTANT_SENTINEL_CLEARED_LATE
#ifndef NO_THROTTLE
  wasSentinel = isSentinel;
#endif
  endSentinel();
#endif
  /* It ends the throttle that has relied on it; at worst it ends another one, and a producer wakes one worker too many. */
#ifndef MUTANT_SENTINEL_LEAVES_THROTTLE
  atomic { if :: wasSentinel && lingering -> lingering = false; drain(me) :: else fi; wasSentinel = false };
#endif
#ifndef NO_THROTTLE
  if
  :: atomic { chosen[me] && !lingering && sentinel -> lingering = true; throttles = true; drain(me) }
  :: skip
  fi;
#endif
#ifndef MUTANT_CLEAR_AFTER_SCAN
  acknowledge();
#endif
  goto search
}

init {
  byte w;
  atomic {
#ifdef GROW
    growable = true;
    for (w : 0 .. WORKERS - 1) { run Worker(w) };
#else
    for (w : 0 .. WORKERS - 1) { announced[w] = true; run Worker(w) };
    idle = WORKERS;
    threads = WORKERS;
#endif
    w = 0;
    run Producer()
  };
  timeout ->                         /* nothing can happen any more */
    assert(finished == (1 << INJECTED + spawned) - 1);
    assert(queued == 0 && idle == threads && !requested && !owed && !lingering && !sentinel)
}
