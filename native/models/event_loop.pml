/* SPDX-License-Identifier: MIT
 *
 * The event loop's wake protocol: senders publish and wake; the loop polls, lingers or sleeps, arms timers for itself,
 * and closes while senders are still inside.
 *
 * The queue and the timer are the caller's: items published and not taken, and a due timer. The wake descriptor is
 * level-triggered: one bit. Time does not exist: lingering may end at any moment, readiness of another descriptor may
 * end a sleep at any moment for a bounded number of times, and a sleep that started with a deadline may time out.
 *
 * Property, in every state in which nothing can happen any more: all items published before the close were taken, the
 * timer fired; and no thread touches the wake descriptor after it was closed, or writes to it for a loop that is not blocked.
 *
 * Mutants, each of which must fail: the MUTANT_ names below.
 */
#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef ITEMS
#define ITEMS 2                      /* of each sender */
#endif
#ifndef DISTURBANCES
#define DISTURBANCES 1               /* sleeps that end for the sake of another descriptor */
#endif

/* The state word; every access to it is one atomic step. */
bool notified, blocked, written, closed;
byte inside;                         /* senders counted */

bool readable;                       /* the wake descriptor */
bool given_back;

byte queued;                         /* published and not taken */
byte taken;
bool timer_armed, timer_due, timer_fired, must_fire;
byte disturbances;
bool stop, loop_ended;

proctype Sender() {
  byte sent;
  bool enter, refusal;
  do
  :: sent < ITEMS ->
     sent++;
#ifdef MUTANT_PUBLISH_AFTER_WAKE
#define PUBLISH skip
#else
#define PUBLISH queued++
#endif
     atomic { PUBLISH };
     atomic {
       enter = false;
       if
       :: closed -> refusal = true
       :: else ->
#ifdef MUTANT_WRITES_TWICE
          enter = blocked && !notified;
#else
          enter = blocked && !notified && !written;
#endif
#ifdef MUTANT_NEVER_WRITE
          enter = false;
#endif
          notified = true;
          if
          :: enter -> written = true;
#ifndef MUTANT_SENDER_NOT_COUNTED
             inside++
#endif
          :: else
          fi
       fi
     };
#ifdef MUTANT_PUBLISH_AFTER_WAKE
     queued++;
#endif
     if
     :: refusal -> break
     :: !refusal && enter ->
        atomic { assert(!given_back && !readable); readable = true; enter = false };
#ifndef MUTANT_SENDER_NOT_COUNTED
        atomic { inside-- }
#endif
     :: !refusal && !enter
     fi
  :: else -> break
  od
}

inline read_descriptor() {
  atomic { assert(!given_back); drained = readable; readable = false }
}

/* Lets go of the word: one step. */
inline clear(reported) {
  atomic {
    woken = reported;
    blocked = false;
    notified = false;
#ifdef MUTANT_CLEARS_WRITTEN_UNREAD
    written = false;
#else
    if :: drained -> written = false :: else fi;
#endif
    drained = false
  }
}

inline take_wake() {                 /* nth__wake_take */
  if
  :: notified || written ->
#ifdef MUTANT_RESET_AFTER_DRAIN
     woken = notified
#else
     if :: written -> read_descriptor() :: else fi;
     clear(notified)
#endif
  :: else
  fi
}

inline run_callbacks() {             /* what the caller does with a batch */
  if
  :: woken ->
     atomic { taken = taken + queued; queued = 0 };
#ifdef MUTANT_RESET_AFTER_DRAIN
     if :: written -> read_descriptor() :: else fi;
     clear(notified);
#endif
     woken = false
  :: else
  fi;
  if
  :: fired -> fired = false; timer_fired = true
  :: else
  fi;
  if                                 /* arming on the loop's thread wakes no thread */
  :: !must_fire -> must_fire = true; timer_armed = true
  :: true
  fi
}

proctype Loop() {
  bool woken, drained, fired, deadline, saw;
poll:
#ifdef MUTANT_DEADLINE_BEFORE_CALLBACKS
  deadline = timer_armed;
  run_callbacks();
  if :: stop -> goto close :: else fi;
#else
  run_callbacks();
  if :: stop -> goto close :: else fi;
  deadline = timer_armed;
#endif
  take_wake();
  if
  :: woken -> goto poll
  :: !woken && timer_armed && timer_due -> timer_armed = false; fired = true; goto poll
  :: !woken
  fi;

  if                                 /* linger: BLOCKED stays clear */
  :: true ->
#ifdef MUTANT_LINGERER_LOOKS_NOT_AGAIN
     saw = notified;                 /* the last look of the linger window ... */
#endif
     do
     :: notified -> take_wake(); goto poll
     :: break                        /* its time is over */
     od
  :: true
  fi;

#ifdef MUTANT_LINGERER_LOOKS_NOT_AGAIN
  atomic { blocked = true; if :: saw -> blocked = false; take_wake(); goto poll :: else fi };
#else
#ifdef MUTANT_LOOK_THEN_BLOCK
  if
  :: notified -> take_wake(); goto poll
  :: else
  fi;
  atomic { blocked = true };
#else
  if                                 /* one CAS */
  :: atomic { notified -> skip }; take_wake(); goto poll
  :: atomic { !notified -> blocked = true }
  fi;
#endif
#endif

end_kernel:
  if
  :: atomic { readable -> saw = true }
  :: atomic { deadline && timer_due -> saw = readable }
  :: atomic { disturbances < DISTURBANCES -> disturbances++; saw = readable }
  :: atomic { stop && !readable -> saw = false }     /* the timeout of a poll */
  fi;

  if :: saw -> saw = false; read_descriptor() :: else fi;
#ifdef MUTANT_DROPS_WAKE_UNLESS_READ
  clear(notified && drained);
#else
  clear(notified);
#endif
  if
  :: timer_armed && timer_due -> timer_armed = false; fired = true
  :: else
  fi;
  goto poll;

close:
  atomic { assert(!blocked); closed = true };
#ifndef MUTANT_CLOSE_DOES_NOT_WAIT
  (inside == 0);
#endif
  atomic { given_back = true; readable = false };
  loop_ended = true
}

proctype Clock() {
end_clock:
  atomic { timer_armed -> timer_due = true }
}

#ifdef CLOSING
proctype Stopper() { stop = true }
#endif

init {
  byte s;
  atomic {
    for (s : 1 .. SENDERS) { run Sender() };
    s = 0;
    run Loop();
    run Clock();
#ifdef CLOSING
    run Stopper()
#endif
  };
  timeout ->                         /* nothing can happen any more */
#ifdef CLOSING
    assert(loop_ended && inside == 0 && !blocked)
#else
    assert(queued == 0 && taken == SENDERS * ITEMS && blocked && !notified && !readable && inside == 0);
    assert(!must_fire || timer_fired)
#endif
}
