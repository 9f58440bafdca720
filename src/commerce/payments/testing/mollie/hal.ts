import { exponentOf } from '../../../../lib/currency.ts';
import type { Minor } from '../../../money.ts';
import {
  capturedOf,
  chargedBackOf,
  type MollieCapture,
  type MollieChargeback,
  type MollieCustomer,
  type MollieMandate,
  type MolliePayment,
  type MollieRefund,
  refundedOf,
} from './state.ts';

export type Json = Record<string, unknown>;

export interface AmountJson {
  currency: string;
  value: string;
}

export function amountJson(amount: Minor, currency: string): AmountJson {
  const decimals = exponentOf(currency);
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const cut = digits.length - decimals;
  const value = decimals === 0 ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`;
  return { currency, value: amount < 0 ? `-${value}` : value };
}

const href = (url: string): Json => ({ href: url, type: 'application/hal+json' });
const page = (url: string): Json => ({ href: url, type: 'text/html' });

export const CANCELABLE: ReadonlySet<string> = new Set(['open', 'pending']);

/** Whether Mollie accepts a cancellation. It does not while a buyer may be paying at a bank. */
export function isCancelable({ status, method }: MolliePayment): boolean {
  return CANCELABLE.has(status) && method !== 'ideal';
}

/** `root`: the address of the double, without `/v2`. */
export function paymentJson(payment: MolliePayment, root: string, embed: readonly string[]): Json {
  const { id, currency, status } = payment;
  const self = `${root}/v2/payments/${id}`;
  const captured = capturedOf(payment);
  const json: Json = {
    resource: 'payment',
    id,
    mode: 'test',
    createdAt: payment.createdAt.toISOString(),
    status,
    amount: amountJson(payment.amount, currency),
    description: payment.description,
    redirectUrl: payment.redirectUrl,
    webhookUrl: payment.webhookUrl,
    method: payment.method,
    metadata: payment.metadata,
    captureMode: payment.manualCapture ? 'manual' : 'automatic',
    sequenceType: payment.sequenceType,
    profileId: 'pfl_double',
  };
  const links: Json = {
    self: href(self),
    dashboard: page(`${root}/dashboard/${id}`),
    documentation: page('https://docs.mollie.com/reference/get-payment'),
  };
  if (CANCELABLE.has(status)) json.isCancelable = isCancelable(payment);
  if (payment.customerId !== null) json.customerId = payment.customerId;
  if (payment.mandateId !== null) json.mandateId = payment.mandateId;
  if (status === 'open') {
    json.expiresAt = payment.expiresAt?.toISOString();
    if (payment.sequenceType !== 'recurring') links.checkout = page(`${root}/checkout/${id}`);
  }
  if (payment.authorizedAt !== null) json.authorizedAt = payment.authorizedAt.toISOString();
  if (status === 'authorized') json.captureBefore = payment.captureBefore?.toISOString();
  if (captured > 0 || status === 'authorized') json.amountCaptured = amountJson(captured, currency);
  if (captured > 0) {
    json.amountRefunded = amountJson(refundedOf(payment), currency);
    json.amountRemaining = amountJson(captured - refundedOf(payment) - chargedBackOf(payment), currency);
  }
  if (chargedBackOf(payment) > 0) json.amountChargedBack = amountJson(chargedBackOf(payment), currency);
  if (payment.failureReason !== null) {
    const reason = `Declined: ${payment.failureReason}`;
    json.details =
      payment.method === 'directdebit'
        ? { bankReasonCode: payment.failureReason, bankReason: reason }
        : { failureReason: payment.failureReason, failureMessage: reason };
  }
  json._links = links;
  const embedded: Json = {};
  if (embed.includes('captures')) embedded.captures = payment.captures.map((c) => captureJson(payment, c, root));
  if (embed.includes('refunds')) embedded.refunds = payment.refunds.map((r) => refundJson(payment, r, root));
  if (embed.includes('chargebacks'))
    embedded.chargebacks = payment.chargebacks.map((c) => chargebackJson(payment, c, root));
  if (embed.length > 0) json._embedded = embedded;
  return json;
}

function partOf(payment: MolliePayment, root: string, path: string, id: string): Json {
  const payments = `${root}/v2/payments/${payment.id}`;
  return { self: href(`${payments}/${path}/${id}`), payment: href(payments) };
}

export function captureJson(payment: MolliePayment, capture: MollieCapture, root: string): Json {
  return {
    resource: 'capture',
    id: capture.id,
    mode: 'test',
    amount: amountJson(capture.amount, payment.currency),
    status: capture.status,
    metadata: capture.metadata,
    paymentId: payment.id,
    createdAt: capture.createdAt.toISOString(),
    _links: partOf(payment, root, 'captures', capture.id),
  };
}

export function refundJson(payment: MolliePayment, refund: MollieRefund, root: string): Json {
  return {
    resource: 'refund',
    id: refund.id,
    mode: 'test',
    amount: amountJson(refund.amount, payment.currency),
    settlementAmount: amountJson(-refund.amount, payment.currency),
    status: refund.status,
    description: refund.description,
    metadata: refund.metadata,
    paymentId: payment.id,
    createdAt: refund.createdAt.toISOString(),
    _links: partOf(payment, root, 'refunds', refund.id),
  };
}

export function chargebackJson(payment: MolliePayment, chargeback: MollieChargeback, root: string): Json {
  return {
    resource: 'chargeback',
    id: chargeback.id,
    amount: amountJson(chargeback.amount, payment.currency),
    settlementAmount: amountJson(-chargeback.amount, payment.currency),
    reason: { code: 'AC01', description: 'Account identifier incorrect' },
    createdAt: chargeback.createdAt.toISOString(),
    reversedAt: chargeback.reversedAt?.toISOString() ?? null,
    paymentId: payment.id,
    _links: partOf(payment, root, 'chargebacks', chargeback.id),
  };
}

export function customerJson({ id, metadata, createdAt }: MollieCustomer, root: string): Json {
  return {
    resource: 'customer',
    id,
    mode: 'test',
    name: null,
    email: null,
    locale: null,
    metadata,
    createdAt: createdAt.toISOString(),
    _links: { self: href(`${root}/v2/customers/${id}`) },
  };
}

export function mandateJson(customer: MollieCustomer, mandate: MollieMandate, root: string): Json {
  const url = `${root}/v2/customers/${customer.id}`;
  return {
    resource: 'mandate',
    id: mandate.id,
    mode: 'test',
    status: mandate.status,
    method: mandate.method,
    details:
      mandate.method === 'creditcard'
        ? { cardHolder: 'T. Ester', cardNumber: '4242', cardLabel: 'Visa', cardExpiryDate: '2030-12-31' }
        : { consumerName: 'T. Ester', consumerAccount: 'NL55 INGB 0000 0000 00', consumerBic: 'INGBNL2A' },
    mandateReference: null,
    signatureDate: mandate.createdAt.toISOString().slice(0, 10),
    createdAt: mandate.createdAt.toISOString(),
    _links: { self: href(`${url}/mandates/${mandate.id}`), customer: href(url) },
  };
}

/** A list, or a page of one: `next` is the id that the next page begins with. */
export function listJson(name: string, values: readonly Json[], url: URL, next: string | null): Json {
  const nextUrl = new URL(url);
  if (next !== null) nextUrl.searchParams.set('from', next);
  return {
    count: values.length,
    _embedded: { [name]: values },
    _links: { self: href(url.href), previous: null, next: next === null ? null : href(nextUrl.href) },
  };
}
