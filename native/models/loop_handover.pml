/* SPDX-License-Identifier: MIT
 *
 * A loop that is taken over while its driver is blocked, or computes, in a callback: a takeover never asks which. Mirrors, of EventLoops/, LoopOwner.cs (Begin, TryEnd,
 * TryHold, Release, TryTake), LoopHandOver.cs (Relieve, FormerEnded) and LoopDriver.cs (EndCall); of EventLoopRegistration.Calls.cs
 * and EventLoopTimer.Calls.cs BeginCall and CallReturned; and of LoopLifecycle.cs TryFinishDraining and Close.
 *
 * One word owns the loop: a number for each callback and each takeover, and what its driver does: OUTSIDE any callback, INSIDE one, or
 * HELD, inside one and at the native loop. Only the driver leaves OUTSIDE and HELD, so it may store; a takeover is possible INSIDE alone.
 * So the callback's end and each hold are one CAS, which fails where the loop was taken. The monitor reads the word, and a
 * thread that it starts much later takes over what it has read, or nothing.
 *
 * Target 0 is a registration: the former driver itself records that its call has returned, and posts after that. Target 1 is a timer: the
 * loop records it when it reaches that post. In both cases an event of a target whose call has not returned is noted, and reported after
 * the post.
 *
 * Property: one thread at a time is in the loop's code or at the native loop; no target is entered twice; no event is reported twice; in
 * every state in which no step is possible any more, every event was reported, or a token has stopped the loop; a draining loop ends, and
 * not before its former drivers; no thread waits for the loop indefinitely.
 *
 * Mutants, each of which must fail: the MUTANT_ names below. With DRAINING the loop is shut down in the middle, with STOPPING a token
 * stops it.
 */
#ifndef THREADS
#define THREADS 3
#endif
#ifndef EVENTS
#define EVENTS 2
#endif
#ifndef MISTAKES
#define MISTAKES 1                   /* callbacks that were taken for blocked, compute, or end just then */
#endif
#define LIMIT (THREADS - 1)          /* former drivers, with those that are about to be */
#define TARGETS 2
#define TIMER 1
#define OUTSIDE 0
#define INSIDE 1
#define HELD 2

byte number, state = OUTSIDE;        /* the word */
byte inLoop;                         /* threads in the loop's code, or at the native loop */
byte unseen[TARGETS];                /* events for which no call has started */
bool ready[TARGETS];                 /* in the batch, or in the kernel */
bool calling[TARGETS], missed[TARGETS], within[TARGETS];
byte returned[TARGETS];              /* posted: a call has returned on a former driver */
byte formers, blocks, mistakes, produced;
bool pending;                        /* a thread was started that has not tried yet */
byte waiting;                        /* the callback that does nothing but wait */
bool look, draining, stopped, closed;
chan start = [THREADS] of { byte };

inline enterLoop() { atomic { inLoop++; assert(inLoop == 1 && !closed) } }

/* Inside a callback: what the loop's own thread may do at once, and every other thread posts. */
inline tryHold() {
#ifdef MUTANT_HOLDS_AFTER_LOOKING
  if
  :: number == mine -> held = true; state = HELD
  :: else -> held = false
  fi;
#else
  atomic {
    if
    :: number == mine && state == INSIDE -> held = true; state = HELD
    :: else -> held = false
    fi
  };
#endif
  if
  :: held -> enterLoop()
  :: else
  fi
}

inline release() { inLoop--; state = INSIDE }

inline formerEnded() {
  formers--;
#ifndef MUTANT_GOES_UNSEEN
  look = true
#endif
}

