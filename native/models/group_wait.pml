/* SPDX-License-Identifier: MIT
 *
 * Workers that wait for groups and run their items meanwhile (T151): WorkGroup.Waiting.cs and WorkGroup.Sleepers.cs, with the last
 * look of GroupHelp.cs and the marks of Blocking.cs.
 *
 * Each worker waits once, for the group of its number modulo GROUPS. All items are counted from the beginning, as those of a range
 * are. Some lie in the queues of workers that wait for another group, and one thread for each group publishes the others, one by one
 * or at once, while the workers wait. Nobody else runs anything: a worker whose wait is over runs what is in its own queue, and no more.
 *
 * Property: whatever the order, all items run and all waits end, unless a timeout ends them. In the states in which nothing can
 * happen any more no worker sleeps beside an item of its group that lies where it looks. With -DPAIRED the items of group 0 wait
 * for each other, so each needs a worker of its own: who was told tells the next one before it runs anything.
 *
 * Sequentially consistent: between each store and load of different sides lies a full fence. What the fence forbids is a mutant, in
 * which the two change their places.
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
 * group 1 gets its items when a worker has ended: so that the holder waits until somebody has taken the item from it. */
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
bool marked[WORKERS];                /* waits for a group: its queue is looked at */
bool listed[WORKERS], told[WORKERS], completed[WORKERS];
byte sleepers[GROUPS];
byte meeting;                        /* items of group 0 that have begun */
byte ended, published;

/* Takes a sleeper off the list, any. One step: under the group's lock. */
inline tell(g) {
  if
  :: sleepers[g] == 0
  :: atomic { 0 % GROUPS == g && listed[0] -> s = 0; listed[s] = false; told[s] = true; sleepers[g]-- }
  :: atomic { 1 % GROUPS == g && listed[1] -> s = 1; listed[s] = false; told[s] = true; sleepers[g]-- }
#if WORKERS == 3
  :: atomic { 2 % GROUPS == g && listed[2] -> s = 2; listed[s] = false; told[s] = true; sleepers[g]-- }
#endif
  fi;
  s = 0
}

inline complete(g) {
  atomic {
    s = g;
    do
    :: s < WORKERS -> if
                      :: listed[s] -> listed[s] = false; completed[s] = true; sleepers[g]--
                      :: else
                      fi;
                      s = s + GROUPS
    :: else -> break
    od;
    s = 0
  }
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
  :: last -> complete(g)
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
       :: QUEUE(v, mine) > 0 ->
          QUEUE(v, mine)--; found = true;
          x = 0;
          do                         /* what lies before it comes along */
          :: x < GROUPS ->
             if
             :: x != mine -> QUEUE(me, x) = QUEUE(me, x) + QUEUE(v, x); QUEUE(v, x) = 0
             :: true
             fi;
             x++
          :: else -> break
          od;
          x = 0
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

inline tell_of_own() {
  x = 0;
  do
  :: x < GROUPS -> if
                   :: QUEUE(me, x) > 0 -> tell(x)
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
  bool found, last, isTold;

  do
  :: pending[mine] == 0 -> break
  :: pending[mine] != 0 ->
#ifdef MUTANT_TELLS_BEFORE_THE_MARK
     tell_of_own();
#endif
     marked[me] = true;
#ifdef MUTANT_LOOKS_BEFORE_THE_LISTING
     look();
     atomic { listed[me] = true; sleepers[mine]++ };
#else
     atomic { listed[me] = true; sleepers[mine]++ };
#ifdef MUTANT_END_NOT_LOOKED_AT_AGAIN
     look();
#else
     if
     :: pending[mine] != 0 -> look()
     :: else -> atomic { if
                         :: listed[me] -> listed[me] = false; sleepers[mine]--
                         :: else
                         fi };
        marked[me] = false;
        break
     fi;
#endif
#endif
     if
     :: found
     :: else ->
        isTold = false;
#if !defined(MUTANT_TELLS_BEFORE_THE_MARK) && !defined(MUTANT_TELLS_NOBODY_OF_WHAT_IT_HOLDS)
        tell_of_own();
#endif
        if
        :: told[me] || completed[me]
#ifdef TIMED
        :: me == TIMED - 1           /* any time may have passed */
#endif
        fi
     fi;
     atomic {                        /* WakeUp: under the lock */
       if
       :: listed[me] -> listed[me] = false; sleepers[mine]--
       :: else
       fi;
       isTold = isTold || told[me]; told[me] = false; completed[me] = false
     };
     marked[me] = false;
     if
     :: found ->
#ifndef MUTANT_TELLS_NOBODY_BEFORE_IT_RUNS
        if
        :: isTold -> tell(mine)
        :: else
        fi;
#endif
        isTold = false;
        found = false;
        run_item(mine)
     :: else
     fi;
#ifdef TIMED
     if
     :: me == TIMED - 1 ->
#ifndef MUTANT_TOLD_AND_LEAVES
        if
        :: isTold -> tell(mine)
        :: else
        fi;
#endif
        break
     :: me != TIMED - 1
     fi;
#endif
     /* Told: the first look of the next round. It may miss what lies behind a slot that is not filled: then the last look is still
      * that of a worker which was told. */
     if
     :: isTold ->
        if
        :: atomic { outside[mine] > 0 -> outside[mine]--; found = true }
        :: true
        fi;
        if
        :: found ->
#ifndef MUTANT_TELLS_NOBODY_BEFORE_IT_RUNS
           tell(mine);
#endif
           found = false;
           isTold = false;
           run_item(mine)
        :: else
        fi
#ifdef MUTANT_FORGETS_AFTER_THE_FIRST_LOOK
        ; isTold = false
#endif
     :: else
     fi
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
     any = (sleepers[g] > 0);
     publish(g);
     if
     :: any -> tell(g)
     :: else
     fi
#else
     publish(g);
     tell(g)
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
