import { useState } from 'preact/hooks';
import { count, microseconds, oldest, rate, timeOfDay } from '../format';
import type { PoolPoint, Track } from '../history';
import { threadStates } from '../words';

/** What the charts show as a table, one row for each ten seconds and the newest first: made only while it is open. */
export function Values({ pool, track }: { pool: string; track: Track<PoolPoint> }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="values" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>The charts of {pool} as a table</summary>
      {open && <ValuesTable pool={pool} track={track} />}
    </details>
  );
}

const columns: readonly [string, (point: PoolPoint) => string][] = [
  ...threadStates.map(({ state, word }) =>
    [word.charAt(0).toUpperCase() + word.slice(1), (point: PoolPoint) => count(point.threads[state])] as [string, (point: PoolPoint) => string]),
  ['Queue', point => count(point.queue.length)],
  ['Oldest', oldest],
  ['Items a second', point => rate(point.perSecond)],
  ['p50', point => microseconds(point.latency?.p50)],
  ['p99', point => microseconds(point.latency?.p99)],
  ['p99.9', point => microseconds(point.latency?.p999)],
  ['Replacements', point => count(point.replacements)],
  ['Rejections', point => count(point.refusals)],
];

function ValuesTable({ pool, track }: { pool: string; track: Track<PoolPoint> }) {
  const caption = `Values of ${pool} every ten seconds`;
  return (
    <div>
      <table class="rows" role="table">
        <caption>{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">Time</th>
            {columns.map(([name]) => <th key={name} role="columnheader" scope="col" class="number">{name}</th>)}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {everyTenSeconds(track).map(([time, point]) => (
            <tr key={time} role="row">
              <th role="rowheader" scope="row">{timeOfDay(time, true)}</th>
              {columns.map(([name, text]) => <td key={name} role="cell" class="number" data-label={name}>{text(point)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function everyTenSeconds(track: Track<PoolPoint>): [number, PoolPoint][] {
  const rows = new Map<number, [number, PoolPoint]>();
  track.points.forEach((point, index) => {
    const time = track.times[index]!;
    if (point !== null) rows.set(Math.floor(time / 10), [time, point]);
  });
  return [...rows.values()].reverse();
}
