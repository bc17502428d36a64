/* SPDX-License-Identifier: MIT
 *
 * The asymmetric gate around a worker's rings: the owner enters without a fence, a thief pays for both sides.
 *
 * The owner's stores go through a FIFO store buffer (TSO); a thief's are visible at once, because it only loads
 * after its CAS and its stores are ordered by release. `revoked` is a ticket: even = the owner's, odd = a thief's.
 * The owner acknowledges the ticket that it saw, so an old acknowledgement never opens the gate to a later thief.
 *
 * One ring stands for deque and lanes: the owner takes from either end, under the same gate. Mutants, each of which
 * must fail: NO_BARRIER, READ_BEFORE_BUSY, BOOLEAN_ACK, BOOLEAN_ACK_CLEARED_BY_THIEF, NO_RETRY, BUSY_CLEARED_EARLY,
 * IGNORE_BUSY, PUSH_COMPARES_INDICES, REVOKE_WITHOUT_CAS.
 */
#ifndef ITEMS
#define ITEMS 3
#endif
#ifndef THIEVES
#define THIEVES 2
#endif
#ifndef ROUNDS
#define ROUNDS 1                     /* thefts attempted per thief; 2 takes half a minute and 3 GB */
#endif
#define CAPACITY 2
#define BUFFER 6                     /* entries of the owner's store buffer */

#define BUSY 0
#define ACKNOWLEDGED 1
#define HEAD 2
#define TAIL 3
#define SLOT(index) (4 + ((index) & 1))
#define WORDS 6
#define LEAVE 2                      /* stored to BUSY: 0 in memory, and the end of a take for the assertions */

byte mem[WORDS];                     /* what thieves see */
byte revoked;                        /* written by thieves only */
chan buffer = [BUFFER] of { byte, byte };
byte pending[WORDS];                 /* the owner's stores still in its buffer ... */
byte forward[WORDS];                 /* ... and the newest value of each, which its own loads return */

bool taken[ITEMS + 1];
byte takenCount;
byte ownerInside;                    /* takes between the load of `revoked` and the drain of their last store */
bool thiefInside;
byte finished;

#define LOAD(a) (pending[a] > 0 -> forward[a] : mem[a])

inline store(a, v) {
  atomic { buffer!a, v; pending[a]++; forward[a] = v }
}

inline drainOne() {
  buffer?address, value;
  if
  :: address == BUSY && value == LEAVE -> value = 0; ownerInside--
  :: else
  fi;
  mem[address] = value;
  pending[address]--;
  if
  :: pending[address] == 0 -> forward[address] = 0
  :: else
  fi;
  address = 0;
  value = 0
}

inline account(item) {
  assert(item != 0);                 /* torn: the slot had been cleared */
  assert(!taken[item]);              /* taken twice */
  taken[item] = true;
  takenCount++
}

active proctype StoreBuffer() {
  byte address, value;
end:
  do
  :: atomic { nempty(buffer) -> drainOne() }
  od
}

