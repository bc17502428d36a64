import { render } from 'preact';
import { Connection, type ConnectionState } from './connection';
import { History } from './history';
import { App } from './parts/app';

const { base = '', actions } = document.documentElement.dataset;
const api = `${base.replace(/\/+$/, '')}/api/v1`;
const place = document.getElementById('page')!;
const history = new History();
let state: ConnectionState = 'connecting';

const connection = new Connection(
  api,
  sample => {
    history.add(sample);
    document.title = `Threads of ${sample.process.name}`;
    show();
  },
  next => {
    state = next;
    show();
  },
);

function show(): void {
  render(<App history={history} state={state} connection={connection} api={api} hasActions={actions === 'true'} />, place);
}

show();
connection.start();
