// Samples as the server sends them, made of numbers that repeat: the same page on every run.

const bounds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000];

/** A pool as the contract has it; `more` replaces what a test is about. */
export function pool(id, name, more = {}) {
  return {
    id, name, state: 'running', minThreads: 0, maxThreads: 4, maxBlockedThreads: 100, maxRescueThreads: 100, queueLimit: null,
    threads: { running: 1, blocked: 0, parked: 3, reserve: 0, longRunning: 0 },
    rescueThreads: 0, queue: { length: 0, oldest: null }, completed: 1000 * id, perSecond: 100,
    replacements: 0, rescues: 0, refusals: 0, steals: 0, wakes: 3,
    latency: null, workers: [], ...more,
  };
}

export function worker(name, state, more = {}) {
  return { name, state, since: 1520, atLeast: false, item: null, waitsIn: null, completed: 400, ...more };
}

export function loop(id, name, more = {}) {
  return { id, name, pending: 0, turnsPerSecond: 120, longestTurn: 0.4, busy: 0.12, timers: 3, descriptors: 12, ...more };
}

const shopProcess = {
  name: 'Shop', id: 1234, processors: 8, cpu: 0.37, machine: 'shop-7', pod: null, inContainer: false,
  version: '3.1.0', libraryVersion: '0.1.0', uptime: 7_320_000, quota: null, core: 'native',
};

/** What is wrong with a pool, in the server's words. */
export function verdict(id, subject, text, more = {}) {
  const since = new Date(Date.UTC(2026, 10, 23, 7, 59, 55)).toISOString();
  return {
    subject, subjectId: `pool-${id}`, text: `${subject}: ${text}`, since,
    conditions: [{ id: 'limit-reached', text, since, remedy: 'Make the blocking code asynchronous, or raise MaxBlockedThreads.' }], ...more,
  };
}

export function sample(sequence, pools, more = {}) {
  return {
    version: 1, sequence, time: new Date(Date.UTC(2026, 10, 23, 8, 0, sequence)).toISOString(), interval: 1000,
    process: shopProcess, verdicts: [],
    runtimePool: { threads: 3, minThreads: 8, pending: 0, completed: 12_345 + 12 * sequence, perSecond: 12 },
    pools, loops: [], ...more,
  };
}

/** What the server remembers of so many seconds before a sample, of one pool named a. */
export function historyOf(seconds, { time }) {
  const end = Date.parse(time) / 1000;
  const column = value => Array.from({ length: seconds }, () => value);
  return {
    version: 1, times: Array.from({ length: seconds }, (_, index) => end - seconds + index),
    runtimePool: { threads: column(4), pending: column(0), perSecond: column(20) },
    pools: [{
      id: 1, name: 'a', running: column(2), blocked: column(1), parked: column(1), reserve: column(0), longRunning: column(0), length: column(12), oldest: column(5),
      perSecond: column(50), p50: column(null), p99: column(null), replacements: column(1), rescues: column(0), refusals: column(0),
    }],
    loops: [], events: [{ time: new Date((end - 20) * 1000).toISOString(), text: 'a: queue full (7 of 7)' }],
  };
}

