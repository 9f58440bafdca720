import { beforeEach, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { recordStatements } from '../../../testing/statements.ts';

const server = testServer();
/** More than two slices. */
const RECIPIENTS = 12_000;
const SLICE = 5_000;
let shop: TestCompany;
let id: number;

const worker = () => server.app.workers.find(({ name }) => name === 'campaigns')!;
const retry = (body: object = {}) => shop.marketing('POST', `/campaigns/retry/${id}`, body);
const read = async () => (await shop.marketing('GET', `/campaigns/${id}`)).body;

/** A sent campaign in which every third message is unknown and all others failed. */
beforeEach(async () => {
  // The statistics include earlier companies, but not this one.
  await server.rows('analyze messages');
  shop = await server.company();
  const { list_id } = (await shop.marketing('POST', '/lists', { name: 'All' })).body;
  await server.rows(
    `with made as (
       insert into contacts (company_id, email, search, created_at, updated_at)
       select $1, 'p' || n || '@example.com', '', $3, $3 from generate_series(1, $4::int) n returning id
     )
     insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
     select $1, $2, id, 'active', $3, $3 from made`,
    [shop.company_id, list_id, server.clock.now(), RECIPIENTS],
  );
  const mail = { name: 'Large', type: 'email', subject: 'Hi', content: '<p>Hi</p>', list_id };
  id = (await shop.marketing('POST', '/campaigns', mail)).body.campaign_id;
  await shop.marketing('POST', `/campaigns/send/${id}`);
  while ((await worker().runOnce()) > 0);
  await server.rows(
    `update messages set status = case id % 3 when 0 then 'unknown' else 'failed' end, ended_at = $2
     where campaign_id = $1`,
    [id, server.clock.now()],
  );
  while ((await worker().runOnce()) > 0);
  expect(await read()).toMatchObject({ status: 'sent', counts: { failed: 8_000, unknown: 4_000 } });
});

describe('a retry of a large campaign', () => {
  test('queues failed messages in slices, the first within the response', async () => {
    expect((await retry()).body).toEqual({ campaign_id: id, status: 'sending', requeued: SLICE, remaining: 3_000 });
    expect(await read()).toMatchObject({ status: 'sending', counts: { queued: SLICE, failed: 3_000 } });
    const sent = await recordStatements(async () => {
      while ((await worker().runOnce()) > 0);
    });
    expect(sent.filter(({ text }) => /update messages/.test(text))).toHaveLength(1);
    expect(await read()).toMatchObject({ status: 'sending', counts: { queued: 8_000, failed: 0, unknown: 4_000 } });
  });

  test('continues after a crash at its position, and does not repeat messages that failed again', async () => {
    expect((await retry({ include_unknown: true })).body).toMatchObject({ requeued: SLICE, remaining: 7_000 });
    await server.rows("update messages set status = 'failed' where campaign_id = $1 and status = 'queued'", [id]);
    // No message is queued at the moment, but the retry has not ended.
    while ((await worker().runOnce()) > 0);
    expect(await read()).toMatchObject({ status: 'sending', counts: { queued: 7_000, failed: SLICE, unknown: 0 } });
    await server.rows("update messages set status = 'sent' where campaign_id = $1 and status = 'queued'", [id]);
    while ((await worker().runOnce()) > 0);
    expect(await read()).toMatchObject({ status: 'sent', counts: { queued: 0, failed: SLICE } });
  });

  test('reads failed and unknown messages alone, by the plan for any campaign', async () => {
    await server.rows("update messages set status = 'sent' where campaign_id = $1 and id % 20 > 0", [id]);
    await server.rows('vacuum analyze messages');
    for (const include_unknown of [false, true]) {
      const sent = await recordStatements(() => retry({ include_unknown }));
      const reads = sent.filter(({ text }) => /max\(id\).* from (messages|looked)/.test(text));
      expect(reads).toHaveLength(2);
      for (const { text } of reads) {
        const plan = await server.rows(`explain (generic_plan, format json) ${text}`);
        expect(JSON.stringify(plan)).toContain('"Index Name":"messages_campaign_trouble"');
      }
    }
  });

  test('ends when the campaign is cancelled', async () => {
    await retry();
    await shop.marketing('POST', `/campaigns/cancel/${id}`);
    while ((await worker().runOnce()) > 0);
    expect(await read()).toMatchObject({ status: 'cancelled', counts: { queued: 0, failed: 3_000, skipped: SLICE } });
  });
});
