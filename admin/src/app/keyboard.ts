import { useEffect, useRef } from 'react';

interface Actions {
  palette(): void;
  map(): void;
  /** Called with the key after g. */
  go(key: string): void;
}

const CHORD_MS = 1_200;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Shortcuts that work everywhere: Ctrl-K, ?, / for the search field of a list, and g followed by the letter of a page. */
export function useKeyboard(actions: Actions): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    let chord = 0;
    const listen = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        latest.current.palette();
        return;
      }
      const dialog = document.querySelector('[role="dialog"]') !== null;
      if (event.ctrlKey || event.metaKey || event.altKey || dialog || isTyping(event.target)) return;
      if (event.key === '?') latest.current.map();
      else if (event.key === '/') {
        const field = document.querySelector<HTMLInputElement>('[data-list-search]');
        if (field === null) return;
        event.preventDefault();
        field.focus();
      } else if (event.key === 'g') {
        chord = event.timeStamp;
      } else if (chord !== 0 && event.timeStamp - chord < CHORD_MS) {
        chord = 0;
        latest.current.go(event.key);
      }
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}
