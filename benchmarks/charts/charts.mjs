// SPDX-License-Identifier: MIT
//
// What each chart shows, as Vega-Lite specifications.

// The same contender has the same colour everywhere.
const own = '#d1495b';
const colours = {
  NativeThreading: own, 'built-in pool': '#00798c', Task: '#66a182', libuv: '#edae49', tbb: '#8d6cab',
  'boost-tcmalloc': '#6c757d', 'boost-glibc': '#adb5bd', go: '#5bc0eb', 'signal-one': '#8d6cab', broadcast: '#adb5bd',
};

const names = { threadpool: 'built-in pool', task: 'Task' };

const config = {
  background: 'white',
  font: 'DejaVu Sans, Helvetica, Arial, sans-serif',
  axis: { labelFontSize: 11, titleFontSize: 11, titleFontWeight: 'normal', gridColor: '#e5e5e5', labelLimit: 400 },
  legend: { title: null, labelFontSize: 11, orient: 'top' },
  title: { fontSize: 13, anchor: 'start', fontWeight: 'bold', subtitleFontSize: 11, subtitleColor: '#555' },
  view: { stroke: '#ccc' },
};

const shape = { $schema: 'https://vega.github.io/schema/vega-lite/v6.json', padding: 8, config };

function machineOf(table) {
  const { cpu, logicalCpus, kernel, runtime, date } = table.machine;
  return `${cpu}, ${logicalCpus} CPUs, Linux ${kernel}, ${runtime.replace(/ \(.*/, '')}, ${date.slice(0, 10)}`;
}

function contenders(row, measure = (_, value) => value) {
  return [['NativeThreading', row.native, 'native'], ...Object.entries(row.peers).map(([name, value]) => [names[name] ?? name, value, name])]
    .map(([contender, value, key]) => ({ row: row.name, contender, value: measure(key, value) }))
    .filter(point => point.value > 0);
}

function colourOf(points) {
  const present = Object.keys(colours).filter(name => points.some(point => point.contender === name));
  return { field: 'contender', type: 'nominal', scale: { domain: present, range: present.map(name => colours[name]) } };
}

const ticks = { grid: true, format: '~g', labelOverlap: true };

function dots(table, rows, title, axis, extra = {}) {
  const points = rows.flatMap(row => contenders(row));
  return {
    ...shape,
    title: { text: title, subtitle: machineOf(table) },
    data: { values: points },
    width: 560,
    height: { step: 17 },
    mark: { type: 'point', filled: true, size: 70, opacity: 0.9 },
    encoding: {
      y: { field: 'row', type: 'nominal', sort: rows.map(row => row.name), title: null, axis: { grid: true } },
      x: { field: 'value', type: 'quantitative', scale: { type: 'log' }, title: axis, axis: ticks },
      color: colourOf(points),
      ...extra,
    },
  };
}

function advantages(tables) {
  const points = [...tables.entries()].flatMap(([table, result]) => result.rows
    .filter(row => row.advantage !== null).map(row => ({ table, advantage: row.advantage })));
  const order = [...tables.keys()].filter(name => points.some(point => point.table === name));
  return {
    ...shape,
    title: {
      text: 'Every row of every table, compared with the best alternative',
      subtitle: ['Each dot is a row. Right of the line, NativeThreading is better. The black tick is the geometric mean.', machineOf([...tables.values()][0])],
    },
    data: { values: points },
    width: 560,
    height: { step: 34 },
    layer: [
      { mark: { type: 'rule', color: '#888' }, encoding: { x: { datum: 1, type: 'quantitative' } } },
      {
        mark: { type: 'point', filled: true, size: 45, opacity: 0.45, color: own },
        encoding: {
          y: { field: 'table', type: 'nominal', sort: order, title: null, axis: { grid: true } },
          x: {
            field: 'advantage', type: 'quantitative', scale: { type: 'log', nice: false, padding: 12 }, title: 'ratio: above 1, NativeThreading is better',
            axis: { ...ticks, labelOverlap: false, values: [0.1, 0.5, 1, 2, 5, 10, 100, 1000, 10000] },
          },
        },
      },
      {
        transform: [
          { calculate: 'log(datum.advantage)', as: 'logarithm' },
          { aggregate: [{ op: 'mean', field: 'logarithm', as: 'mean' }], groupby: ['table'] },
          { calculate: 'exp(datum.mean)', as: 'geomean' },
        ],
        mark: { type: 'tick', thickness: 3, size: 22, color: 'black' },
        encoding: {
          y: { field: 'table', type: 'nominal', sort: order },
          x: { field: 'geomean', type: 'quantitative' },
        },
      },
    ],
  };
}

