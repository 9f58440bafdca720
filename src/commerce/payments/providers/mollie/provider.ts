import { randomUUID } from 'node:crypto';
import { CaptureMethod, type Payment, PaymentEmbed, type PaymentMethod, SequenceType } from '@mollie/api-client';
import {
  AccountRefused,
  type AmountCall,
  type Asked,
  type ChargeCall,
  type Facts,
  type Outcome,
  type PaymentCall,
  type PaymentProvider,
  type ProviderCall,
  type ProviderCurrency,
  type ProviderSavedMethod,
  ProviderUnavailable,
  type SoughtOperation,
  type StartCall,
  type Started,
} from '../provider.ts';
import { toMollie } from './amounts.ts';
import { causeOf, connect, type Mollie, outcomeOf, statusOf } from './client.ts';
import { factsOf, mayRetry, operationIn, readToken, savedMethodOf, startedOf } from './facts.ts';

const KEY_LIFETIME_MS = 3_600_000;
/** For all requests of a call together. */
const TIMEOUT_MS = 10_000;
const DESCRIPTION_LENGTH = 255;

/** How much our clock may be ahead of Mollie's. */
const SKEW_MS = 60_000;

const EMBED = [PaymentEmbed.refunds, PaymentEmbed.chargebacks, PaymentEmbed.captures];

/** Payments through Mollie's hosted page. `url`: where its API is; null: at its own address. */
export function createMollie({
  url,
  timeoutMs = TIMEOUT_MS,
}: {
  url: string | null;
  timeoutMs?: number;
}): PaymentProvider {
  const clientOf = ({ account, signal }: Asked | ProviderCall): Mollie => connect({ url, timeoutMs }, account, signal);

  async function attempt<T>(call: ProviderCall, run: (client: Mollie) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    try {
      return await run(clientOf(call));
    } catch (error) {
      return outcomeOf(error, call.account);
    }
  }

  async function ask<T>(asked: Asked, run: (client: Mollie) => Promise<T>): Promise<T> {
    try {
      return await run(clientOf(asked));
    } catch (error) {
      throw new ProviderUnavailable(causeOf(error, asked.account));
    }
  }

  return {
    name: 'mollie',
    keyLifetimeMs: KEY_LIFETIME_MS,

    methods: async (asked) => {
      try {
        return [...(await clientOf(asked).methods.list())].map(({ id }) => id);
      } catch (error) {
        const status = statusOf(error);
        const cause = causeOf(error, asked.account);
        throw status === 401 || status === 403 ? new AccountRefused(cause) : new ProviderUnavailable(cause);
      }
    },

    start: (call) => attempt(call, (client) => start(client, call)),
    charge: (call) => attempt(call, (client) => charge(client, call)),
    capture: (call) => attempt(call, (client) => capture(client, call)),
    cancel: (call) => attempt(call, (client) => cancel(client, call)),
    refund: (call) => attempt(call, (client) => refund(client, call)),

    fetch: (asked, ref) => ask(asked, async (client) => (await read(client, ref, asked.currency)).facts),
    find: (asked, operation) => ask(asked, (client) => find(client, asked, operation)),

    forget: async (asked, token) => {
      const saved = readToken(token);
      if (saved === null) throw new ProviderUnavailable('Mollie: the saved method is not of Mollie');
      await ask(asked, async (client) => {
        // Each saved method has a customer of its own (see `start`), so nothing else ends with it.
        await client.customers.delete(saved.customerId).catch(ignoreMissing);
      });
    },

    readWebhook: (raw) => {
      const id = new URLSearchParams(raw.toString('latin1')).get('id');
      if (id === null || !/^tr_\w{1,64}$/.test(id)) return null;
      // The body is the same for each change of a payment, and nothing in it tells a repetition from a later change. A key made of the id, or
      // of the id and the time, would therefore suppress a change that follows closely, or at once on a clock that stands still. So no
      // webhook is a duplicate of another; one too many costs a fetch, which changes nothing.
      return { dedupeKey: `${id}:${randomUUID()}`, ref: id };
    },
  };
}

const NO_MANDATE: Outcome<never> = {
  kind: 'declined',
  code: 'method_unavailable',
  message: 'Mollie has no valid mandate of the saved method.',
  retry: false,
};

/** Metadata of what we make at Mollie. `find` compares `operation`. */
function metadataOf({ companyId, paymentId, operationId }: StartCall | ChargeCall) {
  return { company: companyId, payment: paymentId, operation: operationId };
}

