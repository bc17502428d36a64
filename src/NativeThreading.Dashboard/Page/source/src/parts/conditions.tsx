import { useEffect, useRef } from 'preact/hooks';

/** The sections of docs/reference/conditions.md, put here by the build: each condition with its paragraphs, of which the last is the remedy. */
declare const CONDITIONS: Record<string, string[]>;

export const conditionHash = 'condition-';

/** Whether the address asks for the explanation of a condition. */
export function asksForCondition(): boolean {
  return location.hash.startsWith(`#${conditionHash}`);
}

/** What each condition means: the page of the documentation, which is here because the server may have no internet. */
export function Conditions({ open, onToggle }: { open: boolean; onToggle: (open: boolean) => void }) {
  const place = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (asksForCondition()) place.current?.querySelector(`[id="${CSS.escape(location.hash.slice(1))}"]`)?.scrollIntoView();
  }, []);
  return (
    <details ref={place} class="card meanings" open={open} onToggle={event => onToggle(event.currentTarget.open)}>
      <summary>What each condition means</summary>
      <dl>
        {Object.entries(CONDITIONS).map(([id, paragraphs]) => (
          <div key={id} id={`${conditionHash}${id}`}>
            <dt><code>{id}</code></dt>
            {paragraphs.map((text, index) => <dd key={index}>{text}</dd>)}
          </div>
        ))}
      </dl>
    </details>
  );
}
