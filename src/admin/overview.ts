import { listCompanies } from '../access/service.ts';
import type { OrdersService } from '../commerce/orders/service.ts';
import type { Db } from '../db/pool.ts';
import { type Html, html } from '../lib/html.ts';
import type { Page } from '../lib/paging.ts';
import { RawJson } from '../lib/raw-json.ts';
import { listFlows } from '../marketing/flows/service.ts';
import { countHeldMessages } from '../messaging/gate/held-queries.ts';
import type { MailboxService } from '../messaging/mailbox/service.ts';
import type { Messaging } from '../messaging/service.ts';
import { listRefusals } from '../outbox/refusals/service.ts';
import { page, section } from './layout.ts';

export interface OverviewDeps {
  db: Db;
  orders: Pick<OrdersService, 'listOrders'>;
  mailbox: MailboxService;
  messaging: Pick<Messaging, 'missing'>;
}

const LATEST = 20;
const MOST_HELD = 100_000;

/** What the operator sees: the companies, and of one of them its latest orders. */
export async function overviewPage(deps: OverviewDeps, companyId: number | null): Promise<Html> {
  const companies = await listCompanies(deps.db);
  const shown = companies.find((company) => company.company_id === companyId) ?? companies[0];
  return page(
    'Overview',
    html`<header>
<h1>Tradeloom</h1>
<form method="post" action="/admin/sign-out"><button>Sign out</button></form>
</header>
${section(
  'Companies',
  ['Id', 'Name', 'Currency', 'Time zone', 'Since'],
  companies.map((company) => [
    html`${company.company_id}`,
    html`<a href="/admin/overview?company=${company.company_id}">${company.name}</a>`,
    html`${company.currency}`,
    html`${company.time_zone}`,
    html`${company.created_at.toISOString().slice(0, 10)}`,
  ]),
  'There is no company yet: make one with tradeloom companies create.',
)}${shown === undefined ? null : await companySections(deps, shown.company_id, shown.name)}`,
  );
}

async function companySections(deps: OverviewDeps, companyId: number, name: string): Promise<Html> {
  return html`<h1>${name}</h1>
${await heldLine(deps, companyId)}${await attentionSection(deps, companyId)}${await ordersSection(deps, companyId)}${await flowsSection(deps, companyId)}${await mailboxSection(deps, companyId)}`;
}

/** Nothing where all is well. */
async function attentionSection(deps: OverviewDeps, companyId: number): Promise<Html | null> {
  const refused = await listRefusals(deps.db.lists(companyId), companyId, { per_page: LATEST });
  if (refused.total === 0) return null;
  return section(
    `Needs attention: events of the shop that marketing refused (${refused.total})`,
    ['Event', 'Of', 'Refused', 'Reason'],
    refused.rows.map(({ refusal_id, event_type, refused_at, reason }) => [
      html`${refusal_id}`,
      html`${event_type}`,
      html`${refused_at} UTC`,
      html`${reason}: remove the cause, then <code>tradeloom outbox replay --company ${companyId}</code>`,
    ]),
    '',
  );
}

/** What people do not get, and what has to be set. */
async function heldLine(deps: OverviewDeps, companyId: number): Promise<Html | null> {
  const held = await countHeldMessages(deps.db.lists(companyId), { companyId, atMost: MOST_HELD });
  const unset = deps.messaging.missing.filter(({ cause }) => !held.some(({ setting }) => setting.cause === cause));
  if (held.length + unset.length === 0) return null;
  return html`<ul role="alert">${held.map(
    ({ setting, n }) =>
      html`<li>${n === MOST_HELD ? `${n} or more` : n} messages are held: ${setting.cause}. ${setting.sentence}.</li>`,
  )}${unset.map(({ sentence }) => html`<li>${sentence}: messages that need it will be held.</li>`)}</ul>`;
}

async function ordersSection(deps: OverviewDeps, companyId: number): Promise<Html> {
  const found = await deps.orders.listOrders(companyId, { per_page: LATEST });
  return section(
    `Latest orders, of ${found.total}`,
    ['Order', 'Placed', 'Status', 'Goods', 'Total'],
    recordsOf(found).map((order) => [
      html`${order.id}`,
      html`${moment(order.created_at)}`,
      html`${order.status}`,
      html`${order.items.map((item) => `${item.qty} × ${item.product_name}`).join(', ')}`,
      html`${order.total.toFixed(2)} ${order.currency}`,
    ]),
    'No order yet.',
  );
}

async function flowsSection(deps: OverviewDeps, companyId: number): Promise<Html> {
  const found = await listFlows(deps.db.lists(companyId), companyId, {}, {});
  return section(
    'Flows',
    ['Flow', 'Name', 'Starts on', 'Status', 'Runs entered', 'Under way', 'Completed', 'Converted'],
    recordsOf(found).map(({ flow_id, name, trigger_type, status, stats }) => [
      html`${flow_id}`,
      html`${name}`,
      html`${trigger_type}`,
      html`${status}`,
      html`${stats.entered}`,
      html`${stats.active}`,
      html`${stats.completed}`,
      html`${stats.converted}`,
    ]),
    'No flow yet.',
  );
}

/** What was caught, each message as its recipient sees it, loaded when it is opened. */
async function mailboxSection(deps: OverviewDeps, companyId: number): Promise<Html> {
  const found = await deps.mailbox.listMailbox(companyId, { per_page: LATEST });
  return section(
    `Mailbox, the latest of ${found.total}`,
    ['Sent', 'To', 'Message'],
    found.rows.map(({ id, created_at, to, subject, excerpt }) => [
      html`${created_at} UTC`,
      html`${to}`,
      html`<details><summary>${subject ?? excerpt ?? ''}</summary>
<iframe sandbox="" loading="lazy" title="Message ${id}" src="/admin/messages/${companyId}/${id}"></iframe></details>`,
    ]),
    'No message yet. The mailbox keeps what is sent in development while no SMTP server and no SMS provider are set, in production with TRADELOOM_MAILBOX=1.',
  );
}

/** A page's records, also where SQL has made JSON of them. */
function recordsOf<Row>({ rows }: Page<Row>): Row[] {
  return rows instanceof RawJson ? (JSON.parse(rows.text) as Row[]) : rows;
}

/** `2026-03-15 12:00 UTC` of an ISO 8601 text. */
function moment(text: string): string {
  return `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`;
}