async function start(client: Mollie, call: StartCall): Promise<Outcome<Started>> {
  const amount = toMollie(call.amount, call.currency);
  if (amount === null) return notPayable(call.currency);
  const saved = call.token === null ? null : await validMandate(client, call.token);
  if (call.token !== null && saved === null) return NO_MANDATE;
  // A direct debit has no page: the buyer has agreed to it when it was saved.
  if (saved?.method === 'directdebit') return recur(client, call, saved);
  const method = saved?.method ?? call.kind;
  const payment = made(
    await client.payments.create({
      amount,
      description: call.description.slice(0, DESCRIPTION_LENGTH),
      redirectUrl: call.returnUrl,
      webhookUrl: call.webhookUrl,
      metadata: metadataOf(call),
      method: method === 'any' ? undefined : (method as PaymentMethod),
      captureMode: call.capture === 'later' ? CaptureMethod.manual : undefined,
      sequenceType: call.save ? SequenceType.first : undefined,
      customerId: saved?.customerId ?? (call.save ? await newCustomer(client, call) : undefined),
      idempotencyKey: call.key,
    }),
  );
  return { kind: 'done', value: startedOf(payment, factsOf(payment, call.currency, null)) };
}

/**
 * Returns the mandate of a saved method with its method; null if it is not valid any more. With the customer present, Mollie takes no mandate:
 * a payment names the customer, and on Mollie's page the buyer confirms a card of that customer, of which each has one, or enters another.
 */
async function validMandate(client: Mollie, token: string) {
  const saved = readToken(token);
  if (saved === null) return null;
  const { customerId, mandateId } = saved;
  const mandate = await client.customerMandates.get(mandateId, { customerId }).catch(ignoreMissing);
  return mandate?.status === 'valid' ? { customerId, mandateId, method: mandate.method } : null;
}

/** A customer for each saved method, without personal data, so that deleting it forgets this method alone. */
async function newCustomer(client: Mollie, call: StartCall): Promise<string> {
  const { id } = await client.customers.create({ metadata: metadataOf(call), idempotencyKey: `${call.key}_customer` });
  if (id === undefined) throw new ProviderUnavailable('Mollie: the response says nothing');
  return id;
}

async function charge(client: Mollie, call: ChargeCall): Promise<Outcome<Facts>> {
  const saved = readToken(call.token);
  if (saved === null) return NO_MANDATE;
  const outcome = await recur(client, call, saved);
  return outcome.kind === 'done' ? { kind: 'done', value: outcome.value.facts } : outcome;
}

/** Charges a mandate without the buyer. */
async function recur(
  client: Mollie,
  call: StartCall | ChargeCall,
  saved: { customerId: string; mandateId: string },
): Promise<Outcome<Started>> {
  const amount = toMollie(call.amount, call.currency);
  if (amount === null) return notPayable(call.currency);
  const payment = made(
    await client.payments.create({
      amount,
      description: call.description.slice(0, DESCRIPTION_LENGTH),
      webhookUrl: call.webhookUrl,
      metadata: metadataOf(call),
      sequenceType: SequenceType.recurring,
      customerId: saved.customerId,
      mandateId: saved.mandateId,
      idempotencyKey: call.key,
    }),
  );
  const facts = factsOf(payment, call.currency, null);
  if (facts.status !== 'failed') return { kind: 'done', value: startedOf(payment, facts) };
  const { code, message } = facts.failure ?? { code: 'other', message: 'The payment failed.' };
  return { kind: 'declined', code, message, retry: mayRetry(code) };
}

async function capture(client: Mollie, call: AmountCall): Promise<Outcome<Facts>> {
  const amount = toMollie(call.amount, call.currency);
  if (amount === null) return notPayable(call.currency);
  const { status } = await client.paymentCaptures.create({
    paymentId: call.ref,
    amount,
    metadata: { operation: call.operationId },
    idempotencyKey: call.key,
  });
  if (status === 'failed') return { kind: 'declined', code: 'other', message: 'The capture failed.', retry: false };
  return written(client, call);
}

