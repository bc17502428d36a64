/** What the server sends once a second. Times are milliseconds unless named otherwise; what is not known is null. */
export interface Sample {
  version: number;
  sequence: number;
  time: string;
  interval: number;
  process: { name: string; id: number; processors: number; cpu: number | null };
  runtimePool: RuntimePool;
  pools: Pool[];
  loops: Loop[];
}

export interface RuntimePool {
  threads: number;
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
  item: { type: string; method: string; running: number | null } | null;
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
