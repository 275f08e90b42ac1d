// Which room of the library may import which. A room may also import whatever its listed rooms may.
const LIB = '^libs/capabilities/src';

const direct = {
  kernel: [],
  errors: ['kernel'],
  contract: ['kernel', 'errors'],
  registry: ['contract'],
  policies: ['contract'],
  audit: ['contract'],
  approvals: ['contract', 'policies', 'audit'],
  execution: ['registry', 'policies', 'audit', 'approvals'],
  protocol: ['contract', 'errors', 'registry', 'approvals', 'execution'],
  catalogue: ['registry'],
  runtime: ['protocol', 'execution'],
  client: ['contract'],
  devtools: ['registry', 'contract'],
};
const reach = (room) => [...new Set([room, ...direct[room].flatMap(reach)])];
const allowed = Object.fromEntries(Object.keys(direct).map((room) => [room, reach(room)]));
// Stores and surfaces know services and ports, so the rule "whatever its listed rooms may" stops there.
allowed.stores = ['stores', 'approvals', 'audit', 'execution', 'contract', 'errors', 'kernel'];
allowed.surfaces = [
  'surfaces',
  'contract',
  'errors',
  'kernel',
  'registry',
  'approvals',
  'audit',
  'execution',
  'protocol',
  'catalogue',
];
const inside = [
  'kernel',
  'errors',
  'contract',
  'registry',
  'policies',
  'audit',
  'approvals',
  'execution',
  'protocol',
];
allowed.module = ['module', ...inside, 'runtime', 'stores/memory', 'devtools', 'testing'];
allowed.testing = ['testing', 'module', 'stores', ...inside, 'runtime', 'client', 'devtools'];

// Parts that surfaces share are files at the root of `surfaces`, no concrete surface.
const sharedSurfaceParts = `${LIB}/surfaces/[^/]+\\.ts$`;
// The ports of `policies` that a surface and its principal resolver need; never the evaluator.
const surfacePorts = `${LIB}/policies/(principal-resolver|capability-policy)\\.ts$`;

const extra = { surfaces: [surfacePorts], module: [sharedSurfaceParts], testing: [sharedSurfaceParts] };

const roomRules = Object.entries(allowed).map(([room, rooms]) => ({
  name: `room-${room}`,
  comment: `${room}/ may import only: ${rooms.join(', ')}`,
  severity: 'error',
  from: { path: `${LIB}/${room}/`, pathNot: '\\.(spec|test-d)\\.ts$' },
  to: {
    path: `${LIB}/`,
    pathNot: [`${LIB}/(${rooms.join('|')})/`, ...(extra[room] ?? [])],
  },
}));

const entryPoints = [
  `${LIB}/index\\.ts$`,
  `${LIB}/(contract|runtime|client|devtools|testing)/index\\.ts$`,
  `${LIB}/(surfaces|stores)/[^/]+/index\\.ts$`,
];

module.exports = {
  forbidden: [
    ...roomRules,
    {
      name: 'root-entry',
      comment: 'the root entry loads no surface, store or tool',
      severity: 'error',
      from: { path: `${LIB}/index\\.ts$` },
      to: { path: `${LIB}/(surfaces/[^/]+|stores|client|devtools|testing|runtime)/` },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: '^(libs/capabilities/)?src' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'surface-not-surface',
      severity: 'error',
      from: { path: `${LIB}/surfaces/([^/]+)/`, pathNot: '\\.spec\\.ts$' },
      to: { path: `${LIB}/surfaces/[^/]+/`, pathNot: `${LIB}/surfaces/$1/` },
    },
    {
      name: 'shared-surface-parts-know-no-surface',
      severity: 'error',
      from: { path: `${LIB}/surfaces/[^/]+\\.ts$`, pathNot: '\\.spec\\.ts$' },
      to: { path: `${LIB}/surfaces/[^/]+/` },
    },
    {
      name: 'no-barrels-inside',
      comment: 'index.ts is a package entry point, never a shortcut inside the library',
      severity: 'error',
      from: { path: `${LIB}/`, pathNot: `\\.(spec|test-d)\\.ts$` },
      to: { path: '/index\\.ts$', pathNot: 'node_modules' },
    },
    {
      name: 'nest-only-at-the-edge',
      severity: 'error',
      from: {
        path: `${LIB}/(kernel|errors|contract|policies|audit|approvals|execution|protocol|catalogue|runtime|stores|client|devtools)/`,
        pathNot: '\\.spec\\.ts$',
      },
      to: { path: 'node_modules/@nestjs/' },
    },
    {
      name: 'framework-free-runtime',
      comment: './runtime reaches only the Nest-free files of registry',
      severity: 'error',
      from: { path: `${LIB}/(runtime|contract)/`, pathNot: '\\.(spec|test-d)\\.ts$' },
      to: { path: 'node_modules/@nestjs/', reachable: true },
    },
    {
      name: 'browser-safe-contract',
      comment: './contract runs in a browser and loads no DTO library',
      severity: 'error',
      from: { path: `${LIB}/contract/`, pathNot: '\\.(spec|test-d)\\.ts$' },
      to: {
        path: '(^node:|node_modules/(class-validator|class-transformer|reflect-metadata)/)',
        reachable: true,
      },
    },
    {
      name: 'browser-safe-contract-core',
      severity: 'error',
      from: { path: `${LIB}/(contract|errors)/`, pathNot: '\\.(spec|test-d)\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no-driver-in-the-core',
      comment: 'drivers, SDKs and DTO libraries stay with the file whose job they are',
      severity: 'error',
      from: {
        path: `${LIB}/(kernel|errors|contract|registry|policies|audit|approvals|execution|protocol|catalogue|runtime|module|stores)/`,
        pathNot: '\\.spec\\.ts$',
      },
      to: {
        path: 'node_modules/(pg|@electric-sql|ioredis|bullmq|@modelcontextprotocol|ai|jose|run|express|fastify)/',
      },
    },
    {
      name: 'entry-points-only',
      comment: 'the demo and the tests use the library as a user would',
      severity: 'error',
      from: { path: '^(src|test|bench)/' },
      to: { path: `${LIB}/`, pathNot: entryPoints },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^nest-capabilities' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|consumers)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
};