/** Cancels an open payment, or releases what is left of an authorization, which Mollie does in its own time. */
async function cancel(client: Mollie, call: PaymentCall): Promise<Outcome<Facts>> {
  const { payment, facts } = await read(client, call.ref, call.currency);
  if (hasEnded(facts)) return { kind: 'done', value: facts };
  if (payment.status === 'authorized') {
    // The SDK sends the key of any POST, but its type of this one does not have it.
    const parameters: { testmode?: boolean } & { idempotencyKey: string } = { idempotencyKey: call.key };
    await client.payments.releaseAuthorization(call.ref, parameters);
  } else {
    await client.payments.cancel(call.ref, { idempotencyKey: call.key });
  }
  return written(client, call);
}

async function refund(client: Mollie, call: AmountCall): Promise<Outcome<Facts>> {
  const amount = toMollie(call.amount, call.currency);
  if (amount === null) return notPayable(call.currency);
  await client.paymentRefunds.create({
    paymentId: call.ref,
    amount,
    metadata: { operation: call.operationId },
    idempotencyKey: call.key,
  });
  return written(client, call);
}

async function find(client: Mollie, asked: Asked, operation: SoughtOperation): Promise<Started | 'not_found'> {
  const making = operation.kind === 'start' || operation.kind === 'charge';
  const ref = operation.ref ?? (making ? await findPayment(client, operation) : null);
  if (ref === null) return 'not_found';
  if (operation.kind === 'refund' && !(await hasRefund(client, ref, operation.id))) return 'not_found';
  const { payment, facts } = await read(client, ref, asked.currency);
  if (operation.kind === 'cancel' && !hasEnded(facts)) return 'not_found';
  if (operation.kind === 'capture') {
    const captures = payment._embedded?.captures ?? [];
    // A capture that failed took no money: the operation is still to be done.
    const happened = captures.some(
      ({ metadata, status }) => status !== 'failed' && operationIn(metadata) === operation.id,
    );
    if (!happened) return 'not_found';
  }
  return startedOf(payment, facts);
}

/** Reads the payments from the newest to those that are older than the operation. The list is that of the payments themselves. */
async function findPayment(client: Mollie, { id, since }: SoughtOperation): Promise<string | null> {
  const oldest = since.getTime() - SKEW_MS;
  for await (const payment of client.payments.iterate()) {
    if (new Date(payment.createdAt).getTime() < oldest) return null;
    if (operationIn(payment.metadata) === id) return payment.id;
  }
  return null;
}

async function hasRefund(client: Mollie, paymentId: string, operationId: number): Promise<boolean> {
  for await (const { metadata } of client.paymentRefunds.iterate({ paymentId })) {
    if (operationIn(metadata) === operationId) return true;
  }
  return false;
}

/** Whether no more money will be taken: also after the release of what was left of an authorization. */
function hasEnded({ status, captured, amount }: Facts): boolean {
  return status === 'cancelled' || status === 'failed' || (status === 'captured' && captured < amount);
}

async function read(
  client: Mollie,
  ref: string,
  currency: ProviderCurrency,
): Promise<{ payment: Payment; facts: Facts }> {
  const payment = made(await client.payments.get(ref, { embed: EMBED }));
  return { payment, facts: factsOf(payment, currency, await savedMethod(client, payment)) };
}

async function savedMethod(client: Mollie, payment: Payment): Promise<ProviderSavedMethod | null> {
  const { sequenceType, customerId, mandateId, status } = payment;
  const accepted = status === 'paid' || status === 'authorized';
  if (sequenceType !== 'first' || !accepted || customerId == null || mandateId == null) return null;
  const mandate = await client.customerMandates.get(mandateId, { customerId }).catch(ignoreMissing);
  return mandate?.status === 'valid' ? savedMethodOf(mandate, customerId) : null;
}

/** For what was deleted at Mollie. */
function ignoreMissing(error: unknown): null {
  const status = statusOf(error);
  if (status === 404 || status === 410) return null;
  throw error;
}

/** The write has happened: a failure to read afterwards must not look as if it had not. */
async function written(client: Mollie, call: PaymentCall): Promise<Outcome<Facts>> {
  try {
    return { kind: 'done', value: (await read(client, call.ref, call.currency)).facts };
  } catch (error) {
    return { kind: 'uncertain', cause: causeOf(error, call.account) };
  }
}

/** The SDK returns `true` for a response without a body. */
function made(payment: Payment): Payment {
  if (payment.resource !== 'payment') throw new ProviderUnavailable('Mollie: the response says nothing');
  return payment;
}

function notPayable({ code }: ProviderCurrency): Outcome<never> {
  return { kind: 'declined', code: 'other', message: `${code} has fewer decimals at Mollie.`, retry: false };
}
