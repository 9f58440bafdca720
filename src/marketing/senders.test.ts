import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { type TestPerson, testPerson } from '../testing/people.ts';
import { step } from './flows/definition/testing-graphs.ts';

const server = testServer();
let shop: TestCompany;
let person: TestPerson;
const ask = (method: string, path: string, body?: object) => person.ask(method, `/${shop.company_id}${path}`, body);
const REFUSED = [403, 'confirmation_required'];
const MAIL = { name: 'Spring', type: 'email', subject: 'Hello', content: '<p>Hello</p>' };
const sendFrom = (from?: string) =>
  step('mail', 'send_email', { subject: 'Hi', content: 'Hi', ...(from === undefined ? {} : { from }) });
const flowFrom = (from?: string) => ({ name: 'Thanks', trigger_type: 'order_placed', steps: [sendFrom(from)] });

beforeAll(async () => {
  shop = await server.company();
  await shop.marketing('PATCH', '/sending-settings', { from_email: 'shop@fern.example' });
  await server.rows(
    `insert into sending_domains (company_id, domain, selector, public_key, sealed_key, state, verified_at, due_at, created_at)
     values ($1, 'verified.example', 's', '', '', 'verified', now(), 'infinity', now())`,
    [shop.company_id],
  );
  await server.app.versions.refresh();
  person = await testPerson(server, { [shop.company_id]: 'marketer' });
});
beforeEach(() => server.rows("update admin_sessions set confirmed_at = confirmed_at - interval '20 minutes'"));

const outcome = async (response: ReturnType<typeof ask>) => {
  const { status, body } = await response;
  return status < 400 ? status : [status, body.error];
};

test('a campaign may have the sender of the settings or one of a verified domain; another one asks who it is', async () => {
  for (const from of ['Fern <Shop@fern.example>', 'news@verified.example', 'a@mail.verified.example', '']) {
    expect([from, await outcome(ask('POST', '/campaigns', { ...MAIL, ...(from && { from }) }))]).toEqual([from, 201]);
  }
  expect(await outcome(ask('POST', '/campaigns', { ...MAIL, from: 'ceo@bank.example' }))).toEqual(REFUSED);
  const variants = ['a', 'b'].map((key) => ({ key, weight: 1, from: `${key}@bank.example` }));
  expect(await outcome(ask('POST', '/campaigns', { ...MAIL, variants }))).toEqual(REFUSED);
  // A key is not asked. A sender that was chosen before stays.
  const { body } = await shop.marketing('POST', '/campaigns', { ...MAIL, from: 'other@bank.example' });
  const path = `/campaigns/${body.campaign_id}`;
  expect(await outcome(ask('PATCH', path, { name: 'Summer', from: 'Us <other@bank.example>' }))).toBe(200);
  expect(await outcome(ask('PATCH', path, { from: 'ceo@bank.example' }))).toEqual(REFUSED);
  await server.rows('update admin_sessions set confirmed_at = $1', [server.app.machineClock.now()]);
  expect(await outcome(ask('PATCH', path, { from: 'ceo@bank.example' }))).toBe(200);
});

test('so does the step of a flow', async () => {
  expect(await outcome(ask('POST', '/flows', flowFrom()))).toBe(201);
  expect(await outcome(ask('POST', '/flows', flowFrom('news@verified.example')))).toBe(201);
  expect(await outcome(ask('POST', '/flows', flowFrom('ceo@bank.example')))).toEqual(REFUSED);
  const { body } = await shop.marketing('POST', '/flows', flowFrom('other@bank.example'));
  const path = `/flows/${body.flow_id}`;
  expect(await outcome(ask('PATCH', path, { steps: [sendFrom('other@bank.example')] }))).toBe(200);
  for (const method of ['PATCH', 'PUT']) {
    expect(await outcome(ask(method, path, { steps: [sendFrom('ceo@bank.example')] }))).toEqual(REFUSED);
  }
  await server.rows('update admin_sessions set confirmed_at = $1', [server.app.machineClock.now()]);
  expect(await outcome(ask('PATCH', path, { steps: [sendFrom('ceo@bank.example')] }))).toBe(200);
});

test('so does a host that no webhook of the flow has yet', async () => {
  const flowTo = (...urls: string[]) => ({
    name: 'Hook',
    trigger_type: 'order_placed',
    steps: urls.map((url, i) => step(`hook_${i}`, 'webhook', { url })),
  });
  expect(await outcome(ask('POST', '/flows', flowTo('https://crm.example/hook')))).toEqual(REFUSED);
  const known = ['https://crm.example/hook', 'https://{{ event.host }}/hook', 'https://liquid.example/{{ event.id }}'];
  const { body } = await shop.marketing('POST', '/flows', flowTo(...known));
  const path = `/flows/${body.flow_id}`;
  for (const url of [...known, 'https://CRM.example/{{ event.path }}?all', 'https://liquid.example:443']) {
    expect([url, await outcome(ask('PATCH', path, flowTo(...known, url)))]).toEqual([url, 200]);
  }
  for (const url of [
    'https://elsewhere.example/hook',
    'https://crm.example:8443/hook',
    'http://crm.example/hook',
    'https://crm.example@elsewhere.example/hook',
    'https://crm.example{{ event.suffix }}/hook',
    'https://crm.example{% if true %}.elsewhere.example{% endif %}/hook',
    'https://{{ event.other }}/hook',
    '{{ event.url }}',
  ]) {
    for (const method of ['PATCH', 'PUT']) {
      expect([url, await outcome(ask(method, path, flowTo(url)))]).toEqual([url, REFUSED]);
    }
  }
  await server.rows('update admin_sessions set confirmed_at = $1', [server.app.machineClock.now()]);
  expect(await outcome(ask('PATCH', path, flowTo('https://elsewhere.example/hook')))).toBe(200);
});
