import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOnly } from 'axe-core';
import type { Locator, Page, Request } from 'playwright-core';
import { beginSession } from '../../access/sessions.ts';
import type { TestServer } from '../harness.ts';
import { DESK, PHONE, type Tab } from './chromium.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The session of the operator, who owns every company. */
export function operatorCookie(server: TestServer): Promise<string> {
  const visit = { address: '127.0.0.1', userAgent: 'test' };
  return beginSession(server.app.db, { ...visit, personId: null, now: server.app.machineClock.now() });
}

/** Changes the theme of the system under the page, and waits until the page shows it: colours change by transitions. */
export async function showTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' });
  await settled(page);
}

/** Waits until nothing moves on the page but what moves for ever. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(`new Promise(requestAnimationFrame).then(() => Promise.all(document.getAnimations()
    .filter((one) => one.effect.getComputedTiming().iterations !== Infinity).map((one) => one.finished.catch(() => {}))))`);
}

/** So long a page may take to come to rest. */
const REST_MS = 15_000;

/** Where an element is once it has stopped moving. Throws where it is not shown, or moves for longer than `limitMs`. */
export async function restingBox(element: Locator, limitMs = REST_MS): Promise<Box> {
  const end = performance.now() + limitMs;
  for (let before: Box | null = null; ; ) {
    const box: Box | null = await element.boundingBox({ timeout: REST_MS });
    if (box !== null && box.x === before?.x && box.y === before.y) return box;
    if (performance.now() > end) {
      const state = box === null ? 'is not shown' : `moves, and is at ${box.x}, ${box.y} now`;
      throw new Error(`After ${limitMs} ms ${element} ${state}`);
    }
    before = box;
    await element.page().waitForTimeout(100);
  }
}

export type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;

const QUIET_MS = 120;

/**
 * What waits until the page has asked for nothing for a moment: Playwright's own wait for that takes half a second a page. Throws where
 * it asks for longer than `limitMs`.
 */
export function watchNetwork(page: Page, limitMs = REST_MS): () => Promise<void> {
  const open = new Set<Request>();
  let changedAt = performance.now();
  const ended = (request: Request): void => {
    open.delete(request);
    changedAt = performance.now();
  };
  page.on('request', (request) => {
    open.add(request);
    changedAt = performance.now();
  });
  page.on('requestfinished', ended);
  page.on('requestfailed', ended);
  return async () => {
    const end = performance.now() + limitMs;
    while (open.size > 0 || performance.now() - changedAt < QUIET_MS) {
      if (performance.now() > end) {
        const waiting = [...open].map((request) => `${request.method()} ${request.url()}`);
        const why = waiting.length === 0 ? 'one request follows another' : `not responded to: ${waiting.join(', ')}`;
        throw new Error(`After ${limitMs} ms ${page.url()} still loads: ${why}`);
      }
      await page.waitForTimeout(20);
    }
  };
}

/** What can differ between two themes of one page. */
export const COLOUR_RULES: RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** What axe-core finds on the page, as `rule: element`. Its script is run past the page's policy, as an extension is. */
export async function accessibilityViolations(
  { page, context }: Tab,
  rules: RunOnly | string[] = ALL_RULES,
): Promise<string[]> {
  const devtools = await context.newCDPSession(page);
  const { result: known } = await devtools.send('Runtime.evaluate', { expression: 'typeof axe' });
  if (known.value === 'undefined') await devtools.send('Runtime.evaluate', { expression: AXE });
  // What passes is not described, and style sheets are not fetched again for rules that are not asked for: both take longer than the checks.
  const asked = { runOnly: rules, resultTypes: ['violations'], selectors: false, preload: { assets: ['media'] } };
  const options = JSON.stringify(asked);
  const call = `axe.run(${options}).then((found) => JSON.stringify(found.violations))`;
  const { result } = await devtools.send('Runtime.evaluate', {
    expression: call,
    awaitPromise: true,
    returnByValue: true,
  });
  await devtools.detach();
  const violations = JSON.parse(result.value as string) as AxeResults['violations'];
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** By how many pixels the page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - innerWidth') as Promise<number>;
}

