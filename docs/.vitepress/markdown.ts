import { createHash } from 'node:crypto';
import type { MarkdownRenderer } from 'vitepress';
import { siteLink } from './sources.ts';

/** Address of the program in guides, the same as in the quick start. */
const PROGRAM = 'http://127.0.0.1:3000';

/** The anchor of a heading, as repositories generate it, so that links with an anchor work in both places. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
}

/** Turns links between files into links between pages, and keeps the braces of Liquid. */
export function plainMarkdown(md: MarkdownRenderer): void {
  md.core.ruler.push('site-links', (state) => {
    const page = String(state.env.relativePath ?? '').replace(/(?<=^|\/)index\.md$|\.md$/, '');
    for (const token of state.tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== 'link_open') continue;
      const href = String(token.attrGet('href'));
      if (href.startsWith(`${PROGRAM}/`)) {
        token.attrSet('href', href.slice(PROGRAM.length));
        token.attrSet('target', '_self');
      } else if (!/^(\w+:|#|\/)/.test(href)) {
        const link = siteLink(page, href);
        if (link === null) throw new Error(`${page || 'index'}: ${href} is no page of the site`);
        token.attrSet('href', link);
      }
    }
  });
  const { code_inline: code, text } = md.renderer.rules;
  md.renderer.rules.code_inline = (tokens, index, ...rest) => {
    tokens[index]!.attrSet('v-pre', '');
    return code!(tokens, index, ...rest);
  };
  md.renderer.rules.text = (...args) => text!(...args).replaceAll('{{', '&#123;&#123;');
}

interface Node {
  properties?: Record<string, unknown>;
  children?: Node[];
}

/** Colours code by classes: the Content-Security-Policy refuses style attributes. */
export function coloursAsClasses(): { transformer: { name: string; root(node: Node): void }; stylesheet(): string } {
  const styles = new Map<string, string>();
  const walk = (node: Node): void => {
    const style = node.properties?.style;
    if (typeof style === 'string' && style !== '') {
      const name = `c${createHash('sha256').update(style).digest('hex').slice(0, 6)}`;
      styles.set(name, style);
      const { style: _, class: known, ...others } = node.properties!;
      node.properties = { ...others, class: [known, name].flat().filter(Boolean).join(' ') };
    }
    for (const child of node.children ?? []) walk(child);
  };
  return {
    transformer: { name: 'colours-as-classes', root: walk },
    stylesheet: () => [...styles].map(([name, style]) => `.${name}{${style}}\n`).join(''),
  };
}
