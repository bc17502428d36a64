import type { ThreadState } from '../sample';
import { threadStates } from '../words';

/** A pool's threads by state as one bar. The numbers are next to it as text. */
export function ThreadBar({ threads }: { threads: Record<ThreadState, number> }) {
  const total = Math.max(1, threadStates.reduce((sum, { state }) => sum + threads[state], 0));
  let x = 0;
  return (
    <svg class="threadbar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      {threadStates.map(({ state }) => {
        const width = (100 * threads[state]) / total;
        const bar = <rect key={state} class={`fill-${state}`} x={x} y="0" width={width} height="8" />;
        x += width;
        return bar;
      })}
    </svg>
  );
}

/** "2 blocked, 1 running": the states that have a thread. */
export function threadsInWords(threads: Record<ThreadState, number>): string {
  const words = threadStates.filter(({ state }) => threads[state] > 0).map(({ state, word }) => `${threads[state]} ${word}`);
  return words.length === 0 ? 'none' : words.join(', ');
}
