/* SPDX-License-Identifier: MIT
 *
 * The places of a pool whose queue is limited: src/NativeThreading/Limits, QueuePlaces, WaitingItem and LimitedRun.
 *
 * One word holds the number of places taken and the bit LINE. Each producer queues one item: it takes a place by a CAS,
 * unless LINE is set; else it joins the line under the lock, sets LINE and looks for places itself. A worker that begins an
 * item gives its place back by one subtraction, and grants places to the line if that showed LINE. Item 1 is a raw one,
 * which carries its place; the others are tasks, each with an exchange that makes one of begin and cancel leave the place.
 * The token of item 0 is cancelled at any moment. With -DCLOSING the pool drains at any moment, which refuses all in
 * line but the last producer, a worker of the pool. With -DFAILING item 0 cannot be published from the line.
 *
 * Checked: never more items waiting than places; each place given back once; a newcomer never overtakes the line; items
 * of the line are published in its order; nobody is left in line beside a free place; what was cancelled is not left in it;
 * each item has one outcome; at the end all places are free and LINE is off.
 *
 * PUBLISHED_BEFORE_GRANTED is an error that the code had: a task that began at once found no place to leave, and the
 * place was lost.
 */
#ifndef LIMIT
#define LIMIT 1
#endif
#ifndef PRODUCERS
#define PRODUCERS 3
#endif
#ifndef WORKERS
#define WORKERS 1
#endif
#define RAW 1
#define outside(item) (item != PRODUCERS - 1)

mtype = { Open, Begun, Cancelled, Refused };

/* The word; one step reads and changes both. */
byte taken;
bool line;

/* Under the lock. */
bool locked;
chan inLine = [PRODUCERS] of { byte };
bool closed;

chan queue = [PRODUCERS] of { byte };
mtype outcome[PRODUCERS];
bool holds[PRODUCERS];               /* LimitedRun._holdsPlace */

/* The token of item 0, and what has been registered with it. */
bool cancelled, callsTask, callsQuit, cancellerIsDone;

/* Seen by the properties only. */
bool counted[PRODUCERS];
byte waiting;                        /* published, neither begun nor cancelled */
bool publishing;                     /* somebody has left the line and is not in the queue yet */

#define endIfOpen(item, how) \
  if \
  :: outcome[item] == Open -> outcome[item] = how \
  :: else \
  fi

inline uncount(item) {
  if
  :: counted[item] -> counted[item] = false; waiting--
  :: else
  fi
}

inline publish(item) {
  atomic {
    if
    :: item == 0 && cancelled        /* a tombstone, or about to be one */
    :: else -> counted[item] = true; waiting++; assert(waiting <= LIMIT)
    fi;
    queue!item
  }
}

#ifdef MUTANT_LINE_CLEARED_UNCONDITIONALLY
#define endEmptyLine() line = false
#elif defined(MUTANT_LINE_LEFT_SET)
#define endEmptyLine() skip
#else
#define endEmptyLine() line = (line && len(inLine) > 0)
#endif

/* Gives a place back: one subtraction, which also shows the bit. */
inline giveBack() {
#ifdef MUTANT_WORD_READ_BEFORE_LEAVING
  sawLine = line;
  atomic { assert(taken > 0); taken-- }
#else
  atomic { assert(taken > 0); taken--; sawLine = line }
#endif
}

/* The exchange; then the place is given back, if there was one. */
inline leaveOnce(item) {
#ifdef MUTANT_CANCEL_LEAVES_TWICE
  had = holds[item];
  holds[item] = false;
#else
  atomic { had = holds[item]; holds[item] = false };
#endif
  sawLine = false;
  if
  :: had -> had = false; giveBack()
  :: else
  fi
}

inline publishGranted() {
  if
  :: granted == RAW -> publish(granted)
  :: else ->
#ifdef MUTANT_PUBLISHED_BEFORE_GRANTED
     publish(granted);
     holds[granted] = true
#else
     holds[granted] = true;
#ifdef FAILING
     if
     :: granted == 0 ->
#ifdef MUTANT_FAILED_LEAVES_TWICE
        taken--;
#else
        atomic { had = holds[0]; holds[0] = false };
        if
        :: had -> had = false; atomic { assert(taken > 0); taken-- }
        :: else
        fi;
#endif
        atomic { endIfOpen(0, Refused) }
     :: else -> publish(granted)
     fi
#else
     publish(granted)
#endif
#endif
  fi
}

/* Hands places to the line, then lets LINE go off if nobody is left. Whom it grants a place may have been cancelled before
 * there was a place to leave; leaving it may show LINE again. */
inline grantPlaces() {
  do
  :: sawLine ->
     sawLine = false;
#ifndef MUTANT_GRANT_OUTSIDE_LOCK
     atomic { !locked -> locked = true };
#endif
     do
     :: atomic {
          len(inLine) > 0 && taken < LIMIT ->
          taken++;
          inLine?granted;
          assert(!publishing);       /* or the order of the line is not that of the queue */
          assert(!(closed && outside(granted)));
          publishing = true
        };
        publishGranted();
        atomic { publishing = false; grantedFirst = grantedFirst || granted == 0; granted = 0 }
     :: atomic { !(len(inLine) > 0 && taken < LIMIT) -> break }
     od;
     atomic { endEmptyLine(); locked = false };
#ifndef MUTANT_NO_LOOK_AFTER_GRANT
     if
     :: grantedFirst && cancelled -> grantedFirst = false; leaveOnce(0)
     :: else -> grantedFirst = false
     fi
#endif
  :: else -> break
  od
}

