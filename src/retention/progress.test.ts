import { expect, test } from 'vitest';
import { testServer } from '../testing/harness.ts';
import { addRemoved, beginPass, findDueCompanies, findRetention, resetPasses } from './queries.ts';

const server = testServer();
const at = (day: number, month = 3) => new Date(Date.UTC(2026, month - 1, day));

test('the position of a removal never moves backwards, also when the period becomes longer', async () => {
  const { db } = server.app;
  const [shop, other] = [await server.company(), await server.company()];
  const begin = (before: Date, nextAt: Date) => beginPass(db, shop.company_id, 'messages', { before, nextAt });
  const position = async () =>
    (await findRetention(db, shop.company_id)).progress.map(({ kind, removed_before }) => [kind, removed_before]);
  await begin(at(10), at(11, 4));
  expect(await position()).toEqual([['messages', at(10)]]);
  await begin(at(5), at(12, 4));
  expect(await position()).toEqual([['messages', at(10)]]);
  await begin(at(20), at(13, 4));
  expect(await position()).toEqual([['messages', at(20)]]);
  expect((await findRetention(db, other.company_id)).progress).toEqual([]);
});

test('a kind of data is due on schedule, and at once after its period changes, and counts the removed rows', async () => {
  const { db } = server.app;
  const shop = await server.company();
  const due = async (now: Date) =>
    (await findDueCompanies(db, now)).find(({ company_id }) => company_id === shop.company_id)!.done;
  await beginPass(db, shop.company_id, 'messages', { before: at(1), nextAt: at(10) });
  await beginPass(db, shop.company_id, 'events', { before: at(1), nextAt: at(20) });
  expect(await due(at(9))).toEqual(expect.arrayContaining(['messages', 'events']));
  expect(await due(at(10))).toEqual(['events']);
  expect(await due(at(20))).toEqual([]);
  await db.tenantTx(shop.company_id, async (tx) => {
    await addRemoved(tx, shop.company_id, 'messages', 3);
    await addRemoved(tx, shop.company_id, 'messages', 4);
    await resetPasses(tx, shop.company_id);
  });
  expect(await due(at(1))).toEqual([]);
  const { progress } = await findRetention(db, shop.company_id);
  expect(progress.map(({ kind, removed }) => [kind, removed]).sort()).toEqual([
    ['events', 0],
    ['messages', 7],
  ]);
});
