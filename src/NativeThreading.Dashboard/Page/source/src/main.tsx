import { render } from 'preact';
import { Connection, type ConnectionState } from './connection';
import { History } from './history';
import type { HistoryColumns } from './sample';
import { App } from './parts/app';

const { base = '', actions } = document.documentElement.dataset;
const api = `${base.replace(/\/+$/, '')}/api/v1`;
const place = document.getElementById('page')!;
const history = new History();
let saved: History | null = null;
let state: ConnectionState = 'connecting';
let open = '';
let wantsHistory = true;

const connection = new Connection(
  api,
  sample => {
    history.add(sample);
    document.title = `Threads of ${sample.process.name}`;
    // The server knows more after a break, and when a condition began or ended.
    const now = (sample.verdicts ?? []).flatMap(({ subjectId, conditions }) => conditions.map(({ id }) => `${subjectId} ${id}`)).join();
    if (wantsHistory || now !== open) void loadHistory();
    open = now;
    show();
  },
  next => {
    state = next;
    wantsHistory ||= next !== 'live';
    show();
  },
);

/** Fills the charts with what the server remembers; it may remember nothing. */
async function loadHistory(): Promise<void> {
  wantsHistory = false;
  const answer = await fetch(`${api}/history`, { cache: 'no-store' }).catch(() => null);
  const columns = answer?.ok ? await answer.json().catch(() => null) as HistoryColumns | null : null;
  if (columns === null) return;
  history.merge(columns);
  show();
}

/** Shows an incident, or with null what is live. Returns what is wrong with the file. */
function openIncident(text: string | null): string | null {
  try {
    saved = text === null ? null : History.of(text);
  } catch (error) {
    return error instanceof SyntaxError ? 'This file is not JSON.' : (error as Error).message;
  }
  connection.paused = saved !== null;
  show();
  return null;
}

function show(): void {
  render(
    <App history={saved ?? history} state={saved === null ? state : 'saved'} connection={connection} api={api} hasActions={actions === 'true'} onOpen={openIncident} />,
    place);
}

show();
connection.start();
