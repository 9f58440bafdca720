import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { KeysService } from './service.ts';

export function keyRoutes({ keys }: { keys: KeysService }): Route[] {
  return [
    route(contract.listKeys, ({ caller }) => keys.listKeys(caller)),
    route(contract.createKey, ({ caller, body }) => keys.createKey(caller, body)),
    route(contract.rotateKey, ({ caller, params, body }) => keys.rotateKey(caller, params.id, body.overlap_hours)),
    route(contract.revokeKey, ({ caller, params }) => keys.revokeKey(caller, params.id)),
  ];
}
