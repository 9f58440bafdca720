import { describe, expect, test } from 'vitest';
import { signBody } from '../../marketing/webhook/signature.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';
import { ledgerIdOf } from './bounce-report.ts';
import { readReports } from './notification-forms.ts';

const server = testServer();
const sender = () => server.app.workers.find((worker) => worker.name === 'sender')!;

function post(shop: TestCompany, body: unknown, headers: Record<string, string> = {}) {
  const raw = JSON.stringify(body);
  const signed = { 'x-company-id': String(shop.company_id), 'x-webhook-signature': signBody(shop.webhook_secret, raw) };
  return server.request('POST', '/marketing/bounces', { raw, headers: { ...signed, ...headers } });
}

const statusOf = async (contact: number) =>
  (await server.rows<{ status: string }>('select status from contacts where id = $1', [contact]))[0]!.status;

const MESSAGE_ID = '<m7.c1@shop.example>';
const at = 'a@example.net';

describe('the forms of the providers', () => {
  test.each<[string, unknown, unknown]>([
    [
      'our own',
      {
        reports: [
          { type: 'bounce', email: at, message_id: MESSAGE_ID },
          { type: 'opened', email: at },
        ],
      },
      [{ kind: 'hard', email: at, messageId: MESSAGE_ID }],
    ],
    [
      'SES bounce',
      {
        notificationType: 'Bounce',
        bounce: {
          bounceType: 'Permanent',
          bouncedRecipients: [{ emailAddress: at }, { emailAddress: 'b@example.net' }],
        },
        mail: { commonHeaders: { messageId: MESSAGE_ID } },
      },
      [
        { kind: 'hard', email: at, messageId: MESSAGE_ID },
        { kind: 'hard', email: 'b@example.net', messageId: MESSAGE_ID },
      ],
    ],
    [
      'SES inside SNS',
      {
        Type: 'Notification',
        Message: JSON.stringify({
          eventType: 'Complaint',
          complaint: { complainedRecipients: [{ emailAddress: at }] },
        }),
      },
      [{ kind: 'complaint', email: at, messageId: null }],
    ],
    [
      'SES transient',
      { notificationType: 'Bounce', bounce: { bounceType: 'Transient', bouncedRecipients: [{ emailAddress: at }] } },
      [{ kind: 'soft', email: at, messageId: null }],
    ],
    [
      'SendGrid',
      [
        { event: 'bounce', type: 'bounce', email: at, 'smtp-id': MESSAGE_ID },
        { event: 'bounce', type: 'blocked', email: at },
        { event: 'spamreport', email: at },
        { event: 'open', email: at },
      ],
      [
        { kind: 'hard', email: at, messageId: MESSAGE_ID },
        { kind: 'soft', email: at, messageId: null },
        { kind: 'complaint', email: at, messageId: null },
      ],
    ],
    [
      'Mailgun',
      {
        'event-data': {
          event: 'failed',
          severity: 'permanent',
          recipient: at,
          message: { headers: { 'message-id': 'm7.c1@shop.example' } },
        },
      },
      [{ kind: 'hard', email: at, messageId: 'm7.c1@shop.example' }],
    ],
    [
      'Postmark',
      { RecordType: 'Bounce', Type: 'HardBounce', Email: at },
      [{ kind: 'hard', email: at, messageId: null }],
    ],
    [
      'Postmark complaint',
      { RecordType: 'SpamComplaint', Email: at },
      [{ kind: 'complaint', email: at, messageId: null }],
    ],
    [
      'SES, a mail taken out of the spam folder',
      {
        notificationType: 'Complaint',
        complaint: { complaintFeedbackType: 'not-spam', complainedRecipients: [{ emailAddress: at }] },
      },
      [],
    ],
    [
      'SES, a mail that was too large',
      {
        notificationType: 'Bounce',
        bounce: {
          bounceType: 'Transient',
          bounceSubType: 'MessageTooLarge',
          bouncedRecipients: [{ emailAddress: at }],
        },
      },
      [],
    ],
    [
      'SendGrid, what it does not try any more',
      [
        { event: 'dropped', reason: 'Bounced Address', email: at },
        { event: 'dropped', reason: 'Spam Reporting Address', email: at },
        { event: 'dropped', reason: 'Unsubscribed Address', email: at },
      ],
      [
        { kind: 'hard', email: at, messageId: null },
        { kind: 'complaint', email: at, messageId: null },
      ],
    ],
    ...(
      [
        ['temporary', 'generic', null],
        ['temporary', 'old', 'soft'],
        ['permanent', 'old', 'soft'],
        ['permanent', 'suppress-bounce', 'hard'],
        ['permanent', 'suppress-complaint', 'complaint'],
        ['permanent', 'suppress-unsubscribe', null],
      ] as const
    ).map(([severity, reason, kind]): [string, unknown, unknown] => [
      `Mailgun, ${severity} ${reason}`,
      { 'event-data': { event: 'failed', severity, reason, recipient: at } },
      kind === null ? [] : [{ kind, email: at, messageId: null }],
    ]),
    ...(
      [
        ['SoftBounce', 'soft'],
        ['AutoResponder', null],
        ['SpamComplaint', 'complaint'],
      ] as const
    ).map(([Type, kind]): [string, unknown, unknown] => [
      `Postmark ${Type}`,
      { RecordType: 'Bounce', Type, Email: at },
      kind === null ? [] : [{ kind, email: at, messageId: null }],
    ]),
    ['a delivery', { notificationType: 'Delivery' }, []],
    [
      'values of other types',
      [
        { event: 'dropped', reason: { toString: 1 }, email: at },
        { event: 'bounce', email: { toString: 1 } },
      ],
      [],
    ],
    ['a Postmark type that is none', { RecordType: 'Bounce', Type: { toString: 1 }, Email: at }, []],
    ['nothing known', { hello: 1 }, null],
    ['no object', 7, null],
  ])('%s', (_name, body, expected) => expect(readReports(body)).toEqual(expected));

  test('a Message-ID names a message of its own company only', () => {
    expect(ledgerIdOf(MESSAGE_ID, 1)).toBe(7);
    expect(ledgerIdOf('m7.c1@shop.example', 1)).toBe(7);
    expect(ledgerIdOf(MESSAGE_ID, 2)).toBeNull();
    expect(ledgerIdOf('<other@shop.example>', 1)).toBeNull();
  });
});

