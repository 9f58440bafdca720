import type { Passkey, PasskeyOptions } from '../../access/passkeys/schemas.ts';
import type { Caller } from '../../caller.ts';
import type { CustomerAccountsService, NewSession, SignedIn } from '../../commerce/customers/accounts/service.ts';
import type { CustomerExports } from '../../commerce/customers/export/service.ts';
import type { Customer } from '../../commerce/customers/schemas.ts';
import type { CustomersService } from '../../commerce/customers/service.ts';
import type { LoyaltyService } from '../../commerce/loyalty/service.ts';
import type { Order } from '../../commerce/orders/contract.ts';
import type { OrdersService } from '../../commerce/orders/service.ts';
import type { RemovedMethod, SavedPaymentMethod } from '../../commerce/payments/saved/contract.ts';
import type { SavedMethodsService } from '../../commerce/payments/saved/service.ts';
import type { Subscription, SubscriptionPatch } from '../../commerce/subscriptions/contract.ts';
import type { SubscriptionPage, SubscriptionsService } from '../../commerce/subscriptions/service.ts';
import type { ErasureService } from '../../erasure/service.ts';
import { notFound } from '../../errors.ts';
import type { ShopperTokens } from '../../http/api/shopper-tokens.ts';
import type { PageQuery } from '../../lib/paging.ts';
import type { RawJson } from '../../lib/raw-json.ts';
import type { OwnPatch, Session, StoreCustomer, StoreSubscription } from './contract.ts';

/** The part of a request that tells who makes it. */
export interface Visit {
  caller: Caller;
  tokens: ShopperTokens;
  from: { address: string; origin: string | null };
}

interface Mine {
  caller: Caller;
  me: SignedIn;
}

export interface OwnDataDeps {
  customerAccounts: CustomerAccountsService;
  customers: CustomersService;
  customerExports: CustomerExports;
  erasures: ErasureService;
  orders: OrdersService;
  loyalty: LoyaltyService;
  savedMethods: SavedMethodsService;
  subscriptions: SubscriptionsService;
}

export type OwnDataService = ReturnType<typeof createOwnDataService>;

/**
 * What customers do with their own data. Every method throws missing_session without a valid token of the company, and not_found for what
 * is not the customer's.
 */
