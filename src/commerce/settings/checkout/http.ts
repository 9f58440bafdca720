import { type Route, route } from '../../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { CheckoutSettingsService } from './service.ts';

export function checkoutSettingsRoutes({ checkoutSettings }: { checkoutSettings: CheckoutSettingsService }): Route[] {
  return [
    route(contract.getCheckoutSettings, (call) => checkoutSettings.getSettings(call.caller.companyId)),
    route(contract.updateCheckoutSettings, (call) => checkoutSettings.updateSettings(call.caller, call.body)),
  ];
}
