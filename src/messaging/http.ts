import type { KeyHolder } from '../access/authenticator.ts';
import { AppError } from '../errors.ts';
import { type Route, route } from '../http/api/endpoint.ts';
import type { HttpPort } from '../http/api/port.ts';
import { refuseAccess } from '../http/api/refusals.ts';
import { countSigned, requireSender, type SenderCheck } from '../http/api/signed-requests.ts';
import { paged } from '../lib/paging.ts';
import type { Wake } from '../work/worker-names.ts';
import * as contract from './contract.ts';
import { applyReports } from './feedback/bounces.ts';
import * as bounces from './feedback/contract.ts';
import {
  type BounceReport,
  isBounceMail,
  MAX_REPORTS,
  readBody,
  readNotification,
} from './feedback/notification-forms.ts';
import type { MessageService } from './report/service.ts';
import type { Messaging } from './service.ts';
import * as suppressed from './suppressions/contract.ts';
import { addSuppressions, liftSuppressions, listSuppressions } from './suppressions/service.ts';

export interface MessagingRoutesDeps extends Pick<HttpPort, 'db' | 'failedAttempts' | 'rateLimiter'> {
  messages: MessageService;
  messaging: Messaging;
  /** Whose signature the reports of bounces carry, and as whom they are counted. */
  webhook: SenderCheck<Sender> & { countedAs(companyId: number): Promise<KeyHolder> };
  origin: () => string;
  wake: Wake;
}

interface Sender {
  companyId: number;
  holder: KeyHolder;
}

export function messagingRoutes(deps: MessagingRoutesDeps): Route[] {
  const { db, failedAttempts, messages, messaging, webhook, wake } = deps;

  /** As `readBody`; a bounce mail, which may be made to be read slowly, in a thread. */
  async function reportsIn(companyId: number, body: Buffer): Promise<BounceReport[] | null> {
    if (!isBounceMail(body)) return readBody(body);
    return (await messaging.renderer.readBounceMail(companyId, body)).slice(0, MAX_REPORTS);
  }

  async function taken(
    companyId: number,
    reports: BounceReport[],
    when: { now: Date; notification?: Buffer },
  ): Promise<{ received: true; reports: number; applied: number }> {
    const applied = await applyReports(db, companyId, messaging.tokenKey, reports, when);
    return { received: true, reports: reports.length, applied };
  }

  return [
    route(contract.listMessages, (call) => messages.listMessages(call.caller.companyId, call.query), paged),
    route(contract.getMessage, (call) => messages.getMessage(call.caller.companyId, call.params.id)),
    route(contract.retryMessage, async (call) => {
      const message = await messages.retryMessage(call.caller, call.params.id);
      wake('sender');
      return message;
    }),
    route(contract.markMessageSent, (call) => messages.markMessageSent(call.caller, call.params.id)),
    route(contract.listMailbox, (call) => messages.listMailbox(call.caller.companyId, call.query), paged),
    route(contract.getLatestMailboxMessage, (call) =>
      messages.getLatestMailboxMessage(call.caller.companyId, call.query),
    ),
    route(contract.getMailboxMessage, (call) => messages.getMailboxMessage(call.caller.companyId, call.params.id)),
    route(contract.getSendingSettings, (call) => messages.getSendingSettings(call.caller.companyId)),
    route(contract.updateSendingSettings, (call) => messages.updateSendingSettings(call.caller, call.body)),
    route(suppressed.listSuppressions, (call) => listSuppressions(deps, call.caller.companyId, call.query), paged),
    route(suppressed.addSuppressions, (call) => addSuppressions(deps, call.caller, call.body)),
    route(suppressed.liftSuppressions, (call) => liftSuppressions(deps, call.caller, call.body)),
    route(bounces.reportBounces, async ({ caller, request }) => {
      const { companyId } = await requireSender(deps, webhook, caller, request);
      const reports = await reportsIn(companyId, request.body);
      if (reports === null) throw new AppError('bad_request', 'The body is no bounce report of a known form');
      return taken(companyId, reports, { now: caller.now });
    }),
    ...bounces.notifyBounces.map(({ provider, endpoint }) =>
      route(endpoint, async ({ caller: { now }, params: { company_id: companyId }, request }) => {
        const mayAsk = failedAttempts.blockedFor('bounces', request.address) === 0;
        const genuine = await messaging.bounceProviders.authenticate(provider, companyId, request, { now, mayAsk });
        if (genuine === null) return refuseAccess(deps, 'bounces', request.address, 'invalid_key');
        await countSigned(deps, await webhook.countedAs(companyId), now);
        const confirmAt = 'confirmAt' in genuine ? genuine.confirmAt : null;
        if (confirmAt !== null) await messaging.bounceProviders.confirm(confirmAt);
        return taken(companyId, readNotification(request.body), { now, notification: genuine.key });
      }),
    ),
  ];
}
