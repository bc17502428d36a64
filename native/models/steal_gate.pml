/* SPDX-License-Identifier: MIT
 *
 * The asymmetric gate around a worker's rings: the owner enters without a fence, and gives to a thief that has asked. A
 * thief that gets no answer pays for both sides, and enters by force.
 *
 * The owner's plain stores go through a FIFO store buffer (TSO); its interlocked steps wait until the buffer is empty. A
 * thief's stores are visible at once, because it only loads after its CAS and its stores are ordered by release.
 *
 * The gate's word is 0 (free), the number of a thief (its request stands), or that thief's mark (items are being moved for
 * it: by the owner, or by the thief itself once it has entered). A request that stands may be displaced by another one at any
 * time: in the code, if it is so old that its thief has lost its processor. A demand is a request that the owner does not
 * serve: the demander enters by force, and the owner steps in and out while a demand stands.
 *
 * One ring stands for deque and lane: the owner takes from either end, under the same gate. Of the thief's ring, into which
 * the owner pushes, there is the number of items, and the mark of the batch. A giver may be cut short (by an abort of its
 * thread) before any item.
 *
 * Mutants, each of which must fail: NO_BARRIER, READ_BEFORE_BUSY, BUSY_CLEARED_EARLY, IGNORE_BUSY, PUSH_COMPARES_INDICES,
 * CLAIM_WITHOUT_CAS, GIVES_WITHOUT_CAS, ENTERS_WITHOUT_CAS, WITHDRAWS_WITHOUT_CAS, OWNER_PASSES_A_THIEF, DISPLACES_A_MOVE,
 * LEAVES_DURING_A_GIVE, FREED_BEFORE_MOVED, FREED_BEFORE_BATCH_MARK, ABORT_LEAVES_REQUEST, DEMAND_DROPPED_BY_OWNER,
 * GIVES_BEFORE_IT_TAKES, GIVES_OUTSIDE_THE_WORD.
 */
#ifndef ITEMS
#define ITEMS 2                      /* 3 take a minute with two thieves */
#endif
#ifndef THIEVES
#define THIEVES 2
#endif
#ifndef ROUNDS
#define ROUNDS 1                     /* requests per thief */
#endif
#ifndef DEMANDS
#define DEMANDS 0                    /* how many of the thieves, the last ones, make demands */
#endif
#define CAPACITY 2
#define BUFFER 7                     /* entries of the owner's store buffer */

#define BUSY 0
#define HEAD 1
#define TAIL 2
#define SLOT(index) (3 + ((index) & 1))
#define WORD 5
#define RING(thief) (4 + 2 * (thief))  /* items in the thief's ring */
#define MOVED(thief) (5 + 2 * (thief)) /* what the batch's mark there, and the request, say */
#define WORDS (6 + 2 * THIEVES)
#define LEAVE 2                      /* stored to BUSY: 0 in memory, and the end of a take for the assertions */

#define MARK(thief) (THIEVES + (thief))
#define STANDS(word) ((word) != 0 && (word) <= THIEVES)
#define IS_DEMAND(thief) ((thief) > THIEVES - DEMANDS)

byte mem[WORDS];                     /* what thieves see */
chan buffer = [BUFFER] of { byte, byte };
byte pending[WORDS];                 /* the owner's stores still in its buffer ... */
byte forward[WORDS];                 /* ... and the newest value of each, which its own loads return */

bool taken[ITEMS + 1];
byte takenCount;
byte ownerInside;                    /* takes between the load of the word, or the CAS, and the drain of their last store */
bool serving;                        /* from the owner's CAS of the word until its store there is visible */
bool thiefInside;
bool displaced[2 * THIEVES + 1];     /* only another request ends a demand: so it passes one barrier, unless displaced */
bool asks[THIEVES + 1];              /* the thief is at the gate: until it leaves, its ring is the giver's */
byte finished;

#define LOAD(a) (pending[a] > 0 -> forward[a] : mem[a])

inline store(a, v) {
  atomic { buffer!a, v; pending[a]++; forward[a] = v }
}

