import { Injectable } from '@nestjs/common';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import { declared } from './fixtures.js';
import type { PublicCase } from './public-case.js';

const DUP = declared({ name: 'dup', permission: 'docs:read', input: z.object({}) });

@Injectable()
class A {
  @Capability(DUP)
  dup(): void {}
}

@Injectable()
class B {
  @Capability(DUP)
  dup(): void {}
}

export const P22: PublicCase = {
  id: 'P22',
  title: 'two capabilities, one name',
  boots: {
    'do not start, and both classes are named': async (open) => {
      await expect(open({ providers: [A, B] })).rejects.toThrow(/dup \(B\.dup\).*\bdup\b.*A\.dup/);
    },
  },
};
