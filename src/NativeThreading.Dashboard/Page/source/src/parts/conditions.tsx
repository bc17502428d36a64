import { useEffect, useRef, useState } from 'preact/hooks';

/** The sections of docs/reference/conditions.md, put here by the build: each condition with its paragraphs, of which the last is the remedy. */
declare const CONDITIONS: Record<string, string[]>;

export const conditionHash = 'condition-';

/** What each condition means: the page of the documentation, which is here because the server may have no internet. A browser opens it for a link that leads
 *  to a condition, but an address that asks for one was there before this element. */
export function Conditions() {
  const asked = location.hash.startsWith(`#${conditionHash}`);
  const [open, setOpen] = useState(asked);
  const place = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (asked) place.current?.querySelector(`[id="${CSS.escape(location.hash.slice(1))}"]`)?.scrollIntoView();
  }, []);
  return (
    <details ref={place} class="card meanings" open={open} onToggle={event => setOpen(event.currentTarget.open)}>
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
