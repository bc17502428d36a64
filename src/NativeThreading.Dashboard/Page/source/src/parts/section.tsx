import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface Props {
  id: string;
  title: string;
  note: string;
  open: boolean;
  onToggle: (open: boolean) => void;
  /** Told whether the section can be seen, or nearly. */
  children: (seen: boolean) => ComponentChildren;
}

/** A part of the page that can be closed by its heading. */
export function Section({ id, title, note, open, onToggle, children }: Props) {
  const element = useRef<HTMLElement>(null);
  const [seen, setSeen] = useState(true);
  useEffect(() => {
    const observer = new IntersectionObserver(entries => setSeen(entries.at(-1)!.isIntersecting), { rootMargin: '400px' });
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);

  return (
    <section class="card" id={id} aria-labelledby={`${id}-title`} ref={element}>
      <h2 id={`${id}-title`}>
        <button type="button" class="heading" aria-expanded={open} aria-controls={`${id}-body`} onClick={() => onToggle(!open)}>
          <svg class="chevron" viewBox="0 0 12 12" aria-hidden="true"><path d="M4 2l4 4-4 4" /></svg>
          <span class="title">{title}</span> <span class="note">{note}</span>
        </button>
      </h2>
      <div class="body" id={`${id}-body`} hidden={!open}>{open && children(seen)}</div>
    </section>
  );
}
