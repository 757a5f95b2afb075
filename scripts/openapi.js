import { writeFileSync } from 'node:fs';
import { prepare, requireNode } from './lib/project.js';

requireNode();
if (!(await prepare())) process.exit(1);
const { openApiDocument } = await import('../dist/shared/contract/openapi.js');
const { operations } = await import('../dist/shared/contract/operations.js');
const document = openApiDocument(Object.values(operations));
const file = new URL('../docs/openapi.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
console.log('Wrote docs/openapi.json');
