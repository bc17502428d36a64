/* SPDX-License-Identifier: MIT
 *
 * The numbers of the native core that can change without changing what it promises. Each says its unit, its reason, and
 * the row of the tables that shows what it buys. All rows come from two processors. Tuning/SpinTuning.cs has those of
 * the first section as well; a test compares them.
 */
#ifndef NTH__TUNING_H
#define NTH__TUNING_H

/* ---- Shared with Tuning/SpinTuning.cs: lingering (linger_credit.h) and polling (spin.h) --------------- */

enum {
  NTH__MOST_LINGER_CREDIT = 8,  /* failed lingers until it stops. Row: idle, trickle. Unproven beyond two processors */
  NTH__FIRST_LINGER_CREDIT = 4, /* of who has not lingered yet. Row: serial-wakeup. Unproven beyond two processors */
  NTH__LINGER_GAP_CREDIT = 2,   /* earned back by a short park, where a failed linger costs 1. Row: serial-wakeup */
  NTH__LINGER_GAP_FACTOR = 2,   /* a park shorter than so many times the linger is short. Row: idle, trickle */
  NTH__FREE_POLLING_NS = 2000,  /* a hand-over between two running threads takes less. Row: round-trip */
  NTH__LOST_CPU_NS = 5000,      /* between two polls that show that another thread ran on this processor. Row: round-trip */
  NTH__CROWDED_POLLS = 16,      /* that yield after that. Row: cohost. Unproven beyond two processors */
};

/* ---- Polling, in C alone ------------------------------------------------------------------------------ */

enum {
  NTH__PAUSES_BETWEEN_CLOCK_READS = 4, /* of a lingering loop: the clock costs as much as a pause. Row: eventloop, wake */
  NTH__LOCK_ROUNDS = 7,     /* in which a pause before a lock bit doubles; then its holder was pre-empted, and the waiter
                               yields. Row: xtask, concurrent-submit. Unproven beyond two processors */
  NTH__TOKEN_POLLS = 100,   /* for a token whose popper is past its unlock; then the waiter parks. No row shows it */
  NTH__CLOSE_PAUSES = 1000, /* of a closing loop, for wakers inside; then it yields (T31). No row shows it */
};

/* ---- Event loops -------------------------------------------------------------------------------------- */

enum {
  NTH__LOOK_INTERVAL_NS = 20 * 1000,       /* between looks at descriptors while timers are due: a look costs 146 ns, a
                                              timer some 40. Row: eventloop, timers due at once */
  NTH__POLLS_WITHOUT_LOOK = 15,            /* and after so many polls. Row: eventloop, turn */
  NTH__ARRIVAL_CREDIT = 4,                 /* gaps in a row that were short, until a loop lingers for an event that is not promised
                                              (arrivals.h). Row: kestrel, json/1; idle */
  NTH__ARRIVAL_GAP_FACTOR = 3,             /* wake latencies that a short gap is below, and that it lingers at most: a peer on the
                                              same machine takes one to wake and one to answer. Row: kestrel, json/1 */
  NTH__ARRIVAL_SPREAD = 2,                 /* average gaps that it lingers. Row: kestrel, json/1 */
  NTH__ARRIVAL_WEIGHT = 4,                 /* gaps that the average is made of, about. No row shows it */
  NTH__ARRIVAL_SILENCE_FACTOR = 8,         /* wake latencies after which all credit is lost. Row: idle */
  NTH__ARRIVAL_REST_NS = 50 * 1000 * 1000, /* without a linger after one that lost its processor for so long: a time slice
                                              of some 3 ms in 50. No row shows it: two threads that compute next to echo */
  NTH__LONG_YIELD_NS = 1000 * 1000,        /* of a loop on the only processor: a time slice of another process takes 3 ms. Row: crowded,
                                              one-processor, offload */
  NTH__FIRST_TIMERS = 32,                  /* room of a heap that has its first timer. No row shows it */
  NTH__REGISTRATION_PAGE = 64,             /* registrations in a page. No row shows it */
  NTH__FIRST_REGISTRATION_PAGES = 16,      /* room for pages at first. No row shows it */
  NTH__EVENTS_FROM_KERNEL = 256,           /* in one call: 3 KB of stack. Row: echo */
};

/* ---- Measuring the latency of a wake (wake_latency.c) ------------------------------------------------- */

enum {
  NTH__LATENCY_ROUNDS = 15,                   /* wakes, of which the median counts */
  NTH__LATENCY_ENOUGH_ROUNDS = 5,             /* fewer tell nothing */
  NTH__SHORTEST_LATENCY_NS = 5 * 1000,        /* what is shorter was no wake of an idle processor. Row: serial-wakeup */
  NTH__LONGEST_LATENCY_NS = 50 * 1000,        /* no thread polls longer than that for a promised event. Row: idle, trickle */
  NTH__FALLBACK_LATENCY_NS = 25 * 1000,       /* where it cannot be measured: the middle of what was seen */
  NTH__LATENCY_SETTLE_NS = 150 * 1000,        /* before each wake: the helper is parked by then, and its CPU idle */
  NTH__LATENCY_PATIENCE_NS = 6 * 1000 * 1000, /* then the machine is busy, or the two share a CPU */
  NTH__LATENCY_WAIT_FACTOR = 5,               /* patiences that others wait for the one that measures (T41) */
};

/* ---- The system --------------------------------------------------------------------------------------- */

enum {
  NTH__CPUS_LOOK_NS = 250 * 1000 * 1000,       /* between looks at the affinity, which are system calls. Row:
                                                  serial-wakeup */
  NTH__PARK_BUCKETS = 64,                      /* mutexes in place of futexes, on older macOS, which has no tables */
  NTH__LONGEST_BUCKET_NS = 1000 * 1000 * 1000, /* a wait at one of them re-reads its word after that (T128) */
};

#endif
