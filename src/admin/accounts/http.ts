import { ABSOLUTE_MS } from '../../access/sessions.ts';
import { type Route, route, type Visitor } from '../../http/api/endpoint.ts';
import { sessionCookie } from '../../http/api/surfaces/admin.ts';
import { RawJson } from '../../lib/raw-json.ts';
import * as contract from './contract.ts';
import type { AccountsService, Begun } from './service.ts';

export interface AccountRoutesDeps {
  accounts: AccountsService;
  /** The OpenAPI document of the admin API, as JSON. */
  adminDocument: () => string;
}

export function accountRoutes({ accounts, adminDocument }: AccountRoutesDeps): Route[] {
  return [
    route(contract.getSession, (call) => accounts.viewOf(call.visitor.session)),
    route(
      contract.signIn,
      async (call) => begun(call.visitor, await accounts.signIn(call.visitor, call.body)),
      present,
    ),
    route(
      contract.signOut,
      async ({ visitor }) => ({ data: await accounts.signOut(visitor), headers: forgotten(visitor) }),
      (response) => response,
    ),
    route(contract.confirm, (call) => accounts.confirm(call.visitor, call.body.password)),
    route(contract.getWays, async () => accounts.ways()),
    route(contract.sendLink, (call) => accounts.sendLink(call.visitor, call.body)),
    route(contract.lookAtLink, (call) => accounts.lookAtLink(call.visitor, call.body.token)),
    route(
      contract.useLink,
      async (call) => begun(call.visitor, await accounts.useLink(call.visitor, call.body)),
      present,
    ),
    route(contract.getMe, (call) => accounts.personOf(call.visitor.session.personId)),
    route(contract.updateMe, (call) => accounts.updateMe(call.visitor.session, call.body)),
    route(contract.setPassword, (call) => accounts.setPassword(call.visitor.session, call.body.password, call.visitor)),
    route(contract.listSessions, (call) => accounts.listSessions(call.visitor.session)),
    route(contract.endSession, (call) => accounts.endSession(call.visitor.session, call.params.id)),
    route(contract.getDocument, async () => new RawJson(adminDocument())),
  ];
}

const forgotten = ({ isHttps }: Visitor): Record<string, string> => ({
  'Set-Cookie': sessionCookie(isHttps, '', 0),
  'Clear-Site-Data': '"cache", "storage"',
});

function begun({ isHttps }: Visitor, { secret, view }: Begun) {
  return { data: view, headers: { 'Set-Cookie': sessionCookie(isHttps, secret, ABSOLUTE_MS / 1000) } };
}

function present(response: ReturnType<typeof begun>) {
  return response;
}
