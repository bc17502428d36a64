// SPDX-License-Identifier: MIT
//
// node benchmarks/charts/render.mjs --tables-only [--check] [results.json]
// npm --prefix benchmarks/charts ci && npm --prefix benchmarks/charts run render [-- results.json]
//
// Writes the figures, and without --tables-only draws the charts next to this file, from one result of the tables' command
// "all" (by default benchmarks/results/all.json), and from tasks-full.json, quwi-gc.json, core.json, quartz.json, kestrel.json, startup.json,
// handover.json, metrics.json, scale.json and simulate.json if they exist. The figures are the pages of benchmarks/results and the passages that
// passages.mjs fills in pages that people write. Only the charts need a package. Everything shown comes from these files.
// --check writes nothing, names the files that differ, and then exits with 1.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { charts } from './charts.mjs';
import { index, page, pageByWorkers, worstOf } from './figures.mjs';
import { fill, MissingRow } from './passages.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const results = resolve(root, 'benchmarks/results');
const options = process.argv.slice(2);
const source = resolve(process.env.INIT_CWD ?? process.cwd(), options.find(option => !option.startsWith('--')) ?? resolve(results, 'all.json'));
const run = JSON.parse(readFileSync(source, 'utf8'));
const tables = new Map(run.tables.map(table => [table.command.split(' ')[0], table]));

const check = options.includes('--check');

function write(file, text) {
  if (!check) {
    writeFileSync(file, text);
    console.log(relative(root, file));
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error(`${relative(root, file)} is not what the results say`);
    process.exitCode = 1;
  }
}

// Runs of one table in another form, or of one that takes too long for "all". They come before a table of the same name in "all".
const others = new Map(['tasks-full', 'quwi-gc', 'core', 'quartz', 'kestrel', 'startup', 'handover', 'crowded', 'metrics'].map(name => [name, resolve(results, `${name}.json`)])
  .filter(([, file]) => existsSync(file)).map(([name, file]) => [name, JSON.parse(readFileSync(file, 'utf8'))]));
for (const [name, table] of tables) {
  if (!others.has(name)) {
    write(resolve(results, `${name}.md`), page(name, table, relative(root, source)));
  }
}
for (const [name, table] of others) {
  write(resolve(results, `${name}.md`), page(name, worstOf(table, 20), `benchmarks/results/${name}.json`));
}

// Of builds and processors that "all" does not have: what is counted, and what is simulated.
const scales = new Map(['scale', 'simulate'].map(name => [name, resolve(results, `${name}.json`)])
  .filter(([, file]) => existsSync(file)).map(([name, file]) => [name, JSON.parse(readFileSync(file, 'utf8'))]));
for (const [name, table] of scales) {
  write(resolve(results, `${name}.md`), pageByWorkers(name, table, `benchmarks/results/${name}.json`));
}

write(resolve(results, 'README.md'), index(new Map([...tables, ...others, ...scales]), relative(root, source)));

// Pages that people write, with figures in them.
for (const name of ['README.md', 'docs/explanation/performance.md', 'docs/explanation/when-to-use-it.md']) {
  const file = resolve(root, name);
  try {
    write(file, fill(readFileSync(file, 'utf8'), new Map([...tables, ...others])));
  } catch (error) {
    if (!(error instanceof MissingRow)) {
      throw error;
    }
    console.error(`${name} stays as it is: ${relative(root, source)} lacks ${error.message}`);
  }
}

if (!options.includes('--tables-only')) {
  const vega = await import('vega');
  const vegaLite = await import('vega-lite');
  for (const [name, specification] of charts(tables)) {
    const view = new vega.View(vega.parse(vegaLite.compile(specification).spec), { renderer: 'none' });
    write(resolve(here, `${name}.svg`), `${await view.toSVG()}\n`);
  }
}