proctype Thread(byte me) {
  byte mine, t, got;
  bool held;
  if
  :: me == 0 -> goto drive
  :: else
  fi;
idle:
  mine = 0; t = 0; held = false;
end_idle:
  start?mine;
  if                                 /* TryTake: one CAS */
#ifdef MUTANT_TAKES_UNDER_THE_SAME_NUMBER
  :: atomic { number == mine && state == INSIDE -> state = OUTSIDE; pending = false }
  :: atomic { number != mine || state != INSIDE -> held = true; pending = false }
#else
#ifdef MUTANT_TAKES_WHAT_IS_HELD
  :: atomic { number == mine && state != OUTSIDE -> number++; mine = number; state = OUTSIDE; pending = false }
  :: atomic { number != mine || state == OUTSIDE -> held = true; pending = false }
#else
  :: atomic { number == mine && state == INSIDE -> number++; mine = number; state = OUTSIDE; pending = false }
  :: atomic { number != mine || state != INSIDE -> held = true; pending = false }
#endif
#endif
  fi;
  if
  :: held -> formerEnded(); goto idle
  :: else
  fi;
drive:
  enterLoop();
turn:
  atomic { t = 0; held = false };
end_sleep:
  if
  :: atomic { stopped -> closed = true; inLoop--; goto idle } /* a token: former drivers continue */
  :: atomic { !stopped && ready[0] -> ready[0] = false; t = 0; got = unseen[0]; unseen[0] = 0 }; goto event
  :: atomic { !stopped && ready[1] -> ready[1] = false; t = 1; got = unseen[1]; unseen[1] = 0 }; goto event
  :: atomic { !stopped && returned[0] > 0 -> returned[0]--; t = 0 }; goto behind
  :: atomic { !stopped && returned[1] > 0 -> returned[1]--; t = 1 }; goto behind
  :: atomic { !stopped && look -> look = false };
     if
#ifdef MUTANT_DRAINS_BESIDE_FORMERS
     :: atomic { draining && !returned[0] && !returned[1] && !ready[0] && !ready[1] && produced == EVENTS ->
#else
     :: atomic { draining && formers == 0 && !returned[0] && !returned[1] && !ready[0] && !ready[1] && produced == EVENTS ->
#endif
          assert(formers == 0); closed = true; inLoop--; goto idle }
     :: else -> goto turn
     fi
  fi;

event:                               /* BeginCall, in the loop's code */
#ifndef MUTANT_ENTERS_AGAIN
  if
  :: calling[t] ->
     atomic { unseen[t] = unseen[t] + got; got = 0 };
#ifndef MUTANT_FORGETS_WHAT_IT_MISSED
     missed[t] = true;
#endif
     goto turn
  :: else
  fi;
#endif
  assert(got > 0);
  atomic { calling[t] = true; got = 0 };
  atomic { inLoop--; number++; mine = number; state = INSIDE };   /* one store */
  atomic { assert(!within[t]); within[t] = true };
  if
  :: true
  :: tryHold(); if :: held -> release() :: else fi
  :: atomic { blocks < LIMIT -> blocks++; if :: number == mine -> waiting = mine :: else fi };/* for the loop */
     (number != mine);
     if :: true :: tryHold(); assert(!held) fi
  fi;
  within[t] = false;
#ifdef MUTANT_POSTS_BEFORE_ITS_END
  if :: number != mine -> returned[t]++ :: else fi;
#endif
  if
  :: t != TIMER -> calling[t] = false
  :: else
  fi;
#ifdef MUTANT_ENDS_AFTER_LOOKING
  if
  :: number == mine -> state = OUTSIDE
#else
  if                                 /* EndCall: one CAS */
  :: atomic { number == mine && state == INSIDE -> state = OUTSIDE }
#endif
     enterLoop();
     calling[t] = false;
     look = true;                    /* a turn looks whether it is the last */
     goto turn
  :: atomic { number != mine };
#ifndef MUTANT_POSTS_BEFORE_ITS_END
#ifndef MUTANT_DOES_NOT_POST
#ifdef MUTANT_COUNTED_AS_GONE_BEFORE_IT_POSTS
     formerEnded();
     returned[t]++;
     goto idle;
#else
     returned[t]++;
#endif
#endif
#endif
     formerEnded();
     goto idle
  fi;

behind:                              /* CallReturned, a posted callback */
  atomic { inLoop--; number++; mine = number; state = INSIDE };
  tryHold();
  if
  :: !held -> returned[t]++          /* taken over meanwhile: posts itself again */
  :: else ->
     if
     :: t == TIMER -> calling[t] = false
     :: else
     fi;
     if
#ifdef MUTANT_TELLS_BESIDE_ANOTHER_CALL
     :: missed[t] -> missed[t] = false; calling[t] = false; ready[t] = true
#else
     :: missed[t] && !calling[t] ->  /* the kernel tells of a registration what no call has seen */
        missed[t] = false;
        if :: t == TIMER || unseen[t] > 0 -> ready[t] = true :: else fi
#endif
     :: else
     fi;
     release()
  fi;
  if
  :: atomic { number == mine && state == INSIDE -> state = OUTSIDE }; enterLoop(); look = true; goto turn
  :: atomic { number != mine }; formerEnded(); goto idle
  fi
}

/* Proves that a callback is blocked, or errs. */
proctype Monitor() {
end_monitor:
  do
  :: atomic { state == INSIDE && waiting == number && !closed && formers < LIMIT && !pending ->
       pending = true; formers++; start!number }
  :: atomic { state == INSIDE && mistakes < MISTAKES && !closed && formers < LIMIT && !pending ->
       mistakes++; pending = true; formers++; start!number }
  od
}

proctype Source() {
  byte t;
  do
  :: atomic { produced < EVENTS && !stopped && !closed ->
       if :: t = 0 :: t = 1 fi;
       produced++; unseen[t]++; ready[t] = true; t = 0 }
  :: atomic { produced == EVENTS || stopped || closed -> look = true; break }
  od
}

#ifdef DRAINING
proctype Stopper() { draining = true; look = true }
#endif
#ifdef STOPPING
proctype Stopper() { stopped = true }
#endif

init {
  byte i;
  atomic {
    for (i : 0 .. THREADS - 1) { run Thread(i) };
    i = 0;
    run Monitor();
    run Source();
#ifdef DRAINING
    run Stopper()
#endif
#ifdef STOPPING
    run Stopper()
#endif
  };
  timeout ->                         /* nothing can happen any more */
    assert(formers == 0 && !within[0] && !within[1]);
#ifdef STOPPING
    assert(closed && inLoop == 0)
#else
    assert(unseen[0] == 0 && unseen[1] == 0 && !missed[0] && !missed[1] && !calling[0] && !calling[1]);
#ifdef DRAINING
    assert(closed && inLoop == 0)
#else
    assert(inLoop == 1 && state == OUTSIDE)
#endif
#endif
}
