import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { SettingsService } from './service.ts';

export function settingsRoutes({ settings }: { settings: SettingsService }): Route[] {
  return [
    route(contract.getSettings, (call) => settings.getSettings(call.caller.companyId)),
    route(contract.updateSettings, (call) => settings.updateSettings(call.caller, call.body)),
  ];
}
