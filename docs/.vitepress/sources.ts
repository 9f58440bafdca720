import { readdirSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { fileOf, OUTSIDE } from './pages.ts';

/* The markdown of each page, and where links in it lead. */

/** Configuration files that guides link to: the site has copies of them. */
const ATTACHED = /^docs\/(?:proxies|monitoring)\/([\w.-]+)$/;

/** The markdown of a page, as it is in the repository. */
export function markdownOf(root: URL, path: string): string {
  return readFileSync(new URL(sourceOf(path), root), 'utf8');
}

/** Path of the page's text, from the root of the repository. */
export function sourceOf(path: string): string {
  return OUTSIDE[path] ?? `docs/${fileOf(path)}.md`;
}

/** The same link within the site: from `/docs/guide/`, with its anchor; null for what is not in the site. */
export function siteLink(page: string, href: string): string | null {
  const [path = '', anchor] = href.split('#');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const target = posix.normalize(posix.join(dirname(sourceOf(page)), decodeURIComponent(path)));
  const outside = Object.entries(OUTSIDE).find(([, file]) => file === target);
  if (outside !== undefined) return `/${outside[0]}${hash}`;
  const attached = ATTACHED.exec(target);
  if (attached !== null) return `/files/${attached[1]}.txt`;
  if (target.startsWith('docs/') && target.endsWith('.md')) {
    return `/${target.slice('docs/'.length, -'.md'.length)}${hash}`.replace(/\/index$/, '/');
  }
  return null;
}

/** Files that are not pages, which the site needs copies of: name in the site, and the file. */
export function attachedFiles(root: URL): [string, URL][] {
  return ['docs/proxies/', 'docs/monitoring/'].flatMap((folder) =>
    readdirSync(new URL(folder, root)).map((name): [string, URL] => [
      `files/${name}.txt`,
      new URL(folder + name, root),
    ]),
  );
}
