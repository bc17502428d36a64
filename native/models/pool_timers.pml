/* SPDX-License-Identifier: MIT
 *
 * The thread that serves the timers of all pools: how it starts, sleeps, is woken and ends. Mirrors Time/PoolTimers.cs (ArmAt, Wake,
 * EnsureThread, Main, FireDue, TryEnd) and Platform/TimerQueue.cs (TryArm, Disarm, TakeDue, BeginServing, TryEndServing).
 *
 * Each armer arms one timer in a queue of its own or of another, and may then move its deadline or disarm it. Deadlines are 1, 2 and 3. The
 * clock advances whenever a sleep is over. Code that runs under the lock of one queue is one step. A thread start may fail, once: then the
 * armer gives up.
 *
 * Checked: no timer is armed that is due before the moment until which the thread sleeps, unless the thread has a permit to wake or an armer is at
 * work; a timer is armed only while the thread serves its queue; there is at most one thread; an armer that has requested the thread finds
 * each queue served;
 * at the end no timer is armed, and the thread has ended.
 *
 * Mutants, each of which must fail: the MUTANT_ names below.
 */
#ifndef ARMERS
#define ARMERS 2
#endif
#define QUEUES 2
#define NEVER 4                      /* also: any arming must wake the thread */
#define WOKEN 0                      /* before all deadlines */
#define NOT_ARMED 0

byte deadline[ARMERS];               /* 0: not armed; under the lock of its queue */
bool served[QUEUES];
#define queueOf(timer) (timer % QUEUES)

byte planned = NEVER;                /* s_planned */
byte wakes;                          /* permits of the semaphore */
byte now;

bool locked, runs;                   /* the lock of starts and ends */
bool refusedOnce;

byte armersAtWork, starts;
bool sleeps, isThere;
byte until;                          /* the moment until which the thread sleeps */

#define EARLIER(timer) (deadline[timer] != NOT_ARMED && deadline[timer] < until)

/* PoolTimers.EnsureThread */
inline ensureThread(timer) {
  atomic { !locked -> locked = true };
  if
  :: !runs ->
#ifdef MUTANT_SERVED_BEFORE_THE_START
    served[0] = true;
    served[1] = true;
#endif
#ifdef MUTANT_NOTED_BEFORE_THE_START
    runs = true;
#endif
    if
    :: atomic { !refusedOnce -> refusedOnce = true; refused = true; locked = false }
    :: true ->
      atomic { starts++; runs = true };
      served[0] = true;
      served[1] = true
    fi
  :: else
  fi;
  if
  :: refused
  :: else -> atomic { assert(runs && served[queueOf(timer)]); locked = false }
  fi
}

inline arm(timer, due) {
#ifdef MUTANT_READS_THE_PLAN_FIRST
  plan = planned;
#endif
  do
  :: atomic {                        /* TimerQueue.TryArm */
       served[queueOf(timer)] ->
       deadline[timer] = due;
       first = true;
       byte other = 0;
       do
       :: other < ARMERS ->
         if
         :: other != timer && queueOf(other) == queueOf(timer) && deadline[other] != NOT_ARMED && deadline[other] < due -> first = false
         :: else
         fi;
         other++
       :: else -> break
       od;
       other = 0;
       break
     }
  :: !served[queueOf(timer)] ->
     ensureThread(timer);
     if
     :: refused -> break
     :: else
     fi
  od;
#ifndef MUTANT_ARMING_WAKES_NO_THREAD
  if
#ifdef MUTANT_READS_THE_PLAN_FIRST
  :: first && due < plan ->
#else
  :: first && due < planned ->
#endif
    atomic { mine = planned != WOKEN; planned = WOKEN };
    if
    :: mine -> atomic { wakes++; mine = false }
    :: else
    fi
  :: else
  fi;
#endif
  atomic { first = false; plan = 0 }
}

