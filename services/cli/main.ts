import { runArguments } from './runArguments.js';

await runArguments(process.argv.slice(2));
