import fc from 'fast-check';
import { APPROVAL_MOVES, canMove, isFinal } from './approval-moves.js';
import type { ApprovalState } from './approval-record.js';

const STATES = Object.keys(APPROVAL_MOVES) as ApprovalState[];
const walk = fc.array(fc.constantFrom(...STATES), { maxLength: 40 }).map((attempts) => {
  const path: ApprovalState[] = ['pending'];
  for (const to of attempts) if (canMove(path.at(-1)!, to)) path.push(to);
  return path;
});

describe('the moves of an approval', () => {
  it('are closed: every move leads to a state of the table, and every state is reachable', () => {
    const reached = new Set<ApprovalState>(['pending']);
    for (const state of reached) for (const to of APPROVAL_MOVES[state]) reached.add(to);
    expect([...reached].sort()).toEqual([...STATES].sort());
  });

  it('never leave a final state', () => {
    expect(STATES.filter(isFinal).sort()).toEqual([
      'cancelled',
      'denied',
      'expired',
      'failed',
      'succeeded',
      'void',
    ]);
  });

  it('reach `claimed` only through `approved`, and an outcome only through `claimed`', () => {
    fc.assert(
      fc.property(walk, (path) => {
        for (const [index, state] of path.entries()) {
          const before = path.slice(0, index);
          if (state === 'claimed') expect(before.at(-1)).toBe('approved');
          if (state === 'succeeded' || state === 'failed' || state === 'unknown')
            expect(before).toContain('claimed');
          if (state === 'approved' && index > 1) expect(before.at(-1)).toBe('claimed');
        }
      }),
    );
  });

  it('decide at most once, and never bring back `pending`', () => {
    fc.assert(
      fc.property(walk, (path) => {
        expect(path.filter((state) => state === 'pending')).toHaveLength(1);
        const decided = path.filter((state, index) => path[index - 1] === 'pending' && state !== 'pending');
        expect(decided.length).toBeLessThanOrEqual(1);
      }),
    );
  });
});
