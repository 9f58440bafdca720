import type { Page } from 'playwright-core';
import type { TargetShop } from '../server/target.ts';
import { repeat } from './repeat.ts';

const TIMES = 6;
const TYPING_MS = 60;

/** Milliseconds from the last keystroke in Ctrl-K until its results are on the page. */
export async function keystrokeToResult(page: Page, shop: TargetShop, text: string): Promise<number[]> {
  return repeat(TIMES, async () => {
    // A repeated search would send no request.
    await page.goto(`/admin/${shop.companyId}/contacts`);
    await page.locator('h1').waitFor();
    await page.waitForLoadState('networkidle');
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('dialog').getByRole('combobox').pressSequentially(text.slice(0, -1), { delay: TYPING_MS });
    await page.waitForLoadState('networkidle');
    const query = `q=${encodeURIComponent(text).replaceAll('%20', '+')}`;
    await page.evaluate(`(() => { window.took_ = new Promise((resolve) => {
      const queries = [${JSON.stringify(query)}, ${JSON.stringify(query.replaceAll('+', '%20'))}];
      document.querySelector('input[role="combobox"]').addEventListener('keydown', () => {
        const began = performance.now();
        let respondedAt = null;
        const look = () => {
          const now = performance.now();
          if (performance.getEntriesByType('resource').some(({ name }) => queries.some((one) => name.endsWith(one)))) respondedAt ??= now;
          // Where nothing is found, nothing is drawn that could be waited for.
          if (respondedAt !== null && (document.querySelector('[role="option"]') !== null || now - respondedAt > 500))
            resolve((document.querySelector('[role="option"]') === null ? respondedAt : now) - began);
          else if (now - began > 10000) resolve(null);
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }, { once: true });
    }); })()`);
    await page.keyboard.press(text.at(-1)!);
    const milliseconds = (await page.evaluate('window.took_')) as number | null;
    if (milliseconds === null) throw new Error(`Ctrl-K shows nothing for ${text}`);
    return milliseconds;
  });
}
