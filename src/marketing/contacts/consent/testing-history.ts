import { createHmac } from 'node:crypto';
import { signToken } from '../../../messaging/tokens.ts';
import type { TestCompany, TestServer } from '../../../testing/harness.ts';
import { signBody } from '../../webhook/signature.ts';
import { type Customer, type Given, type Person, Words } from './testing-words.ts';

/** One shop in which many histories take place beside each other. */
export interface Town {
  shop: TestCompany;
  list: number;
  /** With double opt-in. */
  confirmed: number;
  product: number;
  number: string;
}

/** A mail or SMS that somebody has. */
export interface Received {
  contactId: number;
  messageId: number;
  to: string;
  confirmUrl: string | null;
}

export interface History {
  town: Town;
  words: Words;
  pick: (below: number) => number;
  emails: string[];
  phones: string[];
  received: Received[];
  /** Customers of whom the outbox has news. */
  news: Map<Customer, { saidSo: boolean }>;
  log: string[];
}

export const SMS_TOKEN = 'the account’s token';

/** mulberry32: the same choices for the same seed. */
export function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}

export function newHistory(town: Town, n: number, seed: number): History {
  const number = (k: number): string => `+1213${2_000_000 + 2 * n + k}`;
  return {
    ...{ town, words: new Words(), pick: random(seed * 1_000_003 + n), received: [], news: new Map(), log: [] },
    emails: ['a', 'b', 'c'].map((name) => `h${n}${name}@example.net`),
    phones: [number(0), number(1)],
  };
}

/** One thing that happens in a history: at the server, and to the words. */
type Deed = (server: TestServer, history: History) => Promise<void>;

function one<T>({ pick }: History, of: readonly T[]): T {
  return of[pick(of.length)]!;
}

function somebody(history: History): Person | undefined {
  const people = [...history.words.people].filter((person) => person.id !== 0);
  return people.length === 0 ? undefined : one(history, people);
}

function given(history: History, { keys }: { keys: boolean }): Given {
  const { pick, emails, phones } = history;
  const body: Given = {};
  if (pick(3) === 0) body.external_id = `${emails[0]}-${pick(2)}`;
  if (pick(4) > 0) body.email = one(history, emails);
  if (pick(2) === 0) body.phone = one(history, phones);
  if (keys && body.external_id === undefined && body.phone === undefined) body.email ??= emails[0]!;
  const states = ['subscribed', 'subscribed', 'unsubscribed', 'never'] as const;
  if (pick(3) === 0) body.consent = { ...body.consent, email: one(history, states) };
  if (pick(2) === 0) body.consent = { ...body.consent, sms: one(history, states) };
  return body;
}

function lists({ pick, town }: History): { list_ids: number[] } {
  return { list_ids: pick(4) === 0 ? [town.list, town.confirmed] : [town.list] };
}

function hold(what: boolean, text: string): void {
  if (!what) throw new Error(text);
}

const create: Deed = async (_server, history) => {
  const body = given(history, { keys: true });
  const { status, body: contact } = await history.town.shop.marketing('POST', '/contacts', {
    ...body,
    ...lists(history),
  });
  const person = history.words.upsert(body);
  history.log.push(`create ${JSON.stringify(body)} → ${status} ${contact.contact_id ?? ''}`);
  hold(status === (person === undefined ? 400 : contact.created ? 201 : 200), `create: ${JSON.stringify(contact)}`);
  if (person !== undefined) know(person, contact.contact_id);
};

function know(person: Person, id: number): void {
  hold(person.id === 0 || person.id === id, `contact ${id} is ${person.id} by the model`);
  person.id = id;
}

const importSome: Deed = async (_server, history) => {
  const bodies = Array.from({ length: 1 + history.pick(3) }, () => given(history, { keys: true }));
  const contacts = bodies.map((body) => ({ ...body, ...lists(history) }));
  const { body } = await history.town.shop.marketing('POST', '/contacts/batch', { contacts });
  history.log.push(`import ${JSON.stringify(bodies)}`);
  bodies.forEach((each, i) => {
    const person = history.words.upsert(each);
    const id: number | undefined = body.results[i].contact_id;
    hold((id === undefined) === (person === undefined), `import: ${JSON.stringify(body)}`);
    if (person !== undefined) know(person, id!);
  });
};

