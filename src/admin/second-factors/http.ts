import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { SecondFactorsService } from './service.ts';

export function secondFactorRoutes({ secondFactors }: { secondFactors: SecondFactorsService }): Route[] {
  return [
    route(contract.beginTotp, (call) => secondFactors.begin(call.visitor.session)),
    route(contract.confirmTotp, (call) => secondFactors.confirm(call.visitor.session, call.body.code)),
    route(contract.removeTotp, (call) => secondFactors.remove(call.visitor.session)),
  ];
}
