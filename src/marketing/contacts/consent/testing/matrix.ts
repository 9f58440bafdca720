import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { TestImports } from '../../../../imports/testing/imports.ts';
import { signToken } from '../../../../messaging/consent/tokens.ts';
import type { Channel, ConsentState } from '../../../../recipients/consent.ts';
import type { TestCompany, TestServer } from '../../../../testing/harness.ts';
import type { TestPerson } from '../../../../testing/people.ts';
import { signBody } from '../../../webhook/signature.ts';

/** A contact that a row of the matrix has created. */
export interface Made {
  contactId: number;
  email: string;
  phone: string;
}

export interface Square {
  server: TestServer;
  shop: TestCompany;
  /** A company whose contacts created by events have the consent `never`. */
  cautious: TestCompany;
  /** A list with double opt-in. */
  list: number;
  number: string;
}

export const SMS_TOKEN = 'the account’s token';

let last = 0;
const addresses = (): Omit<Made, 'contactId'> => ({ email: `m${++last}@example.net`, phone: `+1213374${4000 + last}` });

/** Created through the API, subscribed to both channels unless `consent` says otherwise. */
export async function contact({ shop }: Square, consent: object = {}): Promise<Made> {
  const keys = addresses();
  const body = {
    external_id: `x-${keys.email}`,
    ...keys,
    consent: { email: 'subscribed', sms: 'subscribed', ...consent },
  };
  return { ...keys, contactId: (await shop.marketing('POST', '/contacts', body)).body.contact_id };
}

export async function inBatch({ shop }: Square, consent: object): Promise<Made> {
  const keys = addresses();
  const { body } = await shop.marketing('POST', '/contacts/batch', { contacts: [{ ...keys, consent }] });
  return { ...keys, contactId: body.results[0].contact_id };
}

/** Created by an import of a file with consent columns. */
export async function imported(
  { server, shop }: Square,
  consent: Partial<Record<Channel, ConsentState>>,
): Promise<Made> {
  const keys = addresses();
  const { email = 'never', sms = 'never' } = consent;
  const file = `email,phone,consent,sms consent\n${keys.email},${keys.phone},${email},${sms}\n`;
  expect(await new TestImports(server, shop).import('csv-contacts', file)).toMatchObject({ created: 1 });
  const { contacts } = (await shop.marketing('GET', `/contacts?search=${keys.email}`)).body;
  return { ...keys, contactId: contacts[0].contact_id };
}

/** Created by a person in the admin app. */
export async function byPerson({ shop }: Square, owner: TestPerson, consent: object): Promise<Made> {
  const keys = addresses();
  const { status, body } = await owner.ask('POST', `/${shop.company_id}/contacts`, { ...keys, consent });
  expect(status).toBe(201);
  return { ...keys, contactId: body.contact_id };
}

export async function byEvent(_square: Square, shop: TestCompany): Promise<Made> {
  const keys = addresses();
  const event_data = { ...keys, product_id: '1', product_name: 'Tea' };
  const { body } = await shop.marketing('POST', '/events', { event_type: 'product_viewed', event_data });
  return { ...keys, contactId: body.contact_id };
}

/** A customer who is a contact; `then` are subsequent changes of `accepts_marketing`. */
export async function customer({ server, shop }: Square, accepts: boolean, ...then: boolean[]): Promise<Made> {
  const keys = addresses();
  const { body } = await shop.commerce('POST', '/customers', { ...keys, accepts_marketing: accepts });
  const id: number = body.data.id;
  const outbox = server.app.workers.find((worker) => worker.name === 'outbox')!;
  while ((await outbox.runOnce()) > 0);
  const [row] = await server.rows<{ id: string }>(
    'select id from contacts where company_id = $1 and external_id = $2',
    [shop.company_id, String(id)],
  );
  const contactId = Number(row!.id);
  // Subscribed to SMS by another system, so that a refusal in the shop has something to end.
  if (then.length > 0) await shop.marketing('PATCH', `/contacts/${contactId}`, { consent: { sms: 'subscribed' } });
  for (const next of then) await shop.commerce('PATCH', `/customers/${id}`, { accepts_marketing: next });
  return { ...keys, contactId };
}

/** Created by a form, each from a different client address, since submissions are limited per client. */
export async function signedUp({ server, shop }: Square, form: object): Promise<Made> {
  const keys = addresses();
  const body = { name: 'Footer', min_fill_seconds: 0, ...form };
  const { public_id: id } = (await shop.marketing('POST', '/forms', body)).body;
  const headers = { 'x-forwarded-for': `198.51.100.${last % 250}` };
  await server.request('POST', `/f/${id}`, { body: { email: keys.email }, headers });
  const { contacts } = (await shop.marketing('GET', `/contacts?search=${keys.email}`)).body;
  const contactId: number = contacts[0].contact_id;
  await shop.marketing('PATCH', `/contacts/${contactId}`, { phone: keys.phone });
  return { ...keys, contactId };
}

export async function leave({ shop }: Square, made: Made, channels: string[]): Promise<void> {
  await shop.marketing('POST', `/contacts/unsubscribe/${made.contactId}`, { channels });
}

/** Unsubscribes by the link of a mail: with one click, or from everything on the page. */
export async function click({ server, shop }: Square, made: Made, raw: string): Promise<void> {
  const { tokenKey } = server.app.messaging;
  const ids = { companyId: shop.company_id, subject: made.contactId, detail: 0 };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { status } = await server.request('POST', `/u/${signToken(tokenKey, 'unsubscribe', ids)}`, { raw, headers });
  expect(status).toBe(200);
}

export async function report({ server, shop }: Square, type: 'bounce' | 'complaint', email: string): Promise<void> {
  const raw = JSON.stringify({ reports: [{ type, email }] });
  const headers = {
    'x-company-id': String(shop.company_id),
    'x-webhook-signature': signBody(shop.webhook_secret, raw),
  };
  await server.request('POST', '/marketing/bounces', { raw, headers });
}

export function twilio({ server }: Square, path: string, form: Record<string, string>) {
  const fields = Object.keys(form).sort();
  const signed = server.app.origin() + path + fields.map((name) => name + form[name]).join('');
  const signature = createHmac('sha1', SMS_TOKEN).update(signed).digest('base64');
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature };
  return server.request('POST', path, { raw: new URLSearchParams(form).toString(), headers });
}

export async function text(square: Square, { phone }: Made, Body: string): Promise<void> {
  const form = { From: phone, To: square.number, Body, MessageSid: `SM${++last}` };
  await twilio(square, '/marketing/sms/inbound/twilio', form);
}

/** Adds the contact to the list with double opt-in, and follows the link of the mail. */
export async function confirm(square: Square, made: Made): Promise<void> {
  const { server, shop, list } = square;
  await shop.marketing('POST', '/contacts', { email: made.email, list_ids: [list] });
  for (const name of ['confirmations', 'sender']) {
    await server.app.workers.find((worker) => worker.name === name)!.runOnce();
  }
  const { body } = await shop.marketing('GET', `/mailbox/latest?to=${encodeURIComponent(made.email)}`);
  const url = /href="([^"]*\/u\/confirm\/[^"]*)"/.exec(body.html)![1]!;
  await server.request('POST', new URL(url).pathname);
}
