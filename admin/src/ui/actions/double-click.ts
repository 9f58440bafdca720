let again = false;
let first: Element | null = null;

/**
 * Whether the event that is being handled is the second click of a double click, or repeats because a key is held down. What
 * changes something counts the first alone: the second would skip another delivery, or put back what the first archived.
 */
export function isRepeated(): boolean {
  return again;
}

/** Takes the second click of a double click away from what the first one made appear under the pointer, such as a dialog. */
export function watchDoubleClicks(): void {
  addEventListener('click', onClick, { capture: true });
  addEventListener('keydown', (event) => during(event.repeat), { capture: true });
  addEventListener('keyup', () => during(false), { capture: true });
}

function onClick(event: MouseEvent): void {
  // By a key, or by a script.
  if (event.detail === 0 || !(event.target instanceof Element)) return;
  during(event.detail > 1);
  const hit = controlOf(event.target);
  if (again && first !== null && !isSame(first, hit)) {
    event.preventDefault();
    event.stopImmediatePropagation();
    return;
  }
  first = hit;
}

/** Holds until the event has been handled. */
function during(repeated: boolean): void {
  again = repeated;
  if (repeated) setTimeout(() => during(false));
}

function controlOf(target: Element): Element {
  const control = target.closest('a, button, input, select, textarea, label, summary, [role], [tabindex]') ?? target;
  return control instanceof HTMLLabelElement ? (control.control ?? control) : control;
}

/** A control that was rendered anew meanwhile is another element with the same text. */
function isSame(before: Element, now: Element): boolean {
  if (before === now) return true;
  return !before.isConnected && before.tagName === now.tagName && before.textContent === now.textContent;
}