inline leavePlace(item) { leaveOnce(item); grantPlaces() }

/* Also the token's first callback. */
inline tryQuit() {
  atomic {
    !locked ->
    if
    :: inLine??[0] -> inLine??eval(0); endEmptyLine()
    :: else
    fi
  }
}

/* The task and its callbacks: a token that was cancelled before calls them at once. */
inline create(item) {
  atomic {
    if
    :: item == 0 && cancelled -> endIfOpen(0, Cancelled)
    :: item == 0 && !cancelled -> callsTask = true
    :: else
    fi
  }
}

proctype producer(byte id) {
  bool entered, sawLine, had, grantedFirst;
  byte granted;

#ifdef MUTANT_CHECK_THEN_TAKE
  entered = !line && taken < LIMIT;
  if
  :: entered -> taken++
  :: else
  fi;
#else
  atomic {
    if
#ifdef MUTANT_BARGING
    :: taken < LIMIT ->
#else
    :: !line && taken < LIMIT ->
#endif
       assert(len(inLine) == 0 && !publishing); /* nobody is overtaken */
       entered = true;
       taken++
    :: else
    fi
  };
#endif
  create(id);
  if
  :: entered && id == RAW -> publish(id)
  :: entered && id != RAW ->
     holds[id] = true;
#ifndef MUTANT_NO_LOOK_AFTER_ENTERING
     if
     :: id == 0 && cancelled -> leavePlace(0)
     :: else
     fi;
#endif
     if
     :: outcome[id] == Open -> publish(id)
     :: else
     fi
  :: !entered ->
     atomic {
       if
       :: id == 0 && !cancelled -> callsQuit = true
       :: else                       /* called at once, it finds nobody in line */
       fi
     };
#ifdef MUTANT_LOOK_BEFORE_LINE
     sawLine = true;
     grantPlaces();
#endif
#ifdef MUTANT_LINE_SET_OUTSIDE_LOCK
     line = true;
#endif
     atomic {
       !locked ->
       if
#ifndef MUTANT_JOIN_AFTER_CLOSE
       :: closed && outside(id) -> endIfOpen(id, Refused)
#endif
       :: else ->
#ifndef MUTANT_LINE_SET_OUTSIDE_LOCK
          line = true;
#endif
          inLine!id;
#if !defined(MUTANT_NO_LOOK_AFTER_JOINING) && !defined(MUTANT_LOOK_BEFORE_LINE)
          sawLine = true
#endif
       fi
     };
     grantPlaces();
#ifndef MUTANT_TOKEN_FORGOTTEN_WHEN_JOINED
     if
     :: id == 0 && cancelled -> tryQuit()
     :: else
     fi;
#endif
     assert(!(id == 0 && cancellerIsDone && inLine??[0]))
  fi
}

/* Takes whatever is in the queue, until nobody does anything any more. */
proctype worker() {
  bool sawLine, had, begins, grantedFirst;
  byte item, granted;
  do
  :: atomic {
       queue?item ->
       uncount(item);
       begins = (outcome[item] == Open);
       endIfOpen(item, Begun)
     };
     if
     :: begins && item == RAW -> giveBack(); grantPlaces()
     :: begins && item != RAW -> leavePlace(item)
     :: else                         /* a tombstone */
     fi;
     atomic { begins = false; item = 0; sawLine = false }
  :: timeout -> break
  od
}

proctype canceller() {
  bool sawLine, had, places, grantedFirst;
  byte granted;
  atomic { cancelled = true; uncount(0); places = callsTask };
  if
  :: callsQuit -> tryQuit()
  :: else
  fi;
  if
  :: places -> atomic { endIfOpen(0, Cancelled) }; leavePlace(0)
  :: else
  fi;
  cancellerIsDone = true
}

#ifdef CLOSING
proctype closer() {
  byte i;
  atomic {
    !locked ->
    closed = true;
    for (i : 0 .. PRODUCERS - 2) {
      if
      :: inLine??[eval(i)] -> inLine??eval(i); endIfOpen(i, Refused)
      :: else
      fi
    }
    endEmptyLine()
  }
}
#endif

init {
  byte i;
  atomic {
    for (i : 0 .. PRODUCERS - 1) { outcome[i] = Open }
    for (i : 0 .. PRODUCERS - 1) { run producer(i) }
    for (i : 1 .. WORKERS) { run worker() }
    run canceller();
#ifdef CLOSING
    run closer()
#endif
  }
  (_nr_pr == 1);
  assert(len(queue) == 0 && len(inLine) == 0 && waiting == 0 && !publishing);
  assert(taken == 0 && !line && !locked);
  for (i : 0 .. PRODUCERS - 1) { assert(outcome[i] != Open && !holds[i]) }
}
