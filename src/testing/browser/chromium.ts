import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach } from 'vitest';
import type { TestServer } from '../harness.ts';
import { refuseWithout } from '../needed-programs.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const PHONE = { width: 390, height: 844 };
export const DESK = { width: 1280, height: 860 };

/** Where Chromium is installed, or null; where the tests are told to need it, it must be there. */
export function findChromium(paths = CHROMIUM, needed?: string): string | null {
  const found = paths.find((path) => existsSync(path)) ?? null;
  if (found === null) refuseWithout('chromium', needed);
  return found;
}

export interface Tab {
  page: Page;
  context: BrowserContext;
  /** Errors of scripts and of the policy, which a page must not have. */
  problems: string[];
}

/** The browser of a test file, as `testBrowser` gives it. */
export interface TestBrowser {
  /** The process, for what a tab is too little for. */
  process(): Promise<Browser>;
  /** What is to be closed after the test, or after the file if no test has begun, and the servers that end with the file. */
  opened: { inTest: Window[]; inFile: Window[]; testRuns: boolean; ended: Set<string> };
}

interface Window {
  server: Reached;
  context: BrowserContext;
  isKept: boolean;
}

/** Where pages are asked for: the server of a test, or one of another kind. */
type Reached = Pick<TestServer, 'origin'> & Partial<Pick<TestServer, 'isShared'>>;

/** Playwright ends it with the worker. */
let running: Promise<Browser> | undefined;
/** Windows without a page or a cookie, but with the app in their cache, by the origin of their server. */
const emptied = new Map<string, BrowserContext[]>();

function chromiumOfWorker(executablePath: string): Promise<Browser> {
  running ??= chromium.launch({ executablePath, args: ['--no-sandbox'] });
  return running;
}

/**
 * One Chromium for all files of this worker. Call it in a `describe`: what a test opens is closed after it, and what a hook of the file
 * opens after the file.
 */
export function testBrowser(executablePath: string): TestBrowser {
  const opened: TestBrowser['opened'] = { inTest: [], inFile: [], testRuns: false, ended: new Set() };
  beforeEach(() => {
    opened.testRuns = true;
  });
  afterEach(async () => {
    opened.testRuns = false;
    await Promise.all(opened.inTest.splice(0).map(giveBack));
  });
  afterAll(async () => {
    await Promise.all(opened.inFile.splice(0).map(giveBack));
    for (const origin of opened.ended) {
      for (const context of emptied.get(origin) ?? []) await context.close();
      emptied.delete(origin);
    }
  });
  return { opened, process: () => chromiumOfWorker(executablePath) };
}

/**
 * A window of its own, with `colorScheme` imposed on its frames as well unless null; responses that a test refuses on purpose are no problems.
 * It is empty but for the cache, where the app is from tests before; with `fresh` the cache is empty too.
 */
export async function openTab(
  browser: TestBrowser,
  server: Reached,
  options: {
    viewport?: typeof PHONE;
    colorScheme?: 'light' | 'dark' | null;
    cookie?: string;
    fresh?: true;
  } = {},
): Promise<Tab> {
  const { viewport = DESK, colorScheme = 'light', cookie, fresh } = options;
  const { origin } = server;
  const kept = fresh ? undefined : emptied.get(origin)?.pop();
  const context = kept ?? (await newWindow(await browser.process(), origin));
  const { inTest, inFile, testRuns, ended } = browser.opened;
  (testRuns ? inTest : inFile).push({ server, context, isKept: !fresh });
  if (!server.isShared) ended.add(origin);
  if (cookie !== undefined) {
    await context.addCookies([{ name: 'tradeloom', value: cookie, url: origin, httpOnly: true }]);
  }
  const page = await context.newPage();
  if (kept !== undefined) await clearStorage(page, origin);
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && !text.startsWith('Failed to load resource')) problems.push(text);
  });
  return { page, context, problems };
}

async function newWindow(process: Browser, origin: string): Promise<BrowserContext> {
  const context = await process.newContext({ viewport: DESK, locale: 'en-GB', baseURL: origin });
  context.setDefaultTimeout(30_000);
  return context;
}

async function clearStorage(page: Page, origin: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const storageTypes = 'local_storage,indexeddb,cache_storage,service_workers';
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes });
  await devtools.detach();
}

/** Closes the pages of a window and takes away what a test gave it, for the next tab at the same server. */
async function giveBack({ server, context, isKept }: Window): Promise<void> {
  if (!isKept) return context.close();
  await Promise.all(context.pages().map((page) => page.close()));
  await context.setOffline(false);
  await context.clearCookies();
  await context.clearPermissions();
  emptied.set(server.origin, [...(emptied.get(server.origin) ?? []), context]);
}
