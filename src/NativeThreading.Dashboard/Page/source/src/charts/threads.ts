import uPlot from 'uplot';
import type { PoolPoint, Track } from '../history';
import type { Palette } from '../theme';
import { short } from '../format';
import { threadStates } from '../words';
import { padding, timeAxis, timeScale, upFromZero, valueAxis, wholeSteps } from './axes';
import type { Kind, View } from './chart';
import { drawMarks } from './marks';

export interface ThreadsView extends View {
  replaced: boolean[];
}

/** Each column is the sum of a state and of those below it. The largest sum comes first, so that the smaller ones cover it. */
export function threadsView(track: Track<PoolPoint>, end: number): ThreadsView {
  const sums = threadStates.map((_, top) =>
    track.column(point => threadStates.slice(0, top + 1).reduce((sum, { state }) => sum + point.threads[state], 0)));
  return {
    data: [track.times, ...sums.reverse()] as uPlot.AlignedData,
    end,
    replaced: track.points.map(point => point !== null && point.replacements > 0),
  };
}

export const threadsChart: Kind<ThreadsView> = (palette, view) => {
  // A point tells of the interval that ends with it.
  const paths = uPlot.paths.stepped!({ align: -1 });
  const stripes = stripesOf(palette);
  return {
    padding,
    scales: { x: timeScale(view), y: upFromZero(4) },
    axes: [timeAxis(palette), valueAxis(palette, short, { incrs: wholeSteps })],
    series: [
      {},
      ...threadStates.map(({ state }) => ({
        fill: state === 'blocked' ? () => stripes : palette[state],
        width: 0,
        paths,
        points: { show: false },
      })).reverse(),
    ],
    hooks: { draw: [u => drawMarks(u, 'triangle', palette.mark, view().replaced)] },
  };
};

/** Blocked threads are striped: they can be told without colour. */
function stripesOf(palette: Palette): CanvasPattern {
  const side = Math.round(6 * devicePixelRatio);
  const tile = document.createElement('canvas');
  tile.width = tile.height = side;
  const draw = tile.getContext('2d')!;
  draw.fillStyle = palette.blocked;
  draw.fillRect(0, 0, side, side);
  draw.strokeStyle = palette.stripe;
  draw.lineWidth = side / 4;
  draw.beginPath();
  for (const shift of [-side, 0, side]) {
    draw.moveTo(shift - 1, side + 1);
    draw.lineTo(shift + side + 1, -1);
  }
  draw.stroke();
  return draw.createPattern(tile, 'repeat')!;
}
