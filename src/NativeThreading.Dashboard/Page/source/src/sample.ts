/** What the server sends once a second. Times are milliseconds unless named otherwise; what is not known is null. */
export interface Sample {
  version: number;
  sequence: number;
  time: string;
  interval: number;
  process: Process;
  /** What is wrong, the worst first. */
  verdicts: Verdict[];
  runtimePool: RuntimePool;
  pools: Pool[];
  loops: Loop[];
}

export interface Process {
  name: string;
  id: number;
  processors: number;
  cpu: number | null;
  machine: string;
  pod: string | null;
  inContainer: boolean;
  version: string | null;
  libraryVersion: string | null;
  uptime: number;
  /** The processors that the control group allows; null without a limit. */
  quota: number | null;
  core: string;
}

export interface Verdict {
  subject: string;
  /** The id of the section that shows it: pool-1, loop-3, runtime-pool. */
  subjectId: string;
  text: string;
  since: string;
  conditions: { id: string; text: string; since: string; remedy: string }[];
}

export interface RuntimePool {
  threads: number;
  minThreads: number;
  pending: number;
  completed: number;
  perSecond: number | null;
}

export interface Pool {
  id: number;
  name: string;
  state: string;
  minThreads: number;
  maxThreads: number;
  maxBlockedThreads: number | null;
  maxRescueThreads: number | null;
  queueLimit: number | null;
  threads: Record<ThreadState, number>;
  /** Also counted in `threads`, each in its state. */
  rescueThreads: number | null;
  queue: { length: number; oldest: number | null };
  completed: number;
  perSecond: number | null;
  /** These five happened in the last interval. */
  replacements: number;
  rescues: number | null;
  refusals: number;
  steals: number;
  wakes: number;
  latency: Latency | null;
  workers: Worker[];
}

/** Disjoint: a thread is in one of them. */
export type ThreadState = 'running' | 'blocked' | 'parked' | 'reserve' | 'longRunning';

/** Waits in the queue in microseconds. Each bound is the upper end of a bucket; one more count is of those above the last. */
export interface Latency {
  p50: number | null;
  p99: number | null;
  p999: number | null;
  bounds: number[];
  counts: number[];
}

export interface Worker {
  name: string;
  state: string;
  since: number | null;
  /** The state began before the server could see the thread, so it may have lasted longer. */
  atLeast: boolean;
  item: { name: string | null; type: string; method: string; running: number | null } | null;
  waitsIn: string | null;
  completed: number | null;
}

/** The answer to the action `stacks`: what each thread does at one moment. */
export interface Threads {
  time: string;
  threads: (Pick<Worker, 'name' | 'state' | 'item' | 'waitsIn'> & { pool: string })[];
}

export interface Loop {
  id: number;
  name: string;
  pending: number;
  turnsPerSecond: number | null;
  longestTurn: number | null;
  /** The share of the interval in which it ran callbacks, 0 to 1. */
  busy: number | null;
  timers: number | null;
  descriptors: number | null;
}

type Column = (number | null)[];

/** The counts of the last minutes before the page was open: a column for each value, all as long as `times` (seconds since 1970). */
export interface HistoryColumns {
  times: number[];
  runtimePool: Record<'threads' | 'pending' | 'perSecond', Column>;
  pools: ({ id: number; name: string } & Record<
    ThreadState | 'length' | 'oldest' | 'perSecond' | 'p50' | 'p99' | 'replacements' | 'rescues' | 'refusals', Column>)[];
  loops: ({ id: number; name: string } & Record<'pending' | 'turnsPerSecond' | 'longestTurn' | 'busy', Column>)[];
  /** Conditions that began, and were over. */
  events: { time: string; text: string }[];
}

/** A file that the page has saved and can open again. */
export interface Incident {
  kind: string;
  version: number;
  sample: Sample;
  history: HistoryColumns | null;
}
