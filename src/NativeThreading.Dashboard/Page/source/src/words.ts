import type { ThreadState } from './sample';

/** The states of threads from the bottom of the chart to its top: what is wrong stands on the axis, where it is easy to read. */
export const threadStates: readonly { state: ThreadState; word: string }[] = [
  { state: 'blocked', word: 'blocked' },
  { state: 'running', word: 'running' },
  { state: 'longRunning', word: 'long running' },
  { state: 'parked', word: 'parked' },
  { state: 'reserve', word: 'in reserve' },
];

const workerStates: Record<string, string> = {
  running: 'Running',
  blocked: 'Blocked',
  region: 'In a blocking region',
  group: 'Waits for a group',
  parked: 'Parked',
  starting: 'Starting',
  reserve: 'In reserve',
};

/** A state that this page does not know is shown as the server calls it. */
export function workerState(state: string): string {
  return Object.hasOwn(workerStates, state) ? workerStates[state]! : state;
}

/** Blocked, known by the monitor or told by the code. */
export function isHeldUp(state: string): boolean {
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

/** What a wait channel of the kernel means to somebody who does not know the kernel; null if that is not known. */
export function meaningOf(channel: string): string | null {
  return channels.find(([pattern]) => pattern.test(channel))?.[1] ?? null;
}
