/* SPDX-License-Identifier: MIT
 *
 * Workers that wait for groups and run their items meanwhile (T151): WorkGroup.Waiting.cs and WorkGroup.Sleepers.cs, with the last
 * look of GroupHelp.cs and the marks of Blocking.cs.
 *
 * Each worker waits once, for the group of its number modulo GROUPS. All items are counted from the beginning, as those of a range
 * are. Some lie in the queues of workers that wait for another group, and one thread for each group publishes the others, one by one
 * or at once, while the workers wait. No other thread runs items: a worker whose wait is over runs the items in its own queue, and no
 * others.
 *
 * Property: in any order all items run and all waits end, unless a timeout ends them. In the states in which no step is possible any more,
 * no worker sleeps while an item of its group is in a place that it scans. With -DPAIRED the items of group 0 wait for each other, so each
 * needs its own worker: all sleepers wake.
 *
 * Sequentially consistent: a full fence separates each store and load of different sides. A mutant exchanges the two, which the fence
 * forbids.
 *
 * Mutants, each of which must fail: the MUTANT_ names below.
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef GROUPS
#define GROUPS 2
#endif
#ifndef PUBLISHED
#define PUBLISHED 1                  /* items of each group that come from outside */
#endif
/* Items in the queues of workers that wait for another group: with -DCROSSED one of each group; with -DHELD one of group 0, and
 * group 1 gets its items when a worker has ended, so that the holder waits until another worker has taken the item from it. */
#if defined(CROSSED)
#define LEFT(g) 1
#elif defined(HELD)
#define LEFT(g) (g == 0)
#else
#define LEFT(g) 0
#endif
#define QUEUE(w, g) queue[(w) * GROUPS + (g)]

byte pending[GROUPS];
byte outside[GROUPS];                /* the injector queue */
byte queue[WORKERS * GROUPS];
bool marked[WORKERS];                /* waits for a group: its queue is scanned */
bool slept[GROUPS];                  /* there is a sleep, maybe one that all have left at their timeouts */
bool asleep[WORKERS];                /* on the sleep of its group, or about to be */
byte meeting;                        /* items of group 0 that have started */
byte ended, published;

/* The sleep ends, for all. One step: under the group's lock. */
inline end_sleep(g) {
  atomic {
    slept[g] = false;
    s = g;
    do
    :: s < WORKERS -> asleep[s] = false;
#ifdef MUTANT_WAKES_ONE
                      if
                      :: s + GROUPS < WORKERS && asleep[s + GROUPS] -> slept[g] = true; s = WORKERS
                      :: else -> s = s + GROUPS
                      fi
#else
                      s = s + GROUPS
#endif
    :: else -> break
    od;
    s = 0
  }
}

inline wake(g) {
  if
  :: !slept[g]
  :: slept[g] -> end_sleep(g)
  fi
}

inline run_item(g) {
#ifdef PAIRED
  if
  :: g == 0 -> meeting++; (meeting == PUBLISHED)
  :: else
  fi;
#endif
  atomic { pending[g]--; last = (pending[g] == 0) };
  if
  :: last -> end_sleep(g)
  :: else
  fi
}

/* One look at the three places, each at its own moment. */
inline look() {
  if
  :: atomic { QUEUE(me, mine) > 0 -> QUEUE(me, mine)--; found = true }
  :: atomic { QUEUE(me, mine) == 0 -> skip }
  fi;
  if
  :: !found ->
     if
     :: atomic { outside[mine] > 0 -> outside[mine]--; found = true }
     :: atomic { outside[mine] == 0 -> skip }
     fi
  :: else
  fi;
#ifndef MUTANT_LOOKS_AT_NO_WAITING_WORKER
  v = 0;
  do
  :: v < WORKERS && !found && v != me && marked[v] ->
     atomic {
       if
       :: QUEUE(v, mine) > 0 -> QUEUE(v, mine)--; found = true
       :: else
       fi;
       v++
     }
  :: v < WORKERS && !(!found && v != me && marked[v]) -> v++
  :: v == WORKERS -> break
  od;
  v = 0
#endif
}

inline fall_asleep() {
  atomic { slept[mine] = true; asleep[me] = true }
}

inline wake_for_own() {
  x = 0;
  do
  :: x < GROUPS -> if
                   :: QUEUE(me, x) > 0 -> wake(x)
                   :: else
                   fi;
                   x++
  :: else -> break
  od;
  x = 0
}

proctype Worker(byte me) {
  byte mine = me % GROUPS;
  byte s, v, x;
  bool found, last;

  do
  :: pending[mine] == 0 -> break
  :: pending[mine] != 0 ->
#ifdef MUTANT_WAKES_BEFORE_THE_MARK
     wake_for_own();
#endif
     marked[me] = true;
#ifdef MUTANT_LOOKS_BEFORE_THE_SLEEP
     look();
     fall_asleep();
#else
     fall_asleep();
     look();
#endif
     if
     :: found
#ifndef MUTANT_END_NOT_LOOKED_AT_AGAIN
     :: !found && pending[mine] == 0
     :: !found && pending[mine] != 0 ->
#else
     :: !found ->
#endif
#if !defined(MUTANT_WAKES_BEFORE_THE_MARK) && !defined(MUTANT_WAKES_NOBODY_FOR_WHAT_IT_HOLDS)
        wake_for_own();
#endif
        if
        :: !asleep[me]
#ifdef TIMED
        :: me == TIMED - 1           /* any time may have passed */
#endif
        fi
     fi;
     asleep[me] = false;             /* the sleep stays, where others have not ended it */
     marked[me] = false;
     if
     :: found -> found = false; run_item(mine)
     :: else
     fi;
#ifdef TIMED
     if
     :: me == TIMED - 1 -> break
     :: me != TIMED - 1
     fi
#endif
  od;

  x = 0;
  do                                 /* the wait is over: what is in the own queue comes next */
  :: x < GROUPS ->
     if
     :: atomic { QUEUE(me, x) > 0 -> QUEUE(me, x)-- }; run_item(x)
     :: atomic { QUEUE(me, x) == 0 -> x++ }
     fi
  :: else -> break
  od;
  ended++
}

/* One, or all that are left, as one range. */
inline publish(g) {
  if
  :: outside[g]++; n++
  :: PUBLISHED - n > 1 -> outside[g] = outside[g] + PUBLISHED - n; n = PUBLISHED
  fi
}

proctype Publisher(byte g) {
  byte s, n;
  bool any;
#ifdef HELD
  (g == 0 || ended > 0);
#endif
  do
  :: n < PUBLISHED ->
#ifdef MUTANT_READS_BEFORE_THE_PUBLICATION
     any = slept[g];
     publish(g);
     if
     :: any -> end_sleep(g)
     :: else
     fi
#else
     publish(g);
     wake(g)
#endif
  :: else -> break
  od;
  published++
}

init {
  byte i;
  atomic {
    for (i : 0 .. GROUPS - 1) {
      pending[i] = PUBLISHED + LEFT(i);
      QUEUE((i + 1) % WORKERS, i) = LEFT(i);
    }
    for (i : 0 .. GROUPS - 1) { run Publisher(i) };
    for (i : 0 .. WORKERS - 1) { run Worker(i) };
    i = 0
  };
  timeout ->                         /* nothing can happen any more */
    assert(ended == WORKERS && published == GROUPS);
    for (i : 0 .. GROUPS - 1) { assert(pending[i] == 0 && outside[i] == 0) }
}
