import { type Route, route } from '../http/api/endpoint.ts';
import { exportEverything } from './contract.ts';
import type { CompanyExportService } from './service.ts';

export function exportRoutes({ companyExport }: { companyExport: CompanyExportService }): Route[] {
  return [route(exportEverything, (call) => companyExport.begin(call.caller))];
}
