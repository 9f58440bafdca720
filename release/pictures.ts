import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { findChromium } from '../src/testing/browser/browser.ts';
import { startProgram } from '../src/testing/program.ts';

/** Takes the pictures of docs/images/ of the demo shop: `node release/pictures.ts`, after a change of how the app looks. */
const FOLDER = fileURLToPath(new URL('../docs/images/', import.meta.url));
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 760 };
const PASSWORD = 'correct horse battery staple';

const PICTURES = [
  { name: 'home', path: 'home', size: DESK },
  { name: 'home-phone', path: 'home', size: PHONE },
  { name: 'orders', path: 'orders', size: DESK },
  { name: 'order', path: 'orders/1', size: DESK },
  { name: 'customer', path: 'customers/1', size: DESK },
  { name: 'subscription', path: 'subscriptions/1', size: DESK },
  { name: 'mailbox', path: 'mailbox/1', size: DESK },
  { name: 'flow', path: 'flows/3', size: DESK },
  { name: 'campaign', path: 'campaigns/1', size: DESK },
  { name: 'promo-codes', path: 'promo-codes', size: DESK },
];

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
const program = await startProgram(['--data-dir', dataDir]);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  await mkdir(FOLDER, { recursive: true });
  const context = await browser.newContext({ locale: 'en-US', colorScheme: 'light', viewport: DESK });
  const page = await context.newPage();
  await signIn(page, /(http\S+sign-in\?token=\S+)/.exec(program.stdout())![1]!);
  for (const { name, path, size } of PICTURES) {
    await page.setViewportSize(size);
    await page.goto(`${program.origin}/admin/1/${path}`);
    await page.waitForLoadState('networkidle');
    // 256 colours are enough for an app's page, and a third of the bytes.
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
