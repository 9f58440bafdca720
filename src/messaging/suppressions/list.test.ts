import { describe, expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';

const server = testServer();
const sender = () => server.app.workers.find((worker) => worker.name === 'sender')!;

describe('the list of suppressions', () => {
  test('holds back everything to an address until it is lifted, and knows it by the address alone', async () => {
    const shop = await server.company();
    const contact = await contactOf(server, shop, { email: 'no@example.net' });
    const added = await shop.marketing('POST', '/suppressions', {
      addresses: ['No@Example.net', 'no@example.net', 'b@example.net'],
    });
    expect([added.status, added.body]).toEqual([201, { added: 2 }]);
    expect((await shop.marketing('POST', '/suppressions', { addresses: ['no@example.net'] })).body).toEqual({
      added: 0,
    });
    const held = await flowMessages(server, shop, [contact], { transactional: true });
    await sender().runOnce();
    expect(await ledgerOf(server, held.ids)).toMatchObject([{ status: 'skipped', reason: 'suppressed_manual' }]);

    const found = await shop.marketing('GET', '/suppressions?address=NO@example.net');
    expect(found.body).toMatchObject({
      suppressions: [{ channel: 'email', cause: 'manual' }],
      pagination: { total: 1 },
    });
    expect(JSON.stringify(found.body)).not.toContain('example.net');
    expect((await shop.marketing('GET', '/suppressions?address=other@example.net')).body.pagination.total).toBe(0);
    expect((await shop.marketing('GET', '/suppressions?cause=bounce')).body.pagination.total).toBe(0);
    expect((await (await server.company()).marketing('GET', '/suppressions')).body.pagination.total).toBe(0);

    const lift = { addresses: ['no@example.net', 'never@example.net'] };
    expect((await shop.marketing('POST', '/suppressions/lift', lift)).body).toEqual({ lifted: 1 });
    const sent = await flowMessages(server, shop, [contact]);
    await sender().runOnce();
    expect(await ledgerOf(server, sent.ids)).toMatchObject([{ status: 'sent' }]);
    const log = await server.rows<{ action: string; row: string }>(
      "select action, a::text as row from audit_log a where company_id = $1 and target = 'suppressions' order by id",
      [shop.company_id],
    );
    expect(log.map(({ action }) => action)).toEqual(['suppression.add', 'suppression.add', 'suppression.lift']);
    expect(log.filter(({ row }) => row.includes('example.net'))).toEqual([]);
  });

  test('has numbers apart from e-mail addresses', async () => {
    const shop = await server.company();
    await shop.marketing('POST', '/suppressions', { channel: 'sms', addresses: ['+1 213 373 4253'] });
    const found = await shop.marketing('GET', '/suppressions?address=%2B12133734253');
    expect(found.body.suppressions).toMatchObject([{ channel: 'sms', cause: 'manual' }]);
    expect((await shop.marketing('GET', '/suppressions?channel=email')).body.pagination.total).toBe(0);
  });

  test('rejects invalid addresses by their index', async () => {
    const shop = await server.company();
    for (const path of ['/suppressions', '/suppressions/lift']) {
      const refused = await shop.marketing('POST', path, { addresses: ['a@example.net', 'nobody'] });
      expect([refused.status, refused.body.details]).toMatchObject([400, [{ field: 'addresses.1' }]]);
    }
  });
});
