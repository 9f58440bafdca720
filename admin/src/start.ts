import { loadTexts, preferredLanguage } from './i18n/catalogues.ts';
import { pageAt } from './pages/pages.ts';

/** Preloads the response of a GET that the app will send. */
function preload(href: string): void {
  document.head.append(
    Object.assign(document.createElement('link'), { rel: 'preload', as: 'fetch', crossOrigin: '', href }),
  );
}

// A person who opens a sign-in link has no session yet.
if (!location.pathname.startsWith('/admin/sign-in')) preload('/admin/api/session');
// Loads the texts and the page in parallel to the app, which requests them again and reports what could not be loaded.
void Promise.allSettled([loadTexts(preferredLanguage()), pageAt(location.pathname)?.()]);
// Not awaited: that module imports this one, so each would wait for the other.
void import('./main.tsx');
