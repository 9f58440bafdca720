import { useEffect, useRef } from 'react';

/** Longer than dialogs and menus take to return the focus themselves. */
const PAUSE_MS = 60;

/**
 * Keeps the keyboard focus. The focused element may vanish, or be disabled while a request is in flight: then the focus
 * returns to it, or goes to the nearest remaining element. On a new page it goes to the page's heading.
 */
export function useKeptFocus(path: string): void {
  // Signing in leads to a new page as well.
  const isNewPage = useRef(performance.getEntriesByType('navigation')[0]?.name.includes('/sign-in') ?? false);
  const shown = useRef(path);
  if (shown.current !== path) {
    shown.current = path;
    isNewPage.current = true;
  }
  useEffect(() => {
    /** The element that has or had the focus, and its ancestors, from the inside out. */
    let trail: Trail = [];
    /** The same for the elements that opened the open dialogs and menus, the first one first. */
    let openers: Trail[] = [];
    let timer = 0;
    const check = (): void => {
      timer = 0;
      const isLost = isAway(document.activeElement);
      if (isNewPage.current) {
        const title = document.querySelector<HTMLElement>('main h1');
        if (document.querySelector('[role="dialog"]') !== null || title === null) return;
        isNewPage.current = false;
        if (isLost || document.activeElement?.closest('main') === null) focusOn(title);
        return;
      }
      if (!isLost || trail.length === 0) return;
      // A closed dialog returns the focus to what opened it, or to what remains around that.
      while (overlayOf(trail)?.isConnected === false && openers.length > 0) trail = openers.pop() ?? [];
      const [last] = trail;
      if (last?.isConnected && !last.matches(':disabled')) last.focus();
      else if (!last?.isConnected) focusOn(nearest(trail));
    };
    const later = (): void => {
      if (timer === 0) timer = window.setTimeout(check, PAUSE_MS);
    };
    const onFocusIn = (event: FocusEvent): void => {
      const next: Trail = [];
      for (let at = event.target as HTMLElement | null; at !== null; at = at.parentElement) next.push(at);
      const [from, to] = [overlayOf(trail), overlayOf(next)];
      if (to === undefined) openers = [];
      else if (to !== from) openers.push(trail);
      trail = next;
    };
    // A click outside of everything is meant to clear the focus.
    const onPointerDown = (): void => {
      if (overlayOf(trail) === undefined) trail = [];
    };
    const observer = new MutationObserver(later);
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled'],
    });
    document.addEventListener('focusin', onFocusIn);
    document.addEventListener('pointerdown', onPointerDown, true);
    return () => {
      window.clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener('focusin', onFocusIn);
      document.removeEventListener('pointerdown', onPointerDown, true);
    };
  }, []);
}

type Trail = HTMLElement[];

function overlayOf(trail: Trail): HTMLElement | undefined {
  return trail.find((place) => place.matches('[role="dialog"], [role="menu"]'));
}

function isAway(element: Element | null): boolean {
  return element === null || element === document.body;
}

/** The heading of the section, dialog or page that contained the element. */
function nearest(trail: Trail): HTMLElement {
  for (const place of trail) {
    if (!place.isConnected || !place.matches('section, [role="dialog"], main')) continue;
    return place.querySelector<HTMLElement>('h1, h2') ?? place;
  }
  return document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('main') ?? document.body;
}

function focusOn(element: HTMLElement): void {
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus();
}
