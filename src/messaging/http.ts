import type { App } from '../app.ts';
import { AppError } from '../errors.ts';
import { paged, type Route, route } from '../http/endpoint.ts';
import { refuseAccess } from '../http/pipeline.ts';
import { countSigned, requireSender } from '../http/signed-requests.ts';
import * as bounces from './bounce-contract.ts';
import { type BounceReport, isBounceMail, MAX_REPORTS, readBody, readNotification } from './bounce-forms.ts';
import { applyReports } from './bounces.ts';
import * as contract from './contract.ts';
import * as reading from './reading.ts';
import * as suppressed from './suppression-contract.ts';
import { addSuppressions, liftSuppressions, listSuppressions } from './suppression-list.ts';

export const messagingRoutes: Route[] = [
  route(
    contract.listMessages,
    (_app, call) => reading.listMessages(call.lists, call.caller.companyId, call.query),
    paged,
  ),
  route(contract.getMessage, (_app, call) => reading.getMessage(call.db, call.caller.companyId, call.params.id)),
  route(contract.retryMessage, async (app, call) => {
    const message = await reading.retryMessage(call.db, call.caller, call.params.id);
    app.wake('sender');
    return message;
  }),
  route(contract.markMessageSent, (_app, call) => reading.markMessageSent(call.db, call.caller, call.params.id)),
  route(
    contract.listMailbox,
    (_app, call) => reading.listMailbox(call.lists, call.caller.companyId, call.query),
    paged,
  ),
  route(contract.getLatestMailboxMessage, (app, call) =>
    reading.getLatestMailboxMessage({ ...app, db: call.lists }, call.caller.companyId, call.query),
  ),
  route(contract.getMailboxMessage, (app, call) =>
    reading.getMailboxMessage({ ...app, db: call.db }, call.caller.companyId, call.params.id),
  ),
  route(contract.getSendingSettings, (app, call) => reading.getSendingSettings(app, call.caller.companyId)),
  route(contract.updateSendingSettings, (app, call) => reading.updateSendingSettings(app, call.caller, call.body)),
  route(suppressed.listSuppressions, (app, call) => listSuppressions(app, call.caller.companyId, call.query), paged),
  route(suppressed.addSuppressions, (app, call) => addSuppressions(app, call.caller, call.body)),
  route(suppressed.liftSuppressions, (app, call) => liftSuppressions(app, call.caller, call.body)),
  route(bounces.reportBounces, async (app, { caller, request }) => {
    const { companyId } = await requireSender(app, caller, request);
    const reports = await reportsIn(app, companyId, request.body);
    if (reports === null) throw new AppError('bad_request', 'The body is no bounce report of a known form');
    return taken(app, companyId, reports, { now: caller.now });
  }),
  ...bounces.notifyBounces.map(({ provider, endpoint }) =>
    route(endpoint, async (app, { caller: { now }, params: { company_id: companyId }, request }) => {
      const mayAsk = app.failedAttempts.blockedFor('bounces', request.address) === 0;
      const genuine = await app.messaging.bounceProviders.authenticate(provider, companyId, request, { now, mayAsk });
      if (genuine === null) return refuseAccess(app, 'bounces', request.address, 'invalid_key');
      await countSigned(app, await app.webhook.countedAs(companyId), now);
      const confirmAt = 'confirmAt' in genuine ? genuine.confirmAt : null;
      if (confirmAt !== null) await app.messaging.bounceProviders.confirm(confirmAt);
      return taken(app, companyId, readNotification(request.body), { now, notification: genuine.key });
    }),
  ),
];

/** As `readBody`; a bounce mail, which may be made to be read slowly, in a thread. */
async function reportsIn(app: App, companyId: number, body: Buffer): Promise<BounceReport[] | null> {
  if (!isBounceMail(body)) return readBody(body);
  return (await app.messaging.renderer.readBounceMail(companyId, body)).slice(0, MAX_REPORTS);
}

async function taken(
  app: App,
  companyId: number,
  reports: BounceReport[],
  when: { now: Date; notification?: Buffer },
): Promise<{ received: true; reports: number; applied: number }> {
  const applied = await applyReports(app.db, companyId, app.messaging.tokenKey, reports, when);
  return { received: true, reports: reports.length, applied };
}
