import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { SendingSettingsService } from './service.ts';

export function sendingSettingsRoutes({ sendingSettings }: { sendingSettings: SendingSettingsService }): Route[] {
  return [
    route(contract.getSendingSettings, (call) => sendingSettings.getSendingSettings(call.caller.companyId)),
    route(contract.updateSendingSettings, (call) => sendingSettings.updateSendingSettings(call.caller, call.body)),
  ];
}
