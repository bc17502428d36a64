// SPDX-License-Identifier: MIT
//
// npm --prefix benchmarks/charts ci && npm --prefix benchmarks/charts run render [-- results.json]
//
// Draws the charts beside this file, and writes the figures of docs/performance.md, from one result of the tables'
// command "all" (by default benchmarks/results/all.json), and from tasks-full.json and quwi-gc.json beside it where they are.
// Everything shown comes from these files.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as vega from 'vega';
import * as vegaLite from 'vega-lite';

import { charts } from './charts.mjs';
import { worstOf, writeFigures } from './figures.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const source = resolve(process.env.INIT_CWD ?? process.cwd(), process.argv[2] ?? resolve(root, 'benchmarks/results/all.json'));
const tables = new Map(JSON.parse(readFileSync(source, 'utf8')).tables.map(table => [table.command.split(' ')[0], table]));

for (const [name, specification] of charts(tables)) {
  const view = new vega.View(vega.parse(vegaLite.compile(specification).spec), { renderer: 'none' });
  const file = resolve(here, `${name}.svg`);
  writeFileSync(file, `${await view.toSVG()}\n`);
  console.log(relative(root, file));
}

writeFigures(resolve(root, 'docs/performance.md'), tables, relative(root, source));

// Runs of one table in another form, which "all" does not make.
for (const name of ['tasks-full', 'quwi-gc']) {
  const file = resolve(root, `benchmarks/results/${name}.json`);
  if (existsSync(file)) {
    writeFigures(resolve(root, 'docs/performance.md'), new Map([[name, worstOf(JSON.parse(readFileSync(file, 'utf8')), 20)]]), relative(root, file));
  }
}
