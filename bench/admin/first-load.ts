import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { countTransfers } from '../../src/testing/browser/browser.ts';
import { findChromium } from '../../src/testing/browser/chromium.ts';
import type { Target } from '../server/target.ts';
import { middle } from './repeat.ts';

/** A figure of the admin app with its limit: a maximum, or a minimum for a rate. */
export interface AdminFigure {
  title: string;
  unit: '' | 'kB' | 'ms' | '/s';
  value: number;
  limit: number;
}

/** Further loads after the first, each with an empty cache of its own. */
const LOADS = 9;

/** The first load alone. */
export async function measureFirstLoad(target: Target, say: (figure: AdminFigure) => void): Promise<AdminFigure[]> {
  const browser = await startChromium();
  try {
    const figures = await firstLoad(browser, target);
    figures.forEach(say);
    return figures;
  } finally {
    await browser.close();
  }
}

export function startChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('Chromium is not installed: the admin app cannot be measured');
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

export async function contextOf(browser: Browser, target: Target): Promise<BrowserContext> {
  const baseURL = `http://127.0.0.1:${target.port}`;
  const context = await browser.newContext({ baseURL, locale: 'en-GB', viewport: { width: 1280, height: 860 } });
  await context.addCookies([{ name: 'tradeloom', value: target.adminCookie, url: baseURL, httpOnly: true }]);
  return context;
}

/** The first load of a browser and a server that have just started, and the median of several more with empty caches. */
export async function firstLoad(browser: Browser, target: Target): Promise<AdminFigure[]> {
  const first = await loadOnce(browser, target);
  const times: number[] = [];
  for (let n = 0; n < LOADS; n++) times.push((await loadOnce(browser, target)).usable);
  const title = 'from a first load to a list that can be used';
  return [
    { title: 'requests of a first load', unit: '', value: first.requests, limit: 25 },
    { title: 'compressed bytes of a first load', unit: 'kB', value: first.bytes / 1_000, limit: 250 },
    { title: `${title}, nothing warm`, unit: 'ms', value: first.usable, limit: 1_000 },
    { title: `${title}, median of ${LOADS} more`, unit: 'ms', value: middle(times), limit: 1_000 },
  ];
}

async function loadOnce(
  browser: Browser,
  target: Target,
): Promise<{ requests: number; bytes: number; usable: number }> {
  const context = await contextOf(browser, target);
  const page = await context.newPage();
  const counted = await countTransfers(page);
  await page.goto(`/admin/${target.shop.companyId}/products`);
  await page.locator('tbody td a').first().waitFor();
  const usable = (await page.evaluate('performance.now()')) as number;
  await page.waitForLoadState('networkidle');
  await context.close();
  return { ...counted, usable };
}
