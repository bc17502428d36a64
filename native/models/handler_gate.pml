/* SPDX-License-Identifier: MIT
 *
 * A registration's handler against its disposal: a loop that calls it, threads that dispose of it, a handler that may do
 * so itself, or wait for a thread that does, and a thread that writes without the loop. Mirrors HandlerGate.cs (TryBegin, End,
 * Close), HandleUses.cs (TryEnter, Leave) and, of EventLoopRegistration.cs, Tell, DisposeHere, DisposeAsync, Remove, BeforeWrite,
 * LeaveHandle, CompleteRelease and WhenReleased. That the loop comes to a posted removal is what loop_attention.pml shows.
 *
 * Property (T139, T91): when a disposal has returned, the loop claims no call and no thread starts a write; when the awaited form has
 * completed, neither the handler nor a write runs or starts, and the registration was removed once; the handle is released once, during no
 * write; and in every state in which no step is possible any more, every process has ended, so no thread waits indefinitely for another.
 *
 * Mutants, each of which must fail: the MUTANT_ names below.
 */
#ifndef CALLS
#define CALLS 2
#endif
#ifndef DISPOSERS
#define DISPOSERS 2
#endif
#ifndef WRITES
#define WRITES 2
#endif

bool closed, calling;                /* one word */
bool posted, removed;
bool promised, released;             /* a thread waits for the end; and was notified */
byte uses = 1;                       /* of the handle: the registration's, and writers' */
bool letGo;                          /* the handle is released, and may be closed then */
bool freed;                          /* the thread that released it has published this */
bool inside;                         /* the handler's own instructions */
bool writing;
bool disposed, completed;            /* some disposal has returned; an awaited one has completed */
byte others;                         /* disposals by other threads that have returned */
byte ended;

inline completeRelease() {
  if
  :: freed ->
     if
#ifdef MUTANT_RELEASED_INSIDE_THE_HANDLER
     :: true ->
#else
     :: !calling ->
#endif
        if
        :: promised -> released = true
        :: else                      /* the thread that creates the promise checks itself */
        fi
     :: calling                      /* when the handler has returned */
     fi
  :: else                            /* when the handle is released */
  fi
}

inline leaveHandle() {
  atomic { uses--; isLast = uses == 0 };
  if
  :: isLast ->
     atomic { assert(!letGo && !writing); letGo = true };
     freed = true;
#ifndef MUTANT_LAST_WRITER_SAYS_NOTHING
     completeRelease()
#else
     if
     :: removed && _pid == 1 -> completeRelease()    /* the loop alone */
     :: else
     fi
#endif
  :: else
  fi
}

inline remove() {
  if
  :: removed                         /* in the loop, before the posted removal came */
  :: else ->
     atomic { assert(!removed); removed = true };
     leaveHandle()
  fi
}

inline dispose(onLoop) {
#ifdef MUTANT_EVERYBODY_REMOVES
  closed = true; isFirst = true;
#else
  atomic { isFirst = !closed; closed = true };
#endif
  if
  :: onLoop -> remove()
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
  bool isFirst, isLast;
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
     :: removed -> completeRelease()
     :: else
     fi;
next:
     skip
  :: (removed || calls == CALLS) && ended == DISPOSERS && !posted -> break
  od
}

proctype Writer() {
  byte writes;
  bool isLast;
  do
  :: writes < WRITES ->
     writes++;
#ifdef MUTANT_LOOKS_THEN_ENTERS
     if
     :: uses == 0 -> break
     :: else
     fi;
     uses++;
#elif !defined(MUTANT_WRITES_WITHOUT_USE)
     if                              /* one CAS */
     :: atomic { uses == 0 -> break }
     :: atomic { uses != 0 -> uses++ }
     fi;
#endif
     if
     :: atomic { closed -> goto leave }
     :: atomic { !closed -> assert(!disposed && !completed); writing = true }
     fi;
     atomic { assert(!letGo && !completed); writing = false };  /* the system call */
leave:
#ifndef MUTANT_WRITES_WITHOUT_USE
     leaveHandle()
#else
     skip
#endif
  :: writes == WRITES -> break
  od
}

proctype Disposer() {
  bool isFirst, isLast;
  dispose(false);
  if
  :: promised = true;                /* DisposeAsync */
#ifndef MUTANT_PROMISES_AND_DOES_NOT_LOOK
     completeRelease();
#endif
     atomic { released -> assert(!inside && !writing && letGo); completed = true }
  :: true
  fi;
  ended++
}

init {
  byte d;
  atomic {
    run Loop();
    run Writer();
    for (d : 1 .. DISPOSERS) { run Disposer() };
    d = 0
  };
  timeout ->                         /* nothing can happen any more */
    assert(ended == DISPOSERS && removed && released == promised && !calling && !inside && !posted && uses == 0 && letGo)
}
