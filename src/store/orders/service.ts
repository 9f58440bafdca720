import type { KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompanyCache } from '../../access/company-cache.ts';
import type { Caller } from '../../caller.ts';
import { findSignedIn } from '../../commerce/customers/accounts/service.ts';
import type { OrdersService } from '../../commerce/orders/service.ts';
import { findPaymentsOfOrder } from '../../commerce/payments/queries.ts';
import { paymentRecord } from '../../commerce/payments/record.ts';
import type { PaymentsService } from '../../commerce/payments/service.ts';
import type { ShopCache } from '../../commerce/shop.ts';
import type { Db } from '../../db/pool.ts';
import { notFound } from '../../errors.ts';
import type { ShopperTokens } from '../../http/api/shopper-tokens.ts';
import { normaliseEmail } from '../../lib/addresses.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import type { Language } from '../../messaging/consent/languages.ts';
import { findLanguage } from '../../messaging/consent/preference-queries.ts';
import { readToken } from '../../messaging/consent/tokens.ts';
import { queueMessages } from '../../messaging/service.ts';
import type { Wake } from '../../work/worker-names.ts';
import type { PayOrderInput, StoreCheckout, StoreOrder, StorePayment } from './contract.ts';
import { isOrderOf } from './queries.ts';
import { shownOrder, shownPayment } from './shown.ts';

interface StoreOrdersDeps {
  db: Db;
  shops: ShopCache;
  orders: OrdersService;
  payments: PaymentsService;
  messaging: { tokenKey: KeyObject; companies: CompanyCache<{ language: Language }> };
  wake: Wake;
}

const HOUR_MS = 3_600_000;
/** Far more than looking up and queueing take, so that the time does not tell whether there is such an order. */
const LOOK_UP_MS = 300;

export type StoreOrdersService = ReturnType<typeof createStoreOrdersService>;

/** Orders as their buyers see them. */
export function createStoreOrdersService({
  db: { visitors: db },
  shops,
  orders,
  payments,
  messaging,
  wake,
}: StoreOrdersDeps) {
  const { tokenKey, companies } = messaging;

  /** Returns the id of the order of a token. Throws not_found. */
  function orderOf(companyId: number, token: string | null): number {
    const content = token === null ? null : readToken(tokenKey, 'order', token);
    if (content === null || content.companyId !== companyId) throw notFound('order');
    return content.subject;
  }

  /** Mails the link, if the order is that of the address; once an hour, whoever asks. */
  async function mailLink(caller: Caller, asked: { order_id: number; email: string }): Promise<void> {
    const { companyId, now } = caller;
    const email = normaliseEmail(asked.email);
    const { store_url } = (await shops.get(companyId)).checkout;
    if (email === null || store_url === null) return;
    const { order_id } = asked;
    const { language: standard } = await companies.get(companyId);
    await db.tenantTx(companyId, async (tx) => {
      if (!(await isOrderOf(tx, companyId, { order_id, email }))) return;
      const language = await findLanguage(tx, companyId, { email, standard });
      const message = {
        idemKey: `t:order:${order_id}:${Math.floor(now.getTime() / HOUR_MS)}`,
        channel: 'email',
        contactId: null,
        recipient: email,
        origin: { kind: 'system', template: 'order_link', data: { language, order_id, store_url } },
        transactional: true,
        dueAt: now,
        correlation: correlationOf(caller),
      } as const;
      await queueMessages(tx, companyId, [message], now);
    });
    wake('sender');
  }

  return {
    /** Throws not_found. */
    async getOrder(companyId: number, token: string | null): Promise<StoreOrder & { payments: StorePayment[] }> {
      const id = orderOf(companyId, token);
      const [order, rows, shop] = await Promise.all([
        orders.getOrder(companyId, id),
        findPaymentsOfOrder(db.points(companyId), companyId, id),
        shops.get(companyId),
      ]);
      return { ...shownOrder(order), payments: rows.map((row) => shownPayment(paymentRecord(row, shop))) };
    },

    /**
     * Begins to pay what is owed for an order; with a saved method, only for its customer, who must be signed in. Throws not_found,
     * validation_failed, missing_session, payment_method_unavailable, nothing_to_pay, also for an order whose payment the shop does not keep.
     */
    async payOrder(
      caller: Caller,
      { order: token, customer }: ShopperTokens,
      input: PayOrderInput,
    ): Promise<StoreCheckout> {
      const id = orderOf(caller.companyId, token);
      const { method_id: methodId = null, saved_method_id: savedId = null, return_url: returnUrl = null } = input;
      const isSigned = savedId !== null && customer !== null;
      const signedIn = isSigned ? (await findSignedIn(db, caller, customer)).customerId : null;
      const choice = { methodId, savedId, signedIn, returnUrl, isKept: true };
      return payments.payBalance(caller, id, choice, (payment, order) => ({
        status: 'placed',
        order: shownOrder(order),
        order_token: token,
        payment: shownPayment(payment),
        reserved_until: null,
      }));
    },

    /** The response is the same for every order and address. */
    async lookUpOrder(caller: Caller, asked: { order_id: number; email: string }): Promise<{ sent: boolean }> {
      await Promise.all([mailLink(caller, asked), sleep(LOOK_UP_MS)]);
      return { sent: true };
    },
  };
}