describe('a report', () => {
  test('of a hard bounce stops all mail to the contact and is counted for the message', async () => {
    const shop = await server.company();
    const contact = await contactOf(server, shop, { email: 'gone@example.net' });
    const { ids } = await flowMessages(server, shop, [contact]);
    await sender().runOnce();
    const response = await post(shop, { reports: [{ type: 'bounce', email: 'Gone@Example.net' }] });
    expect(response.body).toEqual({ received: true, reports: 1, applied: 1 });
    expect(await statusOf(contact)).toBe('bounced');
    expect(await server.rows('select type from message_activity where message_id = $1', [ids[0]])).toEqual([
      { type: 'bounced' },
    ]);
    await post(shop, { reports: [{ type: 'bounce', email: 'gone@example.net' }] });
    const receipt = await flowMessages(server, shop, [contact], { transactional: true });
    await sender().runOnce();
    expect(await ledgerOf(server, receipt.ids)).toMatchObject([{ status: 'skipped', reason: 'bounced' }]);
  });

  test('of a complaint unsubscribes the contact, and also stops receipts until the contact resubscribes', async () => {
    const shop = await server.company();
    const contact = await contactOf(server, shop, { email: 'angry@example.net' });
    await post(shop, { RecordType: 'SpamComplaint', Email: 'angry@example.net' });
    expect(await statusOf(contact)).toBe('unsubscribed');
    const held = await flowMessages(server, shop, [contact], { transactional: true });
    await sender().runOnce();
    expect(await ledgerOf(server, held.ids)).toMatchObject([{ status: 'skipped', reason: 'suppressed_complaint' }]);
    await shop.marketing('POST', `/contacts/resubscribe/${contact}`, {});
    const back = await flowMessages(server, shop, [contact]);
    await sender().runOnce();
    expect(await ledgerOf(server, back.ids)).toMatchObject([{ status: 'sent' }]);
  });

  test('outlives the erasure of the contact', async () => {
    const shop = await server.company();
    const contact = await contactOf(server, shop, { email: 'erased@example.net' });
    await post(shop, { reports: [{ type: 'complaint', email: 'erased@example.net' }] });
    expect((await shop.marketing('DELETE', `/contacts/${contact}`)).status).toBe(200);
    const again = await contactOf(server, shop, { email: 'erased@example.net' });
    const { ids } = await flowMessages(server, shop, [again]);
    await sender().runOnce();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'skipped', reason: 'suppressed_complaint' }]);
    const stored = await server.rows<{ hash: Buffer }>('select hash from suppressions where company_id = $1', [
      shop.company_id,
    ]);
    expect(stored.map((row) => row.hash.length)).toEqual([32]);
  });

  test('of a complaint is not made less of by what comes after it', async () => {
    const shop = await server.company();
    for (const type of ['bounce', 'complaint', 'bounce']) {
      await post(shop, { reports: [{ type, email: 'both@example.net' }] });
    }
    expect(await server.rows('select cause from suppressions where company_id = $1', [shop.company_id])).toEqual([
      { cause: 'complaint' },
    ]);
  });

  test('needs the fifth soft bounce in a row', async () => {
    const shop = await server.company();
    const contact = await contactOf(server, shop, { email: 'full@example.net' });
    for (let i = 1; i <= 5; i++) {
      expect(await statusOf(contact)).toBe('subscribed');
      await post(shop, { reports: [{ type: 'soft', email: 'full@example.net' }] });
    }
    expect(await statusOf(contact)).toBe('bounced');
  });

  test('of a soft bounce is counted even if a relay accepts mails in between, until one mail has not bounced for days', async () => {
    const shop = await server.company();
    const contact = await contactOf(server, shop, { email: 'relayed@example.net' });
    const DAY = 86_400_000;
    const mail = async () => {
      await flowMessages(server, shop, [contact]);
      await sender().runOnce();
    };
    const soft = () => post(shop, { reports: [{ type: 'soft', email: 'relayed@example.net' }] });
    for (let i = 0; i < 4; i++) {
      await mail();
      server.clock.advance(DAY);
      await soft();
    }
    // The mailbox works again: no bounces for five days.
    for (let i = 0; i < 6; i++) {
      server.clock.advance(DAY);
      await mail();
    }
    await soft();
    expect(await statusOf(contact)).toBe('subscribed');
    for (let i = 0; i < 4; i++) {
      await mail();
      server.clock.advance(DAY);
      await soft();
    }
    expect(await statusOf(contact)).toBe('bounced');
  });

  test('of soft bounces is counted from zero after resubscribing, and for another address', async () => {
    const shop = await server.company();
    const contact = await contactOf(server, shop, { email: 'first@example.net' });
    const soft = async (email: string, times: number) => {
      for (let i = 0; i < times; i++) await post(shop, { reports: [{ type: 'soft', email }] });
      return statusOf(contact);
    };
    expect(await soft('first@example.net', 5)).toBe('bounced');
    await shop.marketing('POST', `/contacts/resubscribe/${contact}`);
    expect(await soft('first@example.net', 4)).toBe('subscribed');
    await shop.marketing('PATCH', `/contacts/${contact}`, { email: 'second@example.net' });
    expect(await soft('second@example.net', 4)).toBe('subscribed');
    expect(await soft('second@example.net', 1)).toBe('bounced');
  });

  test('without a good signature is refused with one text', async () => {
    const shop = await server.company();
    const other = await server.company();
    const body = { reports: [{ type: 'bounce', email: at }] };
    const refusals = [
      await post(shop, body, { 'x-webhook-signature': 'sha256=00' }),
      await post(shop, body, { 'x-company-id': String(other.company_id) }),
      await post(shop, body, { 'x-company-id': '999999' }),
      await post(shop, body, { 'x-company-id': '' }),
    ];
    for (const refusal of refusals) {
      expect(refusal.status).toBe(401);
      expect(refusal.body).toEqual(refusals[0]!.body);
    }
    expect((await post(shop, { hello: 1 })).status).toBe(400);
  });

  test('needs a timestamp where the company requires one', async () => {
    const shop = await server.company();
    const raw = JSON.stringify({ reports: [] });
    const settings = { webhook: { require_timestamp: true } };
    await server.rows('update companies set settings = $2 where company_id = $1', [shop.company_id, settings]);
    await server.app.versions.refresh();
    expect((await post(shop, { reports: [] })).status).toBe(401);
    const at = Math.floor(server.clock.now().getTime() / 1000);
    const stamped = `t=${at},v1=${signBody(shop.webhook_secret, `${at}.${raw}`).replace('sha256=', '')}`;
    expect((await post(shop, { reports: [] }, { 'x-webhook-signature': stamped })).status).toBe(200);
  });

  test('may be a bounce mail as the mail server received it, or a notification sent as text', async () => {
    const shop = await server.company();
    const contact = await contactOf(server, shop, { email: 'mail@example.net' });
    const mail =
      'Content-Type: multipart/report; boundary=x\r\n\r\n--x\r\nContent-Type: message/delivery-status\r\n\r\n' +
      'Reporting-MTA: dns; mx\r\n\r\nFinal-Recipient: rfc822; mail@example.net\r\nAction: failed\r\nStatus: 5.1.1\r\n--x--\r\n';
    const send = (raw: string, type: string) =>
      server.request('POST', '/marketing/v1/bounces', {
        raw,
        headers: {
          'content-type': type,
          'x-company-id': String(shop.company_id),
          'x-webhook-signature': signBody(shop.webhook_secret, raw),
        },
      });
    expect((await send(mail, 'message/rfc822')).body).toEqual({ received: true, reports: 1, applied: 1 });
    expect(await statusOf(contact)).toBe('bounced');
    const sns = JSON.stringify({ Type: 'Notification', Message: '{"notificationType":"Delivery"}' });
    expect((await send(sns, 'text/plain; charset=UTF-8')).body).toEqual({ received: true, reports: 0, applied: 0 });
    expect((await send('Hello', 'text/plain')).status).toBe(400);
  });
});
