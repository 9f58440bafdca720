import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { MembersService } from './service.ts';

export function memberRoutes({ members }: { members: MembersService }): Route[] {
  return [
    route(contract.listMembers, (call) => members.listMembers(call.caller.companyId)),
    route(contract.updateMember, (call) => members.updateMember(call.caller, call.params.id, call.body.role)),
    route(contract.removeMember, (call) => members.removeMember(call.caller, call.params.id)),
    route(contract.listMemberSessions, (call) =>
      members.listSessions(call.caller.companyId, call.params.id, call.visitor.session),
    ),
    route(contract.endMemberSessions, (call) => members.endSessions(call.caller, call.params.id, call.visitor.session)),
    route(contract.listInvitations, (call) => members.listInvitations(call.caller.companyId)),
    route(contract.invite, (call) => members.invite(call.caller, call.visitor.session, call.body)),
    route(contract.takeBackInvitation, (call) => members.takeBackInvitation(call.caller, call.params.id)),
  ];
}
