/** What every common test framework puts on `globalThis`. */
export interface TestGlobals {
  describe(name: string, body: () => void): void;
  it(name: string, body: () => Promise<void> | void, timeoutMs?: number): void;
  beforeAll(body: () => Promise<void>, timeoutMs?: number): void;
  afterAll(body: () => Promise<void>, timeoutMs?: number): void;
}

/** The running test framework's globals. Throws `TypeError` when there is none. */
export function testGlobals(): TestGlobals {
  const globals = globalThis as unknown as Partial<TestGlobals>;
  if (globals.describe === undefined || globals.it === undefined) {
    throw new TypeError('Contract suites run inside a test framework with global describe and it.');
  }
  return globals as TestGlobals;
}
