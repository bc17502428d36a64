import { count, microseconds, oldest, rate } from '../format';
import type { Pool, RuntimePool } from '../sample';
import { ThreadBar, threadsInWords } from './threadbar';

interface Props {
  pools: Pool[];
  runtimePool: RuntimePool;
  onChoose: (id: string) => void;
}

/** All pools in a table, with the built-in pool. A name leads to its section. */
export function Overview({ pools, runtimePool, onChoose }: Props) {
  const to = (id: string, name: string) => <a href={`#${id}`} onClick={() => onChoose(id)}>{name}</a>;
  return (
    <section class="card overview" aria-labelledby="overview-title">
      <h2 id="overview-title">All pools</h2>
      <table class="rows pools" role="table">
        <caption class="unseen">Pools as they are now</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">Pool</th>
            <th role="columnheader" scope="col">Threads</th>
            <th role="columnheader" scope="col" class="number">Queue</th>
            <th role="columnheader" scope="col" class="number">Oldest waits</th>
            <th role="columnheader" scope="col" class="number">Items a second</th>
            <th role="columnheader" scope="col" class="number">p99 wait</th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {pools.map(pool => (
            <tr role="row" key={`${pool.id} ${pool.name}`}>
              <th role="rowheader" scope="row" class="name">{to(`pool-${pool.id}`, pool.name)}</th>
              <td role="cell" class="threads"><ThreadBar threads={pool.threads} />{threadsInWords(pool.threads)}</td>
              <td role="cell" class="number" data-label="Queue">{count(pool.queue.length)}</td>
              <td role="cell" class="number" data-label="Oldest waits">{oldest(pool)}</td>
              <td role="cell" class="number" data-label="Items a second">{rate(pool.perSecond)}</td>
              <td role="cell" class="number" data-label="p99 wait">{microseconds(pool.latency?.p99)}</td>
            </tr>
          ))}
          <tr role="row" class="runtime">
            <th role="rowheader" scope="row" class="name">{to('runtime-pool', 'The built-in pool')}</th>
            <td role="cell" class="threads">{count(runtimePool.threads)} threads</td>
            <td role="cell" class="number" data-label="Queue">{count(runtimePool.pending)}</td>
            <td role="cell" class="number none">{'\u2013'}</td>
            <td role="cell" class="number" data-label="Items a second">{rate(runtimePool.perSecond)}</td>
            <td role="cell" class="number none">{'\u2013'}</td>
          </tr>
        </tbody>
      </table>
    </section>
  );
}
