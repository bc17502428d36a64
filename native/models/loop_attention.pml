/* SPDX-License-Identifier: MIT
 *
 * The event loop's attentive flag: which thread wakes the loop for a posted callback, and what happens to callbacks that are posted during
 * a stop. Mirrors, of EventLoops/, LoopQueue.cs (TryEnqueue, Wake, TryBecomeInattentive), LoopThread.cs (RunTurns,
 * RunPosted, Poll) and LoopLifecycle.cs (TryFinishDraining, StopNow, Close), and of Queues/InjectorShard.cs Publish
 * (ticket, publication, fence), TrySealDrained, Seal and TryTakeLast, and ConsumerSide.cs IsEmpty. The native loop below is that of
 * event_loop.pml, here one bit: a wake before the sleep ends it at once.
 *
 * The loop's stores of the flag are volatile, not interlocked: they go through a store buffer (TSO) and become visible
 * at any time, at the latest at its next fence. A ticket is claimed before its slot is filled, so that a slow poster hides the callbacks
 * after its own; the loop sees only a filled slot at the head. A turn runs one callback at the most, so that the loop
 * also polls while more wait. Timers and descriptors end a sleep, or forbid it, at any moment.
 *
 * Property, in every state in which nothing can happen any more: every accepted callback, for which a slot was claimed, was taken by the
 * loop, or by a stop by token, which drops and counts it; no other thread takes a callback, and the loop leaves none behind (T144). A
 * rejected callback is that of an entry call, which throws, or a continuation, which is passed on, after all earlier accepted callbacks.
 * And the loop is woken at most once for each time that it cleared the flag.
 *
 * Mutants, each of which must fail: the MUTANT_ names below.
 *
 * With STOPPING the loop drains, or a token stops it, while posters run that entered before. One step on the word that claims slots seals
 * the lane.
 */
#ifndef POSTERS
#define POSTERS 2
#endif
#ifndef ITEMS
#define ITEMS 2                      /* of each poster */
#endif
#ifndef DISTURBANCES
#define DISTURBANCES 1               /* sleeps that end for the sake of a timer or a descriptor */
#endif
#define SLOTS (POSTERS * ITEMS + 1)

bool attentive = true;               /* as other threads see it ... */
chan stores = [3] of { bool };       /* ... and the loop's stores of it that they do not see yet */

byte claimed, head;                  /* the lane: tickets given out, and slots emptied */
bool filled[SLOTS + 1];

bool draining, stopped, sealed, closed;
bool stopLock;
bool notified;                       /* the native loop's */
bool inKernel, ended;
byte disturbances;
bool wokenFor;                       /* since the flag was cleared */

#define IS_EMPTY (!filled[head])

inline drainOne() { stores?attentive; if :: !attentive -> wokenFor = false :: else fi }

inline fence() { atomic { do :: nempty(stores) -> drainOne() :: empty(stores) -> break od } }

/* nth_event_loop_wake */
inline nativeWake() { atomic { if :: closed :: else -> notified = true fi } }

inline wake() {
#ifdef MUTANT_EVERYBODY_WAKES
  atomic { attentive = true; assert(!wokenFor); wokenFor = true };
  nativeWake()
#else
  atomic {
    clear = !attentive;              /* one exchange */
    attentive = true;
    if :: clear -> assert(!wokenFor); wokenFor = true :: else fi
  };
  if
  :: clear -> nativeWake()
  :: else
  fi
#endif
}

inline enqueue(isContinuation) {
  atomic {
    if
    :: sealed -> isRefused = true
    :: else -> slot = claimed; claimed++
    fi
  };
  if
  :: isRefused && isContinuation -> /* passed on, under the lock */
#ifdef MUTANT_PASSES_ON_BESIDE_A_STOP
     assert(head == claimed)
#else
     atomic { !stopLock -> assert(head == claimed) }
#endif
  :: isRefused && !isContinuation    /* ObjectDisposedException */
  :: !isRefused ->
#ifdef MUTANT_FLAG_READ_BEFORE_PUBLICATION
     clear = !attentive;
     filled[slot] = true;
#else
     filled[slot] = true;            /* then the lane's fence */
     clear = !attentive;
#endif
     if
     :: clear -> wake()
     :: else
     fi
  fi;
  atomic { clear = false; isRefused = false; slot = 0 }
}

