import { createHmac } from 'node:crypto';
import type { TestServer } from '../../../../testing/harness.ts';
import { signBody } from '../../../webhook/signature.ts';
import { type Action, aPage, FORM, type History, hold, one, SMS_TOKEN } from './history.ts';

/** What people do by their messages and pages in histories, and what providers report of them. */

/** By a link of something that came, perhaps long ago: one click, or everything by the page. */
const click: Action = async (server, history) => {
  const page = aPage(server, history);
  if (page === null) return;
  const { contactId, messageId, to, path } = page;
  const everything = history.pick(2) === 0;
  const raw = everything ? 'leave=everything' : 'List-Unsubscribe=One-Click';
  const { status } = await server.request('POST', path, { raw, headers: FORM });
  hold(status === 200, `click: ${status}`);
  const person = history.words.person(contactId);
  const isSaidBySms = !to.includes('@');
  // An erased person's messages are nobody's; one click concerns e-mail.
  const also = person === undefined || (isSaidBySms && !everything) ? undefined : to;
  history.words.leave(person, everything ? ['email', 'sms'] : ['email'], also);
  history.log.push(`click ${everything ? 'everything' : 'once'} by ${messageId} of ${contactId} to ${to}`);
};

async function report(server: TestServer, { town: { shop } }: History, type: string, email: string): Promise<void> {
  const raw = JSON.stringify({ reports: [{ type, email }] });
  const headers = {
    'x-company-id': String(shop.company_id),
    'x-webhook-signature': signBody(shop.webhook_secret, raw),
  };
  const { status } = await server.request('POST', '/marketing/bounces', { raw, headers });
  hold(status === 200, `${type}: ${status}`);
}

const complain: Action = async (server, history) => {
  const email = one(history, history.emails);
  await report(server, history, 'complaint', email);
  history.words.refuse('email', email);
  history.log.push(`complaint ${email}`);
};

const bounce: Action = async (server, history) => {
  const email = one(history, history.emails);
  await report(server, history, 'bounce', email);
  history.words.bounce(email);
  history.log.push(`bounce ${email}`);
};

/** Refused for now so often that nobody believes in the address any more. */
const wearOut: Action = async (server, history) => {
  const used = history.emails.filter((email) => history.words.holder('email', email) !== undefined);
  if (used.length === 0) return;
  const email = one(history, used);
  for (let times = 0; times < 5; times++) await report(server, history, 'soft', email);
  history.words.wearOut(email);
  history.log.push(`worn out ${email}`);
};

let messages = 0;
const text: Action = async (server, history) => {
  const phone = one(history, history.phones);
  const word = one(history, ['STOP', 'STOP', 'START'] as const);
  const form = { Body: word, From: phone, MessageSid: `SM${++messages}`, To: history.town.number };
  const path = '/marketing/sms/inbound/twilio';
  const signed = Object.entries(form).map(([name, value]) => name + value);
  const signature = createHmac('sha1', SMS_TOKEN)
    .update(server.app.origin() + path + signed.join(''))
    .digest('base64');
  const headers = { ...FORM, 'x-twilio-signature': signature };
  const { status } = await server.request('POST', path, { raw: new URLSearchParams(form).toString(), headers });
  hold(status === 200, `${word}: ${status}`);
  if (word === 'STOP') history.words.refuse('sms', phone);
  else history.words.start(phone);
  history.log.push(`${word} ${phone}`);
};

/** A yes by the page counts where the link came to an address that is still the person's. */
const agree: Action = async (server, history) => {
  const page = aPage(server, history);
  if (page === null) return;
  const { contactId, messageId, to, path } = page;
  const channel = one(history, ['email', 'sms'] as const);
  const { status } = await server.request('POST', path, { raw: `channel=yes-${channel}`, headers: FORM });
  hold(status === 200, `agree: ${status}`);
  const person = history.words.person(contactId);
  const counts = person !== undefined && (to.includes('@') ? person.email : person.phone) === to;
  if (counts) history.words.comeBack(person, channel);
  history.log.push(`agrees to ${channel} by ${messageId} of ${contactId} to ${to}: ${counts}`);
};

/** How much marketing somebody wants, by the page of any message of theirs. */
const choose: Action = async (server, history) => {
  const page = aPage(server, history);
  if (page === null) return;
  const choice = one(history, ['pause=30', 'pause=0', 'frequency=less_often', 'frequency=all'] as const);
  const { status } = await server.request('POST', page.path, { raw: choice, headers: FORM });
  hold(status === 200, `${choice}: ${status}`);
  const person = history.words.person(page.contactId);
  const [name, value] = choice.split('=');
  if (person !== undefined && name === 'pause') person.isPaused = value === '30';
  if (person !== undefined && name === 'frequency') person.getsLess = value === 'less_often';
  history.log.push(`${choice} by ${page.messageId} of ${page.contactId}`);
};

/** By the hosted form. The mail that asks comes once an hour for an address. */
const signUp: Action = async (server, history) => {
  const email = one(history, history.emails);
  // One client may send so many forms only.
  const headers = { ...FORM, 'x-forwarded-for': history.network };
  const raw = new URLSearchParams({ email }).toString();
  const { status } = await server.request('POST', `/f/${history.town.form}`, { raw, headers });
  hold(status === 200, `form: ${status}`);
  history.words.signUp(email);
  history.log.push(`form ${email}`);
};

/** What a link says that came to one address counts for this address. */
const confirm: Action = async (server, history) => {
  const links = history.received.filter((each) => each.confirmUrl !== null);
  if (links.length === 0) return;
  const link = one(history, links);
  const { contactId, to, confirmUrl } = link;
  const { body } = await server.request('POST', new URL(confirmUrl!).pathname, { raw: '', headers: FORM });
  const thanked = String(body).includes('Thank you');
  history.log.push(`confirm ${contactId} by ${to}: ${thanked}`);
  // A form thanks again.
  if (!thanked || link.isUsed) return;
  link.isUsed = true;
  const person = history.words.person(contactId);
  hold(person?.email === to, `confirmed by ${to} for ${person?.email}`);
  history.words.comeBack(person!, 'email');
};

export const BY_PEOPLE = { click, complain, bounce, wearOut, text, agree, choose, signUp, confirm };
