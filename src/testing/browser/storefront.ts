import type { Page } from 'playwright-core';
import { findingsOfPublic } from './browser.ts';
import type { Tab } from './chromium.ts';

/** What buyers see and do in the storefront of the examples, in every journey there. */
export const findingsOn = (tab: Tab, name: string): Promise<string[]> => findingsOfPublic(tab, `shop-${name}`);
export const heading = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor();
export const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click();

export async function fillAddress(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Street and number').fill('12 Rowan Street');
  await page.getByRole('textbox', { name: 'City' }).fill('Portland');
  await page.getByLabel('State or region').fill('OR');
  await page.getByLabel('ZIP or postal code').fill('97205');
  await press(page, 'Save the address');
  await page.getByRole('group', { name: 'Payment' }).waitFor();
}
