/* SPDX-License-Identifier: MIT
 *
 * The permits of a pool whose queue is limited: src/NativeThreading/Admission, Permits, Waiter, AdmittedRun, QueueAdmission.
 *
 * One word holds the number of permits that are held and the bit WAITERS. Each producer queues one item: it acquires a permit by a CAS,
 * unless WAITERS is set. Otherwise it sets WAITERS, joins the waiter list under the lock, and searches for permits itself. A worker that
 * starts an item releases its permit by one subtraction, and grants permits to waiting producers if that showed WAITERS. Item 1 is a raw
 * item, which carries its permit; the others are tasks, each with an exchange by which either the start or the cancellation releases the
 * permit. The token of item 0 is cancelled at any moment. With -DCLOSING the pool drains at any moment, which rejects all waiting producers
 * but the last one, a worker of the pool. With -DFAILING item 0 cannot be published when it is granted a permit.
 *
 * Checked: never more items waiting in the queue than permits; each permit released once; a newcomer never overtakes a producer that waits
 * for a permit; waiting items are published in the order of the waiter list; no producer stays in the list while a permit is free; a
 * cancelled item does not stay there; each item has one outcome; at the end all permits are free and WAITERS is off.
 *
 * PUBLISHED_BEFORE_GRANTED is an error that the code had: a task that started at once found no permit to release, and the permit was lost.
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

mtype = { Open, Started, Cancelled, Refused };

/* The word; one step reads and changes both. */
byte held;
bool waiters;

/* Under the lock. */
bool locked;
chan waiterList = [PRODUCERS] of { byte };
bool closed;

chan queue = [PRODUCERS] of { byte };
mtype outcome[PRODUCERS];
bool holdsPermit[PRODUCERS];               /* AdmittedRun._holdsPermit */

/* The token of item 0, and what has been registered with it. */
bool cancelled, callsTask, callsQuit, cancellerIsDone;

/* Seen by the properties only. */
bool counted[PRODUCERS];
byte waiting;                        /* published, neither started nor cancelled */
bool publishing;                     /* an item has left the waiter list and is not in the queue yet */

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

#ifdef MUTANT_BIT_CLEARED_UNCONDITIONALLY
#define clearIfNobodyWaits() waiters = false
#elif defined(MUTANT_BIT_LEFT_SET)
#define clearIfNobodyWaits() skip
#else
#define clearIfNobodyWaits() waiters = (waiters && len(waiterList) > 0)
#endif

/* Releases a permit: one subtraction, which also shows the bit. */
inline release() {
#ifdef MUTANT_WORD_READ_BEFORE_RELEASE
  sawWaiters = waiters;
  atomic { assert(held > 0); held-- }
#else
  atomic { assert(held > 0); held--; sawWaiters = waiters }
#endif
}

/* The exchange; then the permit is released, if there was one. */
inline releaseOnce(item) {
#ifdef MUTANT_CANCEL_RELEASES_TWICE
  had = holdsPermit[item];
  holdsPermit[item] = false;
#else
  atomic { had = holdsPermit[item]; holdsPermit[item] = false };
#endif
  sawWaiters = false;
  if
  :: had -> had = false; release()
  :: else
  fi
}

