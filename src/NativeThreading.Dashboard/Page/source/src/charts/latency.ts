import uPlot from 'uplot';
import { microseconds } from '../format';
import type { PoolPoint, Track } from '../history';
import type { Latency } from '../sample';
import { padding, timeAxis, timeScale, valueAxis } from './axes';
import type { Kind, View } from './chart';

export interface LatencyView extends View {
  latencies: (Latency | null)[];
  /** The edges of the buckets that were hit, in microseconds. */
  lowest: number;
  highest: number;
  /** The most waits in one bucket of one interval. */
  most: number;
}

/** Null while no wait has been measured. */
export function latencyView(track: Track<PoolPoint>, end: number): LatencyView | null {
  const latencies = track.points.map(point => point?.latency ?? null);
  let lowest = Infinity;
  let highest = 0;
  let most = 0;
  for (const latency of latencies) {
    latency?.counts.forEach((count, bucket) => {
      if (count === 0) return;
      const [low, high] = edges(latency.bounds, bucket);
      lowest = Math.min(lowest, low);
      highest = Math.max(highest, high);
      most = Math.max(most, count);
    });
  }
  // Of the time before the page was open only percentiles are known.
  const known = latencies.flatMap(latency => (latency === null ? [] : [latency.p50, latency.p99])).filter(value => value !== null && value > 0) as number[];
  if (known.length === 0 && most === 0) return null;
  lowest = Math.min(lowest, ...known);
  highest = Math.max(highest, ...known);
  if (highest <= lowest) highest = 2 * lowest;

  const within = (value: number | null) => (value === null ? null : Math.min(Math.max(value, lowest), highest));
  const column = (value: (latency: Latency) => number | null) => latencies.map(latency => latency && within(value(latency)));
  const data = [track.times, column(each => each.p50), column(each => each.p99), column(each => each.p999)];
  return { data: data as uPlot.AlignedData, end, latencies, lowest, highest, most };
}

/** A heat map of waits, the darker the more of them, with the percentiles as lines over it. */
export const latencyChart: Kind<LatencyView> = (palette, view) => ({
  padding,
  scales: { x: timeScale(view), y: { distr: 3, range: () => [view().lowest, view().highest] } },
  axes: [
    timeAxis(palette),
    valueAxis(palette, microseconds, {
      size: 54,
      grid: { show: false },
      splits: () => decades(view().lowest, view().highest),
      filter: (_, splits) => splits,
    }),
  ],
  series: [
    {},
    { stroke: palette.text, width: 1.5, points: { show: false } },
    { stroke: palette.text, width: 1.5, dash: [5, 4], points: { show: false } },
    { stroke: palette.text, width: 1.5, dash: [1.5, 3], points: { show: false } },
  ],
  hooks: { drawAxes: [u => drawHeat(u, palette.accent, view())] },
});

function drawHeat(u: uPlot, colour: string, { latencies, most }: LatencyView): void {
  const { ctx, bbox } = u;
  const times = u.data[0];
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = colour;
  latencies.forEach((latency, index) => {
    if (latency === null) return;
    const right = Math.round(u.valToPos(times[index]!, 'x', true));
    const left = Math.round(u.valToPos(times[index - 1] ?? times[index]! - 1, 'x', true));
    latency.counts.forEach((count, bucket) => {
      if (count === 0) return;
      const [low, high] = edges(latency.bounds, bucket);
      const top = Math.round(u.valToPos(high, 'y', true));
      ctx.globalAlpha = 0.15 + 0.7 * (most === 1 ? 1 : Math.log(count) / Math.log(most));
      ctx.fillRect(left, top, Math.max(right - left, 1), Math.round(u.valToPos(low, 'y', true)) - top);
    });
  });
  ctx.restore();
}

/** The first bucket begins at zero and the last one does not end, neither of which a logarithmic axis has. */
function edges(bounds: number[], bucket: number): [number, number] {
  const high = bounds[bucket] ?? bounds.at(-1)! * 2;
  return [bounds[bucket - 1] ?? high / 2, high];
}

function decades(lowest: number, highest: number): number[] {
  const powers = Array.from({ length: 12 }, (_, power) => 10 ** (power - 2));
  const within = (steps: number[]) => powers.flatMap(power => steps.map(step => step * power)).filter(each => each >= lowest && each <= highest);
  const tens = within([1]);
  return tens.length > 1 ? tens : within([1, 2, 5]);
}
