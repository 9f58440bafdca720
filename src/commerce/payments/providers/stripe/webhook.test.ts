import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestClock } from '../../../../testing/test-clock.ts';
import { type StripeDouble, startStripeDouble } from '../../testing/stripe/double.ts';
import type { StartCall } from '../provider.ts';
import { createStripe } from './provider.ts';
import { readStripeWebhook } from './webhook.ts';

const NOW = new Date('2026-03-15T12:00:00.000Z');
const SECRET = 'whsec_one';
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function event(type: string, object: object): Buffer {
  return Buffer.from(JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } }));
}

function header(raw: Buffer, secret = SECRET, at = NOW): string {
  const t = Math.floor(at.getTime() / 1_000);
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.`).update(raw).digest('hex')}`;
}

function read(raw: Buffer, signature: string | undefined, secrets: readonly string[] = [SECRET]) {
  return readStripeWebhook(raw, signature, { secrets, now: NOW });
}

describe('a webhook', () => {
  const raw = event('payment_intent.succeeded', { id: 'pi_1', object: 'payment_intent' });
  const genuine = { dedupeKey: 'evt_1', ref: 'pi_1' };
  const at = (seconds: number) => header(raw, SECRET, new Date(NOW.getTime() + seconds * 1_000));

  it('is genuine if any of the secrets signed it', () => {
    expect(read(raw, header(raw))).toEqual(genuine);
    expect(read(raw, header(raw), ['whsec_new', SECRET])).toEqual(genuine);
    expect(read(raw, `${header(raw, 'whsec_old')},${header(raw).split(',')[1]}`)).toEqual(genuine);
  });

  it('is not genuine by another secret, without a signature, or changed', () => {
    expect(read(raw, header(raw, 'whsec_other'))).toBeNull();
    expect(read(raw, header(raw), [])).toBeNull();
    expect(read(raw, header(raw, ''), [''])).toBeNull();
    expect(read(Buffer.concat([raw, Buffer.from(' ')]), header(raw))).toBeNull();
    for (const signature of [undefined, '', 'v1=00', 't=x,v1=00', 't=1,v0=00', `t=${NOW.getTime()}`]) {
      expect(read(raw, signature)).toBeNull();
    }
    const text = Buffer.from('no JSON');
    expect(read(text, header(text))).toBeNull();
  });

  it('is genuine for 300 seconds, by our clock before or after the signature', () => {
    expect(read(raw, at(-300))).toEqual(genuine);
    expect(read(raw, at(300))).toEqual(genuine);
    expect(read(raw, at(-301))).toBeNull();
    expect(read(raw, at(301))).toBeNull();
  });

  it.each([
    ['payment_intent.created', { id: 'pi_9', object: 'payment_intent' }, 'pi_9'],
    ['charge.succeeded', { id: 'ch_1', object: 'charge', payment_intent: 'pi_9' }, 'pi_9'],
    ['charge.failed', { id: 'ch_1', object: 'charge', payment_intent: null }, null],
    ['charge.refund.updated', { id: 're_1', object: 'refund', payment_intent: 'pi_9' }, 'pi_9'],
    ['refund.failed', { id: 're_1', object: 'refund', payment_intent: { id: 'pi_9' } }, 'pi_9'],
    ['charge.dispute.created', { id: 'du_1', object: 'dispute', payment_intent: 'pi_9' }, 'pi_9'],
    ['payout.paid', { id: 'po_1', object: 'payout' }, null],
    ['invoice.paid', { id: 'in_1', object: 'invoice', payment_intent: 'pi_9' }, null],
  ])('%s of %o is about %s', (type, object, ref) => {
    const body = event(type, object);
    expect(read(body, header(body))).toEqual({ dedupeKey: 'evt_1', ref });
  });
});

