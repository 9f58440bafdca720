import type { MasterKey } from '../access/master-key.ts';
import type { Clock } from '../clock.ts';
import { type CommerceDeps, type CommerceServices, createCommerceServices } from '../commerce/services.ts';
import type { Shop } from '../commerce/shop.ts';
import type { Db } from '../db/pool.ts';
import type { CampaignDeps } from '../marketing/campaigns/campaign-deps.ts';
import type { EventsService } from '../marketing/events/service.ts';
import type { FlowsDeps } from '../marketing/flows/service.ts';
import type { CompileDesign } from '../marketing/templates/order-emails/service.ts';

/** What creating the demo shop requires from the program. */
export interface DemoDeps extends CommerceDeps {
  clock: Clock;
  config: FlowsDeps['config'];
  masterKey: MasterKey;
  messaging: CommerceDeps['messaging'] & {
    previewer: CampaignDeps['previewer'];
    renderer: { compileDesign: CompileDesign };
  };
  events: Pick<EventsService, 'knowsType'>;
}

/** The shop's services on `db`, a transaction that looks like a database (see `joining`). */
export function createDemoServices(deps: DemoDeps, db: Db, shop: Shop): CommerceServices {
  // The company is not committed yet, so that the program's own cache cannot read it.
  const shops = { ...deps.shops, get: async () => shop };
  // Past orders and customers wake no worker before the transaction commits.
  return createCommerceServices({ ...deps, db, shops, wake: () => {} });
}
