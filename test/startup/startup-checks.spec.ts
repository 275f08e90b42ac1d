import { CapabilityDefinitionError, type PrincipalInput, PrincipalResolver } from 'nest-capabilities';
import { MemoryCapabilityStore } from 'nest-capabilities/memory';
import { ADAPTERS, type AdapterName, startRestApp, TestPolicy } from '../rest/rest-app.js';
import { type Expected, FIXTURES, type StartupFixture } from './fixtures.js';

class Reloading extends PrincipalResolver {
  resolve(): null {
    return null;
  }

  override reload(): PrincipalInput | null {
    return null;
  }
}

/** Boots an application that must not start; the error it starts with. */
async function refusal(adapter: AdapterName, fixtures: readonly StartupFixture[]): Promise<unknown> {
  try {
    const rest = await startRestApp(adapter, {
      providers: fixtures.flatMap(({ providers = [] }) => providers),
      imports: fixtures.flatMap(({ imports = [] }) => imports),
      capabilities: Object.assign(
        { policy: TestPolicy, principals: Reloading, store: MemoryCapabilityStore },
        ...fixtures.map(({ options }) => options),
      ),
      rest: Object.assign({}, ...fixtures.map((fixture) => fixture.rest)),
    });
    await rest.close();
    return undefined;
  } catch (error) {
    return error;
  }
}

const placeOf = ({ capability, className, methodName, code }: Omit<Expected, 'remedy'>): string =>
  `${capability} (${methodName === '' ? className : `${className}.${methodName}`}) [${code}]`;

function expectProblems(error: unknown, expected: readonly Expected[]): void {
  if (!(error instanceof CapabilityDefinitionError)) throw error ?? new Error('the application started');
  expect(error.problems.map(placeOf).sort()).toEqual(expected.map(placeOf).sort());
  for (const wanted of expected) {
    const listed = error.problems.find((problem) => placeOf(problem) === placeOf(wanted))!;
    expect(listed.remedy).toContain(wanted.remedy);
    expect(error.message).toContain(`${placeOf(wanted)}: ${listed.problem}`);
    expect(error.message).toContain(listed.remedy);
  }
}

describe('a wrong declaration keeps the application from starting (SI-17)', () => {
  it('and nothing else does', async () => {
    expect(await refusal('express', [])).toBeUndefined();
  });

  it.each(FIXTURES)('$title', async (fixture) => {
    expectProblems(await refusal('express', [fixture]), fixture.expected);
  });
});

describe.each(ADAPTERS)('all of them at once on %s (SI-17)', (adapter) => {
  it('are one error that names each', async () => {
    const error = await refusal(adapter, FIXTURES);
    expectProblems(
      error,
      FIXTURES.flatMap(({ expected }) => expected),
    );
  });
});
