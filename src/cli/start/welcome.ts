import type { DemoShop } from '../../demo/service.ts';
import { type DemoIds, HELD_BECAUSE, type Hold } from '../../installation.ts';

export function signInUrl(origin: string, token: string): string {
  return `${origin}/admin/sign-in?token=${token}`;
}

/** What is shown where the output does not go to a terminal: no secrets. `linkIn` is the file that has the first owner's link. */
export function welcomeWithoutSecrets(
  origin: string,
  { demo, held, linkIn }: { demo: DemoShop | null; held: Hold['because'] | null; linkIn: string | null },
): string {
  const lines = [
    '',
    `Admin app   ${origin}/admin/`,
    linkIn === null
      ? '            (for a link that signs you in: npx tradeloom sign-in)'
      : `            (the link that signs you in, once, within the hour, is in ${linkIn})`,
  ];
  if (held !== null) lines.push('', heldLine(held));
  if (demo !== null) {
    lines.push(`Storefront  ${origin}/shop/`, '', 'Demo shop: its API key is shown on a terminal only. To create one:');
    lines.push('  npx tradeloom keys create --company 1 --name trial --scope "*"');
  }
  return `${lines.join('\n')}\n\n`;
}

function heldLine(held: Hold['because']): string {
  return `Sending is held: ${HELD_BECAUSE[held]}. To resume it: npx tradeloom sending confirm`;
}

/** What the terminal shows once the server listens: where to sign in, and what to try. */
export function welcome(given: {
  origin: string;
  token: string;
  ids: DemoIds | null;
  demo: DemoShop | null;
  held: Hold['because'] | null;
}): string {
  const { origin, token, ids, demo, held } = given;
  const lines = ['', `Admin app   ${signInUrl(origin, token)}`, '            (valid once, for an hour)'];
  if (ids !== null) lines.push(`Storefront  ${origin}/shop/`);
  if (held !== null) lines.push('', heldLine(held));
  if (demo !== null) {
    lines.push('', 'Demo shop, shown only once:');
    lines.push(`  API key          ${demo.key}`, `  webhook secret   ${demo.webhookSecret}`);
    lines.push('                   (require_timestamp is off: see npx tradeloom webhooks settings --help)');
  }
  if (ids !== null) lines.push('', ...examples(origin, ids, demo?.key ?? null));
  return `${lines.join('\n')}\n\n`;
}

/**
 * Three commands that can be pasted one by one or all at once: the flow starts within a second, and the e-mail is
 * polled for until it arrives. Without the key, which is known only at the first start, they use a variable.
 */
function examples(origin: string, ids: DemoIds, key: string | null): string[] {
  const secret = key ?? '$TRADELOOM_KEY';
  const commerce = `-H "X-API-Key: ${secret}"`;
  const marketing = `-H "Authorization: Bearer ${secret}" -H "X-Company-ID: ${ids.company_id}"`;
  const order = {
    customer_id: ids.customer_id,
    items: [{ product_id: ids.product_id, qty: 2 }],
    shipping_address: '12 Rowan Street',
    shipping_city: 'Portland',
    shipping_state: 'OR',
    shipping_zip: '97205',
  };
  const body = `-H "Content-Type: application/json" -d '${JSON.stringify(order)}'`;
  return [
    'Place an order:',
    `  curl -s ${origin}/commerce/v1/orders ${commerce} ${body}`,
    'See the flow that it started:',
    `  sleep 2; curl -s "${origin}/marketing/v1/flows/${ids.flow_id}/runs?contact_id=${ids.contact_id}" ${marketing}`,
    'Read the e-mail that the flow sent:',
    `  curl -sf --retry 9 --retry-delay 1 --retry-all-errors "${origin}/marketing/v1/mailbox/latest?to=${ids.email}" ${marketing}`,
    ...(key === null ? ['($TRADELOOM_KEY is the API key that the first start showed.)'] : []),
  ];
}
