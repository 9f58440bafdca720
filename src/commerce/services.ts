import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import type { NetworkLimiter } from '../access/attempts/limiter.ts';
import type { CompanyCache } from '../access/company-cache.ts';
import type { CompanyVersions } from '../access/company-versions.ts';
import type { MasterKey } from '../access/master-key.ts';
import type { PasswordHasher } from '../access/passwords/passwords.ts';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/pool.ts';
import type { Language } from '../messaging/consent/languages.ts';
import type { Suppressions } from '../messaging/suppressions/suppressions.ts';
import type { Wake } from '../work/worker-names.ts';
import {
  createCartPayable,
  createCartPlacing,
  createCartsService,
  createCheckoutService,
  createPayLinksService,
  createSettledCarts,
  lockCart,
  releaseCarts,
  withRecoverUrl,
} from './carts/service.ts';
import { createCategoriesService } from './categories/service.ts';
import { createCollectionsService } from './collections/service.ts';
import { createCustomFieldsService } from './custom-fields/service.ts';
import { createCustomerExports } from './customers/export/service.ts';
import { createCustomerMerges } from './customers/merge/service.ts';
import { createCustomersService } from './customers/service.ts';
import { createStockDocumentsService, createTransfersService } from './inventory/documents/service.ts';
import { createLocationsService } from './inventory/locations/service.ts';
import { createInventoryService } from './inventory/overview/service.ts';
import { createLoyaltyService } from './loyalty/service.ts';
import { createNotesService } from './notes/service.ts';
import { createOrdersService } from './orders/service.ts';
import { createPaymentAccountsService } from './payments/accounts/service.ts';
import { createPaymentMethodsService } from './payments/methods/service.ts';
import { createRefundsService } from './payments/refunds/service.ts';
import { createSavedMethodsService } from './payments/saved/service.ts';
import {
  createCalls,
  createOrderPayable,
  createOrderPayLinks,
  createPaymentsService,
  createSettling,
  type PaymentCalls,
  type Providers,
  payUrlOf,
} from './payments/service.ts';
import { createProductHistoryService, createProductsService, createVariantsService } from './products/service.ts';
import { createCouponsService } from './promotions/coupons/service.ts';
import { createPromotionsService } from './promotions/service.ts';
import { createSalesService } from './sales/service.ts';
import { createCheckoutSettingsService } from './settings/checkout/service.ts';
import { createSettingsService } from './settings/service.ts';
import { createShippingMethodsService } from './shipping/methods/service.ts';
import { createShippingZonesService } from './shipping/zones/service.ts';
import type { ShopCache } from './shop.ts';
import { createFrequenciesService } from './subscriptions/frequencies/service.ts';
import { createSubscriptionsService } from './subscriptions/service.ts';
import { createTaxesService } from './taxes/service.ts';

export interface CommerceDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  versions: CompanyVersions;
  shops: ShopCache;
  passwords: PasswordHasher;
  messaging: { suppressions: Suppressions; tokenKey: KeyObject; companies: CompanyCache<{ language: Language }> };
  visitorLimiter: NetworkLimiter;
  wake: Wake;
  masterKey: Pick<MasterKey, 'seal' | 'open'>;
  /** The code of payment services. */
  providers: Providers;
  /** The public URL of this server. */
  origin: () => string;
}

export type CommerceServices = ReturnType<typeof createCommerceServices>;

/** The services of the commerce API, under the names by which handlers use them. */
export function createCommerceServices(deps: CommerceDeps) {
  const { db, versions, shops, passwords, messaging, visitorLimiter, wake, masterKey, providers, origin } = deps;
  const { suppressions, tokenKey } = messaging;
  const orders = createOrdersService({ db, shops, suppressions, onPlaced: () => wake('outbox') });
  const carts = createCartsService({ db, shops, present: (cart, shop) => withRecoverUrl(tokenKey, shop, cart) });
  const calls = callsOf(deps, db, orders);
  const visitorCalls = callsOf(deps, db.visitors, orders);
  const paying = { shops, orders, masterKey, tokenKey, visitorLimiter, origin, carts: { lockCart, releaseCarts } };
  const visitorPayments = createPaymentsService({ ...paying, db: db.visitors, calls: visitorCalls });
  const sales = createSalesService({ db, shops });
  return {
    products: createProductsService({ db, shops, origin }),
    productHistory: createProductHistoryService({ db, shops }),
    variants: createVariantsService({ db, shops, origin }),
    categories: createCategoriesService({ db }),
    collections: createCollectionsService({ db, shops }),
    customFields: createCustomFieldsService({ db, versions, shops }),
    locations: createLocationsService({ db, versions }),
    inventory: createInventoryService({ db, shops, sales }),
    stockDocuments: createStockDocumentsService({ db, shops }),
    transfers: createTransfersService({ db }),
    customers: createCustomersService({ db, shops, passwords, messaging, wake }),
    customerExports: createCustomerExports({ db, shops }),
    customerMerges: createCustomerMerges({ db, shops, messaging, wake }),
    notes: createNotesService({ db }),
    loyalty: createLoyaltyService({ db, versions, shops }),
    orders,
    carts,
    checkout: createCheckoutService({ ...paying, db, calls }),
    calls,
    visitorCalls,
    payLinks: createPayLinksService({ db, carts, messaging, origin, onQueued: () => wake('sender') }),
    payables: {
      cart: createCartPayable({
        shops,
        carts: createCartsService({ db: db.visitors, shops, present: (cart) => cart }),
        checkout: createCheckoutService({ ...paying, db: db.visitors, calls: visitorCalls }),
        payments: visitorPayments,
      }),
      order: createOrderPayable({ db: db.visitors, shops, payments: visitorPayments }),
    },
    subscriptions: createSubscriptionsService({ db, shops }),
    frequencies: createFrequenciesService({ db, versions }),
    promotions: createPromotionsService({ db, versions, shops }),
    coupons: createCouponsService({ db, versions }),
    settings: createSettingsService({ db, versions }),
    checkoutSettings: createCheckoutSettingsService({ db, versions }),
    visitorPayments,
    payments: createPaymentsService({ ...paying, db, calls }),
    orderPayLinks: createOrderPayLinks({ db, shops, messaging, origin, onQueued: () => wake('sender') }),
    savedMethods: createSavedMethodsService({ db, wake }),
    refunds: createRefundsService({ db, shops }),
    paymentAccounts: createPaymentAccountsService({ db, versions, shops, masterKey, providers, origin }),
    paymentMethods: createPaymentMethodsService({ db, versions, shops }),
    shippingZones: createShippingZonesService({ db, versions }),
    shippingMethods: createShippingMethodsService({ db, versions, shops }),
    sales,
    taxes: createTaxesService({ db, versions }),
  };
}

/** What calls payment services, and settles what they say, with the connections of `db`. */
function callsOf(deps: CommerceDeps, db: Db, orders: ReturnType<typeof createOrdersService>): PaymentCalls {
  const { clock, shops, masterKey, messaging, origin, wake } = deps;
  const carts = createSettledCarts({ db, placing: createCartPlacing({ db, shops, orders }) });
  const settling = createSettling({
    db,
    clock,
    shops,
    carts,
    masterKey,
    cartPayUrl: payUrlOf('cart', messaging.tokenKey, origin),
    orderPayUrl: payUrlOf('order', messaging.tokenKey, origin),
    onSettled: () => {
      wake('outbox');
      wake('renewals');
    },
  });
  return createCalls({ ...deps, db, settling });
}