export function createOwnDataService(deps: OwnDataDeps) {
  const {
    customerAccounts: accounts,
    customers,
    customerExports,
    erasures,
    orders,
    loyalty,
    savedMethods,
    subscriptions,
  } = deps;

  /** Returns who makes the request; what they do is recorded as done by them. */
  async function identify({ caller, tokens }: Visit): Promise<Mine> {
    const me = await accounts.signedIn(caller, tokens.customer);
    return { me, caller: { ...caller, actor: `customer:${me.customerId}` } };
  }

  /** Throws not_found. */
  async function mySubscription(visit: Visit, id: number): Promise<Mine & { subscription: Subscription }> {
    const { caller, me } = await identify(visit);
    const subscription = await subscriptions.getSubscription(caller.companyId, id);
    if (subscription.customer_id !== me.customerId) throw notFound('subscription');
    return { caller, me, subscription };
  }

  return {
    async getMe(visit: Visit): Promise<RawJson> {
      const { caller, me } = await identify(visit);
      return customers.getCustomer(caller.companyId, me.customerId);
    },

    /** Throws validation_failed, wrong_credentials, duplicate. */
    async updateMe(visit: Visit, patch: OwnPatch): Promise<RawJson> {
      const { caller, me } = await identify(visit);
      return accounts.changeOwn(caller, me, patch);
    },

    async setConsent(visit: Visit, accepts_marketing: boolean): Promise<RawJson> {
      const { caller, me } = await identify(visit);
      return accounts.changeOwn(caller, me, { accepts_marketing });
    },

    /** Throws wrong_credentials, payment_in_progress. */
    async deleteMe(visit: Visit, code: string): Promise<{ id: number; deleted: boolean }> {
      const { caller, me } = await identify(visit);
      await accounts.requireErasureCode(caller, me, code);
      return erasures.eraseCustomer(caller, me.customerId);
    },

    async sendCode(
      visit: Visit,
      asked: { purpose: 'change_email' | 'erase'; email?: string },
    ): Promise<{ sent: true }> {
      const { caller, me } = await identify(visit);
      return accounts.sendOwnCode(caller, me, asked, visit.from.address);
    },

    async changePassword(
      visit: Visit,
      input: Parameters<CustomerAccountsService['changePassword']>[2],
    ): Promise<RawJson> {
      const { caller, me } = await identify(visit);
      return accounts.changePassword(caller, me, input);
    },

    async logout(visit: Visit): Promise<{ id: number; deleted: boolean }> {
      const { caller, me } = await identify(visit);
      return accounts.endSession(caller, me, me.sessionId);
    },

    async listSessions(visit: Visit): Promise<Session[]> {
      const { caller, me } = await identify(visit);
      return (await accounts.listSessions(caller, me)).map(({ id, created_at, used_at }) => {
        const current = id === me.sessionId;
        return { id, created_at: created_at.toISOString(), used_at: used_at.toISOString(), current };
      });
    },

    async endSession(visit: Visit, id: number): Promise<{ id: number; deleted: boolean }> {
      const { caller, me } = await identify(visit);
      return accounts.endSession(caller, me, id);
    },

    async listPasskeys(visit: Visit): Promise<Passkey[]> {
      const { caller, me } = await identify(visit);
      return accounts.listPasskeys(caller, me);
    },

    /** Throws bad_request. */
    async beginPasskey(visit: Visit): Promise<PasskeyOptions> {
      const { caller, me } = await identify(visit);
      return accounts.beginPasskey(caller, me, visit.from.origin);
    },

    /** Throws bad_request, validation_failed, duplicate. */
    async addPasskey(visit: Visit, input: Parameters<CustomerAccountsService['addPasskey']>[2]): Promise<Passkey> {
      const { caller, me } = await identify(visit);
      return accounts.addPasskey(caller, me, input, visit.from.origin);
    },

    async removePasskey(visit: Visit, id: number): Promise<{ id: number; deleted: boolean }> {
      const { caller, me } = await identify(visit);
      return accounts.removePasskey(caller, me, id);
    },

    async listAddresses(visit: Visit) {
      const { caller, me } = await identify(visit);
      return accounts.listAddresses(caller.companyId, me.customerId);
    },

    async addAddress(visit: Visit, input: Parameters<CustomerAccountsService['addAddress']>[2]) {
      const { caller, me } = await identify(visit);
      return accounts.addAddress(caller, me.customerId, input);
    },

    async updateAddress(visit: Visit, id: number, patch: Parameters<CustomerAccountsService['updateAddress']>[3]) {
      const { caller, me } = await identify(visit);
      return accounts.updateAddress(caller, me.customerId, id, patch);
    },

    async removeAddress(visit: Visit, id: number) {
      const { caller, me } = await identify(visit);
      return accounts.removeAddress(caller, me.customerId, id);
    },

    /** Without what is known by the address, as long as that is not verified. */
    async exportMe(visit: Visit) {
      const { caller, me } = await identify(visit);
      const byAddress = ['orders:read', 'payments:read', 'marketing:read'];
      const may = (section: string): boolean => me.emailVerified || !byAddress.includes(section);
      return customerExports.exportCustomer(caller.companyId, me.customerId, may);
    },

    async listOrders(visit: Visit, query: PageQuery) {
      const { caller, me } = await identify(visit);
      const whose = { customerId: me.customerId, withGuest: me.emailVerified };
      return orders.listOwnOrders(caller.companyId, whose, query);
    },

    async getOrder(visit: Visit, id: number): Promise<Order> {
      const { caller, me } = await identify(visit);
      const order = await orders.getOrder(caller.companyId, id);
      if (order.customer_id !== me.customerId || (order.guest && !me.emailVerified)) throw notFound('order');
      return order;
    },

    async getLoyalty(visit: Visit) {
      const { caller, me } = await identify(visit);
      return loyalty.getBalance(caller.companyId, me.customerId);
    },

    /** Newest first. */
    async listSavedMethods(visit: Visit): Promise<SavedPaymentMethod[]> {
      const { caller, me } = await identify(visit);
      return savedMethods.listSavedMethods(caller.companyId, me.customerId);
    },

    /** Throws not_found. */
    async removeSavedMethod(visit: Visit, id: number): Promise<RemovedMethod> {
      const { caller, me } = await identify(visit);
      return savedMethods.removeSavedMethod(caller, me.customerId, id);
    },

    async listSubscriptions(visit: Visit, query: PageQuery): Promise<SubscriptionPage> {
      const { caller, me } = await identify(visit);
      return subscriptions.listSubscriptions(caller, { ...query, customer_id: me.customerId });
    },

    getSubscription: async (visit: Visit, id: number): Promise<Subscription> =>
      (await mySubscription(visit, id)).subscription,

    async updateSubscription(visit: Visit, id: number, patch: SubscriptionPatch): Promise<Subscription> {
      const { caller } = await mySubscription(visit, id);
      return subscriptions.updateSubscription(caller, id, patch);
    },

    async pauseSubscription(visit: Visit, id: number, resumeOn: string | null): Promise<Subscription> {
      const { caller } = await mySubscription(visit, id);
      return subscriptions.pauseSubscription(caller, id, resumeOn);
    },

    async resumeSubscription(visit: Visit, id: number): Promise<Subscription> {
      const { caller } = await mySubscription(visit, id);
      return subscriptions.resumeSubscription(caller, id);
    },

    async skipSubscription(visit: Visit, id: number): Promise<Subscription> {
      const { caller } = await mySubscription(visit, id);
      return subscriptions.skipNext(caller, id);
    },

    async cancelSubscription(visit: Visit, id: number, reason: string | null): Promise<Subscription> {
      const { caller } = await mySubscription(visit, id);
      return subscriptions.cancelSubscription(caller, id, reason);
    },
  };
}

/** Returns the fields of a customer of the commerce API that the customer sees. */
export function shownCustomer({ text }: RawJson): StoreCustomer {
  const { revision, account, metadata, custom, updated_at, ...shown } = JSON.parse(text) as Customer;
  return shown;
}

/** The same of a subscription. */
export function shownSubscription({ customer_id, cancel_reason, ...shown }: Subscription): StoreSubscription {
  return shown;
}

export function shownSession({ token, customer }: NewSession): { token: string; customer: StoreCustomer } {
  return { token, customer: shownCustomer(customer) };
}