// Losses and gains differ in hue, not only in shade, so that a ratio just below 1 does not look like one just above it. Values are logarithms.
const farthest = Math.log(12);
const lossesAndGains = {
  type: 'linear', clamp: true, domain: [-farthest, -1e-9, 1e-9, farthest], range: ['#b3400e', '#fbd9bf', '#d5e7f2', '#0b5f96'],
};
const shadeOf = logarithm => ({ field: logarithm, type: 'quantitative', scale: lossesAndGains, legend: null });

function heatMap(cells, title) {
  return {
    title: { text: title, fontSize: 12, fontWeight: 'normal', anchor: 'middle' },
    data: { values: cells },
    width: 270,
    height: 170,
    encoding: {
      x: { field: 'parallelism', type: 'ordinal', title: 'producers', axis: { labelAngle: 0, ticks: false, domain: false } },
      y: { field: 'depth', type: 'ordinal', title: 'items in each chain', axis: { ticks: false, domain: false } },
    },
    layer: [
      { mark: { type: 'rect', stroke: 'white', strokeWidth: 2 }, encoding: { color: shadeOf('logarithm') } },
      {
        mark: { type: 'text', fontSize: 12 },
        encoding: { text: { field: 'label', type: 'nominal' }, color: { condition: { test: `abs(datum.logarithm) > ${Math.log(4)}`, value: 'white' }, value: '#1f2a44' } },
      },
    ],
  };
}

/** What the colours mean, with a mark at 1. */
function scaleOfRatios() {
  const steps = 120;
  const strip = Array.from({ length: steps }, (_, i) => {
    const [from, to] = [i, i + 1].map(step => -farthest + step * 2 * farthest / steps);
    return { from, to: to + (i + 1 < steps ? 0.02 : 0), middle: (from + to) / 2 };   // neighbours overlap: no seams
  });
  const x = { type: 'quantitative', scale: { domain: [-farthest, farthest], nice: false } };
  const named = [0.1, 0.2, 0.5, 1, 2, 5, 10].map(Math.log);
  const once = { values: [{}] };
  const note = (text, position, align) => ({ data: once, mark: { type: 'text', align, fontSize: 11, color: '#555', y: -8 }, encoding: { x: { ...x, datum: position }, text: { value: text } } });
  return {
    width: 420,
    height: 12,
    data: { values: strip },
    layer: [
      {
        mark: { type: 'rect' },
        encoding: {
          x: { ...x, field: 'from', title: 'items per second: NativeThreading divided by the built-in pool', axis: { values: named, labelExpr: 'format(exp(datum.value), "~r")', grid: false } },
          x2: { field: 'to' },
          color: shadeOf('middle'),
        },
      },
      { data: once, mark: { type: 'rule', color: 'black', strokeWidth: 2, y: -4, y2: 16 }, encoding: { x: { ...x, datum: 0 } } },
      note('slower', -farthest, 'left'), note('equal', 0, 'center'), note('faster', farthest, 'right'),
    ],
  };
}

function quwi(table) {
  const cells = table.rows.map(row => {
    const [queue, depth, parallelism] = row.name.split('/');
    return {
      queue, depth: Number(depth.slice(6)), parallelism: Number(parallelism.slice(12)), logarithm: Math.log(row.advantage), label: row.advantage.toFixed(row.advantage < 2 ? 2 : 1),
    };
  });
  const ofQueue = queue => cells.filter(cell => cell.queue === queue);
  return {
    ...shape,
    title: { text: 'Queueing and running small items, compared with the built-in pool', subtitle: machineOf(table) },
    spacing: 24,
    vconcat: [
      { spacing: 28, hconcat: [heatMap(ofQueue('global'), 'global queue'), heatMap(ofQueue('local'), 'worker\'s own queue')] },
      scaleOfRatios(),
    ],
  };
}

function serialWakeup(table) {
  const measures = { '': 'wall, ms', cpu: 'CPU, ms', switches: 'context switches', 'system-calls': 'system calls' };
  const points = table.rows.flatMap(row => {
    const [threads, measure = ''] = row.name.split('/');
    const scale = measure === 'cpu' ? 1e-6 : 1;
    return contenders(row, (_, value) => Math.max(value * scale, 0.5))
      .map(point => ({ ...point, row: `${threads.slice(8)} threads`, measure: measures[measure] }));
  });
  return {
    ...shape,
    title: { text: 'serial-wakeup: 10,000 items, each waited for', subtitle: machineOf(table) },
    data: { values: points },
    columns: 2,
    facet: { field: 'measure', type: 'nominal', title: null, sort: Object.values(measures), header: { labelFontSize: 12 } },
    resolve: { scale: { x: 'independent' } },
    spec: {
      width: 270,
      height: 90,
      mark: { type: 'point', filled: true, size: 90, opacity: 0.9 },
      encoding: {
        y: { field: 'row', type: 'nominal', sort: ['4 threads', '16 threads'], title: null, axis: { grid: true } },
        x: { field: 'value', type: 'quantitative', scale: { type: 'log' }, title: null, axis: { ...ticks, format: '~s' } },
        color: colourOf(points),
      },
    },
  };
}

