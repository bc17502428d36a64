import type { HistoryColumns, Incident, Loop, Pool, RuntimePool, Sample } from './sample';

/** How much is remembered, in seconds. */
export const remembered = 900;

/** Over how many seconds events are counted. */
const recent = 300;

/** Whatever the server's interval is, no more points than these are kept. */
const mostPoints = 2 * remembered;

/** The samples of one pool or loop in the last minutes. A point that is null is a gap without a viewer. */
export class Track<T> {
  /** Seconds since 1970. */
  readonly times: number[] = [];
  readonly points: (T | null)[] = [];

  add(time: number, point: T, interval: number): void {
    const last = this.times.at(-1);
    // The first sample after a pause tells of a very short time.
    const step = Math.max(interval, 1);
    if (last !== undefined && time <= last) {
      // Another server's clock: what was before cannot be shown on the same axis.
      this.times.length = this.points.length = 0;
    } else if (last !== undefined && time - last > 3 * step) {
      this.#push(last + step, null);
    }

    this.#push(time, point);
    const old = this.times.findIndex(each => each >= time - remembered - 2 * step);
    const excess = Math.max(old, this.times.length - mostPoints);
    this.times.splice(0, excess);
    this.points.splice(0, excess);
  }

  /** One value of each point, for a chart. */
  column(value: (point: T) => number | null | undefined): (number | null)[] {
    return this.points.map(point => (point === null ? null : value(point) ?? null));
  }

  /** Adds points from before, where there are none: what the page has seen itself is more exact. */
  merge(times: number[], points: (T | null)[]): void {
    const seen = this.times.map((time, index) => [time, this.points[index]!] as const).filter(([, point]) => point !== null);
    const known = new Set(seen.flatMap(([time]) => [Math.floor(time), Math.round(time)]));
    const all = [...seen, ...times.map((time, index) => [time, points[index]!] as const)
      .filter(([time, point]) => point !== null && !known.has(Math.round(time)))].sort(([a], [b]) => a - b);
    this.times.length = this.points.length = 0;
    for (const [time, point] of all) this.add(time, point as T, 1);
  }

  /** Over the last five minutes. */
  sum(value: (point: T) => number): number {
    const begin = (this.times.at(-1) ?? 0) - recent;
    return this.points.reduce((sum, point, index) => sum + (point === null || this.times[index]! <= begin ? 0 : value(point)), 0);
  }

  #push(time: number, point: T | null): void {
    this.times.push(time);
    this.points.push(point);
  }
}

/** Workers are shown as they are now and not remembered. */
export type PoolPoint = Omit<Pool, 'workers'>;

/** What the page knows: the latest sample, and the last minutes of whatever the latest sample still has. */
export class History {
  latest: Sample | null = null;
  /** The time of the latest sample, in seconds. */
  end = 0;
  readonly runtimePool = new Track<RuntimePool>();
  readonly pools = new Map<string, Track<PoolPoint>>();
  readonly loops = new Map<string, Track<Loop>>();

  events: HistoryColumns['events'] = [];

  /** Adds what the server remembers; only of what the latest sample still has. */
  merge(columns: HistoryColumns): void {
    this.events = columns.events;
    const all = <T>(track: Track<T> | undefined, point: (index: number) => T | null) =>
      track?.merge(columns.times, columns.times.map((_, index) => point(index)));
    all(this.runtimePool, index => columns.runtimePool.threads[index] == null
      ? null
      : { threads: columns.runtimePool.threads[index], pending: columns.runtimePool.pending[index] ?? 0, perSecond: columns.runtimePool.perSecond[index] } as RuntimePool);
    for (const pool of columns.pools) {
      all(this.pools.get(keyOf(pool)), index => pool.running[index] == null ? null : {
        threads: {
          running: pool.running[index], blocked: pool.blocked[index], parked: pool.parked[index], reserve: pool.reserve[index], longRunning: pool.longRunning[index],
        },
        queue: { length: pool.length[index], oldest: pool.oldest[index] },
        perSecond: pool.perSecond[index],
        replacements: pool.replacements[index], rescues: pool.rescues[index], refusals: pool.refusals[index],
        latency: pool.p99[index] == null ? null : { p50: pool.p50[index], p99: pool.p99[index], p999: null, bounds: [], counts: [] },
      } as unknown as PoolPoint);
    }
    for (const loop of columns.loops) {
      all(this.loops.get(keyOf(loop)), index => loop.pending[index] == null ? null : {
        pending: loop.pending[index], turnsPerSecond: loop.turnsPerSecond[index], longestTurn: loop.longestTurn[index], busy: loop.busy[index],
      } as Loop);
    }
  }

  /** What was saved, and nothing else. Throws where that is no incident. */
  static of(text: string): History {
    const incident = JSON.parse(text) as Incident;
    if (incident.kind !== 'NativeThreading incident' || incident.version !== 1) throw new Error('This file is not an incident of NativeThreading.');
    const history = new History();
    history.add(incident.sample);
    if (incident.history !== null) history.merge(incident.history);
    return history;
  }

  add(sample: Sample): void {
    const interval = sample.interval / 1000;
    this.latest = sample;
    this.end = Date.parse(sample.time) / 1000;
    this.runtimePool.add(this.end, sample.runtimePool, interval);
    this.#addAll(this.pools, sample.pools.map(({ workers: _, ...point }) => point), interval);
    this.#addAll(this.loops, sample.loops, interval);
  }

  #addAll<T extends { id: number; name: string }>(tracks: Map<string, Track<T>>, points: T[], interval: number): void {
    const present = new Set(points.map(keyOf));
    for (const key of tracks.keys()) {
      if (!present.has(key)) tracks.delete(key);
    }
    for (const point of points) {
      const key = keyOf(point);
      const track = tracks.get(key) ?? new Track<T>();
      tracks.set(key, track);
      track.add(this.end, point, interval);
    }
  }
}

/** A restarted server gives its ids anew, so that an id alone may be another pool's. */
export function keyOf(thing: { id: number; name: string }): string {
  return `${thing.id} ${thing.name}`;
}