/** Texts whose element is too narrow for them and hides the rest without an ellipsis. */
export function cutOffTexts(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('body *')].flatMap((element) => {
    if (element.scrollWidth <= element.clientWidth + 1 || element.clientWidth < 2 || element.matches('.visually-hidden, input, textarea, iframe, svg *')) return [];
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')) return [];
    const { overflowX, textOverflow, visibility } = getComputedStyle(element);
    const hides = overflowX === 'hidden' || overflowX === 'clip';
    return hides && textOverflow !== 'ellipsis' && visibility === 'visible' ? [element.textContent.trim().slice(0, 80)] : [];
  })`) as Promise<string[]>;
}

/** Returns what is wrong with a page outside the admin app, in both themes, as wide as a phone and as a desk; SHOTS as below. */
export async function findingsOfPublic(tab: Tab, name: string): Promise<string[]> {
  const { page } = tab;
  const findings: string[] = [];
  for (const viewport of [PHONE, DESK]) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const where = `${name} ${viewport.width} ${colorScheme}`;
      if (process.env.SHOTS) {
        const path = `${process.env.SHOTS}/${name}-${viewport.width}-${colorScheme}.png`;
        await page.screenshot({ path, fullPage: true });
      }
      const overflow = await overflowOf(page);
      if (overflow > 0) findings.push(`${where}: ${overflow} px too wide`);
      findings.push(...(await accessibilityViolations(tab)).map((one) => `${where}: ${one}`));
    }
  }
  return findings;
}

/**
 * What is wrong with the page in both themes, as wide as a phone and as a desk: axe-core's findings, and what sticks out. With a name it is
 * photographed in each, for people who look at the pages, into the folder that SHOTS names.
 */
export async function findingsEverywhere(tab: Tab, name?: string): Promise<string[]> {
  const { page } = tab;
  // One that is still being loaded has none.
  await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
  const before = page.viewportSize()!;
  const findings: string[] = [];
  for (const viewport of [PHONE, DESK]) {
    await page.setViewportSize(viewport);
    // What a scrolled page has half under its header would be too small there.
    await page.evaluate('scrollTo(0, 0)');
    for (const colorScheme of ['dark', 'light'] as const) {
      await showTheme(page, colorScheme);
      const where = `${viewport.width} ${colorScheme}`;
      if (process.env.SHOTS && name !== undefined) {
        const path = `${process.env.SHOTS}/${name}-${viewport.width}-${colorScheme}.png`;
        await page.screenshot({ path, fullPage: true });
      }
      const overflow = await overflowOf(page);
      if (overflow > 0) findings.push(`${where}: ${overflow} px too wide`);
      const rules = colorScheme === 'dark' ? ALL_RULES : COLOUR_RULES;
      findings.push(...(await accessibilityViolations(tab, rules)).map((one) => `${where}: ${one}`));
    }
  }
  await page.setViewportSize(before);
  // What moves after the change of size must not take a click away from a button.
  await settled(page);
  return findings;
}

/** Does what writes, and waits until the server has written: a message such as "Saved" may be that of the write before. */
export async function written(page: Page, act: () => Promise<unknown>): Promise<void> {
  const response = page.waitForResponse((one) => one.request().method() !== 'GET' && one.ok());
  await act();
  await response;
}

/** Counts what a page asks for from now on, and the bytes of it as they come, compressed. */
export async function countTransfers(page: Page): Promise<{ requests: number; bytes: number }> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  const counted = { requests: 0, bytes: 0 };
  devtools.on('Network.requestWillBeSent', () => counted.requests++);
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    counted.bytes += encodedDataLength;
  });
  return counted;
}

/** What waits until a page that is opened, or takes the stream of changes over, is told of changes from then on. */
export async function streamReady(page: Page): Promise<() => Promise<void>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  const ready = new Promise<void>((resolve) => {
    devtools.on('Network.eventSourceMessageReceived', ({ eventName }) => {
      if (eventName === 'ready') resolve();
    });
  });
  return async () => {
    await ready;
    await devtools.detach();
  };
}
