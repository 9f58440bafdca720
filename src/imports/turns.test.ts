import pino from 'pino';
import { expect, test } from 'vitest';
import { testServer } from '../testing/harness.ts';
import { createImportWorker } from './run/worker.ts';
import { TestImports } from './testing/imports.ts';

const server = testServer();

async function begun(rows: number) {
  const imports = new TestImports(server, await server.company());
  const lines = Array.from({ length: rows }, (_, i) => `p${i}@example.com`);
  const id = await imports.upload('csv-contacts', `email\n${lines.join('\n')}\n`);
  await imports.call('POST', `/imports/${id}/check`, { email_consent: 'never' });
  return async (): Promise<string> => (await imports.call('GET', `/imports/${id}`)).status;
}

test('a small file of a fourth company does not wait for three large ones, and those end as well', async () => {
  const { db, shops, suppressions, messaging } = server.app;
  const deps = {
    db: db.chores,
    shops,
    suppressions,
    renderer: messaging.renderer,
    clock: server.clock,
    log: pino({ level: 'silent' }),
  };
  const worker = createImportWorker(deps, { heldMs: 0, sliceMs: 1 });
  const large = [await begun(20_000), await begun(20_000), await begun(20_000)];
  await worker.runOnce();
  const small = await begun(10);
  const statuses = () => Promise.all(large.map((status) => status()));
  for (let turn = 0; turn < 200 && (await small()) === 'checking'; turn++) await worker.runOnce();
  expect([await small(), await statuses()]).toEqual(['checked', ['checking', 'checking', 'checking']]);
  for (let turn = 0; turn < 500 && (await statuses()).includes('checking'); turn++) await worker.runOnce();
  expect(await statuses()).toEqual(['checked', 'checked', 'checked']);
  await worker.stop();
});
