import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { count, milliseconds, plural } from '../format';
import type { Worker } from '../sample';
import { isBlocked, meaningOf, meaningOfState, workerState } from '../words';

interface Props {
  pool: string;
  workers: Worker[];
  process: number;
}

interface Group {
  key: string;
  workers: Worker[];
}

/** Threads that do the same are one row, which opens into its threads. Blocked ones come first, the longest at the top. */
export function Workers({ pool, workers, process }: Props) {
  const [open, setOpen] = useState<Record<string, boolean>>({});
  if (workers.length === 0) return <p class="quiet">No threads at the moment.</p>;
  const blocked = workers.filter(({ state }) => isBlocked(state)).sort((a, b) => (b.since ?? 0) - (a.since ?? 0));
  const groups = groupsOf([...blocked, ...workers.filter(({ state }) => !isBlocked(state))]);
  return (
    <div class="threads-of">
      <table class="rows workers" role="table" aria-label={`Threads of ${pool}`}>
        <caption>
          {plural(workers.length, 'thread')}
          {blocked.length > 0 && `, ${count(blocked.length)} blocked`}
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">Thread</th>
            <th role="columnheader" scope="col">State</th>
            <th role="columnheader" scope="col">Runs</th>
            <th role="columnheader" scope="col" class="number">Running for</th>
            <th role="columnheader" scope="col">Waits in</th>
            <th role="columnheader" scope="col" class="number">Items done</th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {groups.map(group => (
            <Fragment key={group.key}>
              {group.workers.length > 1 && (
                <GroupRow group={group} open={!!open[group.key]} onToggle={() => setOpen(all => ({ ...all, [group.key]: !all[group.key] }))} />
              )}
              {(group.workers.length === 1 || open[group.key]) && group.workers.map((worker, index) => <WorkerRow key={`${worker.name} ${index}`} worker={worker} isMember={group.workers.length > 1} />)}
            </Fragment>
          ))}
        </tbody>
      </table>
      {blocked.some(({ item }) => item === null) && <Command text={`dotnet-stack report -p ${process}`} />}
    </div>
  );
}

function groupsOf(workers: Worker[]): Group[] {
  const groups = new Map<string, Group>();
  for (const worker of workers) {
    const key = `${worker.state} ${nameOf(worker)}`;
    const group = groups.get(key) ?? { key, workers: [] };
    groups.set(key, group);
    group.workers.push(worker);
  }
  return [...groups.values()];
}

function nameOf({ item }: Worker): string {
  return item === null ? '' : item.name ?? `${item.type}.${item.method}`;
}

/** "13 x GET /report", blocked up to 4.2 s. */
function GroupRow({ group: { workers }, open, onToggle }: { group: Group; open: boolean; onToggle: () => void }) {
  const first = workers[0]!;
  const longest = Math.max(...workers.map(({ since }) => since ?? 0));
  const running = Math.max(...workers.map(({ item }) => item?.running ?? 0));
  const channels = [...new Set(workers.map(({ waitsIn }) => waitsIn).filter(channel => channel !== null))];
  return (
    <tr role="row" class="group" data-state={first.state}>
      <th role="rowheader" scope="row" class="name">
        <button type="button" class="expand" aria-expanded={open} onClick={onToggle}>
          <svg class="chevron" viewBox="0 0 12 12" aria-hidden="true"><path d="M4 2l4 4-4 4" /></svg>{plural(workers.length, 'thread')}
        </button>
      </th>
      <td role="cell" class="state">
        <span class="badge" title={meaningOfState(first.state)}>{workerState(first.state)}</span>
        {longest > 0 && <span class="since"> up to {milliseconds(longest)}</span>}
      </td>
      <td role="cell" class="item" data-label="Runs">{first.item ? <><b>{workers.length} {'\u00d7'} {nameOf(first)}</b></> : <Unknown worker={first} />}</td>
      <td role="cell" class="number" data-label="Running for">{running > 0 && `up to ${milliseconds(running)}`}</td>
      <td role="cell" data-label="Waits in">{channels.length === 1 && <Channel name={channels[0]!} />}</td>
      <td role="cell" class="number" data-label="Items done">{count(workers.reduce((sum, { completed }) => sum + (completed ?? 0), 0))}</td>
    </tr>
  );
}

function WorkerRow({ worker, isMember }: { worker: Worker; isMember: boolean }) {
  const { name, state, since, atLeast, item, waitsIn, completed } = worker;
  return (
    <tr role="row" class={isMember ? 'member' : undefined} data-state={state}>
      <th role="rowheader" scope="row" class="name">{name}</th>
      <td role="cell" class="state">
        <span class="badge" title={meaningOfState(state)}>{workerState(state)}</span>
        {since !== null && since > 0 && <span class="since"> for {atLeast && 'at least '}{milliseconds(since)}</span>}
      </td>
      <td role="cell" class="item" data-label="Runs">
        {item ? <Name item={item} /> : <Unknown worker={worker} />}
      </td>
      <td role="cell" class="number" data-label="Running for">{item && milliseconds(item.running)}</td>
      <td role="cell" data-label="Waits in">{waitsIn && <Channel name={waitsIn} />}</td>
      <td role="cell" class="number" data-label="Items done">{completed !== null && count(completed)}</td>
    </tr>
  );
}

/** A name that the code gave comes before the method, which is then the quiet part. */
function Name({ item: { name, type, method } }: { item: NonNullable<Worker['item']> }) {
  const full = `${type}${type === '' ? '' : '.'}${method}`;
  const isGiven = !!name && !full.endsWith(name.replace(/, \d+(st|nd|rd|th) lambda$/, ''));
  if (isGiven) return <><b>{name}</b>{method !== '?' && <span class="type"> {breakable(full)}</span>}</>;
  return <>{type !== '' && <span class="type">{breakable(`${type}.`)}</span>}<b>{method}</b>{/, \d+(st|nd|rd|th) lambda$/.exec(name ?? '')?.[0]}</>;
}

/** An item that was queued before the first viewer came has no name. */
function Unknown({ worker: { state } }: { worker: Worker }) {
  return isBlocked(state)
    ? <span class="quiet" title="Set RecordItems = ItemRecording.Always to have names before a page is open">not recorded: queued before a page was open</span>
    : null;
}

/** A command to copy. */
function Command({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () => navigator.clipboard?.writeText(text).then(() => setCopied(true), () => setCopied(false));
  return (
    <p class="command quiet">
      The stacks of all threads: <code>{text}</code> <button type="button" onClick={copy}>{copied ? 'Copied' : 'Copy'}</button>
    </p>
  );
}

/** A long name of a type is broken behind its dots. */
function breakable(name: string) {
  return name.split(/(?<=\.)/).map((part, index) => <Fragment key={index}>{part}<wbr /></Fragment>);
}

function Channel({ name }: { name: string }) {
  const meaning = meaningOf(name);
  return <>{meaning && `${meaning}, `}<code>{name}</code></>;
}
