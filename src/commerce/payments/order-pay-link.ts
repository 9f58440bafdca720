import type { KeyObject } from 'node:crypto';
import type { CompanyCache } from '../../access/company-cache.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db } from '../../db/pool.ts';
import { AppError, found, invalidField } from '../../errors.ts';
import type { Language } from '../../messaging/consent/languages.ts';
import { holdIdentity } from '../customers/service.ts';
import { fromMinor } from '../money.ts';
import { findOrder, type OrderWithItems } from '../orders/service.ts';
import type { Shop, ShopCache } from '../shop.ts';
import { wasDeclined } from './attempts.ts';
import { owedFor } from './books.ts';
import type { CheckoutPayment, PayLink } from './contract.ts';
import { mailPayLink, type PayTarget, payLinkEnd, payUrl } from './pay-links.ts';
import type { Payable, PayBill } from './pay-view.ts';
import { isOpen } from './payment.ts';
import { findPaymentsOfOrder } from './queries.ts';
import { paymentRecord } from './record.ts';

interface OrderPayLinksDeps {
  db: Db;
  shops: ShopCache;
  messaging: { tokenKey: KeyObject; companies: CompanyCache<{ language: Language }> };
  /** The public URL of this server. */
  origin: () => string;
  onQueued: () => void;
}

export type OrderPayLinks = ReturnType<typeof createOrderPayLinks>;

/** Links to a page of the program where what is owed for an order can be paid. See docs/design/payments.md. */
export function createOrderPayLinks({ db, shops, messaging, origin, onQueued }: OrderPayLinksDeps) {
  const { tokenKey, companies } = messaging;
  return {
    /** Returns a link, which `send` mails to the buyer. Throws not_found, nothing_to_pay, validation_failed without an address. */
    async linkOrder(caller: Caller, id: number, { send = false }: { send?: boolean }): Promise<PayLink> {
      const { companyId, now } = caller;
      const [shop, { language: standard }] = await Promise.all([shops.get(companyId), companies.get(companyId)]);
      const target: PayTarget = { companyId, kind: 'order', id, expiresAt: payLinkEnd(now) };
      const link = await write(db, caller, async (tx) => {
        const order = found(await findOrder(tx, companyId, id), 'order');
        const owes = owedFor(order);
        if (owes <= 0) throw new AppError('nothing_to_pay', 'Nothing is owed for this order');
        if (send) {
          const recipient = (await holdIdentity(tx, companyId, order.customer_id))?.email ?? null;
          if (recipient === null) throw invalidField('send', 'The customer has no e-mail address to send the link to');
          const total = fromMinor(owes, shop.exponent);
          await mailPayLink(tx, caller, target, { recipient, total, currency: shop.currency, standard });
        }
        return { url: payUrl(tokenKey, origin(), target), expires_at: target.expiresAt.toISOString() };
      });
      if (send) onQueued();
      return link;
    },
  };
}

interface BalancePayments {
  /** Begins to pay what is owed for an order. */
  payBalance(
    caller: Caller,
    orderId: number,
    choice: { methodId: number; expected: number },
    present: (payment: CheckoutPayment) => CheckoutPayment,
  ): Promise<CheckoutPayment>;
  refreshOrder(companyId: number, orderId: number): Promise<void>;
  stopAwaiting(caller: Caller, orderId: number): Promise<void>;
}

/** What a buyer sees of an order at its pay link, and does there. */
export function createOrderPayable({
  db,
  shops,
  payments,
}: {
  db: Db;
  shops: ShopCache;
  payments: BalancePayments;
}): Payable {
  return {
    async view({ companyId }, id) {
      const lane = db.points(companyId);
      const [row, rows, shop] = await Promise.all([
        findOrder(lane, companyId, id),
        findPaymentsOfOrder(lane, companyId, id),
        shops.get(companyId),
      ]);
      const order = found(row, 'order');
      if (order.status === 'cancelled') return { state: 'closed' };
      // What was authorized is captured later.
      const isPaid = owedFor(order) <= 0 || rows.some(({ status, wrong }) => status === 'authorized' && !wrong);
      if (isPaid) return { state: 'placed', orderId: id, payment: null };
      const bill = billOf(order, shop);
      const awaited = rows.find(isOpen);
      if (awaited !== undefined) {
        const rest = { ...awaited, amount: awaited.amount - awaited.captured };
        return { state: 'waiting', bill, payment: paymentRecord(rest, shop) };
      }
      return { state: 'open', bill, problems: [], declined: wasDeclined(rows.at(-1)) };
    },

    async pay(caller, id, { methodId, expectedTotal: expected }) {
      if (methodId === null) throw new AppError('payment_method_unavailable', 'A payment method is needed');
      return payments.payBalance(caller, id, { methodId, expected }, (payment) => payment);
    },

    refresh: ({ companyId }, id) => payments.refreshOrder(companyId, id),

    reopen: (caller, id) => payments.stopAwaiting(caller, id),
  };
}

function billOf(order: OrderWithItems, { currency, exponent, tax }: Shop): PayBill {
  const major = (amount: number): number => fromMinor(amount, exponent);
  return {
    currency,
    total: major(owedFor(order)),
    lines: order.items.map(({ product_name: name, title, qty, subtotal }) => {
      return { name, title, qty, amount: major(subtotal), problem: null };
    }),
    sums: [
      { kind: 'subtotal', amount: major(order.subtotal) },
      { kind: 'discount', amount: major(order.discount) },
      { kind: 'shipping', amount: major(order.shipping) },
      { kind: tax.prices_include_tax ? 'tax_included' : 'tax', amount: major(order.tax) },
      // What was credited counts as paid here.
      { kind: 'paid', amount: major(order.total - owedFor(order)) },
    ],
  };
}
