import { generateKeyPairSync } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { startSmtpSink } from '../send/transports/smtp-sink.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';

const sink = await startSmtpSink();
afterAll(() => sink.close());
const server = testServer({ config: { smtpUrl: `smtp://127.0.0.1:${sink.port}?tls=off` } });
let serial = 0;

/** Adds a domain in a state that a check of the DNS would have found. */
async function domainOf(shop: TestCompany, domain: string, state: 'pending' | 'verified' | 'failing'): Promise<void> {
  const now = server.clock.now();
  const [row] = await server.rows<{ key: string }>('select $1::text as key', [server.app.messaging.sealSecret(PEM)]);
  await server.rows(
    `insert into sending_domains (company_id, domain, selector, public_key, sealed_key, state, verified_at, failing_since, due_at, created_at)
     values ($1, $2, 's', '', $3, $4, case when $4 <> 'pending' then $5::timestamptz end, case when $4 = 'failing' then $5::timestamptz end, $5, $5)
     on conflict (company_id, domain) do update set state = excluded.state, failing_since = excluded.failing_since, verified_at = excluded.verified_at`,
    [shop.company_id, domain, row!.key, state, now],
  );
  await server.app.messaging.refreshSettings();
}
const { privateKey: PEM } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

async function twoShops(): Promise<{ owner: TestCompany; other: TestCompany; domain: string }> {
  const domain = `shop-${++serial}.example`;
  const [owner, other] = [await server.company(), await server.company()];
  await domainOf(owner, domain, 'verified');
  return { owner, other, domain };
}

async function sentFrom(shop: TestCompany): Promise<{ status: string; reason: string | null }> {
  const email = `to-${++serial}@recipient.example`;
  const { ids } = await flowMessages(server, shop, [await contactOf(server, shop, { email })]);
  await server.app.workers.find((worker) => worker.name === 'sender')!.runOnce();
  const [row] = await ledgerOf(server, ids);
  return row as { status: string; reason: string | null };
}
const setSender = (shop: TestCompany, from_email: string) =>
  shop.marketing('PATCH', '/sending-settings', { from_email });

describe('a sender whose domain another company has verified', () => {
  test.each(['', 'mail.'])('is refused in the settings, with a subdomain %j as well', async (below) => {
    const { owner, other, domain } = await twoShops();
    const { status, body } = await setSender(other, `News@${below}${domain.toUpperCase()}`);
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('Another company has verified')]);
    expect((await setSender(owner, `news@${below}${domain}`)).status).toBe(200);
    expect(await sentFrom(owner)).toMatchObject({ status: 'sent' });
  });

  test('sends nothing, however it was set', async () => {
    const { owner, other, domain } = await twoShops();
    await domainOf(owner, domain, 'pending');
    expect((await setSender(other, `news@${domain}`)).status).toBe(200);
    expect(await sentFrom(other)).toMatchObject({ status: 'sent' });
    await domainOf(owner, domain, 'verified');
    expect(await sentFrom(other)).toMatchObject({ status: 'failed', reason: expect.stringContaining(domain) });
    await domainOf(other, domain, 'verified');
    expect(await sentFrom(other)).toMatchObject({ status: 'sent' });
  });

  test('can be used by both if both have verified it, until the record of one is missing', async () => {
    const { owner, other, domain } = await twoShops();
    await domainOf(other, domain, 'verified');
    expect((await setSender(other, `news@${domain}`)).status).toBe(200);
    await domainOf(other, domain, 'failing');
    expect(await sentFrom(other)).toMatchObject({ status: 'failed' });
    await domainOf(owner, domain, 'failing');
    expect(await sentFrom(other)).toMatchObject({ status: 'sent' });
  });
});
