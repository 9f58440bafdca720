import { type RawRequest, type Route, route } from '../../http/api/endpoint.ts';
import { refuseSignature } from '../../http/api/errors.ts';
import type { HttpPort } from '../../http/api/port.ts';
import { RawJson } from '../../lib/raw-json.ts';
import { isStorable } from '../../lib/storable.ts';
import type { Wake } from '../../work/worker-names.ts';
import type { Messaging } from '../service.ts';
import * as contract from './contract.ts';
import { companyOfReceipt } from './receipts.ts';
import type { SmsService } from './service.ts';
import { isSignedByTwilio } from './twilio.ts';

const EMPTY = new RawJson('<?xml version="1.0" encoding="UTF-8"?><Response></Response>');

export interface SmsRoutesDeps extends Pick<HttpPort, 'networkLimiter'> {
  sms: SmsService;
  messaging: Pick<Messaging, 'smsToken' | 'smsTokensOf'>;
  origin: () => string;
  wake: Wake;
}

export function smsRoutes(deps: SmsRoutesDeps): Route[] {
  const { sms, messaging, origin, wake, networkLimiter } = deps;

  /** Returns the form of a request that Twilio signed with one of the tokens. Throws invalid_key, rate_limited. */
  async function requireTwilio(
    { url, headers, body, address }: RawRequest,
    tokens: readonly string[],
  ): Promise<URLSearchParams> {
    const form = new URLSearchParams(body.toString('utf8'));
    const signature = headers['x-twilio-signature'];
    const genuine =
      typeof signature === 'string' && tokens.some((token) => isSignedByTwilio(token, origin() + url, form, signature));
    if (!genuine) return refuseSignature(deps, 'sms', address);
    return form;
  }

  const installations = (): string[] => (messaging.smsToken === null ? [] : [messaging.smsToken]);

  /** Returns the tokens of the company's own accounts; for an address that failed often, only those in memory. */
  function tokensOf(companyId: number, { address }: RawRequest): Promise<readonly string[]> {
    return messaging.smsTokensOf(companyId, networkLimiter.blockedFor('sms', address) === 0);
  }

  async function receive(form: URLSearchParams, companyId: number | null): Promise<RawJson> {
    const [id, from, to, text] = ['MessageSid', 'From', 'To', 'Body'].map((name) => storedText(form, name));
    const replied = form.has('OptOutType');
    await sms.receive({ id: id!, from: from!, to: to!, text: text!, replied, companyId });
    wake('sender');
    return EMPTY;
  }

  return [
    route(contract.receiveTwilioMessage, async ({ request }) =>
      receive(await requireTwilio(request, installations()), null),
    ),
    route(contract.receiveCompanyTwilioMessage, async ({ request, params: { company_id: companyId } }) =>
      receive(await requireTwilio(request, await tokensOf(companyId, request)), companyId),
    ),
    route(contract.receiveTwilioStatus, async ({ request, query, caller }) => {
      const companyId = companyOfReceipt(query.message);
      const own = companyId === null ? [] : await tokensOf(companyId, request);
      const form = await requireTwilio(request, [...installations(), ...own]);
      const receipt = {
        message: query.message,
        status: storedText(form, 'MessageStatus'),
        errorCode: Number(form.get('ErrorCode')),
      };
      await sms.applyReceipt(receipt, caller.now);
      return EMPTY;
    }),
  ];
}

function storedText(form: URLSearchParams, name: string): string {
  const text = form.get(name) ?? '';
  return isStorable(text) ? text : '';
}
