import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Target } from '../server/target.ts';

export interface Bench {
  target: Target;
  server: ChildProcess;
  client: pg.Client;
  say: (line: string) => void;
}

export async function call<T>({ target }: Bench, method: string, path: string, body: object = {}): Promise<T> {
  const { port, shop } = target;
  const response = await fetch(`http://127.0.0.1:${port}/marketing/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${shop.key}`,
      'x-company-id': `${shop.companyId}`,
      'content-type': 'application/json',
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Creates a list of `count` contacts, by SQL; without their search text, which is not measured here. */
export async function fillList({ client, target }: Bench, count: number): Promise<number> {
  const { companyId } = target.shop;
  const { rows } = await client.query<{ id: string }>(
    `insert into lists (company_id, name, created_at, updated_at) values ($1, 'Bench', now(), now()) returning id`,
    [companyId],
  );
  const list = Number(rows[0]!.id);
  await client.query(
    `with made as (
       insert into contacts (company_id, email, first_name, last_name, properties, search, created_at, updated_at)
       select $1, 'list-$LIST-' || n || '@shop.example', 'Ada', 'Number ' || n, jsonb_build_object('city', 'Town ' || n % 100),
         '', now(), now() from generate_series(1, $3::int) n returning id
     )
     insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
     select $1, $2, id, 'active', now(), now() from made`.replace('$LIST', String(list)),
    [companyId, list, count],
  );
  await client.query('vacuum (analyze)');
  await client.query('checkpoint');
  return list;
}

/** Personalised in 16 places, with five links; the whole e-mail has about MAIL_BYTES. */
function content(): string {
  const links = [1, 2, 3, 4, 5].map(
    (n) => `<a href="https://shop.example/products/${n}?campaign=spring">Product ${n}</a>`,
  );
  const own =
    'For you, {{ contact.first_name }} of {{ contact.properties.city }}, we have chosen what goes well with your last order, and we keep it for you until Sunday.';
  const forAll =
    'Everything is made to order in our own workshop, packed without plastic, and with you within three days; whatever you do not like you may send back within a month.';
  const paragraphs = (text: string, n: number): string => `<p style="margin:0 0 12px">${text}</p>`.repeat(n);
  return `<!doctype html><html><head><title>Spring</title></head><body style="font-family:sans-serif"><h1>Hello {{ contact.first_name }} {{ contact.last_name }}</h1>${links.join('')}${paragraphs(own, 7)}${paragraphs(forAll, 14)}</body></html>`;
}

export async function startCampaign(bench: Bench, list: number, holdoutPercent = 0): Promise<number> {
  const { campaign_id } = await call<{ campaign_id: number }>(bench, 'POST', '/campaigns', {
    name: 'Spring',
    type: 'email',
    subject: 'Spring has come, {{ contact.first_name }}',
    preview_text: 'For {{ contact.last_name }}',
    content: content(),
    list_id: list,
    holdout_percent: holdoutPercent,
  });
  await call(bench, 'POST', `/campaigns/send/${campaign_id}`);
  return campaign_id;
}

/** Waits until the campaign's recipients are written to the ledger. */
export async function written({ client, target }: Bench, campaign: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ recipients: string | null }>(
      'select recipients from campaigns where company_id = $1 and id = $2',
      [target.shop.companyId, campaign],
    );
    if (rows[0]!.recipients !== null) return;
    await pause(100);
  }
}
