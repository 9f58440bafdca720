import { readFileSync } from 'node:fs';
import type { RunOnly } from 'axe-core';
import type { Page } from 'playwright-core';
import { accessibilityViolations, COLOUR_RULES, cutOffTexts, overflowOf, showTheme, watchNetwork } from './browser.ts';
import { DESK, PHONE, type Tab } from './chromium.ts';

const NOTHING_THERE = ['nothing-here', 'flows/2/runs/999999'];
const NOT_FOUND = ['en', 'de'].map((language) => {
  const texts = new URL(`../../../admin/src/i18n/${language}/shared.json`, import.meta.url);
  return (JSON.parse(readFileSync(texts, 'utf8')) as Record<string, string>)['error.not_found.title'];
});

/** The paths of the app's pages below a company, in their order. */
export function routesOfPages(): string[] {
  const pages = readFileSync(new URL('../../../admin/src/pages/pages.ts', import.meta.url), 'utf8');
  const routes = [...pages.matchAll(/^ {2}\['([^']+)'/gm)].map(([, path]) => path!);
  if (routes.length < 60) throw new Error('The routes of the admin app were not found');
  return routes;
}

/** Addresses that their routes do not tell, with a query or another record, and the plain addresses of the same routes. */
const OTHER_ADDRESSES = [
  'home',
  'orders',
  'orders/1',
  'events',
  'campaigns/1/edit',
  'flows/1/edit',
  'home?period=year&compare=year&measure=orders',
  'orders?status=delivered',
  'orders/print?ids=1-2',
  'orders/invoice?ids=1-2',
  'events?event_type=order_placed&from=2026-01-01&live=1',
  'mailbox/1?width=phone&dark=1',
  'mailbox/1?view=source',
  'mailbox/2',
  'campaigns/compare?ids=1-2',
  'campaigns/2',
  'campaigns/1/edit?step=what',
  'campaigns/1/edit?step=when',
  'campaigns/1/edit?step=check',
  'campaigns/1/edit?step=go',
  'flows/1/edit?view=outline',
  'flows/1/steps/mail',
  'flows/2/runs/1',
  'flows/2/runs/999999',
  'templates/2',
  'categories/edit/tea',
  'nothing-here',
  'mailbox/1',
  'campaigns/1',
  'templates/1',
];

/** The app's pages below a company, by their addresses: those above, and one of every other route. */
export const PAGES = [
  ...OTHER_ADDRESSES,
  ...routesOfPages()
    .filter(isUnvisited)
    .map((route) => route.replace(/\$\w+/g, '1')),
];

function isUnvisited(route: string): boolean {
  const shape = new RegExp(`^${route.replace(/\$\w+/g, '(?!new$)[^/]+')}$`);
  return !OTHER_ADDRESSES.some((address) => shape.test(address.replace(/\?.*/, '')));
}

/**
 * Refuses the page its stream of changes, with which the network is never idle. A route that intercepts it would do so as well, and
 * Playwright turns off Chromium's cache for such a page.
 */
export function withoutStream(page: Page): Promise<unknown> {
  return page.addInitScript(`globalThis.EventSource = class extends EventTarget {
    static CLOSED = 2;
    readyState = 2;
    constructor() {
      super();
      setTimeout(() => this.dispatchEvent(new Event('error')));
    }
    close() {}
  }`);
}

/** Texts and boxes have room in windows of these widths too. */
const OTHER_WIDTHS = [768, 1920];

/**
 * Opens pages in the tab, and tells what axe-core finds on each, as wide as a desk and as a phone and in both themes, by how many pixels the
 * page is wider than its window, and texts that are cut off; null where all is well.
 */
export async function pageExaminer(
  tab: Tab,
  companyId: number,
): Promise<(address: string) => Promise<string[] | null>> {
  await withoutStream(tab.page);
  const quiet = watchNetwork(tab.page);
  return (address) => findingsOn(tab, `/admin/${companyId}/${address}`, quiet);
}

async function findingsOn(tab: Tab, path: string, quiet: () => Promise<void>): Promise<string[] | null> {
  const { page } = tab;
  const found: string[] = [];
  const look = async (where: string, rules?: RunOnly): Promise<void> => {
    found.push(...(await accessibilityViolations(tab, rules)).map((one) => `${where}: ${one}`));
  };
  await page.setViewportSize(DESK);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(path);
  await page.locator('h1').first().waitFor({ state: 'attached' });
  await quiet();
  found.push(...titleFindings(path, await page.locator('h1').allTextContents()), ...(await misfits(page)));
  found.push(...(await navigationFindings(page)));
  await look('desk, light');
  await showTheme(page, 'dark');
  await look('desk, dark', COLOUR_RULES);
  for (const width of OTHER_WIDTHS) {
    await page.setViewportSize({ ...DESK, width });
    found.push(...(await misfits(page)));
  }
  await page.setViewportSize(PHONE);
  // What only a phone shows may ask for more.
  await quiet();
  found.push(...(await misfits(page)));
  await look('phone, dark');
  await showTheme(page, 'light');
  await look('phone, light', COLOUR_RULES);
  return found.length > 0 ? found : null;
}

/** A page has one title; it is that of an error page only where nothing is there. */
function titleFindings(path: string, titles: string[]): string[] {
  if (titles.length !== 1) return [`titles: ${titles.join(' | ')}`];
  const isNothing = NOTHING_THERE.some((address) => path.endsWith(`/${address}`));
  return NOT_FOUND.includes(titles[0]!.trim()) === isNothing ? [] : [`title: ${titles[0]}`];
}

/** The whole navigation is in sight on a desk, and names at most one current page. Where nothing is there, a page may have none. */
async function navigationFindings(page: Page): Promise<string[]> {
  if ((await page.locator('aside').count()) === 0) {
    return NOTHING_THERE.some((address) => new URL(page.url()).pathname.endsWith(`/${address}`))
      ? []
      : ['navigation: none'];
  }
  const hidden = await page.evaluate<number>(
    "((side) => side.scrollHeight - side.clientHeight)(document.querySelector('aside'))",
  );
  const current = await page.locator('aside nav [aria-current="page"]').allTextContents();
  return [
    ...(hidden > 0 ? [`navigation: ${hidden} px do not fit`] : []),
    ...(current.length > 1 ? [`navigation: current are ${current.join(', ')}`] : []),
  ];
}

async function misfits(page: Page): Promise<string[]> {
  const { width } = page.viewportSize()!;
  const overflow = await overflowOf(page);
  const cutOff = (await cutOffTexts(page)).map((text) => `${width}: cut off: ${text}`);
  return overflow > 0 ? [`${width}: ${overflow} px too wide`, ...cutOff] : cutOff;
}
