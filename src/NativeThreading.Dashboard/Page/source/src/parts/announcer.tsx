import { useEffect, useRef, useState } from 'preact/hooks';
import type { ConnectionState } from '../connection';
import { plural } from '../format';
import type { Sample } from '../sample';

const connection: Partial<Record<ConnectionState, string>> = {
  live: 'Live.',
  lost: 'The connection is lost. The page tries again.',
  refused: 'The server refuses access.',
  paused: 'Paused.',
};

/** How long a change of blocked threads must be the last word before it is spoken, in milliseconds. */
const settles = 3_000;

/** Tells a screen reader what changed: the connection, and how many threads are blocked, once that has settled. */
export function Announcer({ state, sample }: { state: ConnectionState; sample: Sample | null }) {
  const [said, setSaid] = useState('');
  const before = useRef(0);
  const blocked = sample === null ? 0 : sample.pools.reduce((sum, pool) => sum + pool.threads.blocked, 0);

  useEffect(() => {
    const text = connection[state];
    if (text !== undefined) setSaid(text);
  }, [state]);

  useEffect(() => {
    const timer = setTimeout(() => {
      if (blocked === before.current) return;
      before.current = blocked;
      setSaid(blocked === 0 ? 'No thread is blocked any more.' : `${plural(blocked, 'thread')} blocked.`);
    }, settles);
    return () => clearTimeout(timer);
  }, [blocked]);

  return <p class="unseen" role="status">{said}</p>;
}
