import { setTimeout as pause } from 'node:timers/promises';
import type { Fault, FaultContext } from '../faultKinds.js';
import { ask } from './replicaSet.js';
import type { ScaleRig } from './scaleRig.js';

/** Each kind of fault of the trial by its name; docs/scale.md lists them. */
export const SCALE_FAULTS = {
  'MongoDB primary stepping down': async ({ rig: { replicaSet } }) => {
    const { url } = await replicaSet.primary();
    await ask(url, { replSetStepDown: 20, secondaryCatchUpPeriodSecs: 5 });
    await replicaSet.primary();
  },
  'MongoDB primary killed': async ({ rig: { replicaSet }, ms }) => {
    const primary = await replicaSet.primary();
    await primary.kill();
    // The other two members elect one of them as primary.
    await replicaSet.primary();
    await pause(ms);
    await primary.restart();
  },
  'MongoDB primary frozen': async ({ rig: { replicaSet }, ms }) => {
    const primary = await replicaSet.primary();
    await primary.freeze();
    try {
      await pause(ms);
    } finally {
      await primary.thaw();
    }
    await replicaSet.primary();
  },
  'MongoDB secondary killed': async ({ rig: { replicaSet }, ms }) => {
    const primary = await replicaSet.primary();
    const secondary = replicaSet.members.find((member) => member !== primary)!;
    await secondary.kill();
    await pause(ms);
    await secondary.restart();
  },
  'Elasticsearch node killed': async ({ rig: { search }, ms }) => {
    const [, node] = search.nodes;
    await node.kill();
    await pause(ms);
    await node.restart();
  },
  'Elasticsearch master killed': async ({ rig: { search }, ms }) => {
    const [master] = search.nodes;
    await master.kill();
    await pause(ms);
    await master.restart();
  },
  'indexer killed': async ({ rig: { indexers }, random }) => {
    await random.pick(indexers).restart('SIGKILL');
  },
  'API killed': async ({ rig: { apis }, random }) => {
    await random.pick(apis).service.restart('SIGKILL');
  },
  'Redis killed': async ({ rig: { servers }, ms }: FaultContext<ScaleRig>) => {
    await servers.redis.kill();
    await pause(ms);
    await servers.redis.restart();
  },
} as const satisfies Record<string, Fault<ScaleRig>>;

export type ScaleFaultName = keyof typeof SCALE_FAULTS;

/** Faults of the stores in one lane, and those of the services in another. */
export const SCALE_LANES: ScaleFaultName[][] = [
  [
    'MongoDB primary stepping down',
    'Elasticsearch node killed',
    'MongoDB primary killed',
    'MongoDB secondary killed',
    'Elasticsearch master killed',
    'MongoDB primary frozen',
    'Redis killed',
  ],
  ['indexer killed', 'API killed', 'indexer killed', 'API killed'],
];
