import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { testServer } from './harness.ts';
import { recordStatements } from './statements.ts';

const server = testServer();

test('what follows in its own time from earlier requests is not recorded', async () => {
  await server.company();
  const sent = await recordStatements(() => sleep(2_000));
  expect(sent.map(({ text }) => text)).toEqual([]);
});
