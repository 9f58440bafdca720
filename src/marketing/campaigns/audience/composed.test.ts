import { beforeAll, describe, expect, test } from 'vitest';
import { checkInvariants } from '../../../invariants.ts';
import { messagingInvariants } from '../../../messaging/invariants.ts';
import { contactOf } from '../../../messaging/testing/sending.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';

const server = testServer();
let shop: TestCompany;
/** 1 and 2 are on `news`, 2 and 3 on `sale`, 4 in the segment, 3 on `never`; 5 is unsubscribed and on both. */
let people: number[];
let news: number;
let sale: number;
let never: number;
let segment: number;

const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
async function write(): Promise<void> {
  while ((await worker('campaign-audiences').runOnce()) + (await worker('campaigns').runOnce()) > 0);
}
async function settle(): Promise<void> {
  do await write();
  while ((await worker('sender').runOnce()) > 0);
}

async function listOf(...contacts: number[]): Promise<number> {
  const { list_id } = (await shop.marketing('POST', '/lists', { name: 'List' })).body;
  await shop.marketing('POST', `/lists/${list_id}/contacts`, { contact_ids: contacts });
  return list_id;
}

const MAIL = { name: 'Spring', type: 'email', subject: 'Hi', content: '<p>Hi</p>' };
async function draft(fields: object): Promise<number> {
  const { status, body } = await shop.marketing('POST', '/campaigns', { ...MAIL, ...fields });
  expect([status, body]).toEqual([201, expect.objectContaining({ status: 'draft' })]);
  return body.campaign_id;
}
const send = (id: number) => shop.marketing('POST', `/campaigns/send/${id}`);
const messages = async (id: number): Promise<[number, string][]> =>
  (
    await server.rows<{ n: number; status: string }>(
      'select contact_id::int as n, status from messages where campaign_id = $1 order by contact_id',
      [id],
    )
  ).map(({ n, status }) => [people.indexOf(n) + 1, status]);

beforeAll(async () => {
  shop = await server.company();
  people = [];
  for (let n = 0; n < 5; n++) people.push(await contactOf(server, shop));
  const [one, two, three, four, five] = people as [number, number, number, number, number];
  await shop.marketing('POST', `/contacts/unsubscribe/${five}`);
  await shop.marketing('PATCH', `/contacts/${four}`, { tags: ['vip'] });
  news = await listOf(one, two, five);
  sale = await listOf(two, three, five);
  never = await listOf(three);
  const conditions = { rules: [{ field: 'tags', comparison: 'equals', value: 'vip' }] };
  segment = (await shop.marketing('POST', '/segments', { name: 'VIP', conditions })).body.segment_id;
});

describe('a campaign to several lists and segments', () => {
  test('goes once to each contact of their union without the exclusions', async () => {
    const audiences = [{ list_id: news }, { list_id: sale }, { segment_id: segment }];
    const id = await draft({ audiences, exclude: [{ list_id: never }] });
    const { body } = await shop.marketing('GET', `/campaigns/${id}`);
    expect(body).toMatchObject({ list_id: null, segment_id: null, audiences, exclude: [{ list_id: never }] });
    expect((await shop.marketing('GET', `/campaigns/${id}/check`)).body).toMatchObject({ ready: true, recipients: 3 });
    expect((await send(id)).body).toMatchObject({ status: 'sending', recipients: 3, recipients_exact: true });
    await settle();
    expect(await messages(id)).toEqual([
      [1, 'sent'],
      [2, 'sent'],
      [4, 'sent'],
    ]);
    expect(await server.rows('select 1 from campaign_audiences')).toEqual([]);
    const broken = (await checkInvariants(server.app.db, messagingInvariants)).filter(({ ok }) => !ok);
    expect(broken).toEqual([]);
  });

  test('excludes a segment from a single list, which is still shown as list_id', async () => {
    await shop.marketing('PATCH', `/contacts/${people[0]}`, { tags: ['vip'] });
    const id = await draft({ list_id: news, exclude: [{ segment_id: segment }] });
    await shop.marketing('PATCH', `/contacts/${people[0]}`, { remove_tags: ['vip'] });
    await shop.marketing('PATCH', `/contacts/${people[1]}`, { tags: ['vip'] });
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({
      list_id: news,
      audiences: [{ list_id: news }],
    });
    await send(id);
    await settle();
    await shop.marketing('PATCH', `/contacts/${people[1]}`, { remove_tags: ['vip'] });
    expect(await messages(id)).toEqual([[1, 'sent']]);
  });

  test('skips who left its lists between the start and the hand-over, unless a contact is still on one', async () => {
    const lists = [await listOf(people[0]!, people[1]!), await listOf(people[1]!, people[2]!)];
    const only = await draft({ audiences: lists.map((list_id) => ({ list_id })) });
    const mixed = await draft({ audiences: [...lists.map((list_id) => ({ list_id })), { segment_id: segment }] });
    for (const id of [only, mixed]) await send(id);
    await write();
    await shop.marketing('POST', `/lists/${lists[0]}/contacts/remove`, { contact_ids: [people[0], people[1]] });
    // As the preference page does.
    await server.rows(
      `update list_memberships set status = 'unsubscribed', updated_at = $3
       where company_id = $1 and list_id = $2 and contact_id = $4`,
      [shop.company_id, lists[1], server.clock.now(), people[2]],
    );
    await settle();
    expect(await messages(only)).toEqual([
      [1, 'skipped'],
      [2, 'sent'],
      [3, 'skipped'],
    ]);
    // Who is on none of the lists may be in the segment: only those who left by themselves are skipped.
    expect(await messages(mixed)).toEqual([
      [1, 'sent'],
      [2, 'sent'],
      [3, 'skipped'],
      [4, 'sent'],
    ]);
  });

  test('is written again after a crash without a second message', async () => {
    const id = await draft({ audiences: [{ list_id: news }, { list_id: sale }] });
    await server.rows(
      `insert into messages (company_id, idem_key, channel, transactional, lane, contact_id, due_at, origin, campaign_id, created_at)
       select $1, 'c:' || $2::bigint || ':' || $3::bigint, 'email', false, 2, $3, $4, 'campaign', $2, $4`,
      [shop.company_id, id, people[1], server.clock.now()],
    );
    await send(id);
    await settle();
    expect((await messages(id)).map(([n]) => n)).toEqual([1, 2, 3]);
  });
});

