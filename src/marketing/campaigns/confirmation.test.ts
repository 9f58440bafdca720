import { expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { testPerson } from '../../testing/people.ts';

const server = testServer();

async function draftFor(shop: TestCompany, recipients: number, prefix = 'p'): Promise<number> {
  const { list_id } = (await shop.marketing('POST', '/lists', { name: 'News' })).body;
  await server.rows(
    `with made as (
       insert into contacts (company_id, email, search, created_at, updated_at)
       select $1, $5 || n || '@example.com', '', $3, $3 from generate_series(1, $4::int) n returning id
     )
     insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
     select $1, $2, id, 'active', $3, $3 from made`,
    [shop.company_id, list_id, server.clock.now(), recipients, prefix],
  );
  const mail = { name: 'Spring', type: 'email', subject: 'Hello', content: '<p>Hello</p>', list_id };
  return (await shop.marketing('POST', '/campaigns', mail)).body.campaign_id;
}

const forget = () => server.rows("update admin_sessions set confirmed_at = confirmed_at - interval '20 minutes'");

test('a person sends to 10,000 recipients without proving again who they are', async () => {
  const shop = await server.company();
  const id = await draftFor(shop, 10_000);
  const person = await testPerson(server, { [shop.company_id]: 'marketer' });
  await forget();
  const send = () => person.ask('POST', `/${shop.company_id}/campaigns/send/${id}`, {});
  // Asked again on a busy machine: an audience that takes longer than a second to count is taken to be large.
  await expect.poll(send).toMatchObject({ status: 200, body: { recipients: 10_000 } });
});

test('sending or scheduling for more asks for it first, changes nothing until then, and asks no API key', async () => {
  const shop = await server.company();
  const id = await draftFor(shop, 10_001);
  const person = await testPerson(server, { [shop.company_id]: 'marketer' });
  await forget();
  const send = (body: object) => person.ask('POST', `/${shop.company_id}/campaigns/send/${id}`, body);
  const later = { scheduled_at: new Date(server.clock.now().getTime() + 86_400_000).toISOString() };
  for (const when of [{}, later]) {
    const { status, body } = await send(when);
    expect([status, body.error]).toEqual([403, 'confirmation_required']);
  }
  expect((await shop.marketing('GET', `/campaigns/${id}`)).body.status).toBe('draft');
  await server.rows('update admin_sessions set confirmed_at = $1', [server.app.machineClock.now()]);
  expect((await send(later)).body).toMatchObject({ status: 'scheduled', recipients: 10_001 });
  await forget();
  expect((await shop.marketing('POST', `/campaigns/send/${id}`)).body).toMatchObject({ recipients: 10_001 });
});

test('so does every other way to schedule or start it: creating, editing, resuming', async () => {
  const shop = await server.company();
  const id = await draftFor(shop, 10_001);
  const small = await draftFor(shop, 1, 'q');
  const { list_id } = (await shop.marketing('GET', `/campaigns/${id}`)).body;
  const person = await testPerson(server, { [shop.company_id]: 'marketer' });
  const ask = (method: string, path: string, body?: object) => person.ask(method, `/${shop.company_id}${path}`, body);
  const later = { scheduled_at: new Date(server.clock.now().getTime() + 600_000).toISOString() };
  const refused = async (response: Promise<{ status: number; body: { error?: unknown } }>) => {
    const { status, body } = await response;
    expect([status, body.error]).toEqual([403, 'confirmation_required']);
  };
  const statusOf = async (campaign: number) => (await shop.marketing('GET', `/campaigns/${campaign}`)).body.status;
  const mail = { name: 'Summer', type: 'email', subject: 'Hello', content: '<p>Hello</p>', list_id };
  await forget();
  // A draft and a small audience need no confirmation.
  expect((await ask('POST', '/campaigns', mail)).status).toBe(201);
  expect((await ask('PATCH', `/campaigns/${small}`, later)).body).toMatchObject({ status: 'scheduled' });
  const before = (await shop.marketing('GET', '/campaigns')).body.pagination.total;
  await refused(ask('POST', '/campaigns', { ...mail, ...later }));
  expect((await shop.marketing('GET', '/campaigns')).body.pagination.total).toBe(before);
  await refused(ask('PATCH', `/campaigns/${id}`, later));
  expect(await statusOf(id)).toBe('draft');
  await refused(ask('PATCH', `/campaigns/${small}`, { list_id }));
  expect((await ask('PATCH', `/campaigns/${small}`, { name: 'Renamed' })).status).toBe(200);
  // A campaign paused before its start: resuming it schedules it again, or starts it if its time has passed.
  await shop.marketing('PATCH', `/campaigns/${id}`, later);
  await shop.marketing('POST', `/campaigns/pause/${id}`);
  await refused(ask('POST', `/campaigns/resume/${id}`));
  await shop.marketing('PATCH', `/campaigns/${id}`, { name: 'Late' });
  server.clock.advance(1_200_000);
  await forget();
  await refused(ask('POST', `/campaigns/resume/${id}`));
  expect(await statusOf(id)).toBe('paused');
  // A request with an API key needs no confirmation.
  expect((await shop.marketing('POST', `/campaigns/resume/${id}`)).body).toMatchObject({ status: 'sending' });
  expect((await shop.marketing('POST', `/campaigns/pause/${id}`)).body).toMatchObject({ status: 'paused' });
  // A campaign that has started may be resumed without one.
  expect((await ask('POST', `/campaigns/resume/${id}`)).body).toMatchObject({ status: 'sending' });
});
