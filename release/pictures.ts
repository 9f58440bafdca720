import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { findChromium } from '../src/testing/browser/chromium.ts';
import { startProgram } from '../src/testing/program.ts';

/** Takes the screenshots of docs/images/ in the demo shop: run `node release/pictures.ts` after a change of the app's appearance, while
 * port 3000 is free: addresses that pages show have it. */
const FOLDER = fileURLToPath(new URL('../docs/images/', import.meta.url));
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 760 };
const PASSWORD = 'correct horse battery staple';

const PICTURES = [
  { name: 'home', path: 'home', size: DESK },
  { name: 'home-phone', path: 'home', size: PHONE },
  { name: 'orders', path: 'orders', size: DESK },
  { name: 'order', path: 'orders/1', size: DESK },
  { name: 'variants', path: 'products/32', size: DESK },
  { name: 'inventory', path: 'inventory', size: DESK },
  { name: 'collection', path: 'collections/1', size: DESK },
  { name: 'customer', path: 'customers/1', size: DESK },
  { name: 'subscription', path: 'subscriptions/1', size: DESK },
  { name: 'mailbox', path: 'mailbox/1', size: DESK },
  { name: 'flow', path: 'flows/3', size: DESK },
  { name: 'campaign', path: 'campaigns/1', size: DESK },
  { name: 'promo-codes', path: 'promo-codes', size: DESK },
  { name: 'flow-builder', path: 'flows/3/edit', size: DESK },
  { name: 'email-editor', path: 'templates/new/blocks', size: DESK },
  { name: 'segment', path: 'segments/1', size: DESK },
  { name: 'segment-rules', path: 'segments/1/edit', size: DESK },
  { name: 'campaign-steps', path: 'campaigns/DRAFT/edit?step=check', size: DESK },
  { name: 'sending-domains', path: 'settings/domains', size: DESK },
  { name: 'deliverability', path: 'settings/deliverability', size: DESK },
];

/** Sends a write as the signed-in person; returns the response. */
function write(page: Page, path: string, body: object): Promise<Record<string, unknown>> {
  return page.evaluate(
    async ([url, json]) => {
      const headers = { 'Content-Type': 'application/json', 'X-Tradeloom-Admin': '1' };
      const response = await fetch(url!, { method: 'POST', headers, body: json! });
      if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
      return (await response.json()) as Record<string, unknown>;
    },
    [`/admin/api/1${path}`, JSON.stringify(body)],
  );
}

/** Creates what the demo shop lacks: a draft of a campaign, and a sending domain. Returns the id of the draft. */
async function prepare(page: Page): Promise<unknown> {
  await write(page, '/sending-domains', { domain: 'fernhill.example' });
  const draft = await write(page, '/campaigns', {
    name: 'Jasmine',
    type: 'email',
    list_id: 1,
    subject: "{{ contact.first_name | default: 'Hello' }}, the jasmine is in",
    preview_text: 'Picked in May, here since Monday.',
    content:
      "<h1>Jasmine</h1><p>Picked in May. <a href='https://shop.example/jasmine'>Have a look</a>.</p><p><a href='{{ unsubscribe_url }}'>Unsubscribe</a></p>",
  });
  return draft.campaign_id;
}

async function signIn(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByLabel('E-mail address').fill('ida@example.com');
  await page.getByLabel('Your name').fill('Ida');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
}

const executablePath = findChromium();
if (executablePath === null) throw new Error('Chromium is not installed (Debian: apt-get install chromium)');
const dataDir = join(tmpdir(), `tradeloom-pictures-${process.pid}`);
const program = await startProgram(['--port', '3000', '--data-dir', dataDir]);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  await mkdir(FOLDER, { recursive: true });
  const context = await browser.newContext({ locale: 'en-US', colorScheme: 'light', viewport: DESK });
  const page = await context.newPage();
  await signIn(page, /(http\S+sign-in\?token=\S+)/.exec(program.stdout())![1]!);
  const draft = await prepare(page);
  for (const { name, path, size } of PICTURES) {
    await page.setViewportSize(size);
    await page.goto(`${program.origin}/admin/1/${path.replace('DRAFT', String(draft))}`);
    await page.waitForLoadState('networkidle');
    // 256 colours are enough for a page of the app, and take a third of the bytes.
    const { size: bytes } = await sharp(await page.screenshot())
      .png({ palette: true, effort: 10, compressionLevel: 9 })
      .toFile(join(FOLDER, `${name}.png`));
    process.stdout.write(`docs/images/${name}.png, ${Math.round(bytes / 1_024)} kB\n`);
  }
} finally {
  await browser.close();
  await program.end('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
}
