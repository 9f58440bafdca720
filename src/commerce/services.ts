import type { CompanyVersions } from '../access/company-versions.ts';
import type { PasswordHasher } from '../access/passwords/passwords.ts';
import type { Db } from '../db/pool.ts';
import type { Suppressions } from '../messaging/suppressions/suppressions.ts';
import type { Wake } from '../work/worker-names.ts';
import { createCustomerExports } from './customers/export/service.ts';
import { createCustomersService } from './customers/service.ts';
import { createLoyaltyService } from './loyalty/service.ts';
import { createOrdersService } from './orders/service.ts';
import { createProductsService } from './products/service.ts';
import { createPromotionsService } from './promotions/service.ts';
import { createSettingsService } from './settings/service.ts';
import { createShippingMethodsService } from './shipping/methods/service.ts';
import { createShippingZonesService } from './shipping/zones/service.ts';
import type { ShopCache } from './shop.ts';
import { createSubscriptionsService } from './subscriptions/service.ts';
import { createTaxesService } from './taxes/service.ts';

export interface CommerceDeps {
  db: Db;
  versions: CompanyVersions;
  shops: ShopCache;
  passwords: PasswordHasher;
  messaging: { suppressions: Suppressions };
  wake: Wake;
}

export type CommerceServices = ReturnType<typeof createCommerceServices>;

/** The services of the commerce API, each under the name by which handlers ask for it. */
export function createCommerceServices(deps: CommerceDeps) {
  const { db, versions, shops, passwords, messaging, wake } = deps;
  const { suppressions } = messaging;
  return {
    products: createProductsService({ db, shops }),
    customers: createCustomersService({ db, shops, passwords, messaging, wake }),
    customerExports: createCustomerExports({ db, shops }),
    loyalty: createLoyaltyService({ db, versions, shops }),
    orders: createOrdersService({ db, shops, suppressions, onPlaced: () => wake('outbox') }),
    subscriptions: createSubscriptionsService({ db, shops }),
    promotions: createPromotionsService({ db, versions, shops }),
    settings: createSettingsService({ db, versions }),
    shippingZones: createShippingZonesService({ db, versions }),
    shippingMethods: createShippingMethodsService({ db, versions, shops }),
    taxes: createTaxesService({ db, versions }),
  };
}
