import { Clock } from '../kernel/clock.js';
import { RequestStates, type StateBinding } from './request-state.js';
import { Signer } from './signer.js';
import { MemorySingleUseStore } from './memory-single-use-store.js';

class TestClock extends Clock {
  time = 1_000_000;
  now(): number {
    return this.time;
  }
  offset(): number {
    return 0;
  }
}

const ANSWER = { action: 'accept' };
const REFUSED = expect.objectContaining({ code: -32602 }) as Error;

describe('RequestStates', () => {
  const clock = new TestClock();
  const states = new RequestStates(new Signer(), new MemorySingleUseStore(), clock, 60_000);
  const binding = (over: Partial<StateBinding> = {}): StateBinding => ({
    endpoint: '/mcp',
    owner: 'alice',
    method: 'tools/call',
    params: { name: 'tool', arguments: { b: 1, a: 2 } },
    ...over,
  });
  const retry = (state: unknown, responses: unknown, over: Partial<StateBinding> = {}): StateBinding => {
    const bound = binding(over);
    return {
      ...bound,
      params: { ...bound.params, requestState: state, inputResponses: responses, _meta: { x: 1 } },
    };
  };

  it('gives back what was asked for, with the answers of earlier rounds', async () => {
    const state = states.mint(binding(), ['second'], { first: ANSWER });
    const answers = await states.redeem(
      retry(state, { second: ANSWER, other: ANSWER, first: { action: 'cancel' } }),
      false,
    );

    expect(answers).toEqual({ first: ANSWER, second: ANSWER });
  });

  it('does not mind the order of keys', async () => {
    const state = states.mint(binding(), ['a'], {});
    const params = { arguments: { a: 2, b: 1 }, name: 'tool' };

    await expect(states.redeem(retry(state, { a: ANSWER }, { params }), false)).resolves.toEqual({
      a: ANSWER,
    });
  });

  it('works once', async () => {
    const state = states.mint(binding(), ['a'], {});
    await states.redeem(retry(state, {}), false);

    await expect(states.redeem(retry(state, {}), false)).rejects.toEqual(REFUSED);
  });

  it('ends with its time', async () => {
    const state = states.mint(binding(), ['a'], {});
    clock.time += 60_000;

    await expect(states.redeem(retry(state, {}), false)).rejects.toEqual(REFUSED);
  });

  it.each<[string, Partial<StateBinding>]>([
    ['another principal', { owner: 'mallory' }],
    ['another endpoint', { endpoint: '/other' }],
    ['another method', { method: 'prompts/get' }],
    ['other parameters', { params: { name: 'tool', arguments: { a: 2, b: 2 } } }],
    ['further parameters', { params: { name: 'tool', arguments: { b: 1, a: 2 }, task: {} } }],
  ])('is refused for %s', async (_what, over) => {
    const state = states.mint(binding(), ['a'], {});

    await expect(states.redeem(retry(state, {}, over), false)).rejects.toEqual(REFUSED);
  });

  it('is refused when it was made or signed elsewhere', async () => {
    const state = states.mint(binding(), ['a'], {});
    const foreign = new RequestStates(new Signer(), new MemorySingleUseStore(), clock, 60_000);
    const [body = ''] = state.split('.');
    const session = new Signer('x'.repeat(32)).sign('session', { k: ['a'] });

    for (const bad of [foreign.mint(binding(), ['a'], {}), `${body}.`, body, '', '.', session, 7, null]) {
      await expect(states.redeem(retry(bad, {}), false)).rejects.toEqual(REFUSED);
    }
  });

  it.each([12345, null, 'text', [], { key: 12345 }])('refuses the responses %j', async (responses) => {
    await expect(states.redeem(retry(undefined, responses), true)).rejects.toEqual(REFUSED);
  });

  it('counts answers without a state only where that is allowed', async () => {
    await expect(states.redeem(retry(undefined, { a: ANSWER }), true)).resolves.toEqual({ a: ANSWER });
    await expect(states.redeem(retry(undefined, { a: ANSWER }), false)).resolves.toEqual({});
  });
});

describe('Signer', () => {
  it('keeps purposes and secrets apart', () => {
    const signer = new Signer('a secret of at least 32 bytes, yes');
    const value = signer.sign('one', { a: 1 });

    expect(signer.open('one', value)).toEqual({ a: 1 });
    expect(new Signer('a secret of at least 32 bytes, yes').open('one', value)).toEqual({ a: 1 });
    expect(signer.open('two', value)).toBeUndefined();
    expect(new Signer().open('one', value)).toBeUndefined();
    expect(() => new Signer('short')).toThrow(TypeError);
  });
});