proctype armer(byte timer) {
  bool first, mine, refused;
  byte plan;
  byte due = 1;
  atomic { armersAtWork++; if :: due = 1 :: due = 2 :: due = 3 fi };
  arm(timer, due);
  if
  :: refused
  :: !refused -> skip
  :: !refused ->
    atomic { if :: due = 1 :: due = 3 fi };
    arm(timer, due)                  /* moves it, or arms it again */
  :: !refused -> deadline[timer] = NOT_ARMED
  fi;
  atomic { armersAtWork-- }
}

inline takeDue(queue) {
  atomic {
    byte timer = queue;
    do
    :: timer < ARMERS ->
      if
      :: deadline[timer] == NOT_ARMED
      :: deadline[timer] != NOT_ARMED && deadline[timer] <= now -> deadline[timer] = NOT_ARMED
      :: deadline[timer] > now && deadline[timer] < next -> next = deadline[timer]
      :: else
      fi;
      timer = timer + QUEUES
    :: else -> break
    od;
    timer = 0
  }
}

/* TryEnd; with TryEndServing */
inline endServing(queue) {
  atomic {
    ends = deadline[queue] == NOT_ARMED;
#if ARMERS > 2
    ends = ends && (queue != 0 || deadline[2] == NOT_ARMED);
#endif
#ifdef MUTANT_LEAVES_ARMED_TIMERS
    ends = true;
#endif
    if :: ends -> served[queue] = false :: else fi
  }
}

/* One process stands for one thread after the other: once it has left the lock, a thread that ends touches nothing. */
active proctype Thread() {
  byte next;
  bool stays, ends, woken;
end_absent:
  atomic { starts > 0 -> starts--; isThere = true; assert(starts == 0) };
  do
  ::
#ifdef MUTANT_PLAN_STANDS_WHILE_IT_LOOKS
    skip;
#elif !defined(MUTANT_PLAN_TAKEN_BACK_LATE)
    planned = NEVER;
#endif
    next = NEVER;
    takeDue(0);
    takeDue(1);
#ifdef MUTANT_PLAN_TAKEN_BACK_LATE
    planned = NEVER;
#endif
    if
    :: next == NEVER && stays ->
      atomic { !locked -> locked = true };
      endServing(0);
      if :: ends -> endServing(1) :: else fi;
      if
      :: ends ->
        atomic { runs = false; locked = false; isThere = false; stays = false; next = 0; ends = false; goto end_absent }
      :: else ->
#ifndef MUTANT_QUEUE_IS_NOT_SERVED_AGAIN
        served[0] = true;
        served[1] = true;
#endif
        locked = false
      fi
    :: else
    fi;
    stays = next == NEVER;
    atomic {
      if
      :: planned == NEVER -> planned = next
      :: else -> stays = (planned == WOKEN -> false : stays)
      fi
    };
    atomic { sleeps = true; until = next };
end_sleeps:
    if
    :: atomic { wakes > 0 -> wakes--; sleeps = false; woken = true }
    :: atomic { wakes == 0 && next != NEVER -> sleeps = false; now = (now > next -> now : next) }
    :: atomic { wakes == 0 && next == NEVER && stays -> sleeps = false }
    fi;
    atomic { stays = stays && !woken; woken = false; until = 0; ends = false }
  od
}

active proctype Watch() {
end:
  do
  :: atomic {
       sleeps && wakes == 0 && armersAtWork == 0 && (EARLIER(0) || EARLIER(1)
#if ARMERS > 2
         || EARLIER(2)
#endif
       ) -> assert(false)
     }
  od
}

init {
  byte i;
  atomic { for (i : 0 .. ARMERS - 1) { run armer(i) }; i = 0 };
  _nr_pr == 3 && !isThere && starts == 0 && armersAtWork == 0;
  assert(!runs && !locked && !served[0] && !served[1]);
  for (i : 0 .. ARMERS - 1) { assert(deadline[i] == NOT_ARMED) }
}
