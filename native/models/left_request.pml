/* SPDX-License-Identifier: MIT
 *
 * A worker that leaves its request to a thread that polls for the end of a group: Worker.LeavesRequest, WorkGroup.PollForEnd and
 * WorkerRequests.RequestForVisible.
 *
 * A worker takes two items from where others see them into its portion, and begins the first, which blocks until somebody has run the
 * second. In between it asks for help, or leaves that to a poller, if there is one. A second worker is parked, comes when it is asked,
 * looks once, and parks again if it sees nothing. Each poller begins and ends once, at any time.
 *
 * Property: whatever the order, the second item runs. While it is on its way into the portion nobody sees it.
 *
 * Plain stores go through a store buffer that is emptied at any time (TSO): the worker's into its portion, and a poller's at its end.
 *
 * Mutants, each of which must fail: the MUTANT_ names below.
 */
#ifndef POLLERS
#define POLLERS 2
#endif

bool outside = true;                 /* the second item lies where it came from */
bool portion;                        /* it is in the portion, for all to see */
bool moving;                         /* the worker's store of that waits in its buffer */
bool polled;
bool ending[POLLERS];                /* a poller's store of the end waits in its buffer */
bool asked, ran;

active proctype Worker() {
  atomic { outside = false; moving = true };
#ifndef MUTANT_NO_FENCE_OF_THE_WORKER
  !moving;
#endif
  if
  :: polled                          /* leaves it, for all seems to be over soon */
  :: asked = true
#ifdef MUTANT_LEAVES_IT_TO_NOBODY
  :: true
#endif
  fi;
  ran
}

active proctype Parked() {
  do
  :: atomic { asked -> asked = false };
     atomic {
       if
       :: outside || portion -> ran = true; break
       :: else                       /* nothing to see: it parks */
       fi
     }
  od
}

active [POLLERS] proctype Poller() {
  byte me = _pid - 2;                /* behind the two workers */
  bool seen;

  polled = true;
#ifdef MUTANT_LOOKS_BEFORE_THE_END
  seen = outside || portion;
  ending[me] = true;
  !ending[me];
#else
  ending[me] = true;
#ifndef MUTANT_NO_FENCE_OF_THE_POLLER
  !ending[me];
#endif
  seen = outside || portion;
#endif
#ifndef MUTANT_NO_LOOK
  if
  :: seen -> asked = true
  :: else
  fi
#endif
}

active proctype Buffers() {
end:
  do
  :: atomic { moving -> portion = true; moving = false }
  :: atomic { ending[0] -> polled = false; ending[0] = false }
#if POLLERS > 1
  :: atomic { ending[1] -> polled = false; ending[1] = false }
#endif
  od
}
