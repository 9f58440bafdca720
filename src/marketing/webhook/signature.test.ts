import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newWebhookSecret } from '../../access/webhook-secrets.ts';
import { systemClock } from '../../clock.ts';
import { signDelivery } from '../../outbox/endpoints/sign.ts';
import { type SignedRequest, signBody, type VerifyOptions, verifySignature } from './signature.ts';

const NOW = new Date('2026-03-15T12:00:00.000Z');
const SECONDS = NOW.getTime() / 1000;
const SECRET = newWebhookSecret();
const OPTIONS: VerifyOptions = { now: NOW, requireTimestamp: false };
const none = { id: undefined, timestamp: undefined, signature: undefined };

const own = (body: Buffer, signature: string): SignedRequest => ({ body, signature, standard: none });
const mac = (body: Buffer, secret = SECRET) => createHmac('sha256', secret).update(body).digest();

/** The accepted formats; each signs a body at a moment (Unix seconds). */
const FORMS: Record<string, (body: Buffer, at: number, secret: string) => SignedRequest> = {
  hex: (body, _at, secret) => own(body, mac(body, secret).toString('hex')),
  'sha256=hex': (body, _at, secret) => own(body, signBody(secret, body)),
  base64: (body, _at, secret) => own(body, mac(body, secret).toString('base64')),
  't=,v1=': (body, at, secret) => own(body, signBody(secret, body, { timestamp: at })),
  'Standard Webhooks': (body, at, secret) => {
    const signature = new Webhook(secret).sign('msg_1', new Date(at * 1000), body.toString());
    return { body, signature: undefined, standard: { id: 'msg_1', timestamp: String(at), signature } };
  },
};
const STAMPED = ['t=,v1=', 'Standard Webhooks'];
const form = fc.constantFrom(...Object.keys(FORMS));
const body = fc.string({ unit: 'grapheme', maxLength: 200 }).map((text) => Buffer.from(text));

describe('a webhook signature', () => {
  it('is accepted in each form, whatever the body', () => {
    fc.assert(
      fc.property(form, body, fc.integer({ min: -300, max: 300 }), (name, bytes, offset) => {
        const request = FORMS[name]!(bytes, SECONDS + offset, SECRET);
        const id = name === 'Standard Webhooks' ? 'msg_1' : null;
        const verified = { id, stamped: STAMPED.includes(name) };
        expect(verifySignature(request, [SECRET], OPTIONS)).toEqual(verified);
        // While secrets rotate, a signature by either is accepted.
        expect(verifySignature(request, [newWebhookSecret(), SECRET], OPTIONS)).toEqual(verified);
        expect(verifySignature(request, [SECRET, newWebhookSecret()], OPTIONS)).toEqual(verified);
        expect(verifySignature(request, [newWebhookSecret()], OPTIONS)).toBeNull();
        expect(verifySignature(request, [], OPTIONS)).toBeNull();
      }),
    );
  });

  it.each(STAMPED)('in the form %s is valid for 300 seconds before and after its timestamp', (name) => {
    for (const [offset, good] of [
      [-301, false],
      [-300, true],
      [300, true],
      [301, false],
    ] as const) {
      const request = FORMS[name]!(Buffer.from('{}'), SECONDS + offset, SECRET);
      expect(verifySignature(request, [SECRET], OPTIONS) !== null).toBe(good);
    }
  });

  it.each(Object.keys(FORMS))(
    'in the form %s satisfies a company that requires a timestamp only if it has one',
    (name) => {
      const request = FORMS[name]!(Buffer.from('{}'), SECONDS, SECRET);
      const verified = verifySignature(request, [SECRET], { ...OPTIONS, requireTimestamp: true });
      expect(verified !== null).toBe(STAMPED.includes(name));
    },
  );

  it('may be one of several v1 in either header', () => {
    const bytes = Buffer.from('{"a":1}');
    const old = signBody(newWebhookSecret(), bytes, { timestamp: SECONDS }).split(',')[1];
    const good = signBody(SECRET, bytes, { timestamp: SECONDS }).split(',')[1];
    for (const list of [`t=${SECONDS},${old},${good}`, `t=${SECONDS},${good},${old}`]) {
      expect(verifySignature(own(bytes, list), [SECRET], OPTIONS)).toEqual({ id: null, stamped: true });
    }
    const { standard } = FORMS['Standard Webhooks']!(bytes, SECONDS, SECRET);
    const both = { ...standard, signature: `v1a,AAAA ${standard.signature}` };
    expect(verifySignature({ body: bytes, signature: undefined, standard: both }, [SECRET], OPTIONS)).not.toBeNull();
  });

  it.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['upper-case hex', mac(Buffer.from('{}')).toString('hex').toUpperCase()],
    ['hex under sha1=', `sha1=${mac(Buffer.from('{}')).toString('hex')}`],
    ['base64url', mac(Buffer.from('{}')).toString('base64url')],
    ['a timestamp without its signature', `t=${SECONDS}`],
    ['a signature of the body alone beside a timestamp', `t=${SECONDS},v1=${mac(Buffer.from('{}')).toString('hex')}`],
    ['two at once', `${mac(Buffer.from('{}')).toString('hex')}, x`],
  ])('is refused as %s', (_what, signature) => {
    const request: SignedRequest = { body: Buffer.from('{}'), signature, standard: none };
    expect(verifySignature(request, [SECRET], OPTIONS)).toBeNull();
  });

  it.each([
    ['without an id', { id: undefined }],
    ['without a timestamp', { timestamp: undefined }],
    ['with an empty id', { id: '' }],
    ['with an id of 251 characters', { id: 'x'.repeat(251) }],
    ['with a timestamp that begins with 0', { timestamp: `0${SECONDS}` }],
    ['with a timestamp in another notation', { timestamp: `${SECONDS}.0` }],
    ['with a signature that is none of a list', { signature: 'garbled' }],
  ])('is refused in the Standard Webhooks form %s, though all of it is signed', (_what, wrong) => {
    const bytes = Buffer.from('{}');
    const signed = (change: object) => {
      const standard = { id: 'msg_1', timestamp: String(SECONDS), ...change };
      const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
      const tag = createHmac('sha256', key)
        .update(`${standard.id}.${standard.timestamp}.`)
        .update(bytes)
        .digest('base64');
      return verifySignature(
        { body: bytes, signature: undefined, standard: { signature: `v1,${tag}`, ...standard } },
        [SECRET],
        OPTIONS,
      );
    };
    expect(signed({})).toEqual({ id: 'msg_1', stamped: true });
    expect(signed({ id: 'x'.repeat(250) })).not.toBeNull();
    expect(signed(wrong)).toBeNull();
  });

  it('is compatible with the Standard Webhooks library in both directions', () => {
    const text = '{"event_type":"order_placed","note":"ü"}';
    const now = systemClock.now();
    const timestamp = Math.floor(now.getTime() / 1000);
    const headers = signDelivery(SECRET, { id: 'msg_2', timestamp, body: text });
    expect(new Webhook(SECRET).verify(text, headers)).toEqual(JSON.parse(text));
    for (const signature of [headers['x-webhook-signature'], undefined]) {
      const standard = {
        id: headers['webhook-id'],
        timestamp: headers['webhook-timestamp'],
        signature: headers['webhook-signature'],
      };
      const request: SignedRequest = { body: Buffer.from(text), signature, standard };
      expect(verifySignature(request, [SECRET], { now, requireTimestamp: true })).toEqual({
        id: 'msg_2',
        stamped: true,
      });
      expect(verifySignature({ ...request, standard: none }, [SECRET], { now, requireTimestamp: true }) !== null).toBe(
        signature !== undefined,
      );
    }
  });
});