/** A shop whose reports block for a while and are replaced: what the pictures show. */
export function shop(sequence, workers = 12) {
  const random = seeded(sequence);
  const wave = 0.5 + 0.5 * Math.sin(sequence / 18);
  const stuck = sequence % 160 > 90 && sequence % 160 < 135 ? Math.min(6, (sequence % 160) - 90) : 0;
  const busy = 1 + Math.round(2 * wave + random());
  const queued = stuck > 4 ? 40 + 6 * ((sequence % 160) - 94) : Math.round(4 * wave + random());
  return sample(sequence, [
    pool(1, 'orders', {
      maxThreads: 8, queueLimit: 1000, perSecond: 1400 + 900 * wave + 120 * random(), completed: 1_840_000 + 1700 * sequence,
      threads: { running: busy + 2, blocked: 0, parked: 6 - busy, reserve: 1, longRunning: 0 },
      queue: { length: Math.round(3 * wave + 0.7 * random()), oldest: 0.3 + 0.6 * wave + 0.05 * random() },
      steals: 12, wakes: 210, latency: latency(20, 1500, random),
      workers: ordersWorkers(busy),
    }),
    pool(2, 'reports', {
      maxThreads: 4, perSecond: Math.max(0, 160 + 90 * wave - 38 * stuck + 20 * random()), completed: 96_000 + 180 * sequence,
      threads: { running: Math.min(4, busy), blocked: stuck, parked: Math.max(0, 4 - busy), reserve: stuck > 0 ? 0 : 3, longRunning: 1 },
      queue: { length: queued, oldest: queued === 0 ? null : queued * 9 },
      replacements: stuck > 0 && stuck < 6 ? 1 : 0, refusals: sequence % 160 === 130 ? 4 : 0, wakes: 90, steals: 3,
      latency: latency(stuck > 3 ? 9000 : 120, stuck > 3 ? 300 : 160, random),
      workers: reportsWorkers(stuck, busy).slice(0, workers),
    }),
  ], {
    runtimePool: { threads: 6, minThreads: 8, pending: Math.round(2 * wave + 0.6 * random()), completed: 512_345 + 340 * sequence, perSecond: 320 + 40 * random() },
    loops: [loop(1, 'io', { busy: 0.12 + 0.3 * wave + 0.04 * random(), longestTurn: 0.4 + 0.3 * wave + 0.2 * random(), turnsPerSecond: 800 + 500 * wave, timers: 42, descriptors: 118 })],
    process: { ...shopProcess, cpu: 1.2 + wave },
  });
}

function ordersWorkers(busy) {
  return Array.from({ length: 8 }, (_, index) => (index < busy + 2
    ? worker(`orders-worker-${index}`, 'running', { since: 3 + index, item: { type: 'Shop.Orders.Checkout', method: 'PlaceAsync', running: 2.4 + index }, completed: 231_000 - 900 * index })
    : worker(`orders-worker-${index}`, 'parked', { since: 900 * index, completed: 210_000 - 900 * index })));
}

function reportsWorkers(stuck, busy) {
  const item = running => ({ type: 'Shop.Reports.Pdf', method: 'Render', running });
  return [
    ...Array.from({ length: stuck }, (_, index) =>
      worker(`reports-worker-${index}`, 'blocked', { since: 1520 + 2000 * index, item: item(1530 + 2000 * index), waitsIn: 'futex_wait_queue', completed: 24_000 - 100 * index })),
    ...Array.from({ length: Math.min(4, busy) }, (_, index) =>
      worker(`reports-worker-${stuck + index}`, 'running', { since: 8 + index, item: item(7.5 + index), completed: 20_000 - 100 * index })),
    ...Array.from({ length: Math.max(0, 4 - busy) }, (_, index) =>
      worker(`reports-worker-${stuck + busy + index}`, 'parked', { since: 60_000 + 1000 * index, completed: 17_000 })),
    worker('reports-long-1', 'running', { since: 7_200_000, item: { type: 'Shop.Reports.Watcher', method: 'Loop', running: 7_200_000 }, completed: 0 }),
  ];
}

/** Waits spread around one length, and the percentiles of them. */
function latency(around, total, random) {
  const middle = bounds.findIndex(bound => bound >= around);
  const counts = [...bounds, Infinity].map((_, bucket) =>
    Math.round(total * Math.exp(-((bucket - middle) ** 2) / (bucket > middle ? 4.5 : 1.6)) * (0.6 + 0.8 * random())));
  const all = counts.reduce((sum, count) => sum + count, 0);
  const at = share => {
    let seen = 0;
    return bounds[counts.findIndex(count => (seen += count) >= share * all)] ?? bounds.at(-1);
  };
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999), bounds, counts };
}

/** A generator that gives the same numbers for the same seed. */
function seeded(seed) {
  let state = (seed * 2654435761) >>> 0 || 1;
  return () => {
    state ^= state << 13; state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5; state >>>= 0;
    return state / 2 ** 32;
  };
}
