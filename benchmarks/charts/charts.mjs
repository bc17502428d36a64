// SPDX-License-Identifier: MIT
//
// What each chart shows, as Vega-Lite specifications.

// The same contender has the same colour everywhere; ours is the dark one.
const colours = {
  ours: '#d1495b', threadpool: '#00798c', task: '#66a182', libuv: '#edae49', tbb: '#8d6cab',
  'boost-tcmalloc': '#6c757d', 'boost-glibc': '#adb5bd', go: '#5bc0eb', 'signal-one': '#8d6cab', broadcast: '#adb5bd',
};

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
  return [['ours', row.native, 'native'], ...Object.entries(row.peers).map(([name, value]) => [name, value, name])]
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
      text: 'Every row of every table: ours over its best peer',
      subtitle: ['A dot is a row, right of the line ours is better, the black tick is the geometric mean.', machineOf([...tables.values()][0])],
    },
    data: { values: points },
    width: 560,
    height: { step: 34 },
    layer: [
      { mark: { type: 'rule', color: '#888' }, encoding: { x: { datum: 1, type: 'quantitative' } } },
      {
        mark: { type: 'point', filled: true, size: 45, opacity: 0.45, color: colours.ours },
        encoding: {
          y: { field: 'table', type: 'nominal', sort: order, title: null, axis: { grid: true } },
          x: {
            field: 'advantage', type: 'quantitative', scale: { type: 'log', nice: false, padding: 12 }, title: 'advantage over the best peer in the row, times',
            axis: { ...ticks, values: [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50] },
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

function quwi(table) {
  const cells = table.rows.map(row => {
    const [queue, depth, parallelism] = row.name.split('/');
    return { queue, depth: Number(depth.slice(6)), parallelism: Number(parallelism.slice(12)), advantage: row.advantage, label: row.advantage.toFixed(1) };
  });
  return {
    ...shape,
    title: { text: 'quwi: items per second, ours over the built-in pool', subtitle: machineOf(table) },
    data: { values: cells },
    facet: { column: { field: 'queue', type: 'nominal', title: null, header: { labelFontSize: 12 } } },
    spec: {
      width: 250,
      height: 180,
      encoding: {
        x: { field: 'parallelism', type: 'ordinal', axis: { labelAngle: 0 } },
        y: { field: 'depth', type: 'ordinal' },
      },
      layer: [
        {
          mark: 'rect',
          encoding: { color: { field: 'advantage', type: 'quantitative', scale: { type: 'log', scheme: 'redblue', domain: [0.05, 20] }, legend: null } },
        },
        { mark: { type: 'text', fontSize: 12 }, encoding: { text: { field: 'label', type: 'nominal' } } },
      ],
    },
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
    title: { text: 'tasks: calls per second, ours over the built-in pool', subtitle: [machineOf(table), 'Grey: controls, which never touch a pool.'] },
    data: { values: points },
    width: 480,
    height: { step: 20 },
    layer: [
      { mark: { type: 'rule', color: '#888' }, encoding: { x: { datum: 1, type: 'quantitative' } } },
      {
        mark: { type: 'point', filled: true, size: 70, opacity: 0.8 },
        encoding: {
          y: { field: 'set', type: 'nominal', sort: null, title: null, axis: { grid: true } },
          x: { field: 'ratio', type: 'quantitative', scale: { type: 'log', nice: false, padding: 12 }, title: 'ratio', axis: { ...ticks, values: [0.2, 0.5, 0.7, 1, 1.4, 2, 4] } },
          color: { condition: { test: 'datum.control', value: '#adb5bd' }, value: colours.ours },
        },
      },
    ],
  };
}

function skynet(table) {
  // All contenders of a size in one line, our three forms under their own names.
  const sizes = [...new Set(table.rows.map(row => row.name.split('/')[1]))];
  const points = sizes.flatMap(size => {
    const rows = table.rows.filter(row => row.name.endsWith(`/${size}`));
    const peers = new Map(rows.flatMap(row => Object.entries(row.peers)));
    const microseconds = milliseconds => milliseconds * 1000 / Number(size);
    return [
      ...rows.map(row => ({ size, who: `ours: ${row.name.split('/')[0]}`, ours: true, value: microseconds(row.native) })),
      ...[...peers].map(([who, value]) => ({ size, who: who === 'threadpool' ? 'built-in pool: items' : who === 'task' ? 'built-in pool: Task.Run' : who, ours: false, value: microseconds(value) })),
    ].map(point => ({ ...point, leaves: `${Number(size).toLocaleString('en')} leaves`, label: point.value.toPrecision(2) }));
  });
  const order = [...new Set(points.filter(point => point.size === sizes.at(-1)).sort((a, b) => a.value - b.value).map(point => point.who))];
  return {
    ...shape,
    title: { text: 'skynet: microseconds per leaf, every node an item of its own', subtitle: machineOf(table) },
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
            color: { condition: { test: 'datum.ours', value: colours.ours }, value: '#6c757d' },
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
