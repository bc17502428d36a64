// SPDX-License-Identifier: MIT
//
// node benchmarks/charts/render.mjs --tables-only [results.json]
// npm --prefix benchmarks/charts ci && npm --prefix benchmarks/charts run render [-- results.json]
//
// Writes the figures, and without --tables-only draws the charts beside this file, from one result of the tables' command
// "all" (by default benchmarks/results/all.json), and from tasks-full.json, quwi-gc.json, core.json, quartz.json, kestrel.json, startup.json,
// handover.json, scale.json and simulate.json where they are. The figures are pages of benchmarks/results and the rows of README.md between
// <!-- figures --> and <!-- end -->. Only the charts need a package. Everything shown comes from these files.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { charts } from './charts.mjs';
import { index, page, pageByWorkers, readme, worstOf } from './figures.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const results = resolve(root, 'benchmarks/results');
const options = process.argv.slice(2);
const source = resolve(process.env.INIT_CWD ?? process.cwd(), options.find(option => !option.startsWith('--')) ?? resolve(results, 'all.json'));
const run = JSON.parse(readFileSync(source, 'utf8'));
const tables = new Map(run.tables.map(table => [table.command.split(' ')[0], table]));

function write(file, text) {
  writeFileSync(file, text);
  console.log(relative(root, file));
}

for (const [name, table] of tables) {
  write(resolve(results, `${name}.md`), page(name, table, relative(root, source)));
}

// Runs of one table in another form, which "all" does not make.
const others = new Map(['tasks-full', 'quwi-gc', 'core', 'quartz', 'kestrel', 'startup', 'handover'].map(name => [name, resolve(results, `${name}.json`)])
  .filter(([, file]) => existsSync(file)).map(([name, file]) => [name, JSON.parse(readFileSync(file, 'utf8'))]));
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

const rows = readme(tables, run.command);
if (rows) {
  const file = resolve(root, 'README.md');
  const mark = /(<!-- figures -->\n)[\s\S]*?(<!-- end -->)/;
  const text = readFileSync(file, 'utf8');
  if (!mark.test(text)) {
    throw new Error('README.md has no place <!-- figures --> ... <!-- end -->');
  }
  write(file, text.replace(mark, (_, begin, end) => `${begin}\n${rows}\n\n${end}`));
} else {
  console.error(`README.md stays as it is: ${relative(root, source)} lacks one of its rows`);
}

if (!options.includes('--tables-only')) {
  const vega = await import('vega');
  const vegaLite = await import('vega-lite');
  for (const [name, specification] of charts(tables)) {
    const view = new vega.View(vega.parse(vegaLite.compile(specification).spec), { renderer: 'none' });
    write(resolve(here, `${name}.svg`), `${await view.toSVG()}\n`);
  }
}
