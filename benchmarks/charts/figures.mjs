// SPDX-License-Identifier: MIT
//
// Writes the tables of figures between the marks of a document: <!-- figures: NAME --> ... <!-- end -->
import { readFileSync, writeFileSync } from 'node:fs';

function number(value) {
  if (value === null || value === undefined) {
    return '–';
  }
  const size = Math.abs(value);
  const digits = size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: size >= 0.1 ? digits : 0, maximumSignificantDigits: size < 0.1 && size > 0 ? 2 : undefined });
}

// A row that is judged by a target says so where others have their ratio.
function targetOf(row) {
  const target = /^judged by a target; (?:target (at most .*): (met|missed)|no target.*)$/.exec(row.note ?? '');
  return target && (target[2] ? `${target[2]}: ${target[1]}` : '–');
}

function notesOf(table) {
  // Notes that begin with their row's name belong to the chart of that row; the others are said once.
  const notes = new Set(table.rows.filter(row => !targetOf(row)).map(row => row.note).filter(note => note && !note.startsWith('control')));
  return [...notes].map(note => `- ${note}`);
}

/** The table with its worst rows only, for a page that has a longer table's others already. */
export function worstOf(table, count) {
  const rows = table.rows.filter(row => row.advantage !== null).sort((a, b) => a.advantage - b.advantage).slice(0, count);
  return { ...table, rows, shown: `The worst ${rows.length} of ${table.rows.length} rows.` };
}

function figures(table, source) {
  const { cpu, logicalCpus, kernel, allocator, runtime, runtimeBuild, gc, load, date } = table.machine;
  if (!table.rows.length) {
    return [`Not measured: ${table.error ?? 'the machine has too few processors'}.`];
  }
  const peers = [...new Set(table.rows.flatMap(row => Object.keys(row.peers)))];
  const line = cells => `| ${cells.join(' | ')} |`;
  const rows = table.rows.map(row => {
    const best = Object.entries(row.peers).reduce((a, b) => (row.better === 'higher') === (b[1] > a[1]) ? b : a, ['', row.better === 'higher' ? -Infinity : Infinity]);
    const cpus = row.cpu?.native !== null && row.cpu?.native !== undefined ? `${number(row.cpu[best[0]] / 1000)} / ${number(row.cpu.native / 1000)}` : '–';
    const control = row.advantage === null && best[0] ? `(${number(row.native / best[1])})` : '–';
    return line([`\`${row.name}\``, row.unit, ...peers.map(peer => number(row.peers[peer])), `**${number(row.native)}**`,
      targetOf(row) ?? (row.advantage === null ? control : row.advantage < 1 ? `${number(row.advantage)} (loss)` : number(row.advantage)), cpus]);
  });
  return [
    `${cpu}, ${logicalCpus} logical CPUs, Linux ${kernel}, ${allocator}, ${runtime}, build ${runtimeBuild.split('+')[0]}, GC ${gc}, load ${load.split(' ')[0]} at the start,`,
    `${date}. \`${table.command}\`, medians of ${table.runs} interleaved runs, from \`${source}\`. Geometric mean ${number(table.geomean)}, worst ${number(table.worst)}.${table.shown ? ` ${table.shown}` : ''}`,
    '',
    line(['row', 'unit', ...peers, 'ours', 'ratio', 'CPU us, best peer / ours']),
    line(['---', '---', ...peers.map(() => '---:'), '---:', '---:', '---:']),
    ...rows,
    '',
    ...notesOf(table),
  ];
}

export function writeFigures(document, tables, source) {
  const text = readFileSync(document, 'utf8');
  const written = text.replace(/(<!-- figures: ([a-z-]+) -->\n)[\s\S]*?(<!-- end -->)/g, (whole, begin, name, end) =>
    tables.has(name) ? `${begin}\n${figures(tables.get(name), source).join('\n')}\n\n${end}` : whole);
  writeFileSync(document, written);
}
