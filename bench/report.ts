import type { LoadResult } from './load/runLoad.js';
import { medianOf } from './load/percentiles.js';

/** The runs of a server and its floor, which took turns. `floors` is empty where there is no floor. */
export interface Measured {
  name: string;
  connections: number;
  /** The rate at which both were asked (requests a second). Undefined in a closed loop. */
  rate?: number;
  runs: LoadResult[];
  floors: LoadResult[];
}

/** Where the client uses more of a core than this part, it may be what limits a run. */
const BUSY_CLIENT = 0.85;

const HEADINGS = [
  'Measurement',
  'Connections',
  'Requests/s',
  'Floor',
  'Ratio',
  'p50 (ms)',
  'Floor',
  'p99 (ms)',
  'Floor',
  'p99 ratio',
  'Max (ms)',
  'Floor',
  'CPU (µs)',
  'Floor',
  'Client',
];

/** The table of ratios, as Markdown. */
export function ratioTable(measured: readonly Measured[]): string {
  return markdownTable(HEADINGS, measured.map(ratioRow));
}

function ratioRow(one: Measured): string[] {
  const { name, connections, rate, runs, floors } = one;
  const failures = [...runs, ...floors].reduce((sum, run) => sum + run.failures, 0);
  const pair = (of: (run: LoadResult) => number, digits: number): string[] =>
    [runs, floors].map((some) =>
      some.length === 0 ? '' : medianOf(some.map(of)).median.toFixed(digits),
    );
  return [
    failures > 0 ? `${name} (${failures} failed)` : name,
    String(connections),
    ...pair(({ perSecond }) => perSecond, 0),
    rate === undefined ? ratio(one, ({ perSecond }) => perSecond) : '',
    ...pair(({ p50 }) => p50, 2),
    ...pair(({ p99 }) => p99, 2),
    ratio(one, ({ p99 }) => p99),
    ...pair(({ max }) => max, 1),
    ...pair(cpuOf, 0),
    clientCell([...runs, ...floors]),
  ];
}

/** For each run, its ratio to the floor's run beside it. Returns the median, the least and the greatest. */
function ratio({ runs, floors }: Measured, of: (run: LoadResult) => number): string {
  if (floors.length === 0) return '';
  const ratios = runs.map((run, n) => of(run) / of(floors[n]!));
  const { median, min, max } = medianOf(ratios);
  return `${median.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`;
}

/** The CPU time of a request (µs), for the server and the stores together. */
function cpuOf({ cpuMicroseconds }: LoadResult): number {
  return Object.values(cpuMicroseconds).reduce((sum, used) => sum + used, 0);
}

function clientCell(runs: readonly LoadResult[]): string {
  const share = Math.max(...runs.map(({ clientShare }) => clientShare));
  const percent = `${Math.round(share * 100)} %`;
  return share > BUSY_CLIENT ? `${percent}, the limit` : percent;
}

/** The CPU time of a request by process, and the most memory of each process, as Markdown. */
export function processTable(measured: readonly Measured[]): string {
  const rows = measured.flatMap(({ name, connections, runs, floors }) =>
    [
      { label: `${name}, ${connections}`, some: runs },
      { label: `its floor`, some: floors },
    ].flatMap(({ label, some }) => (some.length === 0 ? [] : [[label, ...processCells(some)]])),
  );
  return markdownTable(['Measurement, connections', ...PROCESSES], rows);
}

/** The names of the processes that are read. */
const PROCESSES = ['Server', 'MongoDB', 'Redis', 'Elasticsearch'] as const;

function processCells(runs: readonly LoadResult[]): string[] {
  return PROCESSES.map((name) => {
    const used = runs.map(({ cpuMicroseconds }) => cpuMicroseconds[name] ?? NaN);
    const held = runs.map(({ megabytes }) => megabytes[name] ?? NaN);
    const isKnown = [...used, ...held].every((value) => !Number.isNaN(value));
    return isKnown ? `${medianOf(used).median.toFixed(0)} µs, ${Math.max(...held)} MB` : '';
  });
}

/** A Markdown table with even columns. The first column is aligned left, all others right. */
export function markdownTable(headings: readonly string[], rows: readonly string[][]): string {
  const widths = headings.map((heading, column) =>
    Math.max(4, heading.length, ...rows.map((row) => row[column]!.length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, n) => (n === 0 ? cell.padEnd(widths[n]!) : cell.padStart(widths[n]!))).join(' | ')} |`;
  const rule = widths.map((width, n) =>
    n === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(headings), line(rule), ...rows.map(line)].join('\n');
}
