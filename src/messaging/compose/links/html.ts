/** Finds and replaces the addresses in a rendered HTML mail in a single pass that takes linear time. */

/** Attributes that hold an address, on any element. */
const ADDRESS_ATTRIBUTES = new Set(['href', 'src', 'action', 'formaction', 'background', 'poster', 'xlink:href']);
/** Elements whose href a person can follow. */
const FOLLOWED = new Set(['a', 'area']);
/** Elements whose content is text up to their end tag, so that `<a` inside is not a tag. */
const RAW_TEXT = new Set(['style', 'script', 'textarea', 'title', 'xmp']);

const SPACE = /[\t\n\f\r ]/;

/** Returns the replacement of an address; null leaves it unchanged. `followed` distinguishes links from images and the like. */
export type AddressChange = (address: string, followed: boolean) => string | null;

/** Returns the HTML with the addresses that `change` replaces. `change` receives them decoded and trimmed. */
export function rewriteAddresses(html: string, change: AddressChange): string {
  let out = '';
  let copied = 0;
  let at = html.indexOf('<');
  while (at >= 0) {
    if (html.startsWith('<!--', at)) {
      at = after(html, '-->', at + 4);
    } else if (isLetter(html.charCodeAt(at + 1))) {
      const tag = readTag(html, at, ADDRESS_ATTRIBUTES);
      for (const { name, start, end } of tag.addresses) {
        const raw = html.slice(start, end);
        const changed = change(decodeAddress(unquote(raw)), name === 'href' && FOLLOWED.has(tag.name));
        if (changed === null) continue;
        out += `${html.slice(copied, start)}"${escapeAttribute(changed)}"`;
        copied = end;
      }
      at = RAW_TEXT.has(tag.name) ? endOfRawText(html, tag.name, tag.end) : tag.end;
    } else {
      at += 1;
    }
    at = html.indexOf('<', at);
  }
  return out + html.slice(copied);
}

/** Yields the decoded `wanted` attributes of every start tag with one of the names, in one linear pass. */
export function* tagsIn(
  html: string,
  names: ReadonlySet<string>,
  wanted: ReadonlySet<string>,
): Generator<{ name: string; attributes: Map<string, string> }> {
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    if (html.startsWith('<!--', at)) {
      at = after(html, '-->', at + 4);
    } else if (isLetter(html.charCodeAt(at + 1))) {
      const tag = readTag(html, at, wanted);
      if (names.has(tag.name)) {
        const values = tag.addresses.map(
          ({ name, start, end }) => [name, decodeAddress(unquote(html.slice(start, end)))] as const,
        );
        yield { name: tag.name, attributes: new Map(values.reverse()) };
      }
      at = RAW_TEXT.has(tag.name) ? endOfRawText(html, tag.name, tag.end) : tag.end;
    } else {
      at += 1;
    }
  }
}

interface TagWithAddresses {
  name: string;
  /** Index just after the closing angle bracket. */
  end: number;
  /** Positions of the values, including their quotes. */
  addresses: { name: string; start: number; end: number }[];
}

/** Parses a start tag like the tokenizer of the HTML standard. */
function readTag(html: string, open: number, wanted: ReadonlySet<string>): TagWithAddresses {
  let at = open + 1;
  while (at < html.length && !isTagEnd(html[at]!)) at += 1;
  const tag: TagWithAddresses = { name: html.slice(open + 1, at).toLowerCase(), end: html.length, addresses: [] };
  for (;;) {
    while (at < html.length && (SPACE.test(html[at]!) || html[at] === '/')) at += 1;
    if (at >= html.length) return tag;
    if (html[at] === '>') return { ...tag, end: at + 1 };
    const nameStart = at;
    at += 1;
    while (at < html.length && !isTagEnd(html[at]!) && html[at] !== '=') at += 1;
    const name = html.slice(nameStart, at).toLowerCase();
    while (at < html.length && SPACE.test(html[at]!)) at += 1;
    if (html[at] !== '=') continue;
    at += 1;
    while (at < html.length && SPACE.test(html[at]!)) at += 1;
    const start = at;
    at = endOfValue(html, at);
    if (wanted.has(name) && at > start) tag.addresses.push({ name, start, end: at });
  }
}

function endOfValue(html: string, start: number): number {
  const quote = html[start];
  if (quote === '"' || quote === "'") return after(html, quote, start + 1);
  let at = start;
  while (at < html.length && html[at] !== '>' && !SPACE.test(html[at]!)) at += 1;
  return at;
}

function endOfRawText(html: string, name: string, from: number): number {
  for (let at = html.indexOf('</', from); at >= 0; at = html.indexOf('</', at + 2)) {
    if (html.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return at;
  }
  return html.length;
}

function after(html: string, text: string, from: number): number {
  const at = html.indexOf(text, from);
  return at < 0 ? html.length : at + text.length;
}

function isLetter(code: number): boolean {
  return (code | 32) >= 97 && (code | 32) <= 122;
}

function isTagEnd(character: string): boolean {
  return character === '>' || character === '/' || SPACE.test(character);
}

function unquote(raw: string): string {
  const quoted = raw[0] === '"' || raw[0] === "'";
  return quoted ? raw.slice(1, raw.at(-1) === raw[0] && raw.length > 1 ? -1 : undefined) : raw;
}

const NAMED: Record<string, string> = {
  amp: '&',
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
  colon: ':',
  Tab: '\t',
  NewLine: '\n',
};

/** Decodes the character references that occur in addresses or could hide a scheme, and removes white space as browsers do. */
function decodeAddress(value: string): string {
  const decoded = value.includes('&')
    ? value.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{2,7}));?/g, (whole, decimal, hex, name) => {
        if (name !== undefined) return NAMED[name] ?? whole;
        const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
        return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '\ufffd';
      })
    : value;
  return decoded.replace(/[\t\n\r]/g, '').trim();
}

function escapeAttribute(value: string): string {
  return value.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** `//host/path` takes the scheme of its page, but a mail has no page: it becomes https. Browsers treat \\ as /. */
export function withScheme(address: string): string {
  return address.replace(/^[\0-\x20]*[/\\]{2}/, 'https://');
}

/** Returns the scheme in lower case, or '' if the address has none (relative, or a fragment). */
export function schemeOf(address: string): string {
  // Browsers ignore control characters and spaces before the scheme.
  const match = /^[\0-\x20]*([A-Za-z][A-Za-z0-9+.-]*):/.exec(address);
  return match?.[1]?.toLowerCase() ?? '';
}

/** Inserts the addition before the end of the body, if the HTML has one; otherwise at the end. */
export function insertAtEnd(html: string, addition: string): string {
  const at = html.toLowerCase().lastIndexOf('</body>');
  return at < 0 ? html + addition : html.slice(0, at) + addition + html.slice(at);
}
