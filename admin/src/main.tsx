import './ui/styles.ts';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/errors.ts';
import { hooks } from './api/transport.ts';
import { LanguageProvider } from './app/language.tsx';
import { router } from './app/router.tsx';
import { SESSION, sessionQuery } from './app/session.tsx';
import { preferredLanguage } from './i18n/catalogues.ts';
import { activate } from './i18n/i18n.ts';
import { watchDoubleClicks } from './ui/actions/double-click.ts';
import { theme } from './ui/theme.ts';

const queries = new QueryClient({
  defaultOptions: {
    // Without a connection a write fails with an error: one that waits would be lost with the window.
    mutations: { networkMode: 'always' },
    queries: {
      staleTime: 10_000,
      retry: (count, error) => count < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
    },
  },
});
hooks.signedOut = () => queries.setQueryData(SESSION, null);
watchDoubleClicks();

// Requested while the texts and the page load. A person who opens a sign-in link has no session yet.
if (!location.pathname.startsWith('/admin/sign-in')) void queries.prefetchQuery(sessionQuery);
await activate(preferredLanguage());
createRoot(document.getElementById('app') as HTMLElement).render(
  <MantineProvider
    theme={theme}
    defaultColorScheme="auto"
    withCssVariables={false}
    withGlobalClasses={false}
    withStaticClasses={false}
  >
    <QueryClientProvider client={queries}>
      <LanguageProvider>
        <RouterProvider router={router} />
      </LanguageProvider>
    </QueryClientProvider>
  </MantineProvider>,
);
