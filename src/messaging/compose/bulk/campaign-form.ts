import { insertAtEnd, rewriteAddresses } from '../links/links.ts';
import { bodyEncoding } from '../mime/encode-message.ts';
import { insertPreheader, textFromHtml } from '../mime/html-text.ts';
import { encodeBase64, encodeQuoted } from '../mime/quoted-printable.ts';
import { footerOf, pixelOf, type Tracking, trackedAddress } from '../tracked-links.ts';
import { PLACEHOLDERS } from './placeholders.ts';

const SLOT = /(\ue000\d+\ue001|[\ue002-\ue004])/;

/** A piece that is already encoded, the index of a value, or the slot of other content that differs by recipient. */
type Piece = { encoded: string } | { value: number } | { slot: 'unsubscribe' | 'preview' | 'token' };

export interface CampaignForm {
  encoding: 'quoted-printable' | 'base64';
  html: Piece[];
  text: Piece[];
}

export interface FormOptions extends Omit<Tracking, 'token'> {
  /** Whether the mail has a preview text. */
  preview: boolean;
}

/** `aside`: a value stands where it could become markup or part of an address, so each mail has to be processed as a whole. */
export type FormResult = CampaignForm | { unknown: string[] } | 'aside';

/** Returns the form of a skeleton, or the addresses whose names are needed first. */
export function formOf(skeleton: string, options: FormOptions): FormResult {
  if (hasValueInTag(skeleton)) return 'aside';
  let aside = false;
  const unknown = new Set<string>();
  const tracking: Tracking = { ...options, token: PLACEHOLDERS.token };
  const whole = skeleton.includes(PLACEHOLDERS.unsubscribe)
    ? skeleton
    : insertAtEnd(skeleton, footerOf(PLACEHOLDERS.unsubscribe));
  const linked = rewriteAddresses(whole, (address, followed) => {
    if (address.includes(PLACEHOLDERS.open)) aside = true;
    if (address.includes(PLACEHOLDERS.unsubscribe)) return null;
    return trackedAddress(address, followed, tracking, unknown);
  });
  if (aside) return 'aside';
  if (unknown.size > 0) return { unknown: [...unknown] };
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

/** What a form is filled with. */
export interface Filling {
  values: readonly string[];
  unsubscribe: string;
  token: string;
  /** One line of text. */
  preview: string;
}

/** Returns both bodies of one mail, encoded. */
export function fillForm(form: CampaignForm, filling: Filling): { html: string; text: string } {
  const { values, preview } = filling;
  const escaped = preview.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  return {
    html: fill(form, form.html, (n) => values[n]!, { ...filling, preview: escaped }),
    text: fill(form, form.text, (n) => plain(values[n]!), filling),
  };
}

function fill(form: CampaignForm, pieces: Piece[], ownOf: (n: number) => string, filling: Filling): string {
  const whole = form.encoding === 'base64';
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
