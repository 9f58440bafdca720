import type { Page } from 'playwright-core';
import { framesOfDrag, longFlow, stepOn } from '../../src/testing/browser/flow-pages.ts';
import { marketingPost } from '../server/marketing-request.ts';
import type { Target, TargetShop } from '../server/target.ts';
import { middle } from './repeat.ts';

const OPENINGS = 5;

/** The flow builder with 150 steps: milliseconds until it is open, by a click and by its address, and frames a second of a drag. */
export async function measureBuilder(
  page: Page,
  target: Target,
  shop: TargetShop,
): Promise<{ click: number; address: number; frames: number }> {
  const { flow_id } = (await marketingPost(target, shop, '/flows', longFlow())) as { flow_id: number };
  const path = `/admin/${shop.companyId}/flows/${flow_id}`;
  const addresses: number[] = [];
  const clicks: number[] = [];
  for (let n = 0; n < OPENINGS; n++) {
    await page.goto(`${path}/edit`);
    await stepOn(page, 's149').waitFor();
    addresses.push((await page.evaluate('performance.now()')) as number);
    await page.goto(path);
    await page.getByRole('button', { name: 'Edit steps' }).waitFor();
    await page.waitForLoadState('networkidle');
    clicks.push(await clickToSteps(page));
  }
  const frames = await framesOfDrag(page);
  await page.mouse.up();
  return { click: middle(clicks), address: middle(addresses), frames };
}

/** Until the last step is drawn, and the frame with it is on the screen. */
function clickToSteps(page: Page): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    const began = performance.now();
    const look = () => {
      const step = document.querySelector('[data-step="s149"]');
      if (step !== null && step.getBoundingClientRect().width > 0) setTimeout(() => resolve(performance.now() - began));
      else requestAnimationFrame(look);
    };
    [...document.querySelectorAll('button')].find((one) => one.textContent === 'Edit steps').click();
    requestAnimationFrame(look);
  })`) as Promise<number>;
}