describe('webhooks of the double', () => {
  type Received = { raw: Buffer; signature: string | undefined };

  /** A shop that receives webhooks, with the secrets that the account had at first. */
  async function receiver() {
    const clock = createTestClock();
    const double: StripeDouble = await startStripeDouble({ clock });
    const received: Received[] = [];
    let status = 200;
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const signature = request.headers['stripe-signature'];
      received.push({ raw: Buffer.concat(chunks), signature: String(signature) });
      response.writeHead(status).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    double.registerWebhook(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const closeServer = async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    };
    closers.push(double.close, closeServer);
    const account = double.account();
    const stripe = createStripe({ url: double.url });
    let operations = 0;
    /** One event, `payment_intent.created`. */
    async function start(): Promise<string> {
      operations += 1;
      const call: StartCall = {
        account,
        currency: { code: 'USD', exponent: 2 },
        signal: AbortSignal.timeout(5_000),
        operationId: operations,
        key: `tl_1_${operations}`,
        companyId: 1,
        paymentId: operations,
        amount: 500,
        kind: 'any',
        capture: 'at_once',
        description: 'Order',
        returnUrl: 'https://shop.example/',
        webhookUrl: 'https://shop.example/',
        save: false,
        token: null,
      };
      const outcome = await stripe.start(call);
      if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
      await double.webhooks.idle();
      return outcome.value.facts.ref;
    }
    const genuine = (secrets = account.webhookSecrets) =>
      received.map(({ raw, signature }) =>
        stripe.readWebhook(raw, { 'stripe-signature': signature }, { secrets, now: clock.now() }),
      );
    const refs = () => genuine().map((one) => one?.ref);
    return {
      double,
      start,
      genuine,
      refs,
      respondWith: (next: number) => {
        status = next;
      },
    };
  }

  it('are genuine, and tell of all that happens', async () => {
    const { double, start, refs } = await receiver();
    const ref = await start();
    const { client_secret } = double.intentOf({ tl_operation: '1' });
    await double.buyer.confirm(client_secret, 'pm_card_chargeDeclined');
    await double.buyer.confirm(client_secret, 'pm_card_visa');
    double.dashboard.refund(ref, 100);
    double.dashboard.closeDispute(double.dashboard.openDispute(ref).id, 'won');
    await double.webhooks.idle();
    expect(double.webhooks.sent.map(({ about, status }) => `${about} ${status}`)).toEqual([
      'payment_intent.created 200',
      'charge.failed 200',
      'payment_intent.payment_failed 200',
      'charge.succeeded 200',
      'payment_intent.succeeded 200',
      'refund.created 200',
      'charge.refunded 200',
      'charge.dispute.created 200',
      'charge.dispute.closed 200',
    ]);
    expect(new Set(refs())).toEqual(new Set([ref]));
  });

  it('go where the metadata of their payment are asked for, those of refunds too', async () => {
    const { double, start } = await receiver();
    double.registerWebhook('http://127.0.0.1:9/own', { tl_company: '1' });
    double.registerWebhook('http://127.0.0.1:9/others', { tl_company: '2' });
    const ref = await start();
    await double.buyer.confirm(double.intentById(ref).client_secret, 'pm_card_visa');
    double.dashboard.refund(ref, 100);
    await double.webhooks.idle();
    const paths = double.webhooks.sent.map(({ url }) => new URL(url).pathname);
    expect(paths).toEqual(Array.from({ length: paths.length / 2 }, () => ['/', '/own']).flat());
    expect(double.webhooks.sent.at(-1)).toMatchObject({ about: 'charge.refunded' });
  });

  it('that are delayed arrive on release', async () => {
    const { double, start, refs } = await receiver();
    double.failNext('delayed');
    const first = await start();
    expect(refs()).toEqual([]);
    expect(double.webhooks.held).toBe(1);
    const second = await start();
    await double.webhooks.release();
    expect(refs()).toEqual([second, first]);
    expect(double.webhooks.held).toBe(0);
  });

  it('that are duplicated have one dedupe key', async () => {
    const { double, start, genuine } = await receiver();
    double.failNext('duplicated');
    await start();
    expect(genuine().map((one) => one?.dedupeKey)).toEqual(['evt_00000001', 'evt_00000001']);
  });

  it('that are lost never arrive', async () => {
    const { double, start, refs } = await receiver();
    double.failNext('lost');
    await start();
    await double.webhooks.release();
    expect(refs()).toEqual([]);
    expect(double.faults.happened.lost).toBe(1);
  });

  it('that are reordered arrive after the next one', async () => {
    const { double, start, refs } = await receiver();
    double.failNext('reordered');
    const first = await start();
    expect(refs()).toEqual([]);
    const second = await start();
    expect(refs()).toEqual([second, first]);
  });

  it('that are forged are recognized', async () => {
    const { double, start, refs } = await receiver();
    double.failNext('forged');
    const ref = await start();
    expect(double.webhooks.sent.map(({ forged }) => forged)).toEqual([true, false]);
    expect(refs()).toEqual([undefined, ref]);
  });

  it('that are not received are sent again', async () => {
    const { double, start, refs, respondWith } = await receiver();
    respondWith(500);
    const ref = await start();
    respondWith(200);
    await double.webhooks.release();
    expect(double.webhooks.sent.map(({ status }) => status)).toEqual([500, 200]);
    expect(refs()).toEqual([ref, ref]);
  });

  it('are signed by both secrets while one replaces the other', async () => {
    const { double, start, genuine } = await receiver();
    const [old] = double.account().webhookSecrets;
    const next = double.rotateWebhookSecret(true);
    const ref = await start();
    expect(genuine([old!])[0]).toMatchObject({ ref });
    expect(genuine([next])[0]).toMatchObject({ ref });
    double.rotateWebhookSecret(false);
    await start();
    expect(genuine([next, old!])[1]).toBeNull();
    expect(genuine([...double.account().webhookSecrets, next])[1]).not.toBeNull();
  });
});
