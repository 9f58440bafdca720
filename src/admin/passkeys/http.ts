import { ABSOLUTE_MS } from '../../access/sessions.ts';
import { type Route, route } from '../../http/api/endpoint.ts';
import { sessionCookie } from '../../http/api/surfaces/admin.ts';
import * as contract from './contract.ts';
import type { PasskeysService } from './service.ts';

export function passkeyRoutes({ passkeys }: { passkeys: PasskeysService }): Route[] {
  return [
    route(contract.beginPasskeySignIn, (call) => passkeys.beginSignIn(call.visitor)),
    route(
      contract.signInByPasskey,
      async ({ visitor, body }) => {
        const { secret, view } = await passkeys.signIn(visitor, body.credential);
        return { data: view, headers: { 'Set-Cookie': sessionCookie(visitor.isHttps, secret, ABSOLUTE_MS / 1000) } };
      },
      (response) => response,
    ),
    route(contract.beginPasskeyConfirmation, (call) => passkeys.beginConfirmation(call.visitor)),
    route(contract.confirmByPasskey, (call) => passkeys.confirm(call.visitor, call.body.credential)),
    route(contract.listPasskeys, (call) => passkeys.list(call.visitor.session)),
    route(contract.beginPasskey, (call) => passkeys.begin(call.visitor)),
    route(contract.createPasskey, (call) => passkeys.create(call.visitor, call.body)),
    route(contract.renamePasskey, (call) => passkeys.rename(call.visitor.session, call.params.id, call.body.name)),
    route(contract.removePasskey, (call) => passkeys.remove(call.visitor.session, call.params.id)),
  ];
}
