import uPlot from 'uplot';
import { milliseconds, percent, short } from '../format';
import type { Palette } from '../theme';
import { padding, timeAxis, timeScale, upFromZero, valueAxis, wholeSteps } from './axes';
import type { Kind, View } from './chart';
import { drawMarks } from './marks';

export interface QueueView extends View {
  refused: boolean[];
}

/** Length as an area, with its axis at the left; age as a bare line, with its axis at the right. */
export const queueChart: Kind<QueueView> = (palette, view) => ({
  padding: [8, 0, 0, 0],
  scales: { x: timeScale(view), y: upFromZero(4), age: upFromZero(1) },
  axes: [
    timeAxis(palette),
    valueAxis(palette, short, { incrs: wholeSteps }),
    valueAxis(palette, milliseconds, { scale: 'age', side: 1, size: 54, grid: { show: false } }),
  ],
  series: [
    {},
    { ...area(palette), paths: uPlot.paths.stepped!({ align: -1 }) },
    { scale: 'age', stroke: palette.text, width: 1, points: { show: false } },
  ],
  hooks: { draw: [u => drawMarks(u, 'cross', palette.mark, view().refused)] },
});

/** One value from zero up. */
function line(text: (value: number) => string, least: number, incrs?: number[]): Kind<View> {
  return (palette, view) => ({
    padding,
    scales: { x: timeScale(view), y: upFromZero(least) },
    axes: [timeAxis(palette), valueAxis(palette, text, incrs && { incrs })],
    series: [{}, area(palette)],
  });
}

export const rateChart = line(short, 4);
export const countChart = line(short, 4, wholeSteps);
export const durationChart = line(milliseconds, 1);
export const shareChart: Kind<View> = (palette, view) => ({
  ...line(percent, 1, [0.25, 0.5])(palette, view),
  scales: { x: timeScale(view), y: { range: [0, 1] } },
});

function area(palette: Palette): uPlot.Series {
  return { stroke: palette.accent, fill: `${palette.accent}2b`, width: 1.5, points: { show: false } };
}
