// SPDX-License-Identifier: MIT
//
// The figures inside pages that people write. A page asks for them with <!-- figures: REQUEST -->, and they end at <!-- end -->:
//
//   headline            the two rows at the top of the README
//   examples            one row from each of several tables, losses included
//   rows TABLE ROW...   the named rows of one table, with a column for each contender
//   summary TABLE       inside a sentence: how many rows a table has, how many of them are lost, the mean and the worst
import { bestOf, commitOf, line, machineOf, number } from './figures.mjs';

/** A result that lacks a row that a page asks for: an older one, or one of a machine without a peer. */
export class MissingRow extends Error {}

function rowOf(tables, name, wanted) {
  const row = tables.get(name)?.rows.find(row => row.name === wanted);
  if (!row) {
    throw new MissingRow(`${name} ${wanted}`);
  }
  return row;
}

const names = {
  threadpool: 'built-in pool', task: 'built-in pool with `Task`', tbb: 'oneTBB', 'futex-worker': 'a C thread on a futex', epoll: 'epoll in C',
  socket: 'built-in sockets',
};

/** Values in one unit that suits them all, the smallest one included. */
function quantities(values, unit) {
  const [scale, shown] = unit === 'ns' && Math.min(...values) >= 1_000 ? [1_000, 'µs'] : [1, unit.replace(/^us\b/, 'µs')];
  return values.map(value => `${number(value / scale)} ${shown}`);
}

function ratioOf(row) {
  return `${wasStopped(row) ? 'over ' : ''}${number(row.advantage)}${row.advantage < 1 ? ' (slower)' : ''}`;
}

const wasStopped = row => /was stopped after/.test(row.note ?? '');

function contendersOf(row) {
  const [best, value] = bestOf(row);
  const [other, own] = quantities([value, row.native], row.unit);
  return [best, `${wasStopped(row) ? 'over ' : ''}${other}`, own];
}

function headline(tables) {
  const rows = [
    ['isolation', 'isolation/sleep/fast/p99', 'p99 latency of a fast endpoint while a blocking endpoint is under heavy load'],
    ['starvation', 'blocked/200', 'Time until an item runs that was queued after 200 items that block'],
  ].map(([name, wanted, words]) => {
    const row = rowOf(tables, name, wanted);
    const [, other, own] = contendersOf(row);
    return line([`[${words}](benchmarks/results/${name}.md)`, `${other}${wasStopped(row) ? ' (stopped)' : ''}`, `**${own}**`]);
  });
  const { logicalCpus } = tables.get('isolation').machine;
  return [line([`On a machine with ${logicalCpus} processors`, 'Built-in pool', 'NativeThreading']), line(['---', '---:', '---:']), ...rows].join('\n');
}

// Near the mean of their table rather than its best row; gains first.
const chosen = [
  ['isolation', 'isolation/sleep/fast/p99', 'A fast endpoint while a blocking one is under load, p99'],
  ['starvation', 'blocked/200', 'An item queued after 200 items that block'],
  ['quwi', 'global/depth=16/parallelism=1', 'Items that queue their successor, global queue'],
  ['kestrel', 'json/128/rps', 'Small JSON responses, 128 connections', 'Kestrel\'s sockets', 'docs/guides/kestrel-transport.md#what-was-measured'],
  ['xtask', 'fan-out/10000', '10,000 tiny items from one producer'],
  ['skynet', 'workgroup/1000000', 'Fork and join with `WorkGroup`, a million leaves'],
  ['kestrel', 'sync/64/rps', 'Synchronous handlers that all block, 64 connections', 'Kestrel\'s sockets'],
  ['crowded', 'loops-2/quwi/local/depth=16/parallelism=1', 'Items that queue their successor next to 2 busy processes'],
  ['crowded', 'one-processor/fan-out/1000/mean', '1,000 tiny items from one producer on one processor'],
  ['tasks', 'async-chain-awaited/depth=1/parallelism=16', 'Async methods that suspend at every await'],
];

function examples(tables) {
  const rows = chosen.map(([name, wanted, words, alternative, link = `benchmarks/results/${name}.md`]) => {
    const row = rowOf(tables, name, wanted);
    const table = tables.get(name);
    const [best, other, own] = contendersOf(row);
    return line([`[${words}](${link})`, `${alternative ?? names[best] ?? best}: ${other}`, own, ratioOf(row),
      `${number(table.geomean)}, ${number(table.worst)}`]);
  });
  const used = [...new Set(chosen.map(([name]) => name))];
  const runOf = name => `commit ${commitOf(tables.get(name)).split(' ')[1]}, ${tables.get(name).machine.date.slice(0, 10)}`;
  const main = runOf(used[0]);
  const others = used.filter(name => runOf(name) !== main).map(name => `${name}: ${runOf(name)}`);
  const single = used.filter(name => tables.get(name).runs === 1);
  return [
    `${machineOf(tables.get(used[0]))}; ${[main, ...others].join('; ')}. Medians of interleaved runs${single.length ? ` (${single.join(', ')}: one run)` : ''}.`,
    'A ratio above 1 means that NativeThreading is better than the best alternative measured.',
    '',
    line(['Workload', 'Best alternative', 'NativeThreading', 'Ratio', 'All rows of its table: mean, worst']),
    line(['---', '---:', '---:', '---:', '---:']),
    ...rows,
  ].join('\n');
}

function rows(tables, name, ...wanted) {
  const found = wanted.map(each => rowOf(tables, name, each));
  const peers = [...new Set(found.flatMap(row => Object.keys(row.peers)))];
  return [
    line(['Row', 'Unit', ...peers.map(peer => names[peer] ?? peer), 'NativeThreading', 'Ratio']),
    line(['---', '---', ...peers.map(() => '---:'), '---:', '---:']),
    ...found.map(row => line([`\`${row.name}\``, row.unit, ...peers.map(peer => number(row.peers[peer])), number(row.native), row.advantage === null ? '–' : ratioOf(row)])),
  ].join('\n');
}

function summary(tables, name) {
  const compared = tables.get(name)?.rows.filter(row => row.advantage !== null) ?? [];
  if (!compared.length) {
    throw new MissingRow(name);
  }
  const lost = compared.filter(row => row.advantage < 1).length;
  const { geomean, worst } = tables.get(name);
  return ` (${compared.length} ratios, ${lost || 'none'} below 1; mean ${number(geomean)}, worst ${number(worst)})`;
}

const passages = { headline, examples, rows, summary };

/** The text of a page with its figures replaced. */
export function fill(text, tables) {
  return text.replace(/<!-- figures: (\S+) ?(.*?) -->[\s\S]*?<!-- end -->/g, (passage, kind, request) => {
    const figures = passages[kind](tables, ...request.split(' '));
    const begin = passage.slice(0, passage.indexOf('-->') + 3);
    return kind === 'summary' ? `${begin}${figures}<!-- end -->` : `${begin}\n${figures}\n<!-- end -->`;
  });
}