proctype Poster() {
  byte sent, slot;
  bool clear, isRefused, continues;
  do
  :: sent < ITEMS ->
     sent++;
     continues = false;
#ifdef STOPPING
     if
     :: atomic { !draining && !stopped -> skip }   /* BeforeEntry; a stop may come right behind it */
     :: atomic { draining || stopped -> break }
     :: continues = true
     fi;
#endif
     enqueue(continues)
  :: else -> break
  od
}

active proctype StoreBuffer() {
end:
  do
  :: atomic { nempty(stores) -> drainOne() }
  od
}

proctype Loop() {
  bool sleeps, wasEmpty;
turn:
  if
  :: stopped -> goto close
  :: else
  fi;
  if
  :: atomic { !IS_EMPTY -> head++ }
  :: atomic { IS_EMPTY -> skip }
  fi;
#ifdef STOPPING
  if
  :: draining ->
     atomic { !stopLock -> stopLock = true };
     if
#ifdef MUTANT_SEALS_AFTER_LOOKING_STOP
     :: atomic { sealed || claimed == head -> skip };
        atomic { sealed = true };
#else
     :: atomic { sealed || claimed == head -> sealed = true };
#endif
        stopped = true; stopLock = false; goto close
     :: atomic { !sealed && claimed != head -> stopLock = false }
     fi
  :: else
  fi;
#endif

  /* Poll */
  if
  :: true ->
#ifdef MUTANT_LOOK_BEFORE_CLEARING
     wasEmpty = IS_EMPTY;
     stores!false;
     fence();
#else
     stores!false;
#ifndef MUTANT_CLEARED_WITHOUT_FENCE
     fence();
#endif
     wasEmpty = IS_EMPTY;
#endif
#ifdef MUTANT_SLEEPS_BESIDE_ITEMS
     wasEmpty = true;
#endif
     if
     :: wasEmpty -> sleeps = true
     :: else -> stores!true
     fi
  :: true                            /* a timer is due at once */
  fi;
  wasEmpty = false;
  if
  :: sleeps ->
     /* The kernel is entered by an interlocked change: a full fence. */
     atomic { fence(); inKernel = true };
end_kernel:
     if
     :: atomic { notified -> notified = false }
     :: atomic { disturbances < DISTURBANCES -> disturbances++; notified = false }
     fi;
     atomic { inKernel = false; sleeps = false }
  :: else -> notified = false
  fi;
  stores!true;
  goto turn;

close:
  atomic { !stopLock -> skip };      /* a stop by token has dropped what it drops */
#ifdef STOPPING
  assert(sealed && head == claimed);
#endif
  closed = true;
  ended = true
}

#ifdef STOPPING
proctype Stopper() {
  byte slot;
  bool clear, isRefused;
  if
  :: atomic { !draining -> draining = true }; enqueue(true) /* ShutdownAsync, whose look ends a sleep */
  :: true ->                         /* StopNow */
     atomic { !stopLock -> stopLock = true };
     if
     :: stopped -> stopLock = false; goto over
     :: else -> stopped = true
     fi;
#ifndef MUTANT_STOPS_WITHOUT_SEALING
     sealed = true;
#endif
     do
     :: atomic { !IS_EMPTY -> head++ }
#ifdef MUTANT_STOPS_BEFORE_PUBLICATION
     :: atomic { IS_EMPTY -> break }
#else
     :: atomic { IS_EMPTY && head == claimed -> break }
#endif
     od;
     stopLock = false;
#ifndef MUTANT_STOPS_WITHOUT_WAKE
     attentive = true;
     nativeWake()
#endif
  fi;
over:
  skip
}
#endif

init {
  byte p;
  atomic {
    for (p : 1 .. POSTERS) { run Poster() };
    p = 0;
    run Loop();
#ifdef STOPPING
    run Stopper()
#endif
  };
  timeout ->                         /* nothing can happen any more */
    assert(head == claimed);
#ifdef STOPPING
    assert(ended)
#else
    assert(inKernel && !attentive && !notified && claimed == POSTERS * ITEMS)
#endif
}
