import { type RawRequest, type Route, route } from '../../http/api/endpoint.ts';
import type { HttpPort } from '../../http/api/port.ts';
import { refuseAccess } from '../../http/api/refusals.ts';
import { RawJson } from '../../lib/raw-json.ts';
import { isStorable } from '../../lib/storable.ts';
import type { Wake } from '../../work/worker-names.ts';
import type { Messaging } from '../service.ts';
import * as contract from './contract.ts';
import type { SmsService } from './service.ts';
import { isSignedByTwilio } from './twilio.ts';

const EMPTY = new RawJson('<?xml version="1.0" encoding="UTF-8"?><Response></Response>');

export interface SmsRoutesDeps extends Pick<HttpPort, 'failedAttempts'> {
  sms: SmsService;
  messaging: Pick<Messaging, 'smsToken'>;
  origin: () => string;
  wake: Wake;
}

export function smsRoutes(deps: SmsRoutesDeps): Route[] {
  const { sms, messaging, origin, wake } = deps;

  /** The form of a request that Twilio signed. Throws invalid_key, rate_limited. */
  async function requireTwilio({ url, headers, body, address }: RawRequest): Promise<URLSearchParams> {
    const form = new URLSearchParams(body.toString('utf8'));
    const signature = headers['x-twilio-signature'];
    const token = messaging.smsToken;
    const genuine =
      token !== null && typeof signature === 'string' && isSignedByTwilio(token, origin() + url, form, signature);
    if (!genuine) return refuseAccess(deps, 'sms', address, 'invalid_key');
    return form;
  }

  return [
    route(contract.receiveTwilioMessage, async ({ request }) => {
      const form = await requireTwilio(request);
      const [id, from, to, text] = ['MessageSid', 'From', 'To', 'Body'].map((name) => storedText(form, name));
      const replied = form.has('OptOutType');
      await sms.receive({ id: id!, from: from!, to: to!, text: text!, replied });
      wake('sender');
      return EMPTY;
    }),
    route(contract.receiveTwilioStatus, async ({ request, query, caller }) => {
      const form = await requireTwilio(request);
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
