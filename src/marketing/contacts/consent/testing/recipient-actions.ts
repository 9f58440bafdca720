import { createHmac } from 'node:crypto';
import type { TestServer } from '../../../../testing/harness.ts';
import { signBody } from '../../../webhook/signature.ts';
import { type Action, assertThat, FORM, type History, one, pickUnsubscribePage, SMS_TOKEN } from './random-history.ts';

/* Actions of recipients: links, pages and SMS, and reports of providers about them. */

/** Unsubscribes with one click, or from everything on the page. */
const click: Action = async (server, history) => {
  const page = pickUnsubscribePage(server, history);
  if (page === null) return;
  const { contactId, messageId, to, path } = page;
  const everything = history.pick(2) === 0;
  const raw = everything ? 'leave=everything' : 'List-Unsubscribe=One-Click';
  const { status } = await server.request('POST', path, { raw, headers: FORM });
  assertThat(status === 200, `click: ${status}`);
  const person = history.model.person(contactId);
  const isSaidBySms = !to.includes('@');
  // Messages of an erased person belong to nobody; one-click concerns e-mail.
  const also = person === undefined || (isSaidBySms && !everything) ? undefined : to;
  history.model.unsubscribe(person, everything ? ['email', 'sms'] : ['email'], also);
  history.log.push(`click ${everything ? 'everything' : 'once'} by ${messageId} of ${contactId} to ${to}`);
};

async function report(server: TestServer, { fixture: { shop } }: History, type: string, email: string): Promise<void> {
  const raw = JSON.stringify({ reports: [{ type, email }] });
  const headers = {
    'x-company-id': String(shop.company_id),
    'x-webhook-signature': signBody(shop.webhook_secret, raw),
  };
  const { status } = await server.request('POST', '/marketing/bounces', { raw, headers });
  assertThat(status === 200, `${type}: ${status}`);
}

const complain: Action = async (server, history) => {
  const email = one(history, history.emails);
  await report(server, history, 'complaint', email);
  history.model.unsubscribeAddress('email', email);
  history.log.push(`complaint ${email}`);
};

const bounce: Action = async (server, history) => {
  const email = one(history, history.emails);
  await report(server, history, 'bounce', email);
  history.model.bounce(email);
  history.log.push(`bounce ${email}`);
};

/** Five temporary bounces, which count as a bounce of the contact. */
const softBounce: Action = async (server, history) => {
  const used = history.emails.filter((email) => history.model.holder('email', email) !== undefined);
  if (used.length === 0) return;
  const email = one(history, used);
  for (let times = 0; times < 5; times++) await report(server, history, 'soft', email);
  history.model.softBounce(email);
  history.log.push(`worn out ${email}`);
};

let messages = 0;
const text: Action = async (server, history) => {
  const phone = one(history, history.phones);
  const word = one(history, ['STOP', 'STOP', 'START'] as const);
  const form = { Body: word, From: phone, MessageSid: `SM${++messages}`, To: history.fixture.number };
  const path = '/marketing/sms/inbound/twilio';
  const signed = Object.entries(form).map(([name, value]) => name + value);
  const signature = createHmac('sha1', SMS_TOKEN)
    .update(server.app.origin() + path + signed.join(''))
    .digest('base64');
  const headers = { ...FORM, 'x-twilio-signature': signature };
  const { status } = await server.request('POST', path, { raw: new URLSearchParams(form).toString(), headers });
  assertThat(status === 200, `${word}: ${status}`);
  if (word === 'STOP') history.model.unsubscribeAddress('sms', phone);
  else history.model.start(phone);
  history.log.push(`${word} ${phone}`);
};

/** A subscription on the page counts if the link was sent to an address that the person still has. */
const agree: Action = async (server, history) => {
  const page = pickUnsubscribePage(server, history);
  if (page === null) return;
  const { contactId, messageId, to, path } = page;
  const channel = one(history, ['email', 'sms'] as const);
  const { status } = await server.request('POST', path, { raw: `channel=yes-${channel}`, headers: FORM });
  assertThat(status === 200, `agree: ${status}`);
  const person = history.model.person(contactId);
  const counts = person !== undefined && (to.includes('@') ? person.email : person.phone) === to;
  if (counts) history.model.resubscribe(person, channel);
  history.log.push(`agrees to ${channel} by ${messageId} of ${contactId} to ${to}: ${counts}`);
};

const CHOICES = ['pause=30', 'pause=0', 'frequency=less_often', 'frequency=all'] as const;

/** Sets preferences, on the page of any message of the person. */
const choose: Action = (server, history) => setPreference(server, history, one(history, CHOICES));

/** Asks for less marketing, which random choices do too seldom. */
export const wantLess: Action = (server, history) => setPreference(server, history, 'frequency=less_often');

async function setPreference(server: TestServer, history: History, choice: (typeof CHOICES)[number]): Promise<void> {
  const page = pickUnsubscribePage(server, history);
  if (page === null) return;
  const { status } = await server.request('POST', page.path, { raw: choice, headers: FORM });
  assertThat(status === 200, `${choice}: ${status}`);
  const person = history.model.person(page.contactId);
  const [name, value] = choice.split('=');
  if (person !== undefined && name === 'pause') person.isPaused = value === '30';
  if (person !== undefined && name === 'frequency') person.wantsLess = value === 'less_often';
  history.log.push(`${choice} by ${page.messageId} of ${page.contactId}`);
}

/** Submits the hosted form. An address gets at most one confirmation mail per hour. */
const signUp: Action = async (server, history) => {
  const email = one(history, history.emails);
  // Submissions per client are limited.
  const headers = { ...FORM, 'x-forwarded-for': history.network };
  const raw = new URLSearchParams({ email }).toString();
  const { status } = await server.request('POST', `/f/${history.fixture.form}`, { raw, headers });
  assertThat(status === 200, `form: ${status}`);
  history.model.signUp(email);
  history.log.push(`form ${email}`);
};

/** A confirmation counts for the address that the link was sent to. */
const confirm: Action = async (server, history) => {
  const links = history.received.filter((each) => each.confirmUrl !== null);
  if (links.length === 0) return;
  const link = one(history, links);
  const { contactId, to, confirmUrl } = link;
  const { body } = await server.request('POST', new URL(confirmUrl!).pathname, { raw: '', headers: FORM });
  const thanked = String(body).includes('Thank you');
  history.log.push(`confirm ${contactId} by ${to}: ${thanked}`);
  // A repeated confirmation of a form gets the same response.
  if (!thanked || link.isUsed) return;
  link.isUsed = true;
  const person = history.model.person(contactId);
  assertThat(person?.email === to, `confirmed by ${to} for ${person?.email}`);
  history.model.resubscribe(person!, 'email');
};

export const BY_RECIPIENTS = { click, complain, bounce, softBounce, text, agree, choose, signUp, confirm };
