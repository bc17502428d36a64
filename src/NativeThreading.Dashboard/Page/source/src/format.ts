const nothing = '\u2013';
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const tenth = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const clockWithSeconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

type Known = number | null | undefined;

export function count(value: Known): string {
  return value == null ? nothing : whole.format(value);
}

/** Something a second: a digit behind the point where it matters. */
export function rate(value: Known): string {
  return value == null ? nothing : value < 10 ? tenth.format(value) : whole.format(value);
}

/** For axes, where room is short: 1.5K. */
export function short(value: Known): string {
  return value == null ? nothing : compact.format(value);
}

export function percent(value: Known): string {
  return value == null ? nothing : `${value < 0.1 ? tenth.format(value * 100) : whole.format(value * 100)} %`;
}

/** Of processors: 0.37 is a good third of one. */
export function used(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0);
}

export function milliseconds(value: Known): string {
  if (value == null) return nothing;
  if (value < 1) return value === 0 ? '0 ms' : `${count(value * 1000)} \u00b5s`;
  if (value < 10) return `${tenth.format(value)} ms`;
  if (value < 1000) return `${whole.format(value)} ms`;
  const seconds = value / 1000;
  if (seconds < 60) return `${tenth.format(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function microseconds(value: Known): string {
  if (value == null) return nothing;
  if (value < 1) return `${tenth.format(value)} \u00b5s`;
  return value < 10 ? `${tenth.format(value)} \u00b5s` : value < 1000 ? `${whole.format(value)} \u00b5s` : milliseconds(value / 1000);
}

/** An empty queue has no oldest item. */
export function oldest({ queue }: { queue: { length: number; oldest: Known } }): string {
  return milliseconds(queue.length === 0 ? null : queue.oldest);
}

/** Of seconds since 1970, in the viewer's zone. */
export function timeOfDay(seconds: number, exact = false): string {
  return (exact ? clockWithSeconds : clock).format(seconds * 1000);
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}
