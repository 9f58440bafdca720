import { type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as settings from './service.ts';

export const settingsRoutes: Route[] = [
  route(contract.getSettings, (_app, call) => settings.getSettings(call.db, call.caller.companyId)),
  route(contract.updateSettings, (app, call) => settings.updateSettings(app, call.caller, call.body)),
];
