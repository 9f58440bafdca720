import type { Page } from 'playwright-core';
import { accessibilityViolations, COLOUR_RULES, overflowOf, showTheme, type Tab, watchNetwork } from './browser.ts';

const PAGES = [
  'home',
  'home?period=year&compare=year&measure=orders',
  'orders',
  'orders?status=delivered',
  'orders/1',
  'orders/new',
  'orders/print?ids=1-2',
  'orders/invoice?ids=1-2',
  'products',
  'products/new',
  'products/1',
  'products/1/edit',
  'customers',
  'customers/new',
  'customers/1',
  'subscriptions',
  'subscriptions/calendar',
  'subscriptions/frequencies',
  'subscriptions/frequencies/new',
  'subscriptions/frequencies/1',
  'subscriptions/1',
  'promo-codes',
  'promo-codes/new',
  'promo-codes/1',
  'shipping',
  'shipping/1',
  'shipping/zones/1',
  'settings',
  'settings/loyalty',
  'settings/sending',
  'settings/domains',
  'settings/deliverability',
  'settings/accounts',
  'settings/retention',
  'settings/brand',
  'settings/health',
  'keys',
  'developers/incoming',
  'developers/refused',
  'developers/requests',
  'imports',
  'imports/new',
  'imports/1',
  'webhooks',
  'members',
  'audit',
  'account',
  'taxes',
  'taxes/1',
  'events',
  'events?event_type=order_placed&from=2026-01-01&live=1',
  'suppressions',
  'mailbox',
  'mailbox/1',
  'mailbox/1?width=phone&dark=1',
  'mailbox/1?view=source',
  'mailbox/2',
  'messages/1',
  'contacts',
  'contacts/1',
  'contacts/new',
  'lists',
  'lists/1',
  'segments',
  'segments/new',
  'segments/1',
  'segments/1/edit',
  'segments/1/contacts/1',
  'forms',
  'forms/new',
  'forms/1',
  'forms/1/edit',
  'campaigns',
  'campaigns/calendar',
  'campaigns/1',
  'campaigns/new',
  'campaigns/1/edit',
  'campaigns/1/edit?step=what',
  'campaigns/1/edit?step=when',
  'campaigns/1/edit?step=check',
  'campaigns/1/edit?step=go',
  'flows',
  'flows/1',
  'flows/1/edit',
  'flows/1/edit?view=outline',
  'flows/1/versions',
  'flows/1/steps/mail',
  'templates',
  'templates/1',
  'templates/new',
  'templates/new/blocks',
  'nothing-here',
];

/** With it the network is never idle. 204 tells a browser that there is none. */
export function withoutStream(page: Page): Promise<unknown> {
  return page.route(/\/live$/, (route) => route.fulfill({ status: 204 }));
}

/** What axe-core finds on each page in both themes, and by how many pixels the page is wider than its window; none where all is well. */
export async function findingsOnPages(tab: Tab, companyId: number): Promise<Record<string, unknown>> {
  await withoutStream(tab.page);
  const quiet = watchNetwork(tab.page);
  const found: Record<string, unknown> = {};
  for (const address of PAGES) {
    await tab.page.emulateMedia({ colorScheme: 'light' });
    await tab.page.goto(`/admin/${companyId}/${address}`);
    await tab.page.locator('h1').first().waitFor({ state: 'attached' });
    await quiet();
    const light = await accessibilityViolations(tab);
    const overflow = await overflowOf(tab.page);
    await showTheme(tab.page, 'dark');
    const dark = await accessibilityViolations(tab, COLOUR_RULES);
    if (light.length + dark.length + overflow > 0) found[address] = { light, dark, overflow };
  }
  return found;
}
