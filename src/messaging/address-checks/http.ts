import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { AddressChecks } from './service.ts';

export function addressCheckRoutes({ messaging }: { messaging: { addressChecks: AddressChecks } }): Route[] {
  return [
    route(contract.checkAddresses, async ({ caller, body }) => ({
      addresses: await messaging.addressChecks.check(caller.companyId, body.addresses),
    })),
  ];
}
