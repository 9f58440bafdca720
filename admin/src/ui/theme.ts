import { createTheme } from '@mantine/core';

/** Uses shades with a contrast of 4.5 or more. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 7 },
  respectReducedMotion: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
  components: {
    // Locking the page's scrolling writes a <style> element, which the Content-Security-Policy refuses: see base.css.
    // The header of a dialog must not become a landmark of the page.
    Modal: { defaultProps: { lockScroll: false, centered: true, attributes: { header: { role: 'presentation' } } } },
    Drawer: { defaultProps: { lockScroll: false, attributes: { header: { role: 'presentation' } } } },
  },
});