/** Changes one byte or character: replaces, removes or inserts it, or truncates there. */
function mutate<T extends Buffer | string>(value: T, seed: number): T {
  const bytes = Buffer.from(value);
  const at = seed % (bytes.length + 1);
  const way = Math.floor(seed / 1_000) % 4;
  const byte = typeof value === 'string' ? 33 + (Math.floor(seed / 7) % 94) : Math.floor(seed / 7) % 256;
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  const pieces = [
    [before, Buffer.from([byte]), after.subarray(1)],
    [before, after.subarray(1)],
    [before, Buffer.from([byte]), after],
    [before],
  ];
  const mutated = Buffer.concat(pieces[way]!);
  return (typeof value === 'string' ? mutated.toString('latin1') : mutated) as T;
}

describe('100,000 mutations of good requests', () => {
  it('are all refused', () => {
    const texts = fc.sample(body, { numRuns: 50, seed: 11 });
    const goods = Object.fromEntries(
      Object.entries(FORMS).map(([name, form]) => [name, texts.map((text) => form(text, SECONDS, SECRET))]),
    );
    const random = fc.sample(fc.nat(), { numRuns: 110_000, seed: 12 });
    let tried = 0;
    let accepted = 0;
    for (const [i, seed] of random.entries()) {
      const name = Object.keys(FORMS)[i % 5]!;
      const good = goods[name]![i % texts.length]!;
      const bad = { ...good, standard: { ...good.standard } };
      const part = Math.floor(i / 5) % 4;
      if (part === 0) bad.body = mutate(good.body, seed);
      else if (name !== 'Standard Webhooks') bad.signature = mutate(good.signature!, seed);
      else if (part === 1) bad.standard.signature = mutate(good.standard.signature!, seed);
      else if (part === 2) bad.standard.timestamp = mutate(good.standard.timestamp!, seed);
      else bad.standard.id = mutate(good.standard.id!, seed);
      if (
        bad.body.equals(good.body) &&
        JSON.stringify([bad.signature, bad.standard]) === JSON.stringify([good.signature, good.standard])
      )
        continue;
      tried++;
      if (verifySignature(bad, [SECRET], OPTIONS) !== null) accepted++;
    }
    expect(tried).toBeGreaterThan(100_000);
    expect(accepted).toBe(0);
  }, 120_000);
});