active proctype Owner() {
  byte tail, head, item, ticket, pushed;
  do
  :: pushed < ITEMS ->
     /* Push: outside the gate. Full means that the slot at the tail has not been cleared yet. */
     atomic {
#ifdef MUTANT_PUSH_COMPARES_INDICES
       if
       :: tail - LOAD(HEAD) < CAPACITY -> item = 0
       :: else -> item = 1
       fi
#else
       item = LOAD(SLOT(tail))
#endif
     };
     if
     :: item == 0 ->
        pushed++;
        store(SLOT(tail), pushed);
        tail++;
        store(TAIL, tail)
     :: else -> item = 0
     fi
  :: atomic { pushed == ITEMS -> break }
  :: true ->
take:
#ifdef MUTANT_READ_BEFORE_BUSY
     ticket = revoked;
     store(BUSY, 1);
     atomic { if :: ticket % 2 == 0 -> ownerInside++ :: else fi };
#else
     store(BUSY, 1);
     atomic { ticket = revoked; if :: ticket % 2 == 0 -> ownerInside++ :: else fi };
#endif
     if
     :: ticket % 2 == 0 ->
inside:
#ifdef MUTANT_BUSY_CLEARED_EARLY
        store(BUSY, LEAVE);
#endif
        head = LOAD(HEAD);
        if
        :: head == tail -> skip
        :: head != tail ->           /* the deque: last in, first out */
           tail--;
           atomic { item = LOAD(SLOT(tail)); account(item) };
           store(SLOT(tail), 0);
           store(TAIL, tail)
        :: head != tail ->           /* a lane: first in, first out */
           atomic { item = LOAD(SLOT(head)); account(item) };
           store(HEAD, head + 1);
           store(SLOT(head), 0)
        fi;
#ifndef MUTANT_BUSY_CLEARED_EARLY
        store(BUSY, LEAVE);
#endif
        head = 0; item = 0; ticket = 0
     :: else ->
        store(BUSY, 0);
        store(ACKNOWLEDGED, ticket);
        if
        :: atomic { revoked != ticket ->
#if defined(MUTANT_NO_RETRY)
             ownerInside++; goto inside
#elif defined(MUTANT_BOOLEAN_ACK)
             store(ACKNOWLEDGED, 0); ticket = 0; goto take
#else
             ticket = 0; goto take
#endif
           }
#if !defined(MUTANT_BOOLEAN_ACK) && !defined(MUTANT_NO_RETRY)
        :: ticket = 0                /* or does something else first: the promise needs no waiting */
#endif
        fi
     fi
  od;
  atomic { empty(buffer) -> finished++ }
}

proctype Thief() {
  byte ticket, head, tail, item, rounds, address, value;
  bool entered;
  do
  :: atomic { rounds == ROUNDS -> break }
  :: else ->
     rounds++;
     ticket = revoked;
     if
     :: ticket % 2 == 1 -> goto next /* another thief is there */
     :: else
     fi;
     atomic {
       if
#ifdef MUTANT_REVOKE_WITHOUT_CAS
       :: true -> ticket++; revoked = ticket
#else
       :: revoked == ticket -> ticket++; revoked = ticket
       :: else -> goto next
#endif
       fi
     };
#ifdef MUTANT_BOOLEAN_ACK_CLEARED_BY_THIEF
     mem[ACKNOWLEDGED] = 0;
#endif
     if
#if defined(MUTANT_BOOLEAN_ACK) || defined(MUTANT_BOOLEAN_ACK_CLEARED_BY_THIEF)
     :: mem[ACKNOWLEDGED] != 0 -> entered = true
#else
     :: mem[ACKNOWLEDGED] == ticket -> entered = true
#endif
     :: true ->                      /* the bounded wait is over */
#ifndef MUTANT_NO_BARRIER
        atomic { do :: nempty(buffer) -> drainOne() :: empty(buffer) -> break od };
#endif
        if
#ifdef MUTANT_IGNORE_BUSY
        :: true -> entered = true
#else
        :: mem[BUSY] == 0 -> entered = true
#endif
        :: true                      /* gives up: missed */
        fi
     fi;
     if
     :: entered ->
        atomic { assert(ownerInside == 0 && !thiefInside); thiefInside = true };
        head = mem[HEAD];
        tail = mem[TAIL];
        do
        :: atomic { head != tail -> assert(ownerInside == 0); item = mem[SLOT(head)]; account(item) };
           mem[HEAD] = head + 1;
           mem[SLOT(head)] = 0;      /* last: from here on a push may use the slot */
           head++
        :: break
        od;
        atomic { thiefInside = false; entered = false }
     :: else
     fi;
     revoked = ticket + 1;
next:
     atomic { ticket = 0; head = 0; tail = 0; item = 0 }
  od;
  finished++
}

init {
  byte i, left;
  atomic { for (i : 1 .. THIEVES) { run Thief() }; i = 0 };
  atomic {
    finished == THIEVES + 1 ->
    for (i : mem[HEAD] + 1 .. mem[TAIL]) {
      assert(mem[SLOT(i - 1)] != 0 && !taken[mem[SLOT(i - 1)]]);
      left++
    };
    assert(takenCount + left == ITEMS)
  }
}
