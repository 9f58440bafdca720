import type { CompanyVersions } from '../access/company-versions.ts';
import type { MasterKey } from '../access/master-key.ts';
import type { PasswordHasher } from '../access/passwords.ts';
import type { Clock } from '../clock.ts';
import { createCustomersService } from '../commerce/customers/service.ts';
import { createOrdersService } from '../commerce/orders/service.ts';
import { createProductsService } from '../commerce/products/service.ts';
import { createPromotionsService } from '../commerce/promotions/service.ts';
import { createShippingMethodsService } from '../commerce/shipping/methods/service.ts';
import { createShippingZonesService } from '../commerce/shipping/zones/service.ts';
import type { Shop, ShopCache } from '../commerce/shop.ts';
import { createSubscriptionsService } from '../commerce/subscriptions/service.ts';
import { createTaxesService } from '../commerce/taxes/service.ts';
import type { Db } from '../db/pool.ts';
import type { CampaignDeps } from '../marketing/campaigns/campaign-deps.ts';
import type { EventsService } from '../marketing/events/service.ts';
import type { FlowsDeps } from '../marketing/flows/service.ts';
import type { Suppressions } from '../messaging/suppressions/suppressions.ts';
import type { Wake } from '../work/worker-names.ts';

/** What creating the demo shop needs of the program. */
export interface DemoDeps {
  db: Db;
  clock: Clock;
  config: FlowsDeps['config'];
  masterKey: MasterKey;
  versions: CompanyVersions;
  shops: ShopCache;
  passwords: PasswordHasher;
  messaging: { suppressions: Suppressions; previewer: CampaignDeps['previewer'] };
  events: Pick<EventsService, 'knowsType'>;
  wake: Wake;
}

export type DemoServices = ReturnType<typeof createDemoServices>;

/** The shop's services on `db`, a transaction in the shape of a database (see `joining`). */
export function createDemoServices(deps: DemoDeps, db: Db, shop: Shop) {
  const { versions, passwords, messaging, wake } = deps;
  // The company is not committed yet: the program's own cache cannot read it.
  const shops: ShopCache = { ...deps.shops, get: async () => shop };
  return {
    products: createProductsService({ db, shops }),
    customers: createCustomersService({ db, shops, passwords, messaging, wake }),
    orders: createOrdersService({ db, shops, suppressions: messaging.suppressions, onPlaced: () => {} }),
    subscriptions: createSubscriptionsService({ db, shops }),
    promotions: createPromotionsService({ db, versions, shops }),
    shippingZones: createShippingZonesService({ db, versions }),
    shippingMethods: createShippingMethodsService({ db, versions, shops }),
    taxes: createTaxesService({ db, versions }),
  };
}
