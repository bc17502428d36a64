import type { ThreadState } from './sample';

/** The states of threads from the bottom of the chart to its top: what is wrong stands on the axis, where it is easy to read. */
export const threadStates: readonly { state: ThreadState; word: string; title: string }[] = [
  { state: 'blocked', word: 'blocked', title: 'Waits in the kernel inside an item, and can run nothing else' },
  { state: 'running', word: 'running', title: 'Runs an item, or looks for one' },
  { state: 'longRunning', word: 'long running', title: 'Runs a LongRunning task on a thread of its own' },
  { state: 'parked', word: 'idle', title: 'Has no work, and sleeps until it is woken' },
  { state: 'reserve', word: 'in reserve', title: 'Idle until another thread blocks' },
];

const workerStates: Record<string, [word: string, title: string]> = {
  running: ['Running', threadStates[1]!.title],
  blocked: ['Blocked', threadStates[0]!.title],
  region: ['Blocked, as the code said', 'In a region of EnterBlockingRegion'],
  group: ['Waiting', 'Waits for a WorkGroup that others complete'],
  parked: ['Idle', threadStates[3]!.title],
  starting: ['Starting', 'Its thread is being started'],
  reserve: ['In reserve', threadStates[4]!.title],
};

/** A state that this page does not know is shown as the server calls it. */
export function workerState(state: string): string {
  return Object.hasOwn(workerStates, state) ? workerStates[state]![0] : state;
}

/** What a state means. */
export function meaningOfState(state: string): string | undefined {
  return Object.hasOwn(workerStates, state) ? workerStates[state]![1] : undefined;
}

/** Blocked, known by the monitor or told by the code. */
export function isBlocked(state: string): boolean {
  return state === 'blocked' || state === 'region';
}

const channels: readonly [RegExp, string][] = [
  // The runtime sleeps on one, too.
  [/futex/, 'a lock, an event or a sleep'],
  [/nanosleep|hrtimer/, 'a sleep'],
  [/^(ep_poll|do_epoll|poll_schedule|do_sys_poll|do_poll|do_select)/, 'a poll of descriptors'],
  [/(sk_wait|tcp_|inet_|skb_|unix_)/, 'a socket'],
  [/pipe_/, 'a pipe'],
  [/(io_schedule|folio_|wait_on_page|blk_|jbd2|ext4|xfs|btrfs)/, 'a disk'],
  [/^do_wait|wait4/, 'another process'],
  [/(flock|posix_lock)/, 'a file lock'],
];

/** The meaning of a wait channel of the kernel, for readers who do not know the kernel; null if it is not known. */
export function meaningOf(channel: string): string | null {
  return channels.find(([pattern]) => pattern.test(channel))?.[1] ?? null;
}
