import { AppError } from '../errors.ts';
import { paged, type Route, route } from '../http/endpoint.ts';
import { requireSender } from '../http/signed-requests.ts';
import { readBody } from './bounce-forms.ts';
import { applyReports } from './bounces.ts';
import * as contract from './contract.ts';
import * as reading from './reading.ts';
import * as suppressed from './suppression-contract.ts';
import { addSuppressions, liftSuppressions, listSuppressions } from './suppression-list.ts';

export const messagingRoutes: Route[] = [
  route(contract.listMessages, (app, call) => reading.listMessages(app.db, call.caller.companyId, call.query), paged),
  route(contract.getMessage, (app, call) => reading.getMessage(app.db, call.caller.companyId, call.params.id)),
  route(contract.retryMessage, async (app, call) => {
    const message = await reading.retryMessage(app.db, call.caller, call.params.id);
    app.wake('sender');
    return message;
  }),
  route(contract.markMessageSent, (app, call) => reading.markMessageSent(app.db, call.caller, call.params.id)),
  route(contract.listMailbox, (app, call) => reading.listMailbox(app.db, call.caller.companyId, call.query), paged),
  route(contract.getLatestMailboxMessage, (app, call) =>
    reading.getLatestMailboxMessage(app.db, call.caller.companyId, call.query),
  ),
  route(contract.getMailboxMessage, (app, call) =>
    reading.getMailboxMessage(app.db, call.caller.companyId, call.params.id),
  ),
  route(contract.getSendingSettings, (app, call) => reading.getSendingSettings(app.db, call.caller.companyId)),
  route(contract.updateSendingSettings, (app, call) => reading.updateSendingSettings(app, call.caller, call.body)),
  route(suppressed.listSuppressions, (app, call) => listSuppressions(app, call.caller.companyId, call.query), paged),
  route(suppressed.addSuppressions, (app, call) => addSuppressions(app, call.caller, call.body)),
  route(suppressed.liftSuppressions, (app, call) => liftSuppressions(app, call.caller, call.body)),
  route(suppressed.reportBounces, async (app, { caller, request }) => {
    const { companyId } = await requireSender(app, caller, request);
    const reports = readBody(request.body);
    if (reports === null) throw new AppError('bad_request', 'The body is no bounce report of a known form');
    const applied = await applyReports(app.db, companyId, app.messaging.tokenKey, reports, caller.now);
    return { received: true, reports: reports.length, applied };
  }),
];
