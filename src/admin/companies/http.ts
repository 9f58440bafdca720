import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { CompaniesService } from './service.ts';

export function companyRoutes({ companies }: { companies: CompaniesService }): Route[] {
  return [route(contract.createCompany, ({ visitor, body }) => companies.createCompany(visitor.session, body))];
}
