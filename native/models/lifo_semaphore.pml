/* SPDX-License-Identifier: MIT
 *
 * The LIFO semaphore: one state word {permits, waiters, LINGERING, LOCKED} and a stack that only the holder of LOCKED
 * touches. Every access to the word is one atomic step: a CAS that fails evaluates the rule again.
 *
 * Rule: while min(waiters, permits - lingering) > 0, some thread is about to wake that many waiters. An evaluation follows each step that
 * can raise this number: a release evaluates itself or leaves it to the holder of the lock, a push evaluates in its own unlock; a lingerer
 * leaves with a permit if there is one, so its leaving never raises the number.
 *
 * Properties: permits are conserved; a wait ends exactly once, with the token if it was popped; when no step is possible any more, no
 * thread is parked while a permit is free, and the word is clean.
 *
 * Mutants, each of which must fail: TIMEOUT_IGNORES_TOKEN (T12), LINGERER_PARKS_WITH_BIT, LINGERER_CLEARS_AFTER_PUSH
 * (T48), LINGERER_LEAVES_BLINDLY, UNLOCK_WITHOUT_RECHECK (T15), RELEASE_WAKES_FROM_ZERO_ONLY (T56), RELEASE_WAKES_ONE
 * (T57), COUNT_BEFORE_PUSH (T14).
 */
#ifndef WAITERS
#define WAITERS 3
#endif
#ifndef RELEASERS
#define RELEASERS 2
#endif

/* The state word. */
byte permits, waiters;
bool lingering, locked;

byte stack[WAITERS], depth;          /* guarded by locked */
bool token[WAITERS];

byte released, acquired, parked;     /* for the properties */

#define SPARE (permits - (lingering -> 1 : 0))
#define TO_WAKE (permits == 0 -> 0 : (waiters < SPARE -> waiters : SPARE))

inline pop() {
  do
  :: count > 0 ->
     assert(depth > 0);
     count--;
     depth--;
     popped = popped | (1 << stack[depth]);
     stack[depth] = 0
  :: else -> break
  od
}

/* Called by the holder of LOCKED; afterwards not held. popped: bit set of the parkers taken off. */
inline unlock() {
#ifdef MUTANT_UNLOCK_WITHOUT_RECHECK
  atomic { count = TO_WAKE; permits = permits - count; waiters = waiters - count; pop() };
  locked = false;
#else
  do
  :: atomic { TO_WAKE > 0 ->
       count = TO_WAKE;
#ifdef MUTANT_RELEASE_WAKES_ONE
       count = 1;
#endif
       permits = permits - count;
       waiters = waiters - count;
       pop()                         /* the stack is the holder's: no step of its own */
     };
#ifdef MUTANT_RELEASE_WAKES_ONE
     locked = false;
     break
#endif
  :: atomic { else -> locked = false; break }
  od;
#endif
  do
  :: atomic { popped != 0 ->         /* one token at a time, in any order */
       if
       :: popped & 1 -> token[0] = true; popped = popped & ~1
       :: popped & 2 -> token[1] = true; popped = popped & ~2
#if WAITERS > 2
       :: popped & 4 -> token[2] = true; popped = popped & ~4
#endif
       fi
     }
  :: atomic { else -> break }
  od
}

proctype Releaser() {
  byte count, popped, before;
  bool wake;
  do
  :: true ->
     atomic {
       if
       :: count = 1
       :: count = 2
       fi;
       before = permits;
       permits = permits + count;
       released = released + count;
       count = 0;
#ifdef MUTANT_RELEASE_WAKES_FROM_ZERO_ONLY
       wake = waiters > 0 && before == 0;
#else
       wake = TO_WAKE > 0;
#endif
       before = 0
     };
     if
     :: atomic { wake && !locked -> locked = true; wake = false };
        unlock()
     :: atomic { !wake || locked -> wake = false }         /* held: its holder evaluates the rule again */
     fi;
     break
  :: break
  od
}

proctype Waiter(byte me) {
  byte count, popped, i;
  bool timed, mine, bitKept;
  if
  :: timed = true
  :: timed = false
  fi;

  /* A permit; else the one slot to linger; else, or with no time to linger, on to the stack. */
  if
  :: atomic { permits > 0 -> permits--; acquired++ };
     goto done
  :: atomic { permits == 0 && !lingering -> lingering = true };
     if
     :: atomic { permits > 0 -> permits--; lingering = false; acquired++ };
        goto done
#if defined(MUTANT_LINGERER_PARKS_WITH_BIT) || defined(MUTANT_LINGERER_CLEARS_AFTER_PUSH)
     :: bitKept = true
#elif defined(MUTANT_LINGERER_LEAVES_BLINDLY)
     :: lingering = false;
        if
        :: timed -> goto done
        :: true
        fi
#else
     :: atomic { permits == 0 -> lingering = false };      /* its time is over */
        if
        :: timed -> goto done        /* and that of the whole wait too */
        :: true
        fi
#endif
     fi
  :: permits == 0
  fi;

#ifdef MUTANT_COUNT_BEFORE_PUSH
  waiters++;
  atomic { !locked -> locked = true };
  atomic { stack[depth] = me; depth++; parked++ };
#else
  atomic { !locked -> locked = true };
  atomic { stack[depth] = me; depth++; waiters++; parked++ };
#endif
  unlock();
#ifdef MUTANT_LINGERER_CLEARS_AFTER_PUSH
  atomic { if :: bitKept -> lingering = false; bitKept = false :: else fi };
#endif

end_parked:
  if
  :: atomic { token[me] -> token[me] = false; acquired++; parked-- }
  :: timed ->
     atomic { !locked -> locked = true };
     atomic {                        /* still on the stack: take it off, keeping the order */
       i = 0;
       do
       :: i < depth && stack[i] != me -> i++
       :: i < depth && stack[i] == me ->
          mine = true;
          depth--;
          do
          :: i < depth -> stack[i] = stack[i + 1]; i++
          :: else -> break
          od;
          stack[depth] = 0;
          waiters--;
          break
       :: i >= depth -> break
       od;
       i = 0
     };
     unlock();
     atomic {
       if
       :: mine -> parked--
#ifdef MUTANT_TIMEOUT_IGNORES_TOKEN
       :: !mine -> parked--
#else
       :: !mine && token[me] -> token[me] = false; acquired++; parked--
#endif
       fi
     }
  fi;
  atomic { if :: bitKept -> lingering = false :: else fi };
done:
  atomic { mine = false; timed = false }
}

init {
  byte i;
  atomic {
    if
    :: permits = 0
    :: permits = 1
    fi;
    released = permits;
    for (i : 0 .. WAITERS - 1) { run Waiter(i) };
    for (i : 1 .. RELEASERS) { run Releaser() };
    i = 0
  };
  timeout ->                         /* nothing can happen any more */
    assert(permits + acquired == released);
    assert(parked == 0 || permits == 0);
    assert(waiters == parked && depth == parked && !locked && !lingering)
}
