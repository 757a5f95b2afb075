/** The import rules of docs/architecture.md, checked in `npm run check`. */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: '^(services|shared|test|bench)/', pathNot: allowed },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-dev-dependencies',
      severity: 'error',
      from: { path: '^(services|shared)/' },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/@types/',
      },
    },
    only(
      'api-imports-shared',
      '^services/api/',
      '^(services/api|shared)/',
      'Services never import each other',
    ),
    only(
      'indexer-imports-shared',
      '^services/indexer/',
      '^(services/indexer|shared)/',
      'Services never import each other',
    ),
    only(
      'cli-imports-shared',
      '^services/cli/',
      '^(services/(cli|local)|shared)/',
      'The command line may start the local servers, nothing else',
    ),
    only(
      'local-imports-shared',
      '^services/local/',
      '^(services/local|shared)/',
      'The launcher starts services as processes, it does not import them',
    ),
    only('shared-imports-shared', '^shared/', '^shared/', 'shared imports no service'),
    only(
      'contract-is-alone',
      '^shared/contract/',
      '^shared/contract/',
      'The contract imports nothing of the project',
    ),
    {
      name: 'contract-knows-joi-only',
      severity: 'error',
      from: { path: '^shared/contract/' },
      to: { path: 'node_modules/', pathNot: 'node_modules/joi/' },
    },
    {
      name: 'koa-in-http-only',
      severity: 'error',
      from: { path: '^(services|shared)/', pathNot: '^services/api/(app\\.ts|http/)' },
      to: { path: 'node_modules/(@types/)?(koa|@koa)' },
    },
    {
      name: 'pure-code-has-no-driver',
      severity: 'error',
      from: { path: '^services/indexer/(views|content)/' },
      to: {
        path: [
          'node_modules/(mongodb|ioredis|bullmq|@elastic|pino)',
          '^shared/(drivers|platform)/',
          '^services/indexer/(stores|records|sources)/',
        ],
        // It parses a text, and does nothing else.
        pathNot: '^shared/platform/parseUrl\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'drivers-are-required',
      comment: 'An import of them takes long to load',
      severity: 'error',
      from: { pathNot: '^shared/drivers/' },
      to: {
        path: 'node_modules/(ioredis|bullmq|@elastic)/',
        dependencyTypesNot: ['type-only'],
      },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
