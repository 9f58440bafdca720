import { insertAtEnd, rewriteAddresses } from '../links/html.ts';
import { footerOf, pixelOf, type Tracking, trackedAddress } from '../links/track.ts';
import { bodyEncoding, encodeBase64, encodeQuoted } from '../mime/encode.ts';
import { escapeText, insertPreheader, textFromHtml } from '../mime/html-text.ts';
import { PLACEHOLDERS } from './placeholders.ts';

const VALUE = /\ue000([^\ue000\ue001]*)\ue001/g;
const PLACE = /\ue000\d+\ue001/;

/** Returns the literal text between the values of a skeleton. */
export function betweenValues(skeleton: string): string[] {
  return skeleton.split(PLACE);
}

/**
 * Returns the values of a rendered e-mail with this skeleton, or null if its skeleton differs. Takes a twentieth of the time needed to
 * build the skeleton and look it up.
 */
export function valuesBetween(literals: readonly string[], rendered: string): string[] | null {
  const values: string[] = [];
  let at = 0;
  for (const [i, literal] of literals.entries()) {
    if (i > 0) {
      if (rendered[at] !== PLACEHOLDERS.open) return null;
      const end = rendered.indexOf(PLACEHOLDERS.close, at);
      if (end < 0) return null;
      values.push(rendered.slice(at + 1, end));
      at = end + 1;
    }
    // Comparing slices is faster: startsWith compares character by character.
    if (rendered.slice(at, at + literal.length) !== literal) return null;
    at += literal.length;
  }
  return at === rendered.length ? values : null;
}

/** Extracts the values of a rendered e-mail; the skeleton numbers their positions. */
export function splitValues(rendered: string): { skeleton: string; values: string[] } {
  const values: string[] = [];
  const skeleton = rendered.replace(
    VALUE,
    (_, value: string) => `${PLACEHOLDERS.open}${values.push(value) - 1}${PLACEHOLDERS.close}`,
  );
  return { skeleton, values };
}

const SLOT = /(\ue000\d+\ue001|[\ue002-\ue004])/;

/** A piece that is already encoded, the index of a value, or the slot of other content that differs by recipient. */
type Piece = { encoded: string } | { value: number } | { slot: 'unsubscribe' | 'preview' | 'token' };

/** A skeleton with its links tracked, and everything encoded that its e-mails share. */
export interface CompiledMail {
  encoding: 'quoted-printable' | 'base64';
  html: Piece[];
  text: Piece[];
}

export interface CompileOptions extends Omit<Tracking, 'token'> {
  /** Whether the e-mail has a preview text. */
  preview: boolean;
  /** Returns the name that replaces an address in links, if it is known. */
  nameFor(address: string): string | undefined;
}

/**
 * `whole`: a value stands where it could become markup or part of an address, so each e-mail is processed as a whole. `nameless`: some
 * links have no names yet.
 */
export function compileMail(skeleton: string, options: CompileOptions): CompiledMail | 'whole' | 'nameless' {
  if (hasValueInTag(skeleton)) return 'whole';
  let whole = false;
  let nameless = false;
  const tracking: Tracking = { ...options, token: PLACEHOLDERS.token };
  const nameFor = (address: string): string | undefined => {
    const name = options.nameFor(address);
    if (name === undefined) nameless = true;
    return name;
  };
  const complete = skeleton.includes(PLACEHOLDERS.unsubscribe)
    ? skeleton
    : insertAtEnd(skeleton, footerOf(PLACEHOLDERS.unsubscribe));
  const linked = rewriteAddresses(complete, (address, followed) => {
    if (address.includes(PLACEHOLDERS.open)) whole = true;
    if (whole || address.includes(PLACEHOLDERS.unsubscribe)) return null;
    return trackedAddress(address, followed, tracking, nameFor);
  });
  if (whole) return 'whole';
  if (nameless) return 'nameless';
  const html = options.opens ? insertAtEnd(linked, pixelOf(tracking)) : linked;
  const text = textFromHtml(html);
  const encoding = bodyEncoding(html);
  const pieces = (part: string): Piece[] =>
    part.split(SLOT).flatMap((piece): Piece[] => {
      if (piece === '') return [];
      if (piece === PLACEHOLDERS.unsubscribe) return [{ slot: 'unsubscribe' }];
      if (piece === PLACEHOLDERS.preview) return [{ slot: 'preview' }];
      if (piece === PLACEHOLDERS.token) return [{ slot: 'token' }];
      if (piece.startsWith(PLACEHOLDERS.open)) return [{ value: Number(piece.slice(1, -1)) }];
      return [{ encoded: encoding === 'base64' ? piece : encodeQuoted(piece) }];
    });
  return {
    encoding,
    html: pieces(options.preview ? insertPreheader(html, PLACEHOLDERS.preview) : html),
    text: pieces(text),
  };
}

/** Finds a placeholder after a `<` that no `>` follows. One after a `>` within an attribute is found when addresses are rewritten. */
function hasValueInTag(skeleton: string): boolean {
  for (let at = skeleton.indexOf(PLACEHOLDERS.open); at >= 0; at = skeleton.indexOf(PLACEHOLDERS.open, at + 1)) {
    if (skeleton.lastIndexOf('<', at) > skeleton.lastIndexOf('>', at)) return true;
  }
  return false;
}

/** What differs by recipient. */
export interface Filling {
  values: readonly string[];
  unsubscribe: string;
  token: string;
  /** One line of text. */
  preview: string;
}

/** Returns both bodies of one e-mail, encoded. */
export function fillMail(mail: CompiledMail, filling: Filling): { html: string; text: string } {
  const { values, preview } = filling;
  return {
    html: fill(mail, mail.html, (n) => values[n]!, { ...filling, preview: escapeText(preview) }),
    text: fill(mail, mail.text, (n) => plain(values[n]!), filling),
  };
}

function fill(mail: CompiledMail, pieces: Piece[], ownOf: (n: number) => string, filling: Filling): string {
  const whole = mail.encoding === 'base64';
  let out = '';
  for (const piece of pieces) {
    if ('encoded' in piece) {
      out += piece.encoded;
      continue;
    }
    const own = 'value' in piece ? ownOf(piece.value) : filling[piece.slot];
    // Soft line breaks on both sides keep every line short, whatever surrounds the value.
    out += whole ? own : `=\r\n${encodeQuoted(own)}=\r\n`;
  }
  return whole ? encodeBase64(out) : out;
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&#34;': '"', '&#39;': "'" };

/** Converts an HTML-escaped value to plain text. */
function plain(escaped: string): string {
  const text = escaped.includes('&')
    ? escaped.replace(/&(?:amp|lt|gt|#34|#39);/g, (entity) => ENTITIES[entity]!)
    : escaped;
  return text.replace(/\s+/g, ' ');
}
