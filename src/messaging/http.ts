import { paged, type Route, route } from '../http/endpoint.ts';
import * as contract from './contract.ts';
import * as reading from './reading.ts';

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
];
