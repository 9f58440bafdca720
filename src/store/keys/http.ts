import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { StoreKeysService } from './service.ts';

export function storeKeyRoutes({ storeKeys }: { storeKeys: StoreKeysService }): Route[] {
  return [
    route(contract.listStoreKeys, ({ caller }) => storeKeys.listStoreKeys(caller.companyId)),
    route(contract.getStoreKey, ({ caller, params }) => storeKeys.getStoreKey(caller.companyId, params.id)),
    route(contract.createStoreKey, ({ caller, body }) => storeKeys.createStoreKey(caller, body)),
    route(contract.updateStoreKey, ({ caller, params, body }) => storeKeys.updateStoreKey(caller, params.id, body)),
    route(contract.revokeStoreKey, ({ caller, params }) => storeKeys.revokeStoreKey(caller, params.id)),
  ];
}
