import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { usePalette, type Palette } from '../theme';

/** What a chart shows: its columns, the end of the time axis in seconds, and the additional data of its kind. */
export interface View {
  data: uPlot.AlignedData;
  end: number;
}

/** How a kind of chart is drawn. `view` gives what is shown at the time of the call. */
export type Kind<T extends View> = (palette: Palette, view: () => T) => Omit<uPlot.Options, 'width' | 'height'>;

interface Props<T extends View> {
  kind: Kind<T>;
  view: T;
  /** The text that a screen reader reads for the picture. The values are next to it as text. */
  label: string;
  /** Charts with the same key move their cursors together. */
  group: string;
  onPoint: (index: number | null) => void;
}

const height = 150;

/** A chart on a canvas, as wide as its place. */
export function Chart<T extends View>({ kind, view, label, group, onPoint }: Props<T>) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(view);
  latest.current = view;
  const point = useRef(onPoint);
  point.current = onPoint;
  const palette = usePalette();

  useEffect(() => {
    const element = place.current!;
    const options = kind(palette, () => latest.current);
    plot.current = new uPlot(
      {
        ...options,
        width: Math.max(element.clientWidth, 100),
        height,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { show: false }, sync: { key: group }, ...options.cursor },
        hooks: { ...options.hooks, setCursor: [u => point.current(u.cursor.idx ?? null)] },
      },
      latest.current.data,
      element,
    );
    const observer = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (width > 0 && width !== plot.current?.width) plot.current?.setSize({ width, height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [kind, palette, group]);

  useEffect(() => {
    if (plot.current !== null && plot.current.data !== view.data) plot.current.setData(view.data);
  }, [view]);

  return <div class="plot" role="img" aria-label={label} ref={place} />;
}