inline publishGranted() {
  if
  :: granted == RAW -> publish(granted)
  :: else ->
#ifdef MUTANT_PUBLISHED_BEFORE_GRANTED
     publish(granted);
     holdsPermit[granted] = true
#else
     holdsPermit[granted] = true;
#ifdef FAILING
     if
     :: granted == 0 ->
#ifdef MUTANT_FAILED_RELEASES_TWICE
        held--;
#else
        atomic { had = holdsPermit[0]; holdsPermit[0] = false };
        if
        :: had -> had = false; atomic { assert(held > 0); held-- }
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

/* Grants permits to waiting producers, then clears WAITERS if the list is empty. The item that gets a permit may have been
 * cancelled before; its permit is then released, which may show WAITERS again. */
inline grant() {
  do
  :: sawWaiters ->
     sawWaiters = false;
#ifndef MUTANT_GRANT_OUTSIDE_LOCK
     atomic { !locked -> locked = true };
#endif
     do
     :: atomic {
          len(waiterList) > 0 && held < LIMIT ->
          held++;
          waiterList?granted;
          assert(!publishing);       /* or the order of the list is not that of the queue */
          assert(!(closed && outside(granted)));
          publishing = true
        };
        publishGranted();
        atomic { publishing = false; grantedFirst = grantedFirst || granted == 0; granted = 0 }
     :: atomic { !(len(waiterList) > 0 && held < LIMIT) -> break }
     od;
     atomic { clearIfNobodyWaits(); locked = false };
#ifndef MUTANT_NO_LOOK_AFTER_GRANT
     if
     :: grantedFirst && cancelled -> grantedFirst = false; releaseOnce(0)
     :: else -> grantedFirst = false
     fi
#endif
  :: else -> break
  od
}

inline releasePermit(item) { releaseOnce(item); grant() }

/* Also the token's first callback. */
inline tryQuit() {
  atomic {
    !locked ->
    if
    :: waiterList??[0] -> waiterList??eval(0); clearIfNobodyWaits()
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
  bool entered, sawWaiters, had, grantedFirst;
  byte granted;

#ifdef MUTANT_CHECK_THEN_TAKE
  entered = !waiters && held < LIMIT;
  if
  :: entered -> held++
  :: else
  fi;
#else
  atomic {
    if
#ifdef MUTANT_BARGING
    :: held < LIMIT ->
#else
    :: !waiters && held < LIMIT ->
#endif
       assert(len(waiterList) == 0 && !publishing); /* no producer is overtaken */
       entered = true;
       held++
    :: else
    fi
  };
#endif
  create(id);
  if
  :: entered && id == RAW -> publish(id)
  :: entered && id != RAW ->
     holdsPermit[id] = true;
#ifndef MUTANT_NO_LOOK_AFTER_ENTERING
     if
     :: id == 0 && cancelled -> releasePermit(0)
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
       :: else                       /* called at once, it finds the list empty */
       fi
     };
#ifdef MUTANT_LOOK_BEFORE_BIT
     sawWaiters = true;
     grant();
#endif
#ifdef MUTANT_BIT_SET_OUTSIDE_LOCK
     waiters = true;
#endif
     atomic {
       !locked ->
       if
#ifndef MUTANT_JOIN_AFTER_CLOSE
       :: closed && outside(id) -> endIfOpen(id, Refused)
#endif
       :: else ->
#ifndef MUTANT_BIT_SET_OUTSIDE_LOCK
          waiters = true;
#endif
          waiterList!id;
#if !defined(MUTANT_NO_LOOK_AFTER_JOINING) && !defined(MUTANT_LOOK_BEFORE_BIT)
          sawWaiters = true
#endif
       fi
     };
     grant();
#ifndef MUTANT_TOKEN_FORGOTTEN_WHEN_JOINED
     if
     :: id == 0 && cancelled -> tryQuit()
     :: else
     fi;
#endif
     assert(!(id == 0 && cancellerIsDone && waiterList??[0]))
  fi
}

/* Takes all items of the queue, until no process can take a step any more. */
proctype worker() {
  bool sawWaiters, had, begins, grantedFirst;
  byte item, granted;
  do
  :: atomic {
       queue?item ->
       uncount(item);
       begins = (outcome[item] == Open);
       endIfOpen(item, Started)
     };
     if
     :: begins && item == RAW -> release(); grant()
     :: begins && item != RAW -> releasePermit(item)
     :: else                         /* a tombstone */
     fi;
     atomic { begins = false; item = 0; sawWaiters = false }
  :: timeout -> break
  od
}

proctype canceller() {
  bool sawWaiters, had, releases, grantedFirst;
  byte granted;
  atomic { cancelled = true; uncount(0); releases = callsTask };
  if
  :: callsQuit -> tryQuit()
  :: else
  fi;
  if
  :: releases -> atomic { endIfOpen(0, Cancelled) }; releasePermit(0)
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
      :: waiterList??[eval(i)] -> waiterList??eval(i); endIfOpen(i, Refused)
      :: else
      fi
    }
    clearIfNobodyWaits()
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
  assert(len(queue) == 0 && len(waiterList) == 0 && waiting == 0 && !publishing);
  assert(held == 0 && !waiters && !locked);
  for (i : 0 .. PRODUCERS - 1) { assert(outcome[i] != Open && !holdsPermit[i]) }
}
