import { memo } from 'preact/compat';
import { useState } from 'preact/hooks';
import { Chart } from '../charts/chart';
import { latencyChart, latencyView } from '../charts/latency';
import { queueChart, rateChart } from '../charts/lines';
import { threadsChart, threadsView } from '../charts/threads';
import { count, microseconds, oldest, plural, rate, timeOfDay } from '../format';
import type { PoolPoint, Track } from '../history';
import type { Pool } from '../sample';
import { threadStates } from '../words';
import { Figure } from './figure';
import { Section } from './section';
import { threadsInWords } from './threadbar';
import { Values } from './values';
import { Workers } from './workers';

interface Props {
  pool: Pool;
  track: Track<PoolPoint>;
  end: number;
  /** The id of the process. */
  process: number;
  open: boolean;
  onToggle: (open: boolean) => void;
}

export function PoolSection({ pool, track, end, process, open, onToggle }: Props) {
  return (
    <Section id={`pool-${pool.id}`} title={pool.name} note={pool.state} open={open} onToggle={onToggle}>
      {seen => <Body pool={pool} track={track} end={end} process={process} seen={seen} />}
    </Section>
  );
}

interface BodyProps {
  pool: Pool;
  track: Track<PoolPoint>;
  end: number;
  /** The id of the process. */
  process: number;
  seen: boolean;
}

/** Out of sight it stays as it is: twenty pools cost what those cost that can be seen. */
const Body = memo(PoolBody, (_, next) => !next.seen);

function PoolBody({ pool, track, end, process }: BodyProps) {
  const [index, setIndex] = useState<number | null>(null);
  const pointed = index === null ? null : track.points[index] ?? null;
  const shown: PoolPoint = pointed ?? pool;
  const group = `pool-${pool.id}`;
  const chart = { group, onPoint: setIndex };
  const latency = latencyView(track, end);
  const events = (value: (point: PoolPoint) => number) => (pointed ? count(value(pointed)) : `${count(track.sum(value))} in 5 min`);

  return (
    <>
      <p class="facts">
        {pool.minThreads === pool.maxThreads ? plural(pool.maxThreads, 'thread') : `${count(pool.minThreads)} to ${plural(pool.maxThreads, 'thread')}`}
        {pool.maxBlockedThreads !== null && ` \u00b7 up to ${count(pool.maxBlockedThreads)} more while blocked`}
        {!!pool.rescueThreads && ` \u00b7 ${plural(pool.rescueThreads, 'rescue thread')} beyond the limit`}
        {` \u00b7 ${pool.queueLimit === null ? 'no queue limit' : `queue limit ${count(pool.queueLimit)}`}`}
        {` \u00b7 ${plural(pool.completed, 'item')} done`}
        {` \u00b7 ${plural(pool.steals, 'steal')} and ${plural(pool.wakes, 'wake')} just now`}
        {pointed && <span class="at"> {'\u00b7'} charts show {timeOfDay(track.times[index!]!, true)}</span>}
      </p>
      <div class="figures">
        <Figure
          title="Threads"
          entries={threadStates.map(({ state, word, title }) => ({ sign: state, word, title, value: count(shown.threads[state]) }))}
          mark={{ sign: 'replacement', word: 'replacements', value: events(point => point.replacements) }}
        >
          <Chart {...chart} kind={threadsChart} view={threadsView(track, end)} label={`Threads of ${pool.name} by state over the last 15 minutes. Now: ${threadsInWords(pool.threads)}.`} />
        </Figure>
        <Figure
          title="Queue"
          entries={[
            { sign: 'area', word: 'items', value: count(shown.queue.length) },
            { sign: 'solid', word: 'oldest waits', value: oldest(shown) },
          ]}
          mark={{ sign: 'refusal', word: 'rejections', value: events(point => point.refusals) }}
        >
          <Chart
            {...chart}
            kind={queueChart}
            view={{
              data: [track.times, track.column(point => point.queue.length), track.column(point => point.queue.oldest)],
              end,
              refused: track.points.map(point => point !== null && point.refusals > 0),
            }}
            label={`Queue of ${pool.name} over the last 15 minutes. Now: ${plural(pool.queue.length, 'item')}.`}
          />
        </Figure>
        <Figure title="Items a second" entries={[{ sign: 'area', word: 'done', value: rate(shown.perSecond) }]}>
          <Chart
            {...chart}
            kind={rateChart}
            view={{ data: [track.times, track.column(point => point.perSecond)], end }}
            label={`Items a second of ${pool.name} over the last 15 minutes. Now: ${rate(pool.perSecond)}.`}
          />
        </Figure>
        <Figure
          title="Waits in the queue"
          entries={[
            { sign: 'solid', word: 'p50', value: microseconds(shown.latency?.p50) },
            { sign: 'dashed', word: 'p99', value: microseconds(shown.latency?.p99) },
            { sign: 'dotted', word: 'p99.9', value: microseconds(shown.latency?.p999) },
          ]}
        >
          {latency === null
            ? <p class="plot empty">No wait has been measured.</p>
            : <Chart {...chart} kind={latencyChart} view={latency} label={`Waits in the queue of ${pool.name} over the last 15 minutes. Now: p99 ${microseconds(pool.latency?.p99)}.`} />}
        </Figure>
      </div>
      <Workers pool={pool.name} workers={pool.workers} process={process} />
      <Values pool={pool.name} track={track} />
    </>
  );
}
