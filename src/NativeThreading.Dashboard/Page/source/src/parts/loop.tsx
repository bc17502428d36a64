import { memo } from 'preact/compat';
import { useState } from 'preact/hooks';
import { Chart } from '../charts/chart';
import { durationChart, rateChart, shareChart } from '../charts/lines';
import { count, milliseconds, percent, rate } from '../format';
import type { Track } from '../history';
import type { Loop } from '../sample';
import { Figure } from './figure';
import { Section } from './section';

interface Props {
  loop: Loop;
  track: Track<Loop>;
  end: number;
  open: boolean;
  onToggle: (open: boolean) => void;
}

export function LoopSection({ loop, track, end, open, onToggle }: Props) {
  return (
    <Section id={`loop-${loop.id}`} title={loop.name} note="event loop" open={open} onToggle={onToggle}>
      {seen => <Body loop={loop} track={track} end={end} seen={seen} />}
    </Section>
  );
}

const Body = memo(LoopBody, (_, next) => !next.seen);

function LoopBody({ loop, track, end }: { loop: Loop; track: Track<Loop>; end: number; seen: boolean }) {
  const [index, setIndex] = useState<number | null>(null);
  const shown = (index === null ? null : track.points[index]) ?? loop;
  const chart = { group: `loop-${loop.id}`, onPoint: setIndex };
  const view = (value: (point: Loop) => number | null) =>
    ({ data: [track.times, track.column(value)] as [number[], (number | null)[]], end });
  return (
    <>
      <p class="facts">
        {count(loop.pending)} pending {'\u00b7'} {count(loop.timers)} timers armed {'\u00b7'} {count(loop.descriptors)} descriptors
      </p>
      <div class="figures three">
        <Figure title="Busy share" entries={[{ sign: 'area', word: 'busy', value: percent(shown.busy) }]}>
          <Chart {...chart} kind={shareChart} view={view(point => point.busy)} label={`Busy share of ${loop.name}. Now: ${percent(loop.busy)}.`} />
        </Figure>
        <Figure title="Longest turn" entries={[{ sign: 'area', word: 'took', value: milliseconds(shown.longestTurn) }]}>
          <Chart {...chart} kind={durationChart} view={view(point => point.longestTurn)} label={`Longest turn of ${loop.name}. Now: ${milliseconds(loop.longestTurn)}.`} />
        </Figure>
        <Figure title="Turns a second" entries={[{ sign: 'area', word: 'turns', value: rate(shown.turnsPerSecond) }]}>
          <Chart {...chart} kind={rateChart} view={view(point => point.turnsPerSecond)} label={`Turns a second of ${loop.name}. Now: ${rate(loop.turnsPerSecond)}.`} />
        </Figure>
      </div>
    </>
  );
}
