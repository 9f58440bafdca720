import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { testPerson } from '../../testing/people.ts';

const server = testServer();
const HOUR_MS = 3_600_000;

async function shopWithOwner() {
  const shop = await server.company();
  const company = shop.company_id;
  const owner = await testPerson(server, { [company]: 'owner' });
  /** Signs as the documentation describes for senders. */
  const send = async (secret: string): Promise<number> => {
    const body = JSON.stringify({
      event_type: 'product_viewed',
      event_data: { email: 'ann@example.com', product_id: '7', product_name: 'Mug' },
    });
    const at = Math.floor(server.clock.now().getTime() / 1000);
    const digest = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
    const headers = { 'x-company-id': String(company), 'x-webhook-signature': `t=${at},v1=${digest}` };
    return (await server.request('POST', '/marketing/webhook', { raw: body, headers })).status;
  };
  return { shop, company, owner, send };
}

test('the secret is listed without its text and shown on request, with an entry in the audit log', async () => {
  const { shop, company, owner, send } = await shopWithOwner();
  const { status, body } = await owner.ask('GET', `/${company}/webhook-secrets`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ url: `${server.origin}/marketing/webhook`, require_timestamp: false });
  expect(body.secrets).toMatchObject([{ status: 'active', expires_at: null }]);
  expect(JSON.stringify(body)).not.toContain('whsec_');
  const shown = await owner.ask('POST', `/${company}/webhook-secrets/show/${body.secrets[0].id}`);
  expect([shown.status, shown.body.secret]).toEqual([200, shop.webhook_secret]);
  expect(await send(shown.body.secret)).toBe(200);
  const { entries } = (await owner.ask('GET', `/${company}/audit?action=webhook_secret.`)).body;
  expect(entries).toMatchObject([{ action: 'webhook_secret.show', actor: `admin:${owner.id}` }]);
  expect(JSON.stringify(entries)).not.toContain('whsec_');
});

test('a secret that is replaced is accepted for as long as the overlap, in the process that replaced it and in its text', async () => {
  const { shop, company, owner, send } = await shopWithOwner();
  const fresh = await owner.ask('POST', `/${company}/webhook-secrets/rotate`, { overlap_hours: 1 });
  expect(fresh.status).toBe(201);
  expect(fresh.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect([await send(shop.webhook_secret), await send(fresh.body.secret)]).toEqual([200, 200]);
  const listed = (await owner.ask('GET', `/${company}/webhook-secrets`)).body.secrets;
  expect(listed.map(({ status }: { status: string }) => status)).toEqual(['active', 'expiring']);
  server.clock.advance(HOUR_MS);
  expect([await send(shop.webhook_secret), await send(fresh.body.secret)]).toEqual([401, 200]);
  const again = await testPerson(server, { [company]: 'owner' });
  expect((await again.ask('POST', `/${company}/webhook-secrets/show/${listed[1].id}`)).status).toBe(404);
});

test('an overlap of 0 ends the old secret at once', async () => {
  const { shop, company, owner, send } = await shopWithOwner();
  expect(await send(shop.webhook_secret)).toBe(200);
  const fresh = (await owner.ask('POST', `/${company}/webhook-secrets/rotate`, { overlap_hours: 0 })).body;
  await expect.poll(() => send(shop.webhook_secret)).toBe(401);
  expect(await send(fresh.secret)).toBe(200);
});

test('there are never more than five that are accepted', async () => {
  const { company, owner } = await shopWithOwner();
  const rotate = (overlap_hours: number) => owner.ask('POST', `/${company}/webhook-secrets/rotate`, { overlap_hours });
  const made = await Promise.all([24, 24, 24, 24, 24, 24].map(rotate));
  expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 400, 400]);
  expect((await rotate(0)).status).toBe(201);
});

test('showing and replacing ask for a recent proof and for the owner; secrets of others do not exist', async () => {
  const { company, owner } = await shopWithOwner();
  const other = await shopWithOwner();
  const [theirs] = (await other.owner.ask('GET', `/${other.company}/webhook-secrets`)).body.secrets;
  expect((await owner.ask('POST', `/${company}/webhook-secrets/show/${theirs.id}`)).status).toBe(404);
  const manager = await testPerson(server, { [company]: 'manager' });
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/rotate'],
    ['POST', `/show/${theirs.id}`],
  ] as const) {
    expect((await manager.ask(method, `/${company}/webhook-secrets${path}`)).body.error).toBe('forbidden_role');
  }
  server.clock.advance(HOUR_MS / 2);
  expect((await owner.ask('POST', `/${company}/webhook-secrets/rotate`)).body.error).toBe('confirmation_required');
});
