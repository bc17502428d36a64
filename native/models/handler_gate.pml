/* SPDX-License-Identifier: MIT
 *
 * A registration's handler against its disposal: a loop that calls it, threads that dispose of it, and a handler that may do
 * so itself, or wait for a thread that does. Mirrors HandlerGate.cs (TryBegin, End, Close) and, of EventLoopRegistration.cs,
 * Tell, Dispose, DisposeAsync and Remove. That the loop comes to a posted removal is what loop_attention.pml shows.
 *
 * Property (T139): from the moment at which a disposal has returned the loop claims no call; from the moment at which the
 * awaited form has completed the handler neither runs nor begins, and the registration was removed once; and in every state
 * in which nothing can happen any more all have come to their end: nobody waits for ever, whoever waits for whom.
 *
 * Mutants, each of which must fail: the MUTANT_ names below.
 */
#ifndef CALLS
#define CALLS 2
#endif
#ifndef DISPOSERS
#define DISPOSERS 2
#endif

bool closed, calling;                /* one word */
bool posted, removed, released;
bool inside;                         /* the handler's own instructions */
bool disposed, completed;            /* some disposal has returned; an awaited one has completed */
byte others;                         /* disposals by other threads that have returned */
byte ended;

inline remove() {
  atomic { assert(!removed); removed = true };
#ifdef MUTANT_RELEASED_INSIDE_THE_HANDLER
  released = true
#else
  if
  :: !calling -> released = true
  :: else                            /* by the handler itself: when that has ended */
  fi
#endif
}

inline dispose(onLoop) {
#ifdef MUTANT_EVERYBODY_REMOVES
  closed = true; isFirst = true;
#else
  atomic { isFirst = !closed; closed = true };
#endif
  if
  :: isFirst && onLoop -> remove()
  :: isFirst && !onLoop -> atomic { assert(!posted); posted = true }
  :: else
  fi;
#ifdef MUTANT_WAITS_FOR_THE_HANDLER
  if
  :: !onLoop -> (!calling)
  :: else
  fi;
#endif
  if
  :: !onLoop -> atomic { disposed = true; others++ }
  :: else -> disposed = true
  fi
}

proctype Loop() {
  byte calls;
  bool isFirst;
  do
  :: atomic { posted -> posted = false }; remove()
  :: calls < CALLS && !removed ->
     calls++;
     if                              /* the context's callbacks: any time may pass */
     :: closed -> goto next
     :: else
     fi;
#ifdef MUTANT_LOOKS_THEN_CALLS
     atomic { assert(!disposed); calling = true };
#else
     if                              /* one CAS */
     :: atomic { closed -> goto next }
     :: atomic { !closed -> assert(!disposed); calling = true }
     fi;
#endif
     atomic { assert(!completed); inside = true };
     if
     :: true
     :: dispose(true)                /* by the handler itself */
     :: true -> (others > 0)         /* it waits for a thread that does */
     fi;
     inside = false;
     calling = false;
     if
     :: removed -> released = true
     :: else
     fi;
next:
     skip
  :: (removed || calls == CALLS) && ended == DISPOSERS && !posted -> break
  od
}

proctype Disposer() {
  bool isFirst;
  dispose(false);
  if
  :: atomic { released -> assert(!inside); completed = true }   /* DisposeAsync */
  :: true
  fi;
  ended++
}

init {
  byte d;
  atomic {
    run Loop();
    for (d : 1 .. DISPOSERS) { run Disposer() };
    d = 0
  };
  timeout ->                         /* nothing can happen any more */
    assert(ended == DISPOSERS && removed && released && !calling && !inside && !posted)
}