describe('the fields of an audience', () => {
  const patched = async (id: number, patch: object) => (await shop.marketing('PATCH', `/campaigns/${id}`, patch)).body;

  test('list_id replaces all audiences and keeps the exclusions; what is shown already changes nothing', async () => {
    const id = await draft({ audiences: [{ list_id: news }, { list_id: sale }], exclude: [{ list_id: never }] });
    const whole = await patched(id, { list_id: null, segment_id: null });
    expect(whole.audiences).toHaveLength(2);
    const single = await patched(id, { list_id: sale });
    expect(single).toMatchObject({ list_id: sale, audiences: [{ list_id: sale }], exclude: [{ list_id: never }] });
    expect(await patched(id, { list_id: null })).toMatchObject({ list_id: null, audiences: [] });
    const { audiences, exclude, list_id, segment_id } = await patched(id, { audiences: [{ segment_id: segment }] });
    const repeated = await patched(id, { audiences, exclude, list_id, segment_id });
    expect(repeated).toMatchObject({ segment_id: segment, audiences: [{ segment_id: segment }] });
  });

  test.each([
    ['more than 20', () => ({ audiences: Array.from({ length: 21 }, () => ({ list_id: news })) }), /audiences/],
    ['more than 20', () => ({ exclude: Array.from({ length: 21 }, () => ({ list_id: news })) }), /exclude/],
    ['both forms', () => ({ audiences: [{ list_id: news }, { list_id: sale }], list_id: news }), /not both/],
    ['two of a part', () => ({ audiences: [{ list_id: news, segment_id: segment }] }), /exactly one/],
    ['an empty part', () => ({ exclude: [{}] }), /exactly one/],
    [
      'an unknown list',
      () => ({ audiences: [{ list_id: news }, { list_id: 999_999 }] }),
      /audiences: there is no list/,
    ],
    [
      'an unknown segment',
      () => ({ list_id: news, exclude: [{ segment_id: 999_999 }] }),
      /exclude: there is no segment/,
    ],
    ['an unknown campaign', () => ({ audiences: [{ unopened_campaign_id: 999_999 }] }), /no e-mail campaign/],
  ])('%s: refused', async (_name, fields, message) => {
    const { status, body } = await shop.marketing('POST', '/campaigns', { ...MAIL, ...fields() });
    expect([status, body.message]).toEqual([400, expect.stringMatching(message)]);
  });

  test('a segment deleted later is reported by the check and fails the start', async () => {
    const conditions = { rules: [{ field: 'tags', comparison: 'equals', value: 'x' }] };
    const { segment_id } = (await shop.marketing('POST', '/segments', { name: 'Gone', conditions })).body;
    const at = new Date(server.clock.now().getTime() + 3_600_000).toISOString();
    const fields = { ...MAIL, list_id: news, exclude: [{ segment_id }], scheduled_at: at };
    const { campaign_id: id } = (await shop.marketing('POST', '/campaigns', fields)).body;
    await shop.marketing('DELETE', `/segments/${segment_id}`);
    const { findings, recipients } = (await shop.marketing('GET', `/campaigns/${id}/check`)).body;
    expect(recipients).toBeNull();
    expect(findings).toContainEqual(expect.objectContaining({ code: 'segment_deleted', field: 'exclude' }));
    server.clock.advance(3_600_000);
    await write();
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({
      status: 'failed',
      reason: 'segment_deleted',
    });
  });
});
