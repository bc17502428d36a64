import { Fragment } from 'preact';
import { count, milliseconds, plural } from '../format';
import type { Worker } from '../sample';
import { isHeldUp, meaningOf, workerState } from '../words';

/** Each worker as a row: those that are held up first, the longest at the top, and the others as the server has them. */
export function Workers({ pool, workers }: { pool: string; workers: Worker[] }) {
  if (workers.length === 0) return <p class="quiet">No threads at the moment.</p>;
  const heldUp = workers.filter(({ state }) => isHeldUp(state)).sort((a, b) => (b.since ?? 0) - (a.since ?? 0));
  const rows = [...heldUp, ...workers.filter(({ state }) => !isHeldUp(state))];
  const caption = `Threads of ${pool}`;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table class="rows workers" role="table">
        <caption>
          {plural(workers.length, 'thread')}
          {heldUp.length > 0 && `, ${count(heldUp.length)} held up`}
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">Thread</th>
            <th role="columnheader" scope="col">State</th>
            <th role="columnheader" scope="col">Runs</th>
            <th role="columnheader" scope="col" class="number">Running for</th>
            <th role="columnheader" scope="col">Waits in</th>
            <th role="columnheader" scope="col" class="number">Items done</th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((worker, index) => <WorkerRow key={`${worker.name} ${index}`} worker={worker} />)}
        </tbody>
      </table>
    </div>
  );
}

function WorkerRow({ worker: { name, state, since, item, waitsIn, completed } }: { worker: Worker }) {
  return (
    <tr role="row" data-state={state}>
      <th role="rowheader" scope="row" class="name">{name}</th>
      <td role="cell" class="state">
        <span class="badge">{workerState(state)}</span>
        {since !== null && since > 0 && <span class="since"> for {milliseconds(since)}</span>}
      </td>
      <td role="cell" class="item" data-label="Runs">
        {item && <>{item.type !== '' && <span class="type">{breakable(`${item.type}.`)}</span>}<b>{item.method}</b></>}
      </td>
      <td role="cell" class="number" data-label="Running for">{item && milliseconds(item.running)}</td>
      <td role="cell" data-label="Waits in">{waitsIn && <Channel name={waitsIn} />}</td>
      <td role="cell" class="number" data-label="Items done">{completed !== null && count(completed)}</td>
    </tr>
  );
}

/** A long name of a type is broken behind its dots. */
function breakable(name: string) {
  return name.split(/(?<=\.)/).map((part, index) => <Fragment key={index}>{part}<wbr /></Fragment>);
}

function Channel({ name }: { name: string }) {
  const meaning = meaningOf(name);
  return <>{meaning && `${meaning}, `}<code>{name}</code></>;
}
