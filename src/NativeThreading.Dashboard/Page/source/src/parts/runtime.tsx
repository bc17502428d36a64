import { memo } from 'preact/compat';
import { useState } from 'preact/hooks';
import { Chart } from '../charts/chart';
import { countChart, rateChart } from '../charts/lines';
import { count, plural, rate } from '../format';
import type { Track } from '../history';
import type { RuntimePool } from '../sample';
import { Figure } from './figure';
import { Section } from './section';

interface Props {
  pool: RuntimePool;
  track: Track<RuntimePool>;
  end: number;
  open: boolean;
  onToggle: (open: boolean) => void;
}

/** System.Threading.ThreadPool, of which less is known. */
export function RuntimeSection({ pool, track, end, open, onToggle }: Props) {
  return (
    <Section id="runtime-pool" title={'The built-in pool'} note={plural(pool.threads, 'thread')} open={open} onToggle={onToggle}>
      {seen => <Body pool={pool} track={track} end={end} seen={seen} />}
    </Section>
  );
}

const Body = memo(RuntimeBody, (_, next) => !next.seen);

function RuntimeBody({ pool, track, end }: { pool: RuntimePool; track: Track<RuntimePool>; end: number; seen: boolean }) {
  const [index, setIndex] = useState<number | null>(null);
  const shown = (index === null ? null : track.points[index]) ?? pool;
  const chart = { group: 'runtime-pool', onPoint: setIndex };
  const view = (value: (point: RuntimePool) => number | null) =>
    ({ data: [track.times, track.column(value)] as [number[], (number | null)[]], end });
  return (
    <>
      <p class="facts">{plural(pool.completed, 'item')} done</p>
      <div class="figures three">
        <Figure title="Threads" entries={[{ sign: 'area', word: 'exist', value: count(shown.threads) }]}>
          <Chart {...chart} kind={countChart} view={view(point => point.threads)} label={`Threads of the built-in pool. Now: ${count(pool.threads)}.`} />
        </Figure>
        <Figure title="Queue" entries={[{ sign: 'area', word: 'items', value: count(shown.pending) }]}>
          <Chart {...chart} kind={countChart} view={view(point => point.pending)} label={`Queue of the built-in pool. Now: ${plural(pool.pending, 'item')}.`} />
        </Figure>
        <Figure title="Items a second" entries={[{ sign: 'area', word: 'done', value: rate(shown.perSecond) }]}>
          <Chart {...chart} kind={rateChart} view={view(point => point.perSecond)} label={`Items a second of the built-in pool. Now: ${rate(pool.perSecond)}.`} />
        </Figure>
      </div>
    </>
  );
}
