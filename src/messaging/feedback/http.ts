import type { KeyHolder } from '../../access/authenticator.ts';
import type { Clock } from '../../clock.ts';
import { AppError } from '../../errors.ts';
import { type Route, route } from '../../http/api/endpoint.ts';
import { refuseSignature } from '../../http/api/errors.ts';
import type { HttpPort } from '../../http/api/port.ts';
import { countSigned, requireSender, type SenderCheck } from '../../http/api/signed-requests.ts';
import type { Renderer } from '../compose/renderer.ts';
import type { BounceProviders } from './bounce-providers.ts';
import type { BounceReport } from './bounce-report.ts';
import type { BounceService, ReportedIn } from './bounces.ts';
import * as contract from './contract.ts';
import { isBounceMail, MAX_REPORTS, readBody, readNotification } from './notification-forms.ts';

export interface BounceRoutesDeps extends Pick<HttpPort, 'networkLimiter' | 'rateLimiter'> {
  /** Providers sign with the time of their machines. */
  machineClock: Clock;
  bounces: BounceService;
  messaging: { renderer: Pick<Renderer, 'readBounceMail'>; bounceProviders: BounceProviders };
  /** Verifies the signature of bounce reports, and names the key whose rate limit they count against. */
  webhook: SenderCheck<Sender> & { countedAs(companyId: number): Promise<KeyHolder> };
}

interface Sender {
  companyId: number;
  holder: KeyHolder;
}

export function bounceRoutes(deps: BounceRoutesDeps): Route[] {
  const { bounces, networkLimiter, machineClock, messaging, webhook } = deps;

  /** Like `readBody`. A bounce mail is parsed in a thread, because it may be crafted to be slow to parse. */
  async function reportsIn(companyId: number, body: Buffer): Promise<BounceReport[] | null> {
    if (!isBounceMail(body)) return readBody(body);
    return (await messaging.renderer.readBounceMail(companyId, body)).slice(0, MAX_REPORTS);
  }

  async function apply(companyId: number, reports: BounceReport[], reportedIn: ReportedIn) {
    const applied = await bounces.applyReports(companyId, reports, reportedIn);
    return { received: true, reports: reports.length, applied };
  }

  return [
    route(contract.reportBounces, async ({ caller, request }) => {
      const { companyId } = await requireSender(deps, webhook, caller, request);
      const reports = await reportsIn(companyId, request.body);
      if (reports === null) throw new AppError('bad_request', 'The body is not a bounce report of a known form');
      return apply(companyId, reports, { now: caller.now });
    }),
    ...contract.notifyBounces.map(({ provider, endpoint }) =>
      route(endpoint, async ({ caller: { now }, params: { company_id: companyId }, request }) => {
        const mayAsk = networkLimiter.blockedFor('bounces', request.address) === 0;
        const asked = { now: machineClock.now(), mayAsk };
        const genuine = await messaging.bounceProviders.authenticate(provider, companyId, request, asked);
        if (genuine === null) return refuseSignature(deps, 'bounces', request.address);
        await countSigned(deps, await webhook.countedAs(companyId), now);
        const confirmAt = 'confirmAt' in genuine ? genuine.confirmAt : null;
        if (confirmAt !== null) await messaging.bounceProviders.confirm(confirmAt);
        return apply(companyId, readNotification(request.body), { now, notification: genuine.key });
      }),
    ),
  ];
}
