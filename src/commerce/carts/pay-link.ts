import type { KeyObject } from 'node:crypto';
import type { CompanyCache } from '../../access/company-cache.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db } from '../../db/pool.ts';
import { AppError, invalidField, validationFailed } from '../../errors.ts';
import { problem, wrong } from '../../lib/validation/problems.ts';
import type { Language } from '../../messaging/consent/languages.ts';
import type { Order } from '../orders/contract.ts';
import type { PayLink, Payment } from '../payments/contract.ts';
import { type Payable, type PayBill, type PayView, payProblem } from '../payments/pay-view.ts';
import { mailPayLink, type PayTarget, payLinkEnd, payUrl } from '../payments/service.ts';
import type { ShopCache } from '../shop.ts';
import { holdBuyer } from './buyer.ts';
import type { CheckoutService } from './checkout.ts';
import type { CartRecord } from './contract.ts';
import { missingOf } from './ready.ts';

interface CartReader {
  /** Throws not_found. */
  getCart(caller: Caller, id: number): Promise<CartRecord>;
}

export interface PayLinksDeps {
  db: Db;
  carts: CartReader;
  messaging: { tokenKey: KeyObject; companies: CompanyCache<{ language: Language }> };
  /** The public URL of this server. */
  origin: () => string;
  onQueued: () => void;
}

export type PayLinksService = ReturnType<typeof createPayLinksService>;

/** Links to a page of the program where carts can be paid. See docs/design/carts.md. */
export function createPayLinksService({ db, carts, messaging, origin, onQueued }: PayLinksDeps) {
  const { tokenKey, companies } = messaging;

  return {
    /** Returns a link, which `send` mails to the buyer. Throws not_found, cart_not_open, cart_not_ready, validation_failed without an address or its state. */
    async linkCart(caller: Caller, id: number, { send = false }: { send?: boolean }): Promise<PayLink> {
      const { companyId, now } = caller;
      const cart = await carts.getCart(caller, id);
      requirePayable(cart);
      const { language: standard } = await companies.get(companyId);
      const target: PayTarget = { companyId, kind: 'cart', id, expiresAt: payLinkEnd(now) };
      const link = await write(db, caller, async (tx) => {
        if (send) {
          const { total, currency } = cart;
          const recipient = (await holdBuyer(tx, companyId, cart))?.email;
          if (recipient === undefined) throw invalidField('send', 'The cart has no e-mail address to send the link to');
          await mailPayLink(tx, caller, target, { recipient, total, currency, standard });
        }
        return { url: payUrl(tokenKey, origin(), target), expires_at: target.expiresAt.toISOString() };
      });
      if (send) onQueued();
      return link;
    },
  };
}

/** Throws cart_not_open, cart_not_ready, validation_failed. */
function requirePayable(cart: CartRecord): void {
  const { status, estimated } = cart;
  if (status !== 'open' && status !== 'paying') {
    throw new AppError('cart_not_open', `The cart is ${status}`, { status });
  }
  const missing = missingOf(cart);
  if (missing.length > 0) throw new AppError('cart_not_ready', `The cart lacks ${missing.join(', ')}`, { missing });
  // What is still estimated is the state: without it no order is placed, and the buyer cannot add it.
  if (estimated) throw validationFailed([wrong('shipping_state', problem('no_state'), 'required')]);
}

/** What a buyer sees of a cart at its pay link, and does there. */
export function createCartPayable({
  shops,
  carts,
  checkout,
  payments,
}: {
  shops: ShopCache;
  carts: CartReader;
  checkout: CheckoutService;
  payments: { wasDeclined(companyId: number, cartId: number): Promise<boolean> };
}): Payable {
  return {
    async view(caller, id) {
      const [cart, { tax }] = await Promise.all([carts.getCart(caller, id), shops.get(caller.companyId)]);
      if (cart.status === 'placed') {
        const { order, payment } = await checkout.confirmCart(caller, id);
        return order!.status === 'cancelled' ? { state: 'closed' } : placedView(order!, payment);
      }
      const bill = billOf(cart, tax.prices_include_tax);
      if (cart.status === 'paying' && cart.payment !== null) return { state: 'waiting', bill, payment: cart.payment };
      if (cart.status !== 'open') return { state: 'closed' };
      const found = cart.problems.filter(({ code }) => code !== 'price_changed').map(({ code }) => payProblem(code));
      const problems = missingOf(cart).length > 0 ? (['incomplete'] as const) : [...new Set(found)];
      return { state: 'open', bill, problems, declined: await payments.wasDeclined(caller.companyId, id) };
    },

    async pay(caller, id, { methodId, expectedTotal }) {
      const input = { method_id: methodId, expected_total: expectedTotal };
      return (await checkout.payCart(caller, id, input, { isStaff: false })).payment;
    },

    async refresh(caller, id) {
      await checkout.confirmCart(caller, id);
    },

    async reopen(caller, id) {
      await checkout.reopenCart(caller, id);
    },
  };
}

/** How to pay is shown only while money is awaited. */
function placedView({ id: orderId, balance }: Order, payment: Payment | null): PayView {
  const isAwaited = payment?.status === 'action_required' && balance !== null && balance > 0;
  return { state: 'placed', orderId, payment: isAwaited ? { ...payment, amount: balance } : null };
}

function billOf(cart: CartRecord, includesTax: boolean): PayBill {
  const { currency, total, problems } = cart;
  return {
    currency,
    total,
    lines: cart.lines.map(({ id, name, title, qty, subtotal }) => {
      const codes = problems.filter(({ line_id }) => line_id === id).map(({ code }) => code);
      const problem = (['out_of_stock', 'not_sold'] as const).find((one) => codes.includes(one)) ?? null;
      return { name, title, qty, amount: subtotal, problem };
    }),
    sums: [
      { kind: 'subtotal', amount: cart.subtotal },
      { kind: 'discount', amount: cart.discount },
      { kind: 'shipping', amount: cart.shipping },
      { kind: includesTax ? 'tax_included' : 'tax', amount: cart.tax },
    ],
  };
}
