import type { ConnectionState } from '../connection';
import { useState } from 'preact/hooks';
import { milliseconds, plural, timeOfDay, used } from '../format';
import type { Process, Sample } from '../sample';
import { Actions } from './actions';

const words: Record<ConnectionState, string> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'No connection, trying again',
  refused: 'Access refused',
  paused: 'Paused',
  hidden: 'Hidden',
  saved: 'Saved incident',
};

interface Props {
  sample: Sample | null;
  state: ConnectionState;
  api: string;
  hasActions: boolean;
  onPause: (paused: boolean) => void;
  onOpen: (text: string | null) => string | null;
}

export function Header({ sample, state, api, hasActions, onPause, onOpen }: Props) {
  const paused = state === 'paused';
  return (
    <header>
      <div class="bar">
        <h1>{sample === null ? 'Threads' : <>Threads of <span class="process">{sample.process.name}</span></>}</h1>
        <span class="connection" data-state={state}><span class="dot" />{words[state]}</span>
        {state === 'refused'
          ? <button type="button" onClick={() => location.reload()}>Load again</button>
          : state === 'saved'
          ? <button type="button" onClick={() => onOpen(null)}>Back to live</button>
          : <button type="button" class="pause" onClick={() => onPause(!paused)}>{paused ? 'Resume' : 'Pause'}</button>}
      </div>
      <div class="more">
        {sample !== null && (
          <p class="process-facts">
            {state === 'saved' && <b>at {sample.time.slice(0, 10)} {timeOfDay(Date.parse(sample.time) / 1000, true)} {'\u00b7'} </b>}
            process {sample.process.id} {'\u00b7'}{' '}
            {sample.process.cpu !== null && <>{used(sample.process.cpu)} of </>}{plural(sample.process.processors, 'processor')}
            {sample.process.cpu !== null && ' in use'}
            {factsOf(sample.process).map(fact => ` \u00b7 ${fact}`)}
          </p>
        )}
        <Incidents api={api} isSaved={state === 'saved'} onOpen={onOpen} />
        {hasActions && <Actions api={api} />}
      </div>
    </header>
  );
}

/** Which process this is, as far as that is known. */
function factsOf({ machine, pod, inContainer, version, libraryVersion, uptime, quota, core }: Process): string[] {
  return [
    quota != null && `quota ${quota}`,
    pod ? `pod ${pod}` : machine && `${inContainer ? 'container' : 'machine'} ${machine}`,
    version && `version ${version}`,
    uptime > 0 && `up ${milliseconds(uptime)}`,
    libraryVersion && `NativeThreading ${libraryVersion}`,
    core && `${core} core`,
  ].filter(fact => typeof fact === 'string' && fact !== '') as string[];
}

/** Saves everything that the page knows as a file, and opens such a file. */
function Incidents({ api, isSaved, onOpen }: Pick<Props, 'api' | 'onOpen'> & { isSaved: boolean }) {
  const [said, setSaid] = useState('');
  const read = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    input.value = '';
    if (file) setSaid(onOpen(await file.text()) ?? '');
  };
  return (
    <div class="incidents">
      {!isSaved && <a class="button" href={`${api}/incident.json`} download title="Names and numbers of the last 15 minutes, no data of users">Save incident</a>}
      <label class="button" title="Opens a saved incident; nothing is sent">
        Open incident<input class="unseen" type="file" accept="application/json" onChange={event => void read(event.currentTarget)} />
      </label>
      <span role="status">{said === '' ? null : said}</span>
    </div>
  );
}
