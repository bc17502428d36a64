import { milliseconds, timeOfDay } from '../format';
import type { Threads } from '../sample';
import { workerState } from '../words';

/** As plain text with a line for each thread, which can be copied into a report. */
export function ThreadList({ threads: { time, threads } }: { threads: Threads }) {
  const lines = threads.map(({ name, state, item, waitsIn }) => [
    name,
    workerState(state).toLowerCase(),
    item && `${[item.type, item.method].filter(Boolean).join('.')} for ${milliseconds(item.running)}`,
    waitsIn && `waits in ${waitsIn}`,
  ].filter(Boolean).join(', '));
  return (
    <>
      <p class="quiet">At {timeOfDay(Date.parse(time) / 1000, true)}</p>
      <pre tabIndex={0}>{lines.length === 0 ? 'There is no thread.' : lines.join('\n')}</pre>
    </>
  );
}
