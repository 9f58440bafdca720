import { loadTexts, preferredLanguage } from './i18n/catalogues.ts';
import { pageAt } from './pages/pages.ts';

/** The response of a GET that the app will send, asked for already. */
function preload(href: string): void {
  document.head.append(
    Object.assign(document.createElement('link'), { rel: 'preload', as: 'fetch', crossOrigin: '', href }),
  );
}

// Who opens a link to sign in has no session yet.
if (!location.pathname.startsWith('/admin/sign-in')) preload('/admin/api/session');
// The texts and the page are asked for at once with the app, which asks for them again and says what could not be loaded.
void Promise.allSettled([loadTexts(preferredLanguage()), pageAt(location.pathname)?.()]);
// Not awaited: its file imports this one's, and would wait for the end of what waits for it.
void import('./main.tsx');
