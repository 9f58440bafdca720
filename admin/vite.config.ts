import { readFileSync } from 'node:fs';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { precompress } from './precompress.ts';
import { theme } from './src/ui/theme.ts';

const OUT = new URL('./dist/', import.meta.url);

/**
 * Emits the theme's variables as a stylesheet of their own: Mantine would write them into a <style> element, which the
 * Content-Security-Policy refuses.
 */
function themeVariables(): Plugin {
  const id = 'virtual:theme-variables.css';
  return {
    name: 'theme-variables',
    resolveId: (source) => (source === id ? `\0${id}` : null),
    load: (source) => {
      if (source !== `\0${id}`) return null;
      const merged = mergeMantineTheme(DEFAULT_THEME, theme);
      return convertCssVariables(defaultCssVariablesResolver(merged), ':root');
    },
  };
}

/** Compiles the catalogues of texts at build time, so that no browser parses the message format. */
function catalogues(): Plugin {
  return {
    name: 'catalogues',
    enforce: 'pre',
    load: (source) => {
      if (!/\/i18n\/\w+\/[\w-]+\.json$/.test(source)) return null;
      const texts = JSON.parse(readFileSync(source, 'utf8')) as Record<string, string>;
      const compiled = Object.entries(texts).map(([key, text]) => [key, compileMessage(text)]);
      return { code: JSON.stringify(Object.fromEntries(compiled)), moduleType: 'json' };
    },
  };
}

/**
 * Lets the page itself load the scripts and styles of `main.tsx`, while `start.ts`, which imports it, is still loading. The
 * styles of `ui/styles.ts` precede those of components, which override them: the bundler sorts files by their scripts.
 */
function mainInPage(): Plugin {
  return {
    name: 'main-in-page',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle = {} }) => {
        const main = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'main');
        if (main === undefined) throw new Error('The build has no file of main.tsx');
        const scripts = new Set<string>();
        const styles: string[] = [];
        // The imports of a file come before it.
        const add = (name: string): void => {
          const file = bundle[name];
          if (file?.type !== 'chunk' || scripts.has(name)) return;
          for (const imported of file.imports) add(imported);
          scripts.add(name);
          styles.push(...(file.viteMetadata?.importedCss ?? []));
        };
        add(main.fileName);
        const isGround = (name: string): boolean => /\/styles-/.test(name);
        if (!styles.some(isGround)) throw new Error('The build has no file of the styles that every page needs');
        const tag = (rel: string, name: string) => ({
          tag: 'link',
          attrs: { rel, crossorigin: true, href: `/admin/${name}` },
          injectTo: 'head' as const,
        });
        const missing = (name: string): boolean => !html.includes(name);
        return [
          ...[...scripts].filter(missing).map((name) => tag('modulepreload', name)),
          ...styles
            .toSorted((a, b) => Number(isGround(b)) - Number(isGround(a)))
            .map((name) => tag('stylesheet', name)),
        ];
      },
    },
  };
}

/** Compresses what the server sends once, here. */
function compressed(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    closeBundle: () => precompress(OUT, /\.(js|css|html|svg)$/),
  };
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/admin/',
  plugins: [react(), themeVariables(), catalogues(), mainInPage(), compressed()],
  logLevel: 'warn',
  build: {
    target: 'es2022',
    emptyOutDir: true,
    // Everything is a file of this origin: the policy allows data: for pictures only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The limit of the first load, compressed, is in src/testing/browser/pages.test.ts.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: {
        // Bundles what every page needs into a few files, not thirty. What fewer than fourteen pages need stays with those.
        codeSplitting: {
          groups: [
            // The file that loads everything else is small and depends on nothing of it.
            {
              name: 'start',
              test: /admin\/src\/(start|pages\/(pages|address)|i18n\/catalogues)\.ts|preload-helper|rolldown\/runtime/,
            },
            {
              name: 'styles',
              test: /@mantine\/core\/styles\/|theme-variables\.css|admin\/src\/ui\/(styles\.ts|base\.css)/,
            },
            {
              name: 'vendor',
              minShareCount: 14,
              test: /node_modules\/(react|react-dom|scheduler|@mantine|@floating-ui|@tanstack|@lingui|openapi-fetch)\//,
            },
            { name: 'frame', minShareCount: 14, test: /admin\/src\/(ui|app|api)\/(?!SignIn|router)/ },
          ],
        },
      },
    },
  },
});
