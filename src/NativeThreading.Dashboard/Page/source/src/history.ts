import type { Loop, Pool, RuntimePool, Sample } from './sample';

/** How much is remembered, in seconds. */
export const remembered = 300;

/** Whatever the server's interval is, no more points than these are kept. */
const mostPoints = 2 * remembered;

/** One thing's samples of the last minutes. A point that is null is a gap, in which nobody looked. */
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

  /** Over what the charts show; a point or two before that are kept for the lines that lead into it. */
  sum(value: (point: T) => number): number {
    const begin = (this.times.at(-1) ?? 0) - remembered;
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
