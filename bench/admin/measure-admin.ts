import type { Page } from 'playwright-core';
import type { Target, TargetShop } from '../server/target.ts';
import { measureBuilder } from './builder.ts';
import { type AdminFigure, contextOf, firstLoad, startChromium } from './first-load.ts';
import { keystrokeToResult } from './palette.ts';
import { repeat, slowest } from './repeat.ts';
import { requestTimes } from './request-times.ts';

/** Says whether a figure misses its limit: for frames per second more is better, for everything else worse. */
function misses({ unit, value, limit }: AdminFigure): string {
  if (unit === '/s') return value < limit ? '   below the limit' : '';
  return value > limit ? '   above the limit' : '';
}

const CLICKS = 12;

export const ADMIN_HEADING = `${'admin app'.padEnd(58)}${['ours', 'limit'].map((name) => name.padStart(11)).join('')}`;

export function adminLineOf(figure: AdminFigure): string {
  const { title, unit, value, limit } = figure;
  const cell = (n: number): string => `${n.toFixed(0)} ${unit}`.trim().padStart(11);
  return `${title.padEnd(58)}${cell(value)}${cell(limit)}${misses(figure)}`;
}

/** Measures the admin app in Chromium, and the requests of its heaviest pages. Times are 95th percentiles. */
export async function measureAdmin(target: Target, say: (figure: AdminFigure) => void): Promise<AdminFigure[]> {
  const { shop, largeShop, orderShop, contactShop } = target;
  const figures: AdminFigure[] = [];
  const told = (figure: AdminFigure): void => {
    figures.push(figure);
    say(figure);
  };
  const browser = await startChromium();
  try {
    for (const figure of await firstLoad(browser, target)) told(figure);
    const lists: [string, TargetShop][] = [
      ['products', largeShop],
      ['orders', orderShop ?? shop],
      ['contacts', contactShop ?? shop],
    ];
    const page = await (await contextOf(browser, target)).newPage();
    for (const [list, of] of lists) {
      const size = await sizeOf(target, of, list);
      await openList(page, of, list);
      if (await page.getByRole('button', { name: 'Next page' }).isVisible()) {
        const times = await repeat(CLICKS, () => clickToContent(page, 'button[aria-label="Next page"]'));
        told({ title: `next page of ${size} ${list}`, unit: 'ms', value: slowest(times), limit: 150 });
      }
      if ((await page.locator('tbody td a').count()) === 0) continue;
      const times = await repeat(CLICKS, async (n) => {
        await openList(page, of, list);
        return clickToContent(page, `tbody tr:nth-child(${(n % 20) + 1}) td a`);
      });
      told({ title: `a record of ${size} ${list}`, unit: 'ms', value: slowest(times), limit: 150 });
    }
    const old = orderShop ?? shop;
    const orders = await sizeOf(target, old, 'orders');
    const home = ['overview/sales', 'overview/sales?interval=month', 'overview/products', 'overview/attention'];
    for (const path of home) {
      const value = slowest(await requestTimes(target, old, path));
      told({ title: `GET ${path} at ${orders} orders`, unit: 'ms', value, limit: 100 });
    }
    const many = contactShop ?? shop;
    const contacts = await sizeOf(target, many, 'contacts');
    for (const q of ['customer-4711', 'ada number', 'person']) {
      const value = slowest(await requestTimes(target, many, `search?q=${encodeURIComponent(q)}`));
      told({ title: `GET search “${q}” at ${contacts} contacts`, unit: 'ms', value, limit: 100 });
      const typed = slowest(await keystrokeToResult(page, many, q));
      told({ title: `Ctrl-K: from a keystroke to “${q}”`, unit: 'ms', value: typed, limit: 100 });
    }
    const { click, address, frames } = await measureBuilder(page, target, shop);
    told({ title: 'a flow of 150 steps: from a click to its steps', unit: 'ms', value: click, limit: 500 });
    told({ title: 'a flow of 150 steps: from its address to its steps', unit: 'ms', value: address, limit: 1_000 });
    told({ title: 'a flow of 150 steps: frames while one is dragged', unit: '/s', value: frames, limit: 50 });
  } finally {
    await browser.close();
  }
  return figures;
}

async function openList(page: Page, of: TargetShop, list: string): Promise<void> {
  await page.goto(`/admin/${of.companyId}/${list}`);
  await page.locator('h1').waitFor();
  await page.waitForLoadState('networkidle');
}

/** Milliseconds from a click until the page shows something else and waits for nothing, by the page's own clock. */
async function clickToContent(page: Page, selector: string): Promise<number> {
  const milliseconds = await page.evaluate(`new Promise((resolve) => {
    const shown = () => (document.querySelector('h1')?.textContent ?? '') + (document.querySelector('tbody tr')?.textContent ?? '');
    const before = shown();
    const began = performance.now();
    const look = () => {
      const waits = document.querySelector('[aria-busy="true"], tbody[data-stale]') !== null;
      if (!waits && shown() !== before) resolve(performance.now() - began);
      else if (performance.now() - began > 10000) resolve(NaN);
      else requestAnimationFrame(look);
    };
    document.querySelector(${JSON.stringify(selector)}).click();
    requestAnimationFrame(look);
  })`);
  if (typeof milliseconds !== 'number' || Number.isNaN(milliseconds)) throw new Error(`${selector} led nowhere`);
  return milliseconds;
}

async function sizeOf(target: Target, of: TargetShop, list: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${target.port}/admin/api/${of.companyId}/${list}?per_page=1`, {
    headers: { cookie: `tradeloom=${target.adminCookie}` },
  });
  const body = (await response.json()) as { meta?: { pagination: { total: number } }; pagination?: { total: number } };
  const total = body.meta?.pagination.total ?? body.pagination?.total ?? 0;
  return total.toLocaleString('en');
}
