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

/** How long a change must be the last word before it is spoken, in milliseconds. */
const settles = 3_000;

/** Tells a screen reader what changed, once that has settled: the connection, what is worst, and if nothing is wrong, how many threads are blocked. */
export function Announcer({ state, sample }: { state: ConnectionState; sample: Sample | null }) {
  const [said, setSaid] = useState('');
  const before = useRef({ worst: '', blocked: 0 });
  const blocked = sample === null ? 0 : sample.pools.reduce((sum, pool) => sum + pool.threads.blocked, 0);
  const verdict = sample?.verdicts?.[0];
  const condition = verdict?.conditions[0];
  const worst = verdict && condition ? `${verdict.subjectId} ${condition.id}` : ''; // the words have numbers, which change all the time
  const words = useRef('');
  words.current = verdict && condition ? `${verdict.subject}: ${condition.text}.` : '';

  useEffect(() => {
    const text = connection[state];
    if (text !== undefined) setSaid(text);
  }, [state]);

  useEffect(() => {
    const timer = setTimeout(() => {
      const known = before.current;
      before.current = { worst, blocked };
      if (worst !== known.worst) setSaid(words.current || 'All is well again.');
      else if (blocked !== known.blocked) setSaid(blocked === 0 ? 'No thread is blocked any more.' : `${plural(blocked, 'thread')} blocked.`);
    }, settles);
    return () => clearTimeout(timer);
  }, [worst, worst === '' ? blocked : 0]);

  return <p class="unseen" role="status">{said}</p>;
}
