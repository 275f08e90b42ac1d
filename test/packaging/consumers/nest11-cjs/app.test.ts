import { expect, test } from '@jest/globals';
import { probe } from './app.js';

test('serves the capability under CommonJS Jest', async () => {
  const { allowed, refused } = await probe();
  expect([allowed.status, refused.status]).toEqual([200, 403]);
});
