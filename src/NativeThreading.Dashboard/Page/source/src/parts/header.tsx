import type { ConnectionState } from '../connection';
import { plural, used } from '../format';
import type { Sample } from '../sample';
import { Actions } from './actions';

const words: Record<ConnectionState, string> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'No connection, trying again',
  refused: 'Access refused',
  paused: 'Paused',
  hidden: 'Hidden',
};

interface Props {
  sample: Sample | null;
  state: ConnectionState;
  api: string;
  hasActions: boolean;
  onPause: (paused: boolean) => void;
}

export function Header({ sample, state, api, hasActions, onPause }: Props) {
  const paused = state === 'paused';
  return (
    <header>
      <div class="bar">
        <h1>{sample === null ? 'Threads' : <>Threads of <span class="process">{sample.process.name}</span></>}</h1>
        <span class="connection" data-state={state}><span class="dot" />{words[state]}</span>
        {state === 'refused'
          ? <button type="button" onClick={() => location.reload()}>Load again</button>
          : <button type="button" class="pause" onClick={() => onPause(!paused)}>{paused ? 'Resume' : 'Pause'}</button>}
      </div>
      <div class="more">
        {sample !== null && (
          <p class="process-facts">
            process {sample.process.id} {'\u00b7'}{' '}
            {sample.process.cpu !== null && <>{used(sample.process.cpu)} of </>}{plural(sample.process.processors, 'processor')}
            {sample.process.cpu !== null && ' in use'}
          </p>
        )}
        {hasActions && <Actions api={api} />}
      </div>
    </header>
  );
}
