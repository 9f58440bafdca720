import { type Action, type History, hold, one, somebody } from './history.ts';
import type { Customer, Given, Person } from './person.ts';

/** What callers of the APIs do in histories. */

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
  if (keys && pick(12) === 0) body.status = 'bounced';
  return body;
}

function lists({ pick, town }: History): { list_ids: number[] } {
  return { list_ids: pick(4) === 0 ? [town.list, town.confirmed] : [town.list] };
}

const create: Action = (_server, history) => upsert(history, given(history, { keys: true }));

async function upsert(history: History, body: Given): Promise<void> {
  const asked = { ...body, ...lists(history) };
  const { status, body: contact } = await history.town.shop.marketing('POST', '/contacts', asked);
  const person = history.words.upsert(body);
  history.log.push(`create ${JSON.stringify(body)} → ${status} ${contact.contact_id ?? ''}`);
  hold(status === (person === undefined ? 400 : contact.created ? 201 : 200), `create: ${JSON.stringify(contact)}`);
  if (person !== undefined) know(person, contact.contact_id);
}

function know(person: Person, id: number): void {
  hold(person.id === 0 || person.id === id, `contact ${id} is ${person.id} by the model`);
  person.id = id;
}

const importSome: Action = async (_server, history) => {
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

const patch: Action = async (_server, history) => {
  const person = somebody(history);
  if (person === undefined) return;
  const body = given(history, { keys: false });
  if (history.pick(6) === 0) body.email = null;
  if (history.pick(6) === 0) body.phone = null;
  const { status } = await history.town.shop.marketing('PATCH', `/contacts/${person.id}`, body);
  history.log.push(`patch ${person.id} ${JSON.stringify(body)} → ${status}`);
  hold((status === 200) === history.words.patch(person, body), `patch: ${status}`);
};

const event: Action = async (_server, history) => {
  const email = one(history, history.emails);
  const event_data = { email, product_id: '1', product_name: 'Tea' };
  const { body } = await history.town.shop.marketing('POST', '/events', { event_type: 'product_viewed', event_data });
  history.log.push(`event ${email}`);
  know(history.words.event(email), body.contact_id);
};

const register: Action = async (_server, history) => {
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

const changeCustomer: Action = async (_server, history) => {
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

/** Often of one whose mail came back, and who is imported again. */
const erase: Action = async (_server, history) => {
  const bounced = [...history.words.people].filter((person) => person.hasBounced && person.id !== 0);
  const person = bounced.length > 0 && history.pick(2) === 0 ? one(history, bounced) : somebody(history);
  if (person === undefined) return;
  await history.town.shop.marketing('DELETE', `/contacts/${person.id}`);
  history.words.erase(person);
  history.log.push(`erase ${person.id}`);
  if (person.email !== null && history.pick(2) === 0) await upsert(history, { email: person.email });
};

const unsubscribe: Action = async (_server, history) => {
  const person = somebody(history);
  if (person === undefined) return;
  const channels = one(history, [['email'], ['sms'], ['email', 'sms']] as const);
  await history.town.shop.marketing('POST', `/contacts/unsubscribe/${person.id}`, { channels });
  history.words.leave(person, channels);
  history.log.push(`unsubscribe ${person.id} ${channels}`);
};

const resubscribe: Action = async (_server, history) => {
  const person = somebody(history);
  if (person === undefined) return;
  const channel = one(history, ['email', 'sms'] as const);
  const body = { channels: [channel], reason: 'Wrote to us' };
  await history.town.shop.marketing('POST', `/contacts/resubscribe/${person.id}`, body);
  history.words.comeBack(person, channel);
  history.log.push(`resubscribe ${person.id} ${channel}`);
};

const eraseCustomer: Action = async (_server, history) => {
  const { words, town, news, log } = history;
  if (words.customers.length === 0) return;
  const customer = one(history, words.customers);
  const { status } = await town.shop.commerce('DELETE', `/customers/${customer.id}`);
  hold(status === 200, `customer erased: ${status}`);
  words.eraseCustomer(customer);
  news.delete(customer);
  log.push(`erase customer ${customer.id} ${customer.email}`);
};

/** Takes off the list of suppressions what is there; contacts stay as they are. */
const lift: Action = async (_server, history) => {
  const email = one(history, history.emails);
  const { status } = await history.town.shop.marketing('POST', '/suppressions/lift', { addresses: [email] });
  hold(status === 200, `lifted: ${status}`);
  history.words.lift(email);
  history.log.push(`lift ${email}`);
};

export const BY_API = {
  ...{
    create,
    importSome,
    patch,
    event,
    register,
    changeCustomer,
    erase,
    eraseCustomer,
    unsubscribe,
    resubscribe,
    lift,
  },
};
