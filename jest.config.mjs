/** ESM mode: Jest's own require(esm) needs Node 24.9, so tests are ES modules. */
export default {
  testEnvironment: 'node',
  maxWorkers: '100%',
  roots: ['<rootDir>/src', '<rootDir>/libs', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/libs/[^/]+/dist/', '<rootDir>/.tmp/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^nest-capabilities$': '<rootDir>/libs/capabilities/src/index.ts',
    '^nest-capabilities/contract$': '<rootDir>/libs/capabilities/src/contract/index.ts',
    '^nest-capabilities/runtime$': '<rootDir>/libs/capabilities/src/runtime/index.ts',
    '^nest-capabilities/rest$': '<rootDir>/libs/capabilities/src/surfaces/rest/index.ts',
    '^nest-capabilities/mcp$': '<rootDir>/libs/capabilities/src/surfaces/mcp/index.ts',
    '^nest-capabilities/assistant$': '<rootDir>/libs/capabilities/src/surfaces/assistant/index.ts',
    '^nest-capabilities/code-mode$': '<rootDir>/libs/capabilities/src/surfaces/code-mode/index.ts',
    '^nest-capabilities/jose$': '<rootDir>/libs/capabilities/src/surfaces/jose/index.ts',
    '^nest-capabilities/memory$': '<rootDir>/libs/capabilities/src/stores/memory/index.ts',
    '^nest-capabilities/sql$': '<rootDir>/libs/capabilities/src/stores/sql/index.ts',
    '^nest-capabilities/testing$': '<rootDir>/libs/capabilities/src/testing/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};
