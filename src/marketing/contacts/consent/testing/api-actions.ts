import type { Customer, Given, Person } from './person.ts';
import { type Action, assertThat, type History, one, pickPerson } from './random-history.ts';

/* Actions of callers of the APIs. */

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

function lists({ pick, fixture }: History): { list_ids: number[] } {
  return { list_ids: pick(4) === 0 ? [fixture.list, fixture.confirmed] : [fixture.list] };
}

const create: Action = (_server, history) => upsert(history, given(history, { keys: true }));

async function upsert(history: History, body: Given): Promise<void> {
  const asked = { ...body, ...lists(history) };
  const { status, body: contact } = await history.fixture.shop.marketing('POST', '/contacts', asked);
  const person = history.model.upsert(body);
  history.log.push(`create ${JSON.stringify(body)} → ${status} ${contact.contact_id ?? ''}`);
  assertThat(
    status === (person === undefined ? 400 : contact.created ? 201 : 200),
    `create: ${JSON.stringify(contact)}`,
  );
  if (person !== undefined) know(person, contact.contact_id);
}

function know(person: Person, id: number): void {
  assertThat(person.id === 0 || person.id === id, `contact ${id} is ${person.id} by the model`);
  person.id = id;
}

const inBatch: Action = async (_server, history) => {
  const bodies = Array.from({ length: 1 + history.pick(3) }, () => given(history, { keys: true }));
  const contacts = bodies.map((body) => ({ ...body, ...lists(history) }));
  const { body } = await history.fixture.shop.marketing('POST', '/contacts/batch', { contacts });
  history.log.push(`batch ${JSON.stringify(bodies)}`);
  bodies.forEach((each, i) => {
    const person = history.model.upsert(each);
    const id: number | undefined = body.results[i].contact_id;
    assertThat((id === undefined) === (person === undefined), `batch: ${JSON.stringify(body)}`);
    if (person !== undefined) know(person, id!);
  });
};

const patch: Action = async (_server, history) => {
  const person = pickPerson(history);
  if (person === undefined) return;
  const body = given(history, { keys: false });
  if (history.pick(6) === 0) body.email = null;
  if (history.pick(6) === 0) body.phone = null;
  const { status } = await history.fixture.shop.marketing('PATCH', `/contacts/${person.id}`, body);
  history.log.push(`patch ${person.id} ${JSON.stringify(body)} → ${status}`);
  assertThat((status === 200) === history.model.patch(person, body), `patch: ${status}`);
};

const event: Action = async (_server, history) => {
  const email = one(history, history.emails);
  const event_data = { email, product_id: '1', product_name: 'Tea' };
  const { body } = await history.fixture.shop.marketing('POST', '/events', {
    event_type: 'product_viewed',
    event_data,
  });
  history.log.push(`event ${email}`);
  know(history.model.event(email), body.contact_id);
};

const register: Action = async (_server, history) => {
  const { model, emails, pick, fixture } = history;
  const free = emails.filter((email) => model.customers.every((customer) => customer.email !== email));
  if (free.length === 0 || model.customers.length > 2) return;
  const [email, accepts] = [one(history, free), pick(2) === 0];
  const { body } = await fixture.shop.commerce('POST', '/customers', { email, accepts_marketing: accepts });
  const customer = { id: body.data.id, email, accepts };
  model.customers.push(customer);
  history.news.set(customer, { saidSo: true });
  history.log.push(`register ${customer.id} ${email} ${accepts}`);
  // Changed before the outbox has delivered the customer.
  if (pick(3) === 0) await accept(history, customer);
};

async function accept({ model, fixture, news, log }: History, customer: Customer): Promise<void> {
  customer.accepts = !customer.accepts;
  await fixture.shop.commerce('PATCH', `/customers/${customer.id}`, { accepts_marketing: customer.accepts });
  model.changeAcceptance(customer);
  news.set(customer, { saidSo: true });
  log.push(`customer ${customer.id} ${customer.email} accepts ${customer.accepts}`);
}

const changeCustomer: Action = async (_server, history) => {
  const { model, emails, pick, fixture, news, log } = history;
  if (model.customers.length === 0) return;
  const customer = one(history, model.customers);
  const kind = pick(3);
  if (kind === 0) return accept(history, customer);
  if (kind === 1) {
    const email = one(history, emails);
    if (model.customers.some((other) => other.email === email)) return;
    await fixture.shop.commerce('PATCH', `/customers/${customer.id}`, { email });
    customer.email = email;
    log.push(`customer ${customer.id} moves to ${email}`);
  } else {
    const items = [{ product_id: fixture.product, qty: 1 }];
    const to = { shipping_address: '1 Main St', shipping_city: 'X', shipping_zip: '1' };
    const { status } = await fixture.shop.commerce('POST', '/orders', { customer_id: customer.id, items, ...to });
    assertThat(status === 201, `order: ${status}`);
    log.push(`order ${customer.id}`);
  }
  news.set(customer, { saidSo: false });
};

/** Often a bounced contact, which is then imported again. */
const erase: Action = async (_server, history) => {
  const bounced = [...history.model.people].filter((person) => person.hasBounced && person.id !== 0);
  const person = bounced.length > 0 && history.pick(2) === 0 ? one(history, bounced) : pickPerson(history);
  if (person === undefined) return;
  await history.fixture.shop.marketing('DELETE', `/contacts/${person.id}`);
  history.model.erase(person);
  history.log.push(`erase ${person.id}`);
  if (person.email !== null && history.pick(2) === 0) await upsert(history, { email: person.email });
};

const unsubscribe: Action = async (_server, history) => {
  const person = pickPerson(history);
  if (person === undefined) return;
  const channels = one(history, [['email'], ['sms'], ['email', 'sms']] as const);
  await history.fixture.shop.marketing('POST', `/contacts/unsubscribe/${person.id}`, { channels });
  history.model.unsubscribe(person, channels);
  history.log.push(`unsubscribe ${person.id} ${channels}`);
};

const resubscribe: Action = async (_server, history) => {
  const person = pickPerson(history);
  if (person === undefined) return;
  const channel = one(history, ['email', 'sms'] as const);
  const body = { channels: [channel], reason: 'Wrote to us' };
  await history.fixture.shop.marketing('POST', `/contacts/resubscribe/${person.id}`, body);
  history.model.resubscribe(person, channel);
  history.log.push(`resubscribe ${person.id} ${channel}`);
};

const eraseCustomer: Action = async (_server, history) => {
  const { model, fixture, news, log } = history;
  if (model.customers.length === 0) return;
  const customer = one(history, model.customers);
  const { status } = await fixture.shop.commerce('DELETE', `/customers/${customer.id}`);
  assertThat(status === 200, `customer erased: ${status}`);
  model.eraseCustomer(customer);
  news.delete(customer);
  log.push(`erase customer ${customer.id} ${customer.email}`);
};

/** Lifts the suppressions of an address; contacts do not change. */
const lift: Action = async (_server, history) => {
  const email = one(history, history.emails);
  const { status } = await history.fixture.shop.marketing('POST', '/suppressions/lift', { addresses: [email] });
  assertThat(status === 200, `lifted: ${status}`);
  history.model.lift(email);
  history.log.push(`lift ${email}`);
};

export const BY_API = {
  create,
  inBatch,
  patch,
  event,
  register,
  changeCustomer,
  erase,
  eraseCustomer,
  unsubscribe,
  resubscribe,
  lift,
};
