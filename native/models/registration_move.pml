/* SPDX-License-Identifier: MIT
 *
 * A registration that moves from one loop to another: both loops, either of which may stop at any time; a thread, or the
 * handler itself, that sends it there; a thread that disposes of it; and one that sets its interest. Mirrors
 * EventLoopRegistration.Moving.cs (MoveToAsync, Leave, Arrive, Settle), HandlerGate.cs (TryBeginMove, EndMove, End) and, of
 * EventLoopRegistration.cs, Tell, Interest, DisposeHere, RemoveForAnother and Remove. A call runs beside its loop, as on a former
 * driver: what a loop that does not hand over can do is less. That a loop comes to what is posted is what loop_attention.pml
 * shows; behind its stop the orphan queue does.
 *
 * Property: no call begins beside another one, nor by the old loop once MoveToAsync has returned; and in every state in which
 * nothing can happen any more the move's task was settled once, and either the registration was removed, once, or the loop
 * that has it watches with the interest that was set last and may call.
 *
 * Mutants, each of which must fail: the MUTANT_ names below.
 */
#define OLD 0
#define NEW 1

bool closed, calling, moving;        /* one word */
bool move;                           /* what Leave and Arrive find */
byte seat = OLD;                     /* the loop that has it */
bool left;                           /* the old seat */
bool watches[2];                     /* what the kernel tells each loop, and with which interest */
bool asked[2];
bool interest;
bool removed;
bool begun, sent;                    /* a move has; MoveToAsync has returned */
byte settled;
byte leaving;                        /* posted to the old loop */
bool arriving;                       /* posted to the new one */
byte removing[2], modifying[2];
bool stops[2], stopped[2];           /* whether it will; whether it has */

inline beginMove() {
  atomic {
    if
    :: !closed && !begun -> moving = true; begun = true    /* one move: there are two loops */
    :: else -> goto refused
    fi
  };
#ifdef MUTANT_POSTS_BEFORE_THE_MOVE
  leaving++;
  move = true;
#else
  move = true;
  leaving++;
#endif
  sent = true;
refused:
  skip
}

inline failMove() {
  atomic {                           /* an exchange */
    if
    :: move -> move = false; settled++
    :: else
    fi
  }
}

inline remove(loop) {                /* in that loop */
  if
  :: removed
  :: else ->
     removed = true;
     watches[loop] = false;
     failMove()
  fi
}

inline removeForAnother(loop) {
  mine = seat;
  if
  :: (mine == OLD && left) || removed
  :: else ->
     if
     :: mine == loop && !stopped[loop] -> remove(loop)
     :: else -> removing[seat]++
     fi
  fi
}

inline modifyForAnother(loop) {
  mine = seat;
  if
  :: (mine == OLD && left) || closed
  :: else ->
     if
     :: mine == loop && !stopped[loop] -> asked[loop] = interest
     :: else -> modifying[seat]++
     fi
  fi
}

proctype Call() {
  bool moves;
  if
  :: true
  :: beginMove()                     /* the handler itself */
  fi;
#ifdef MUTANT_END_LOOKS_FIRST
  moves = moving;
  calling = false;
#else
  atomic { moves = moving; calling = false };
#endif
  if
  :: moves && !removed -> leaving++
  :: else
  fi
}

proctype OldLoop() {
  byte mine;
  bool called;
end:
  do
  :: atomic { leaving > 0 -> leaving-- };
     if
     :: removed -> failMove()
     :: else ->
        if
#ifdef MUTANT_LEAVES_BESIDE_A_CALL
        :: move && !left && !stopped[OLD] ->
#else
        :: move && !left && !stopped[OLD] && !calling ->
#endif
           watches[OLD] = false;
           left = true;
           arriving = true
        :: else
        fi
     fi
  :: atomic { removing[OLD] > 0 -> removing[OLD]-- }; removeForAnother(OLD)
  :: atomic { modifying[OLD] > 0 -> modifying[OLD]-- }; modifyForAnother(OLD)
  :: !called && watches[OLD] && !stopped[OLD] ->
     called = true;
     if
#ifdef MUTANT_CALLS_WHILE_IT_MOVES
     :: atomic { !closed && !calling -> assert(!sent); calling = true; run Call() }
     :: atomic { closed || calling -> skip }
#else
     :: atomic { !closed && !calling && !moving -> assert(!sent); calling = true; run Call() }
     :: atomic { closed || calling || moving -> skip }
#endif
     fi
  :: stops[OLD] && !stopped[OLD] ->  /* its last act */
     stopped[OLD] = true;
     if
     :: watches[OLD] -> closed = true; remove(OLD)
     :: else
     fi
  od
}

proctype NewLoop() {
  byte mine;
  bool fails, had;
end:
  do
  :: atomic { arriving -> arriving = false };
     assert(!calling && left && moving && move);
     fails = stopped[NEW];
     if
     :: fails
     :: else ->
#ifdef MUTANT_GATE_READ_BEFORE_SEATED
        fails = closed;
#endif
        had = interest;
        seat = NEW;                  /* an exchange, and only then the reads */
#ifndef MUTANT_GATE_READ_BEFORE_SEATED
        fails = closed;
#endif
#ifndef MUTANT_INTEREST_READ_BEFORE_SEATED
        had = interest;
#endif
        if
        :: fails
        :: !fails -> asked[NEW] = had; watches[NEW] = true
        :: !fails -> fails = true    /* the kernel refuses */
        fi
     fi;
#ifndef MUTANT_MOVE_FORGOTTEN_LAST
     move = false;                   /* before it counts as removed: Leave may have been posted twice */
#endif
     if
     :: fails -> closed = true; assert(!removed); removed = true
     :: else
     fi;
#ifdef MUTANT_MOVE_FORGOTTEN_LAST
     move = false;
#endif
     moving = false;
     settled++
  :: atomic { removing[NEW] > 0 -> removing[NEW]-- }; removeForAnother(NEW)
  :: atomic { modifying[NEW] > 0 -> modifying[NEW]-- }; modifyForAnother(NEW)
  :: stops[NEW] && !stopped[NEW] ->
     stopped[NEW] = true;
     if
     :: watches[NEW] -> closed = true; remove(NEW)
     :: else
     fi
  od
}

proctype Mover() {
  beginMove()
}

/* These two may know an old seat: what they post finds the registration, or that it has not arrived yet. */
proctype Disposer() {
  byte mine;
  mine = seat;
  closed = true;
  removing[mine]++
}

proctype Setter() {
  byte mine;
  mine = seat;
  interest = true;
  modifying[mine]++
}

init {
  atomic {
    watches[OLD] = true;
    run OldLoop();
    run NewLoop();
    run Mover();
    run Setter();
    if
    :: true -> run Disposer()
    :: true
    fi;
    if
    :: true -> stops[OLD] = true
    :: true
    fi;
    if
    :: true -> stops[NEW] = true
    :: true
    fi
  };
  timeout ->                         /* nothing can happen any more; loops that nobody stops go on */
    assert(!calling && settled == begun);
    assert(!closed || removed);
    assert(removed || (watches[seat] && asked[seat] == interest && !moving));
    assert(!removed || (!watches[OLD] && !watches[NEW]))
}
