import type uPlot from 'uplot';
import { remembered } from '../history';
import { timeOfDay } from '../format';
import type { Palette } from '../theme';
import type { View } from './chart';

const font = '11px system-ui, sans-serif';

/** The shortest of these that has all that is known, in seconds. */
const spans = [60, 300, remembered];

/** The last minutes: as many as there is something to see of. */
export function timeScale(view: () => View): uPlot.Scale {
  return {
    time: true,
    range: () => {
      const { data, end } = view();
      const known = end - ((data[0] as number[])[0] ?? end);
      return [end - (spans.find(span => known <= span) ?? remembered), end];
    },
  };
}

/** From nothing to the largest value, with some air above it. */
export function upFromZero(least: number): uPlot.Scale {
  return { range: (_, __, max) => [0, Math.max(least, (max ?? 0) * 1.1)] };
}

export function timeAxis(palette: Palette): uPlot.Axis {
  return {
    font,
    stroke: palette.text,
    size: 26,
    gap: 8,
    grid: { show: false },
    ticks: { stroke: palette.line, width: 1, size: 4 },
    border: { show: true, stroke: palette.line, width: 1 },
    incrs: [15, 30, 60, 120, 300],
    space: 62,
    values: (_, splits, __, ___, step) => splits.map(split => timeOfDay(split, step < 60)),
  };
}

export function valueAxis(palette: Palette, text: (value: number) => string, more: Partial<uPlot.Axis> = {}): uPlot.Axis {
  return {
    font,
    stroke: palette.text,
    size: 46,
    gap: 4,
    space: 28,
    grid: { stroke: palette.grid, width: 1 },
    ticks: { show: false },
    values: (_, splits) => splits.map(split => (split === null ? '' : text(split))),
    ...more,
  };
}

/** Steps for what is counted, so that no line stands at half a thread. */
export const wholeSteps = [1, 2, 5].flatMap(step => [0, 1, 2, 3, 4, 5, 6].map(power => step * 10 ** power)).sort((a, b) => a - b);

/** Space above the plot, so that the topmost value is not cut off, and at its right for half a time with seconds. */
export const padding: uPlot.Options['padding'] = [8, 30, 0, 0];
