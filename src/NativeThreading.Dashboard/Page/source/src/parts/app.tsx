import { useState } from 'preact/hooks';
import type { Connection, ConnectionState } from '../connection';
import { keyOf, type History } from '../history';
import type { Sample } from '../sample';
import { Announcer } from './announcer';
import { Conditions } from './conditions';
import { Header } from './header';
import { LoopSection } from './loop';
import { Overview } from './overview';
import { PoolSection } from './pool';
import { RuntimeSection } from './runtime';
import { Verdicts } from './verdicts';

/** With more pools than this the sections begin closed: the table of all pools leads to them. */
const manyPools = 6;

interface Props {
  history: History;
  state: ConnectionState;
  connection: Connection;
  api: string;
  hasActions: boolean;
  /** Shows a saved incident, or what is live again. */
  onOpen: (text: string | null) => string | null;
}

export function App({ history, state, connection, api, hasActions, onOpen }: Props) {
  const sample = history.latest;
  const [chosen, setChosen] = useState<Record<string, boolean>>(() => (location.hash ? { [location.hash.slice(1)]: true } : {}));
  const many = sample !== null && sample.pools.length > manyPools;
  const sick = new Set(sample?.verdicts?.map(({ subjectId }) => subjectId));
  const choose = (id: string) => setChosen(all => ({ ...all, [id]: true }));
  const sectionOf = (id: string) => ({
    end: history.end,
    open: chosen[id] ?? (sick.size > 0 ? sick.has(id) : !many),
    onToggle: (open: boolean) => setChosen(all => ({ ...all, [id]: open })),
  });

  /** Pools, the built-in pool, and loops. */
  const sections = ({ pools, runtimePool, loops, process }: Sample) => [
    ...pools.map(pool => ({
      id: `pool-${pool.id}`,
      section: <PoolSection key={`pool ${keyOf(pool)}`} pool={pool} process={process.id} track={history.pools.get(keyOf(pool))!} {...sectionOf(`pool-${pool.id}`)} />,
    })),
    { id: 'runtime-pool', section: <RuntimeSection key="runtime" pool={runtimePool} track={history.runtimePool} {...sectionOf('runtime-pool')} /> },
    ...loops.map(loop => ({
      id: `loop-${loop.id}`,
      section: <LoopSection key={`loop ${keyOf(loop)}`} loop={loop} track={history.loops.get(keyOf(loop))!} {...sectionOf(`loop-${loop.id}`)} />,
    })),
  ];

  return (
    <>
      <a class="skip" href="#content">Skip to the pools</a>
      <Header sample={sample} state={state} api={api} hasActions={hasActions} onOpen={onOpen} onPause={paused => { connection.paused = paused; }} />
      <main id="content" tabIndex={-1} data-sequence={sample?.sequence}>
        {sample === null
          ? <p class="quiet">{state === 'refused' ? 'The server refuses access. Sign in and load the page again.' : 'Waiting for the first sample.'}</p>
          : (
            <>
              <Verdicts history={history} onChoose={choose} />
              <Overview pools={[...sample.pools].sort((a, b) => Number(sick.has(`pool-${b.id}`)) - Number(sick.has(`pool-${a.id}`)))} runtimePool={sample.runtimePool} onChoose={choose} />
              {sample.pools.length === 0 && <p class="quiet">This process has no pools of NativeThreading at the moment.</p>}
              {sections(sample).sort((a, b) => Number(sick.has(b.id)) - Number(sick.has(a.id))).map(({ section }) => section)}
              <Conditions />
            </>
          )}
      </main>
      <Announcer state={state} sample={sample} />
    </>
  );
}
