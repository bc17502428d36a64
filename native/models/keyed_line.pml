/* SPDX-License-Identifier: MIT
 *
 * The line of one key: producers push items, turns run them, and a line without items is removed from the map. Mirrors
 * Keyed/KeyedLine.cs (Push, Take, TryEndTurn), Keyed/KeyedMap.cs (Push, Remove) and Keyed/KeyedTurn.cs (Start, Reject, RunSome,
 * Await, PassOrEnd).
 *
 * Each producer queues one item of the same key. It finds the line, or adds one, and pushes under the lock of the map; the turn that the push needs
 * is queued after that. Turns run on threads that there are enough of. A turn may pass after each item, and then carries its next item.
 * With -DTOKEN the token of item 0 is cancelled at any moment; with -DREJECTS the pool rejects a turn. With -DMOST=2 two items may run at once, and
 * one at a time may wait until another has started.
 *
 * Checked: never more than MOST items of the key run at once; with one at a time they start in the order of the pushes; a push that enters the only
 * turn finds no item before its own; when nothing can happen any more, each item has run, or was cancelled or rejected, once, and nothing is kept of
 * the key.
 *
 * Mutants, each of which must fail: the MUTANT_ names below.
 */
#ifndef MOST
#define MOST 1
#endif
#ifndef ITEMS
#define ITEMS 4
#endif
#define LINES ITEMS                  /* one may be removed after each item */
#define NO_LINE LINES

mtype = { NEW, WAITING, TAKEN };

bool locked;                         /* the shard */
byte current = NO_LINE;              /* the line in the map */
byte lines;                          /* added so far */

byte turns[LINES];
chan pushed[LINES] = [ITEMS] of { byte };
chan taken[LINES] = [ITEMS] of { byte };   /* by the only turn */

mtype state[ITEMS] = NEW;
byte started, refusals, running, runs[ITEMS], refused[ITEMS];
bool producersLeft = true;
bool rejects;
bool someWaits;                      /* an item, for another one */

inline lockMap() { atomic { !locked -> locked = true } }

/* KeyedLine.Take */
inline take(line, item) {
  item = ITEMS;
#if MOST == 1
  if
  :: nempty(taken[line])
  :: empty(taken[line]) && empty(pushed[line])     /* a look without the lock */
  :: empty(taken[line]) && nempty(pushed[line]) ->
    lockMap();
    atomic {
      do
      :: nempty(pushed[line]) -> pushed[line]?moved; taken[line]!moved
      :: empty(pushed[line]) -> break
      od;
      moved = 0;
      locked = false
    }
  fi;
  atomic { if :: nempty(taken[line]) -> taken[line]?item :: empty(taken[line]) fi }
#else
  lockMap();
  atomic {
    if :: nempty(pushed[line]) -> pushed[line]?item :: empty(pushed[line]) fi;
    locked = false
  }
#endif
}

/* KeyedLine.TryEndTurn */
inline tryEndTurn(line, ended) {
#ifdef MUTANT_LOOKS_BEFORE_THE_LOCK
  flag = nempty(pushed[line]);
  lockMap();
#else
  lockMap();
#ifndef MUTANT_NO_SECOND_LOOK
  flag = nempty(pushed[line]);
#endif
#endif
  atomic {
    ended = !flag;
    if
    :: ended -> turns[line]--; left = turns[line]
    :: else
    fi;
    flag = false;
#ifdef MUTANT_REMOVES_AFTER_THE_LOCK
    locked = false
#endif
  };
  atomic {
    if
#ifdef MUTANT_NEVER_REMOVES
    :: false
#elif defined(MUTANT_REMOVES_WITH_TURNS)
    :: ended -> current = NO_LINE
#else
    :: ended && left == 0 -> current = NO_LINE     /* KeyedMap.Remove */
#endif
    :: else
    fi;
#ifndef MUTANT_REMOVES_AFTER_THE_LOCK
    locked = false;
#endif
    left = 0
  }
}