const patch: Deed = async (_server, history) => {
  const person = somebody(history);
  if (person === undefined) return;
  const body = given(history, { keys: false });
  if (history.pick(6) === 0) body.email = null;
  if (history.pick(6) === 0) body.phone = null;
  const { status } = await history.town.shop.marketing('PATCH', `/contacts/${person.id}`, body);
  history.log.push(`patch ${person.id} ${JSON.stringify(body)} → ${status}`);
  hold((status === 200) === history.words.patch(person, body), `patch: ${status}`);
};

const event: Deed = async (_server, history) => {
  const email = one(history, history.emails);
  const event_data = { email, product_id: '1', product_name: 'Tea' };
  const { body } = await history.town.shop.marketing('POST', '/events', { event_type: 'product_viewed', event_data });
  history.log.push(`event ${email}`);
  know(history.words.event(email), body.contact_id);
};

const register: Deed = async (_server, history) => {
  const { words, emails, pick, town } = history;
  const free = emails.filter((email) => words.customers.every((customer) => customer.email !== email));
  if (free.length === 0 || words.customers.length > 2) return;
  const [email, accepts] = [one(history, free), pick(2) === 0];
  const { body } = await town.shop.commerce('POST', '/customers', { email, accepts_marketing: accepts });
  const customer = { id: body.data.id, email, accepts };
  words.customers.push(customer);
  history.news.set(customer, { saidSo: true });
  history.log.push(`register ${customer.id} ${email} ${accepts}`);
  // Changed before the marketing side has heard of them.
  if (pick(3) === 0) await accept(history, customer);
};

async function accept({ words, town, news, log }: History, customer: Customer): Promise<void> {
  customer.accepts = !customer.accepts;
  await town.shop.commerce('PATCH', `/customers/${customer.id}`, { accepts_marketing: customer.accepts });
  words.shopSays(customer);
  news.set(customer, { saidSo: true });
  log.push(`customer ${customer.id} ${customer.email} accepts ${customer.accepts}`);
}

const changeCustomer: Deed = async (_server, history) => {
  const { words, emails, pick, town, news, log } = history;
  if (words.customers.length === 0) return;
  const customer = one(history, words.customers);
  const kind = pick(3);
  if (kind === 0) return accept(history, customer);
  if (kind === 1) {
    const email = one(history, emails);
    if (words.customers.some((other) => other.email === email)) return;
    await town.shop.commerce('PATCH', `/customers/${customer.id}`, { email });
    customer.email = email;
    log.push(`customer ${customer.id} moves to ${email}`);
  } else {
    const items = [{ product_id: town.product, qty: 1 }];
    const to = { shipping_address: '1 Main St', shipping_city: 'X', shipping_zip: '1' };
    const { status } = await town.shop.commerce('POST', '/orders', { customer_id: customer.id, items, ...to });
    hold(status === 201, `order: ${status}`);
    log.push(`order ${customer.id}`);
  }
  news.set(customer, { saidSo: false });
};

const erase: Deed = async (_server, history) => {
  const person = somebody(history);
  if (person === undefined) return;
  await history.town.shop.marketing('DELETE', `/contacts/${person.id}`);
  history.words.erase(person);
  history.log.push(`erase ${person.id}`);
};

const unsubscribe: Deed = async (_server, history) => {
  const person = somebody(history);
  if (person === undefined) return;
  const channels = one(history, [['email'], ['sms'], ['email', 'sms']] as const);
  await history.town.shop.marketing('POST', `/contacts/unsubscribe/${person.id}`, { channels });
  history.words.leave(person, channels);
  history.log.push(`unsubscribe ${person.id} ${channels}`);
};

const resubscribe: Deed = async (_server, history) => {
  const person = somebody(history);
  if (person === undefined) return;
  const channel = one(history, ['email', 'sms'] as const);
  const body = { channels: [channel], reason: 'Wrote to us' };
  await history.town.shop.marketing('POST', `/contacts/resubscribe/${person.id}`, body);
  history.words.comeBack(person, channel);
  history.log.push(`resubscribe ${person.id} ${channel}`);
};

/** By a link of something that came, perhaps long ago: one click, or everything by the page. */
const click: Deed = async (server, history) => {
  const received = history.received.filter((each) => each.confirmUrl === null);
  if (received.length === 0) return;
  const { contactId, messageId, to } = one(history, received);
  const { tokenKey } = server.app.messaging;
  const ids = { companyId: history.town.shop.company_id, subject: contactId, detail: messageId };
  const everything = history.pick(2) === 0;
  const raw = everything ? 'leave=everything' : 'List-Unsubscribe=One-Click';
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { status } = await server.request('POST', `/u/${signToken(tokenKey, 'unsubscribe', ids)}`, { raw, headers });
  hold(status === 200, `click: ${status}`);
  const person = history.words.person(contactId);
  const isSaidBySms = !to.includes('@');
  // An erased person's messages are nobody's; one click concerns e-mail.
  const also = person === undefined || (isSaidBySms && !everything) ? undefined : to;
  history.words.leave(person, everything ? ['email', 'sms'] : ['email'], also);
  history.log.push(`click ${everything ? 'everything' : 'once'} by ${messageId} of ${contactId} to ${to}`);
};

