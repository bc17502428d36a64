import { useRef, useState } from 'preact/hooks';
import type { Threads } from '../sample';
import { ThreadList } from './threadlist';

/** What changes or costs something in the process; shown only where the server allows it. */
export function Actions({ api }: { api: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [threads, setThreads] = useState<Threads | null>(null);
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
    setThreads(await answer.json() as Threads);
    dialog.current!.showModal();
    return '';
  });

  return (
    <div class="actions">
      <span role="status">{said}</span>
      <button type="button" disabled={busy} onClick={dump}>List threads</button>
      <button type="button" disabled={busy} onClick={() => run('reset', async () => 'Histograms begin anew.')}>Reset histograms</button>
      <dialog ref={dialog} aria-labelledby="threads-title">
        <form method="dialog" class="bar">
          <h2 id="threads-title">What each thread does</h2>
          <button>Close</button>
        </form>
        {threads !== null && <ThreadList threads={threads} />}
      </dialog>
    </div>
  );
}

