import pino from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { settle } from '../erasure/markers.ts';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { createImportWorker } from './run/worker.ts';
import { TestImports } from './testing/imports.ts';

const server = testServer();
let shop: TestCompany;
let imports: TestImports;

beforeEach(async () => {
  shop = await server.company();
  imports = new TestImports(server, shop);
});

test('rows rejected after an erasure during the import are kept without their content', async () => {
  const { body } = await shop.marketing('POST', '/contacts', { email: 'gone@example.com', phone: '+31612345678' });
  const rows = Array.from({ length: 3_000 }, (_, i) => `p${i}@example.com,P${i}`);
  // Refused for its address, with the phone number spelt in a way that no search finds.
  const refusedRow = 'gone at example.com,Gone 06 12 34 56 78';
  rows[10] = refusedRow;
  rows.push(refusedRow);
  const id = await imports.upload('csv-contacts', `email,first name\n${rows.join('\n')}\n`);
  await imports.call('POST', `/imports/${id}/check`, { email_consent: 'never' });
  await imports.settled(id);
  await imports.call('POST', `/imports/${id}/run`);

  const { db, shops, suppressions, messaging } = server.app;
  const deps = {
    db: db.chores,
    shops,
    suppressions,
    renderer: messaging.renderer,
    clock: server.clock,
    log: pino({ level: 'silent' }),
  };
  const worker = createImportWorker(deps, { heldMs: 60_000, sliceMs: 1 });
  while ((await imports.call('GET', `/imports/${id}`)).position === 0) await worker.runOnce();
  expect((await imports.call('GET', `/imports/${id}`)).status).toBe('running');
  server.clock.advance(1_000);
  expect((await shop.marketing('DELETE', `/contacts/${body.contact_id}`)).status).toBe(200);
  await settle(server);
  const open = () =>
    server.rows('select 1 from erasures where company_id = $1 and finished_at is null', [shop.company_id]);
  expect(await open()).toEqual([]);
  expect((await imports.call('GET', `/imports/${id}`)).status).toBe('running');
  while ((await imports.call('GET', `/imports/${id}`)).status === 'running') await worker.runOnce();
  await worker.stop();

  const stored = await server.rows<{ text: string }>(
    'select row_to_json(f)::text as text from import_findings f where company_id = $1',
    [shop.company_id],
  );
  expect(stored.length).toBe(4);
  expect(stored.filter(({ text }) => /gone at|06 12/.test(text))).toEqual([]);
  expect(await imports.call('GET', `/imports/${id}`)).toMatchObject({ status: 'done', created: 2_999, refused: 2 });
});

test('a check reports contacts that only join the list, as the run does', async () => {
  const list = (await shop.marketing('POST', '/lists', { name: 'News' })).body.list_id;
  const emails = ['on@example.com', 'left@example.com', 'off@example.com'];
  const ids: number[] = [];
  for (const email of emails) ids.push((await shop.marketing('POST', '/contacts', { email })).body.contact_id);
  await shop.marketing('POST', `/lists/${list}/contacts`, { contact_ids: ids.slice(0, 2) });
  await server.rows("update list_memberships set status = 'unsubscribed' where company_id = $1 and contact_id = $2", [
    shop.company_id,
    ids[1],
  ]);
  // `import` compares the results of the check with those of the run.
  const options = { email_consent: 'never', list_id: list };
  const file = `email\n${[...emails, 'new@example.com'].join('\n')}\n`;
  expect(await imports.import('csv-contacts', file, { ...options, only_new: true })).toMatchObject({
    created: 1,
    updated: 1,
    unchanged: 2,
  });
  expect(await imports.import('csv-contacts', file, options)).toMatchObject({ created: 0, updated: 0, unchanged: 4 });
});
