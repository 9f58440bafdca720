import { beforeAll, describe, expect, it } from 'vitest';
import { type TestBody, type TestCompany, testServer } from '../../../testing/harness.ts';
import { step } from '../definition/testing-graphs.ts';
import { activeFlow, expectSound, track, work } from '../testing/flows.ts';

/**
 * Runs that must fail, together with valid runs, in one set and through the app's own workers. Each fails alone,
 * logs the reason, and can be retried.
 */

const server = testServer({ config: { logLevel: 'silent' } });
const HOUR = 3_600_000;
const WELL = 12;
const is = (field: string, value: string) => ({ rules: [{ field, comparison: 'equals', value }] });

/** What makes a run fail, by the data of its event. */
const POISONS = {
  template: { kind: 'mail', n: 100_000_000 },
  list: { kind: 'list', n: 1 },
  'private address': { kind: 'hook', url: '127.0.0.1', n: 1 },
  'no address': { kind: 'hook', url: '', n: 1 },
  'webhook body': { kind: 'hook', url: 'example.com', n: 100_000_000 },
} as const;
type Poison = keyof typeof POISONS;

let shop: TestCompany;
let lists: { gone: number };
let flowId: number;
let lostMessage: TestBody;

async function workAtOnce(): Promise<void> {
  const workers = server.app.workers.filter(({ name }) => name.startsWith('flow') || name === 'sender');
  let done: number[];
  do done = await Promise.all(workers.map((worker) => worker.runOnce()));
  while (done.some((n) => n > 0));
}

const emailOf = (name: string) => `${name.replaceAll(' ', '-')}@example.com`;

async function personOf(name: string): Promise<{ run: TestBody; messages: TestBody[]; tags: string[] }> {
  const { contacts } = (await shop.marketing('GET', `/contacts?search=${encodeURIComponent(emailOf(name))}`)).body;
  const { contact_id, tags } = contacts[0];
  const { runs } = (await shop.marketing('GET', `/flows/${flowId}/runs?contact_id=${contact_id}`)).body;
  const run = (await shop.marketing('GET', `/flows/runs/${runs[0].run_id}`)).body;
  const { messages } = (await shop.marketing('GET', `/messages?contact_id=${contact_id}`)).body;
  return { run, messages, tags };
}

beforeAll(async () => {
  server.clock.set('2026-03-15T12:00:00Z');
  shop = await server.company();
  const { body: gone } = await shop.marketing('POST', '/lists', { name: 'Gone' });
  lists = { gone: gone.list_id };
  const content = '<p>{% for i in (1..event.n) %}x{% endfor %}</p>';
  const steps = [
    step('wait', 'delay', { value: 1, unit: 'hours' }),
    step('ways', 'branch', {
      paths: ['list', 'hook'].map((key) => ({ key, conditions: is('kind', key) })),
    }),
    step('join', 'add_to_list', { list_id: gone.list_id }),
    step('hook', 'webhook', { url: 'https://{{ event.url }}/', body: { text: content } }),
    step('sorry', 'add_tag', { tag: 'sorry' }),
    step('mail', 'send_email', { subject: 'Hi', content, transactional: true }),
    step('after', 'add_tag', { tag: 'after' }),
  ];
  const connections = [
    ['trigger', 'wait'],
    ['wait', 'ways'],
    ['ways', 'join', 'list'],
    ['ways', 'hook', 'hook'],
    ['ways', 'mail', 'else'],
    ['join', 'mail'],
    ['hook', 'mail'],
    ['hook', 'sorry', 'failed'],
    ['mail', 'after'],
  ].map(([from, to, branch = 'default']) => ({ from: from!, to: to!, branch }));
  flowId = (await activeFlow(shop, steps, { connections })).flow_id;

  // A template in use cannot be deleted. Once its flow is archived it can, and the messages still to be sent are lost with it.
  const template = { name: 'T', channel: 'email', subject: 'Receipt', content: '<p>Receipt</p>' };
  const { template_id } = (await shop.marketing('POST', '/templates', template)).body;
  const lost = await activeFlow(shop, [step('mail', 'send_email', { template_id, transactional: true })]);

  for (let i = 0; i < WELL; i++) await track(shop, emailOf(`well ${i}`), 'order_placed', { kind: 'mail', n: 1 });
  for (const [name, data] of Object.entries(POISONS)) await track(shop, emailOf(name), 'order_placed', data);
  await work(server);
  expect((await shop.marketing('DELETE', `/lists/${gone.list_id}`)).status).toBe(200);
  expect((await shop.marketing('DELETE', `/templates/${template_id}`)).status).toBe(400);
  await shop.marketing('POST', `/flows/archive/${lost.flow_id}`);
  expect((await shop.marketing('DELETE', `/templates/${template_id}`)).status).toBe(200);
  server.clock.advance(HOUR);
  await workAtOnce();
  await expectSound(server);
  lostMessage = (await shop.marketing('GET', `/messages?flow_id=${lost.flow_id}&per_page=1`)).body.messages[0];
}, 60_000);

describe('among runs that fail', () => {
  it('valid runs continue and send their e-mails', async () => {
    for (let i = 0; i < WELL; i++) {
      const { run, messages, tags } = await personOf(`well ${i}`);
      expect(run).toMatchObject({ status: 'completed' });
      expect(tags).toEqual(['after']);
      expect(messages.filter(({ status }) => status === 'sent')).toHaveLength(1);
    }
  });
});

describe('an invalid value', () => {
  const retry = async (path: string) => {
    const { status } = await shop.marketing('POST', path);
    await workAtOnce();
    return status;
  };

  it('in a template fails its message, with the reason, and the message can be retried', async () => {
    const { run, messages, tags } = await personOf('template');
    expect([run.status, tags]).toEqual(['completed', ['after']]);
    const message = messages.find(({ flow_id }) => flow_id === flowId);
    const reason = 'The output of the template or a list in it is too large (line 1)';
    expect(message).toMatchObject({ status: 'failed', reason });
    expect(await retry(`/messages/retry/${message.message_id}`)).toBe(200);
    expect((await shop.marketing('GET', `/messages/${message.message_id}`)).body).toMatchObject({
      status: 'failed',
      reason,
    });
  });

  it('a deleted list fails the run at its step, with the reason, and the run can be retried', async () => {
    const { run, tags } = await personOf('list');
    const failed = { status: 'failed', step_id: 'join', reason: `There is no list ${lists.gone}` };
    expect(run).toMatchObject(failed);
    expect(tags).toEqual([]);
    expect(await retry(`/flows/runs/retry/${run.run_id}`)).toBe(200);
    expect((await personOf('list')).run).toMatchObject(failed);
  });

  it('a deleted template fails its message, with the reason', () => {
    expect(lostMessage).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^There is no template \d+$/),
    });
  });

  it.each<[Poison, RegExp]>([
    ['private address', /127.0.0.1 is not on the public internet/],
    ['no address', /malformed/],
    ['webhook body', /^Liquid: .*too/],
  ])('in a webhook, %s, makes the run leave by failed, with the reason in its log', async (name, reason) => {
    const { run, messages, tags } = await personOf(name);
    expect([run.status, tags]).toEqual(['completed', ['sorry']]);
    const left = run.log.find(({ step_id, result }: TestBody) => step_id === 'hook' && result === 'failed');
    expect(left.detail).toMatch(reason);
    expect(messages.filter(({ flow_id }) => flow_id === flowId)).toEqual([]);
  });
});
