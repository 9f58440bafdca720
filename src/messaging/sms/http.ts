import type { App } from '../../app.ts';
import { isStorable } from '../../http/body.ts';
import { RawJson, type RawRequest, type Route, route } from '../../http/endpoint.ts';
import { refuseAccess } from '../../http/pipeline.ts';
import * as contract from './contract.ts';
import { receiveSms } from './inbound.ts';
import { applyReceipt } from './receipts.ts';
import { isSignedByTwilio } from './twilio.ts';

const EMPTY = new RawJson('<?xml version="1.0" encoding="UTF-8"?><Response></Response>');

export const smsRoutes: Route[] = [
  route(contract.receiveTwilioMessage, async (app, { request }) => {
    const form = await requireTwilio(app, request);
    const [id, from, to, text] = ['MessageSid', 'From', 'To', 'Body'].map((name) => storedText(form, name));
    const replied = form.has('OptOutType');
    const { suppressions, companies } = app.messaging;
    await receiveSms({ ...app, suppressions, companies }, { id: id!, from: from!, to: to!, text: text!, replied });
    app.wake('sender');
    return EMPTY;
  }),
  route(contract.receiveTwilioStatus, async (app, { request, query, caller }) => {
    const form = await requireTwilio(app, request);
    const receipt = {
      message: query.message,
      status: storedText(form, 'MessageStatus'),
      errorCode: Number(form.get('ErrorCode')),
    };
    await applyReceipt(app.db, app.messaging.suppressions, receipt, caller.now);
    return EMPTY;
  }),
];

/** The form, once it is proven. Throws invalid_key with one text for everything that may be wrong, rate_limited. */
async function requireTwilio(app: App, { url, headers, body, address }: RawRequest): Promise<URLSearchParams> {
  const form = new URLSearchParams(body.toString('utf8'));
  const signature = headers['x-twilio-signature'];
  const token = app.messaging.smsToken;
  const genuine =
    token !== null && typeof signature === 'string' && isSignedByTwilio(token, app.origin() + url, form, signature);
  if (!genuine) return refuseAccess(app, 'sms', address, 'invalid_key');
  return form;
}

function storedText(form: URLSearchParams, name: string): string {
  const text = form.get(name) ?? '';
  return isStorable(text) ? text : '';
}