const complain: Deed = async (server, history) => {
  const email = one(history, history.emails);
  const { shop } = history.town;
  const raw = JSON.stringify({ reports: [{ type: 'complaint', email }] });
  const headers = {
    'x-company-id': String(shop.company_id),
    'x-webhook-signature': signBody(shop.webhook_secret, raw),
  };
  const { status } = await server.request('POST', '/marketing/bounces', { raw, headers });
  hold(status === 200, `complaint: ${status}`);
  history.words.refuse('email', email);
  history.log.push(`complaint ${email}`);
};

let messages = 0;
const text: Deed = async (server, history) => {
  const phone = one(history, history.phones);
  const word = one(history, ['STOP', 'STOP', 'START'] as const);
  const form = { Body: word, From: phone, MessageSid: `SM${++messages}`, To: history.town.number };
  const path = '/marketing/sms/inbound/twilio';
  const signed = Object.entries(form).map(([name, value]) => name + value);
  const signature = createHmac('sha1', SMS_TOKEN)
    .update(server.app.origin() + path + signed.join(''))
    .digest('base64');
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature };
  const { status } = await server.request('POST', path, { raw: new URLSearchParams(form).toString(), headers });
  hold(status === 200, `${word}: ${status}`);
  if (word === 'STOP') history.words.refuse('sms', phone);
  else history.words.start(phone);
  history.log.push(`${word} ${phone}`);
};

/** A yes by the page counts where the link came to an address that is still the person's. */
const agree: Deed = async (server, history) => {
  const received = history.received.filter((each) => each.confirmUrl === null);
  if (received.length === 0) return;
  const { contactId, messageId, to } = one(history, received);
  const channel = one(history, ['email', 'sms'] as const);
  const { tokenKey } = server.app.messaging;
  const ids = { companyId: history.town.shop.company_id, subject: contactId, detail: messageId };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const path = `/u/${signToken(tokenKey, 'unsubscribe', ids)}`;
  const { status } = await server.request('POST', path, { raw: `channel=yes-${channel}`, headers });
  hold(status === 200, `agree: ${status}`);
  const person = history.words.person(contactId);
  const counts = person !== undefined && (to.includes('@') ? person.email : person.phone) === to;
  if (counts) history.words.comeBack(person, channel);
  history.log.push(`agrees to ${channel} by ${messageId} of ${contactId} to ${to}: ${counts}`);
};

/** What a link says that came to one address counts for this address. */
const confirm: Deed = async (server, history) => {
  const links = history.received.filter((each) => each.confirmUrl !== null);
  if (links.length === 0) return;
  const { contactId, to, confirmUrl } = one(history, links);
  const { body } = await server.request('POST', new URL(confirmUrl!).pathname);
  const thanked = String(body).includes('Thank you');
  history.log.push(`confirm ${contactId} by ${to}: ${thanked}`);
  if (!thanked) return;
  const person = history.words.person(contactId);
  hold(person?.email === to, `confirmed by ${to} for ${person?.email}`);
  history.words.comeBack(person!, 'email');
};

export const DEEDS = {
  ...{ create, importSome, patch, event, register, changeCustomer, erase, unsubscribe, resubscribe },
  ...{ click, agree, complain, text, confirm },
} satisfies Record<string, Deed>;

/** How often, beside each other. */
const WEIGHTS: Record<keyof typeof DEEDS, number> = {
  ...{ create: 5, importSome: 3, patch: 5, event: 2, register: 3, changeCustomer: 4, erase: 1, unsubscribe: 2 },
  ...{ resubscribe: 2, click: 2, agree: 1, complain: 1, text: 2, confirm: 2 },
};
const DRAWN = Object.entries(WEIGHTS).flatMap(([name, weight]) =>
  Array<keyof typeof DEEDS>(weight).fill(name as keyof typeof DEEDS),
);

export async function happen(server: TestServer, history: History): Promise<keyof typeof DEEDS> {
  const name = one(history, DRAWN);
  await DEEDS[name](server, history);
  return name;
}
