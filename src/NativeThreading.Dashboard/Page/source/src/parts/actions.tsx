import { useRef, useState } from 'preact/hooks';

/** What changes or costs something in the process; shown only where the server allows it. */
export function Actions({ api }: { api: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [stacks, setStacks] = useState('');
  const [said, setSaid] = useState('');
  const [busy, setBusy] = useState(false);

  async function run(action: string, then: (answer: Response) => Promise<string>) {
    setBusy(true);
    setSaid('');
    try {
      // No form of another site can send a header.
      const answer = await fetch(`${api}/${action}`, { method: 'POST', headers: { 'X-NativeThreading': '1' } });
      setSaid(answer.ok ? await then(answer) : `The server answered ${answer.status}.`);
    } catch {
      setSaid('The server did not answer.');
    } finally {
      setBusy(false);
    }
  }

  const dump = () => run('stacks', async answer => {
    setStacks(readable(await answer.text()));
    dialog.current!.showModal();
    return '';
  });

  return (
    <div class="actions">
      <button type="button" disabled={busy} onClick={dump}>Dump stacks</button>
      <button type="button" disabled={busy} onClick={() => run('reset', async () => 'Histograms begin anew.')}>Reset histograms</button>
      <span role="status">{said}</span>
      <dialog ref={dialog} aria-labelledby="stacks-title">
        <form method="dialog" class="bar">
          <h2 id="stacks-title">Stacks</h2>
          <button>Close</button>
        </form>
        <pre tabIndex={0}>{stacks}</pre>
      </dialog>
    </div>
  );
}

/** JSON is indented; anything else is shown as it came. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