function tasks(table) {
  const points = table.rows.map(row => {
    const [set, depth, parallelism] = row.name.split('/');
    return { set, cell: `${depth}, ${parallelism}`, ratio: row.native / row.peers.threadpool, control: row.advantage === null };
  });
  return {
    ...shape,
    title: { text: 'tasks: calls per second, compared with the built-in pool', subtitle: [machineOf(table), 'Right of the line, NativeThreading is faster. Grey: controls, which never use a pool.'] },
    data: { values: points },
    width: 480,
    height: { step: 20 },
    layer: [
      { mark: { type: 'rule', color: '#888' }, encoding: { x: { datum: 1, type: 'quantitative' } } },
      {
        mark: { type: 'point', filled: true, size: 70, opacity: 0.8 },
        encoding: {
          y: { field: 'set', type: 'nominal', sort: null, title: null, axis: { grid: true } },
          x: { field: 'ratio', type: 'quantitative', scale: { type: 'log', nice: false, padding: 12 }, title: 'ratio', axis: { ...ticks, labelOverlap: false, values: [0.2, 0.5, 0.7, 1, 1.4, 2, 4] } },
          color: { condition: { test: 'datum.control', value: '#adb5bd' }, value: own },
        },
      },
    ],
  };
}

function skynet(table) {
  // All contenders of a size in one line, the three forms of NativeThreading under their own names.
  const sizes = [...new Set(table.rows.map(row => row.name.split('/')[1]))];
  const points = sizes.flatMap(size => {
    const rows = table.rows.filter(row => row.name.endsWith(`/${size}`));
    const peers = new Map(rows.flatMap(row => Object.entries(row.peers)));
    const microseconds = milliseconds => milliseconds * 1000 / Number(size);
    return [
      ...rows.map(row => ({ size, who: `NativeThreading: ${row.name.split('/')[0]}`, ours: true, value: microseconds(row.native) })),
      ...[...peers].map(([who, value]) => ({ size, who: who === 'threadpool' ? 'built-in pool: items' : who === 'task' ? 'built-in pool: Task.Run' : who, ours: false, value: microseconds(value) })),
    ].map(point => ({ ...point, leaves: `${Number(size).toLocaleString('en')} leaves`, label: point.value.toPrecision(2) }));
  });
  const order = [...new Set(points.filter(point => point.size === sizes.at(-1)).sort((a, b) => a.value - b.value).map(point => point.who))];
  return {
    ...shape,
    title: { text: 'skynet: microseconds per leaf; every node is a separate item', subtitle: machineOf(table) },
    data: { values: points },
    facet: { column: { field: 'leaves', type: 'nominal', sort: points.map(point => point.leaves), title: null, header: { labelFontSize: 12 } } },
    spec: {
      width: 280,
      height: { step: 22 },
      encoding: { y: { field: 'who', type: 'nominal', sort: order, title: null, axis: { grid: true } } },
      layer: [
        {
          mark: { type: 'point', filled: true, size: 90 },
          encoding: {
            x: { field: 'value', type: 'quantitative', scale: { type: 'log', domain: [0.01, 3] }, title: null, axis: { ...ticks, values: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2] } },
            color: { condition: { test: 'datum.ours', value: own }, value: '#6c757d' },
          },
        },
        {
          mark: { type: 'text', align: 'left', dx: 8, fontSize: 10 },
          encoding: { x: { field: 'value', type: 'quantitative' }, text: { field: 'label', type: 'nominal' } },
        },
      ],
    },
  };
}

/** Names and specifications of the charts whose tables are there. */
export function* charts(tables) {
  const of = { quwi, skynet, tasks, 'serial-wakeup': serialWakeup,
    xtask: table => dots(table, table.rows, 'xtask: time of an iteration, lower is better', 'microseconds') };
  yield ['advantage', advantages(tables)];
  for (const [name, draw] of Object.entries(of)) {
    const table = tables.get(name);
    if (table?.rows.length) {
      yield [name, draw(table)];
    }
  }
}