inline drainOne() {
  buffer?address, value;
  if
  :: address == BUSY && value == LEAVE -> value = 0; ownerInside--
  :: address == WORD -> serving = false
  :: address > WORD -> assert(asks[(address - 4) / 2]) /* into a ring that its own worker pushes to again */
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

/* The owner has the word of thief `word`: it moves items, and gives the word back. */
inline give() {
  moved = 0;
  if
  :: IS_DEMAND(word) -> skip
  :: else ->
#ifdef MUTANT_FREED_BEFORE_MOVED
     store(WORD, 0);
#endif
     do
     :: atomic { LOAD(HEAD) != tail -> head = LOAD(HEAD); assert(!thiefInside); item = LOAD(SLOT(head)); account(item) };
        store(SLOT(head), 0);
        store(HEAD, head + 1);
        moved++;
        store(RING(word), moved)
     :: break                        /* half, or cut short */
     od;
#ifdef MUTANT_FREED_BEFORE_BATCH_MARK
     store(WORD, 0);
#endif
     if :: moved > 0 -> store(MOVED(word), moved) :: else fi
  fi;
#if !defined(MUTANT_FREED_BEFORE_MOVED) && !defined(MUTANT_FREED_BEFORE_BATCH_MARK)
#ifdef MUTANT_ABORT_LEAVES_REQUEST
  if :: store(WORD, 0) :: skip fi;
#else
#ifdef MUTANT_DEMAND_DROPPED_BY_OWNER
  store(WORD, 0);
#else
  if :: IS_DEMAND(word) -> store(WORD, word) :: else -> store(WORD, 0) fi;
#endif
#endif
#endif
  moved = 0; head = 0; item = 0
}

/* An interlocked step: the buffer is empty. */
#ifdef MUTANT_GIVES_WITHOUT_CAS
#define OWNER_CAS(from, to) empty(buffer) -> mem[WORD] = to; serving = true
#else
#define OWNER_CAS(from, to) empty(buffer) && mem[WORD] == from -> mem[WORD] = to; serving = true
#endif

active proctype Owner() {
  byte tail, head, item, word, pushed, moved;
  bool hadItems, interlocked;
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
        store(TAIL, tail);
        /* One attempt to give. Never a wait. */
        word = LOAD(WORD);
        if
        :: STANDS(word) && !IS_DEMAND(word) ->
#ifdef MUTANT_GIVES_OUTSIDE_THE_WORD
           give()
#else
           if
           :: atomic { OWNER_CAS(word, MARK(word)) }; give()
           :: atomic { empty(buffer) && mem[WORD] != word -> skip }
           fi
#endif
        :: true                      /* too few items to give some */
        fi;
        word = 0
     :: else -> item = 0
     fi
  :: atomic { pushed == ITEMS -> break }
  :: true ->
     interlocked = false;
#ifdef MUTANT_READ_BEFORE_BUSY
     word = LOAD(WORD);
     store(BUSY, 1);
     atomic { if :: word == 0 -> ownerInside++ :: else fi };
#else
     store(BUSY, 1);
     atomic { word = LOAD(WORD); if :: word == 0 -> ownerInside++ :: else fi };
#endif
     do
     :: word == 0 -> break
     :: STANDS(word) ->
        if
        :: atomic { OWNER_CAS(word, MARK(word)); ownerInside++; interlocked = true }; break
        :: atomic { empty(buffer) && mem[WORD] != word -> word = LOAD(WORD); if :: word == 0 -> ownerInside++ :: else fi }
        fi
     :: else ->                      /* a thief is inside: the only place where the owner waits */
#ifdef MUTANT_OWNER_PASSES_A_THIEF
        atomic { ownerInside++; break }
#else
        atomic { LOAD(WORD) != word -> word = LOAD(WORD); if :: word == 0 -> ownerInside++ :: else fi }
#endif
     od;
#ifdef MUTANT_BUSY_CLEARED_EARLY
     if :: !interlocked -> store(BUSY, LEAVE) :: else fi;
#endif
     hadItems = LOAD(HEAD) != tail;
#ifdef MUTANT_GIVES_BEFORE_IT_TAKES
     if :: interlocked -> store(BUSY, LEAVE); give() :: else fi;
#endif
     head = LOAD(HEAD);
     if
     :: head == tail -> assert(!hadItems) /* what it was about to take it has not given away */
     :: head != tail ->              /* the deque: last in, first out */
        tail--;
        atomic { item = LOAD(SLOT(tail)); account(item) };
        store(SLOT(tail), 0);
        store(TAIL, tail)
     :: head != tail ->              /* a lane: first in, first out */
        atomic { item = LOAD(SLOT(head)); account(item) };
        store(HEAD, head + 1);
        store(SLOT(head), 0)
     fi;
     if
     :: interlocked ->               /* the word keeps others out; before it is given back, for a demander may have seen 0 */
#ifndef MUTANT_GIVES_BEFORE_IT_TAKES
        store(BUSY, LEAVE);
        give();
#endif
        skip
     :: else ->
#ifndef MUTANT_BUSY_CLEARED_EARLY
        store(BUSY, LEAVE);
#endif
        skip
     fi;
     atomic { head = 0; item = 0; word = 0; hadItems = false; interlocked = false }
  od;
  atomic { empty(buffer) -> finished++ }
}

proctype Thief(byte me) {
  byte word, head, tail, item, rounds, address, value;
  bool fenced;
  do
  :: atomic { rounds == ROUNDS -> break }
  :: else ->
     rounds++;
claim:
     word = mem[WORD];
     if
#ifdef MUTANT_DISPLACES_A_MOVE
     :: word == 0 || word != 0 -> skip
#else
     :: word == 0 || STANDS(word) -> skip /* free, or so old that its thief has lost its processor */
#endif
     :: word != 0 && !IS_DEMAND(me) -> goto next /* another thief is there */
     :: word != 0 && IS_DEMAND(me) -> mem[WORD] != word; goto claim
     fi;
     atomic {
       if
#ifdef MUTANT_CLAIM_WITHOUT_CAS
       :: true -> mem[WORD] = me; asks[me] = true
#else
       :: mem[WORD] == word -> mem[WORD] = me; asks[me] = true; displaced[word] = word != 0
       :: else -> goto next
#endif
       fi
     };
     fenced = false;
     do
     :: word = mem[WORD];
        if
        :: word == me && !fenced ->  /* the polls are over */
#ifndef MUTANT_NO_BARRIER
           atomic { do :: nempty(buffer) -> drainOne() :: empty(buffer) -> break od };
#endif
           fenced = true
        :: word == me && fenced ->
           if
#ifdef MUTANT_IGNORE_BUSY
           :: true ->
#else
           :: mem[BUSY] == 0 ->
#endif
              atomic {
                if
#ifdef MUTANT_ENTERS_WITHOUT_CAS
                :: true ->
#else
                :: mem[WORD] == me ->
#endif
                   mem[WORD] = MARK(me);
                   assert(ownerInside == 0 && !serving && !thiefInside);
                   thiefInside = true;
                   goto inside
#ifndef MUTANT_ENTERS_WITHOUT_CAS
                :: else
#endif
                fi
              }
           :: mem[BUSY] != 0 && IS_DEMAND(me) -> mem[BUSY] == 0 || mem[WORD] != me
           :: mem[BUSY] != 0 && !IS_DEMAND(me) -> /* gives up: missed */
              atomic {
                if
#ifdef MUTANT_WITHDRAWS_WITHOUT_CAS
                :: true -> mem[WORD] = 0; asks[me] = false; goto next
#else
                :: mem[WORD] == me -> mem[WORD] = 0; asks[me] = false; goto next
                :: else
#endif
                fi
              }
           fi
#ifdef MUTANT_LEAVES_DURING_A_GIVE
        :: word == MARK(me) -> asks[me] = false; goto next
#else
        :: word == MARK(me) -> mem[WORD] != word /* the owner moves */
#endif
        :: else -> break             /* given, or displaced */
        fi
     od;
     atomic {
       assert(mem[RING(me)] == mem[MOVED(me)]); /* all of it is there, and so is its mark */
       mem[RING(me)] = 0; mem[MOVED(me)] = 0; asks[me] = false;
       word = 0; fenced = false;
       if
       :: IS_DEMAND(me) -> assert(displaced[me]); displaced[me] = false; goto claim
       :: else -> displaced[me] = false; goto next
       fi
     };
inside:
     head = mem[HEAD];
     tail = mem[TAIL];
     do
     :: atomic { head != tail -> assert(ownerInside == 0 && !serving); item = mem[SLOT(head)]; account(item) };
        mem[HEAD] = head + 1;
        mem[SLOT(head)] = 0;         /* last: from here on a push may use the slot */
        head++
     :: break
     od;
     atomic { thiefInside = false; asks[me] = false };
     mem[WORD] = 0;
next:
     atomic { word = 0; head = 0; tail = 0; item = 0; fenced = false }
  od;
  finished++
}

init {
  byte i, left;
  atomic { for (i : 1 .. THIEVES) { run Thief(i) }; i = 0 };
  atomic {
    finished == THIEVES + 1 ->
    for (i : mem[HEAD] + 1 .. mem[TAIL]) {
      assert(mem[SLOT(i - 1)] != 0 && !taken[mem[SLOT(i - 1)]]);
      left++
    };
    assert(takenCount + left == ITEMS)
  }
}
