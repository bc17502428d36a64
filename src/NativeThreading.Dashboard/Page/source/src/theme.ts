import { useEffect, useState } from 'preact/hooks';

/** The style sheet's colours, for canvases. */
export interface Palette {
  text: string;
  grid: string;
  line: string;
  accent: string;
  blocked: string;
  running: string;
  longRunning: string;
  parked: string;
  reserve: string;
  stripe: string;
  mark: string;
}

const names: (keyof Palette)[] =
  ['text', 'grid', 'line', 'accent', 'blocked', 'running', 'longRunning', 'parked', 'reserve', 'stripe', 'mark'];
const dark = matchMedia('(prefers-color-scheme: dark)');

function read(): Palette {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(names.map(name => [name, style.getPropertyValue(`--chart-${name}`).trim()])) as unknown as Palette;
}

/** Changes when the reader changes between light and dark. */
export function usePalette(): Palette {
  const [palette, setPalette] = useState(read);
  useEffect(() => {
    const follow = () => setPalette(read());
    dark.addEventListener('change', follow);
    return () => dark.removeEventListener('change', follow);
  }, []);
  return palette;
}