/* The canceller, the caller whose turn is rejected and the turn: one takes the item. */
inline tryTake(item, mine) {
  atomic {
    mine = state[item] != TAKEN;
    state[item] = TAKEN
  }
}

proctype turn(byte line; byte item) {
  byte moved, left, before;
  bool flag, ended, mine;
  do
  :: if
     :: item == ITEMS -> take(line, item)
     :: else
     fi;
     if
     :: item == ITEMS ->
       tryEndTurn(line, ended);
       if
       :: ended -> break
       :: else -> skip
       fi
     :: else ->
       tryTake(item, mine);
       if
       :: mine ->
         atomic {
           mine = false;
           running++;
           assert(running <= MOST);
           runs[item]++;
           assert(MOST > 1 || item >= started); /* in order */
           started = (MOST > 1 -> started + 1 : item + 1)
         };
#if MOST > 1
         if
         :: atomic { !someWaits -> someWaits = true; before = started };
            atomic { started > before || refusals + started == ITEMS -> someWaits = false; before = 0 }
         :: true
         fi;
#endif
         running--                   /* here, or as an async function that has completed elsewhere */
       :: else
       fi;
       item = ITEMS;
       if
       :: true
       :: true ->                    /* PassOrEnd: another thread continues, with the next item */
         take(line, item);
         if
         :: item != ITEMS -> atomic { run turn(line, item); break }
         :: else
         fi
       fi
     fi
  od
}

/* KeyedQueue.TryPush and Start. Producers run one after the other under the lock, so one process stands for all of them. The
 * steps after the lock run while the next producer has the lock. */
proctype producers() {
  byte item, line;
  bool enters, joins, isNew;
  do
  :: item == ITEMS -> break
  :: item < ITEMS ->
#ifdef MUTANT_FINDS_ITS_LINE_WITHOUT_THE_LOCK
    line = current;
    lockMap();
#else
    lockMap();
    line = current;
#endif
    atomic {
      isNew = line == NO_LINE;
      if :: isNew -> line = lines; lines++ :: else fi
    };
    atomic {                         /* KeyedItem.TryJoin */
      joins = state[item] == NEW;
      if :: joins -> state[item] = WAITING :: else fi
    };
    if
    :: joins ->
      atomic {                       /* KeyedLine.Push */
        enters = turns[line] < MOST;
        if :: enters -> turns[line]++ :: else fi;
        if
        :: enters && MOST == 1 -> assert(empty(pushed[line]) && empty(taken[line])); taken[line]!item
        :: else -> pushed[line]!item
        fi
      }
    :: else
    fi;
    atomic {
      if
#ifdef MUTANT_ADDS_A_LINE_FOR_A_CANCELLED_ITEM
      :: isNew -> current = line
#else
      :: enters && isNew -> current = line
#endif
      :: else
      fi;
      if
#ifdef REJECTS
      :: enters && !rejects -> rejects = true; run rejected(line, item)
#endif
      :: enters -> run turn(line, ITEMS)
      :: !enters
      fi;
      item++;
      producersLeft = item < ITEMS;
      line = 0;
      enters = false;
      joins = false;
      isNew = false;
      locked = false
    }
  od
}

/* KeyedTurn.Reject */
proctype rejected(byte line; byte item) {
  bool mine;
  tryTake(item, mine);
  if
  :: mine -> atomic { refused[item]++; refusals++ }
  :: else
  fi;
#ifndef MUTANT_REJECTED_TURN_IS_LOST
  run turn(line, ITEMS)              /* PassOrEnd: it may end here as well, in the same steps */
#endif
}

proctype canceller() {
  bool mine;
  tryTake(0, mine);
  if :: mine -> atomic { refused[0]++; refusals++ } :: else fi
}

init {
  byte i;
  atomic {
#ifdef TOKEN
    run canceller();
#endif
    run producers()
  };
  _nr_pr == 1;
  for (i : 0 .. ITEMS - 1) { assert(runs[i] + refused[i] == 1) };
  assert(running == 0 && current == NO_LINE)
}
