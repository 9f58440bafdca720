import type { Locator, Page } from 'playwright-core';
import { type Box, restingBox } from './browser.ts';

/** What tests and measurements of the flow builder share. */

export const stepOn = (page: Page, id: string): Locator => page.locator(`[data-step="${id}"]`);

/** Where a branch leaves a step on the canvas. */
export const handleOf = (page: Page, id: string, branch: string): Locator =>
  page.locator(`.react-flow__node[data-id="${id}"] .react-flow__handle.source[data-handleid="${branch}"]`);

export const centerOf = ({ x, y, width, height }: Box): [number, number] => [x + width / 2, y + height / 2];

/**
 * Presses the mouse on a step of a canvas and moves it until the step follows: on a busy machine the canvas may begin to move
 * away after it seemed to rest.
 */
export async function grab(page: Page, step: Locator): Promise<Box> {
  for (let tries = 0; tries < 20; tries++) {
    const box = await restingBox(step);
    const [x, y] = centerOf(box);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 5, y + 5, { steps: 5 });
    if ((await page.locator('.react-flow__node.dragging').count()) > 0) return box;
    await page.mouse.up();
  }
  throw new Error('The step does not follow the mouse');
}

/** Draws a connection from a branch to where the mouse is let go: on a step, or with `by` so far from the branch. */
export async function drawFrom(page: Page, handle: Locator, to: Locator | { by: [number, number] }): Promise<void> {
  const [x, y] = centerOf(await restingBox(handle));
  const [toX, toY] = 'by' in to ? [x + to.by[0], y + to.by[1]] : centerOf(await restingBox(to));
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move((x + toX) / 2, (y + toY) / 2, { steps: 4 });
  await page.mouse.move(toX, toY, { steps: 4 });
  await page.mouse.up();
}

/** A flow of 150 steps, each a wait with two branches. */
export function longFlow(): { name: string; trigger_type: string; steps: object[]; connections: object[] } {
  const ids = Array.from({ length: 150 }, (_, i) => `s${i}`);
  return {
    name: 'Long',
    trigger_type: 'order_placed',
    steps: ids.map((step_id) => ({ step_id, type: 'wait_for_event', config: { event_type: 'order_placed' } })),
    connections: ids.map((to, i) => {
      if (i === 0) return { from: 'trigger', to };
      return { from: ids[(i - 1) >> 1], branch: i % 2 === 1 ? 'received' : 'timeout', to };
    }),
  };
}

/** Frames a second while the first step of the long flow is dragged; it is held then. */
export async function framesOfDrag(page: Page): Promise<number> {
  await page.evaluate(`(() => {
    window.frames_ = [];
    const tick = (at) => { window.frames_.push(at); requestAnimationFrame(tick); };
    requestAnimationFrame(tick);
  })()`);
  await stepOn(page, 's0').click();
  // The panel of the step makes room for itself, and the canvas may move below.
  await page.getByLabel('Chosen step').waitFor();
  const [x, y] = centerOf(await grab(page, stepOn(page, 's0')));
  await page.evaluate('window.frames_.length = 0');
  for (let n = 0; n < 60; n++) await page.mouse.move(x + n * 2, y + n);
  const times = (await page.evaluate('window.frames_')) as number[];
  return ((times.length - 1) * 1_000) / (times.at(-1)! - times[0]!);
}
