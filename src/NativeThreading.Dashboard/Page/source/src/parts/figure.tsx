import type { ComponentChildren } from 'preact';

export interface LegendEntry {
  /** Names the class of its sign: a filled square, a line or a mark. */
  sign: string;
  word: string;
  value: string;
  /** What the word means. */
  title?: string;
}

interface Props {
  title: string;
  entries: LegendEntry[];
  /** What is marked on the time axis; stands at the right of the title. */
  mark?: LegendEntry;
  children: ComponentChildren;
}

/** A chart with its title and what it shows as text: the values now, or where the pointer is. */
export function Figure({ title, entries, mark, children }: Props) {
  return (
    <figure class="figure">
      <figcaption>
        {title}
        {mark && <span class="legend"><Entry {...mark} /></span>}
      </figcaption>
      <ul class="legend">{entries.map(entry => <li key={entry.word}><Entry {...entry} /></li>)}</ul>
      {children}
    </figure>
  );
}

function Entry({ sign, word, value, title }: LegendEntry) {
  return <span title={title}><Sign name={sign} />{word} <b>{value}</b></span>;
}

/** Signs differ in shape as well as in colour. */
export function Sign({ name }: { name: string }) {
  return (
    <svg class={`sign sign-${name}`} viewBox="0 0 12 12" aria-hidden="true">
      {shape(name)}
    </svg>
  );
}

function shape(name: string) {
  switch (name) {
    case 'replacement':
      return <path class="filled" d="M6 1 11 11H1Z" />;
    case 'refusal':
      return <path class="drawn" d="M2 2 10 10M10 2 2 10" />;
    case 'solid':
    case 'dashed':
    case 'dotted':
      return <path class="drawn" d="M0 6H12" />;
    case 'blocked':
      return (
        <>
          <rect class="filled" width="12" height="12" rx="2" />
          <path class="stripes" d="M1 5 5 1M1 11 11 1M7 11 11 7" />
        </>
      );
    default:
      return <rect class="filled" width="12" height="12" rx="2" />;
  }
}
