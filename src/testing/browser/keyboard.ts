import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { settled } from './browser.ts';

const MOST_TABS = 160;
/** What shows the focus of an element: on itself, beside it (the box that a switch draws), or around it. */
const LOOK = `(element) => [element, element.nextElementSibling, element.previousElementSibling, element.parentElement]
  .filter((one) => one !== null)
  .map((one) => getComputedStyle(one))
  .map((style) => [style.outlineStyle, style.outlineWidth, style.boxShadow, style.borderColor, style.backgroundColor].join())
  .join(';')`;
const IS_AHEAD = `(element) => document.activeElement.contains(element) ||
  (document.activeElement.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0`;
const HAS_FOCUS = '(element) => element === document.activeElement';
const HOLDER = 'document.activeElement.outerHTML.slice(0, 200)';
const IS_IN_VIEW = `(element) => {
  const { x, y, right, bottom } = element.getBoundingClientRect();
  return right > 0 && bottom > 0 && x < innerWidth && y < innerHeight;
}`;
/** Keeps which element had the focus at each of the last presses, for the message of a failure. */
const RECORD_PRESSES = `{
  const nameOf = (element) => element.ariaLabel ?? (element.innerText || element.name || element.tagName).slice(0, 40);
  window.presses = [];
  addEventListener('keydown', ({ key, target }) => {
    window.presses = [...window.presses.slice(-9), key + ' on ' + nameOf(target)];
  }, true);
}`;
const IS_LOST = 'document.activeElement === null || document.activeElement === document.body';
const WHERE = `(element) => ({ isHere: (${HAS_FOCUS})(element), isLost: ${IS_LOST} })`;

/** Only keys: whoever works without a mouse, and looks where the focus is. */
export interface Keys {
  /** Presses Tab, or Shift and Tab, until the element has the focus, which can be seen. */
  to(target: Locator): Promise<void>;
  /** Presses a key, waits for what it brings up, and finds the focus somewhere. */
  press(key: string, brings?: Locator): Promise<void>;
  /** Goes to a button, link or box and presses Enter, or another key. */
  use(target: Locator, brings?: Locator, key?: string): Promise<void>;
  /** Goes to a field and writes over what it holds; in a list of choices, goes to the one that begins so. */
  write(field: Locator, text: string): Promise<void>;
  /** Waits until the focus is back on what opened a dialog or a menu. */
  backOn(opener: Locator): Promise<void>;
}

/** From the next page on, a press of a pointer is a problem of the page. */
export async function keysOnly(page: Page): Promise<Keys> {
  await page.addInitScript(RECORD_PRESSES);
  await page.addInitScript(`addEventListener('pointerdown', () => { throw new Error('A pointer was used'); }, true)`);
  const focusIsKept = async (): Promise<void> => {
    for (let waits = 0; await page.evaluate<boolean>(IS_LOST); waits++) {
      if (waits === 60) throw new Error(`The focus is lost on ${page.url()}`);
      await page.waitForTimeout(50);
    }
  };
  const on = <Result>(target: Locator, question: string): Promise<Result> =>
    target.evaluate(new Function('element', `return (${question})(element)`) as () => Result);

  const chooseIn = async (list: Locator, text: string): Promise<void> => {
    const chosen = '(element) => element.selectedOptions[0]?.label ?? ""';
    await page.keyboard.press('Home');
    for (let n = 0; !(await on<string>(list, chosen)).startsWith(text); n++) {
      if (n === 40) throw new Error(`${list} has no choice ${text}`);
      const before = await on<string>(list, chosen);
      await page.keyboard.press('ArrowDown');
      // A filter stands in the address, which is changed first.
      await expect.poll(() => on<string>(list, chosen)).not.toBe(before);
    }
  };

  const keys: Keys = {
    async to(target) {
      await target.waitFor({ state: 'attached' });
      const before = await on<string>(target, LOOK);
      const isAhead = await on<boolean>(target, IS_AHEAD);
      for (let tabs = 0; ; tabs++) {
        const { isHere, isLost } = await on<{ isHere: boolean; isLost: boolean }>(target, WHERE);
        if (isHere) break;
        if (isLost && tabs > 0) throw new Error(`Tab leads out of the page before ${target}`);
        if (tabs === MOST_TABS) throw new Error(`${MOST_TABS} times Tab did not lead to ${target}`);
        await page.keyboard.press(isAhead ? 'Tab' : 'Shift+Tab');
      }
      const isSeen = async (): Promise<boolean> =>
        (await on<string>(target, LOOK)) !== before && (await on<boolean>(target, IS_IN_VIEW));
      // Colours change by transitions.
      for (let waits = 0; !(await isSeen()); waits++) {
        if (waits === 20) throw new Error(`The focus cannot be seen on ${target}`);
        await page.waitForTimeout(50);
      }
    },
    async press(key, brings) {
      await page.keyboard.press(key);
      await brings?.waitFor().catch(async (error: unknown) => {
        const text = await page.evaluate<string>(
          '(document.querySelector("[role=dialog]") ?? document.body).innerText',
        );
        const pressed = (await page.evaluate<string[]>('window.presses ?? []')).join(', ');
        const focus = await page.evaluate<string>(HOLDER);
        const state = `pressed: ${pressed}; the focus is on ${focus} in:\n${text}`;
        throw new Error(`${key} did not bring ${brings}; ${state}`, { cause: error });
      });
      // What was open closes meanwhile, and takes its focus along.
      await settled(page);
      await settled(page);
      await focusIsKept();
    },
    async use(target, brings, key = 'Enter') {
      await keys.to(target);
      await keys.press(key, brings);
    },
    async write(field, text) {
      await keys.to(field);
      if (await on<boolean>(field, '(element) => element.tagName === "SELECT"')) await chooseIn(field, text);
      else {
        await page.keyboard.press('Control+a');
        await page.keyboard.type(text);
      }
      await focusIsKept();
    },
    async backOn(opener) {
      for (let waits = 0; !(await on<boolean>(opener, HAS_FOCUS)); waits++) {
        if (waits === 60)
          throw new Error(`The focus is not back on ${opener}, but on ${await page.evaluate<string>(HOLDER)}`);
        await page.waitForTimeout(50);
      }
    },
  };
  return keys;
}
