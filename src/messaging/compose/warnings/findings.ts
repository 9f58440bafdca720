import Type, { type Static } from 'typebox';
import { Nullable, OneOf } from '../../../lib/schemas.ts';
import { tagsIn } from '../links/html.ts';

export const FINDING_CODES = [
  ...(['unknown_variable', 'empty_link', 'unusual_link', 'local_link', 'insecure_picture'] as const),
  ...(['picture_without_text', 'too_large', 'no_unsubscribe', 'few_words', 'many_capitals'] as const),
  ...(['unverified_sender', 'empty_coupon', 'button_without_link', 'no_postal_address'] as const),
] as const;
export const FINDING_FIELDS = ['subject', 'preview_text', 'content', 'from'] as const;

/** A probable mistake in a message. */
export const Finding = Type.Object({
  code: OneOf(FINDING_CODES),
  field: OneOf(FINDING_FIELDS),
  detail: Nullable(Type.String({ description: 'The variable, the address, the size in kB or the domain' })),
  suggestion: Nullable(Type.String({ description: 'The known variable that comes nearest' })),
});
export type Finding = Static<typeof Finding>;

/** Describes a finding in one sentence. */
export function sentenceOf({ code, field, detail, suggestion }: Finding): string {
  switch (code) {
    case 'unknown_variable':
      return `${field}: there is no variable ${detail}${suggestion === null ? '' : `; did you mean ${suggestion}?`}`;
    case 'empty_link':
      return `${field}: a link leads nowhere`;
    case 'unusual_link':
      return `${field}: the link ${detail} is neither http, https, mailto, tel nor sms`;
    case 'local_link':
      return `${field}: ${detail} can only be reached from inside a network`;
    case 'insecure_picture':
      return `${field}: the picture ${detail} is loaded without https`;
    case 'picture_without_text':
      return `${field}: the picture ${detail} has no alternative text`;
    case 'too_large':
      return `${field}: the e-mail has ${detail} kB; Gmail shows the first 102 kB only`;
    case 'no_unsubscribe':
      return `${field}: there is no unsubscribe link; one is added at the end of marketing messages`;
    case 'few_words':
      return `${field}: pictures with few words are often taken for spam`;
    case 'unverified_sender':
      return `${field}: the domain ${detail} is not verified, so that e-mails from it may be refused (see Sending domains)`;
    case 'empty_coupon':
      return `${field}: a coupon block has no coupon and is left out`;
    case 'button_without_link':
      return `${field}: the button${detail === null ? '' : ` ${detail}`} has no link`;
    case 'no_postal_address':
      return `${field}: there is no postal address of the sender, which many countries require`;
    case 'many_capitals':
      return `${field}: many capital letters are often taken for spam`;
  }
}

/** Gmail clips longer e-mails. */
const CLIPPED_BYTES = 102 * 1024;
/** Addresses listed per kind; a mail with more of them has one common cause. */
const MOST_NAMED = 10;
const MOST_FOUND = 1_000;
const FEW_WORDS = 20;

const TAGS: ReadonlySet<string> = new Set(['a', 'img']);
const ATTRIBUTES: ReadonlySet<string> = new Set(['href', 'name', 'src', 'alt']);

type Found = Pick<Finding, 'code' | 'detail'>;

/** Finds probable mistakes in a rendered e-mail. */
export function markupFindings(html: string): Found[] {
  const found: Found[] = [];
  let pictures = 0;
  for (const { name, attributes } of tagsIn(html, TAGS, ATTRIBUTES)) {
    if (found.length > MOST_FOUND) break;
    if (name === 'img') {
      pictures += 1;
      found.push(...pictureFindings(attributes.get('src') ?? '', attributes.get('alt')));
      // An anchor with a name and no address is a link target within the mail.
    } else if (attributes.has('href') || !attributes.has('name')) {
      found.push(...linkFindings(attributes.get('href') ?? ''));
    }
  }
  const bytes = Buffer.byteLength(html);
  if (bytes > CLIPPED_BYTES) found.push({ code: 'too_large', detail: String(Math.ceil(bytes / 1024)) });
  return [...limited(found), ...(pictures > 0 ? [{ code: 'few_words' as const, detail: null }] : [])];
}

function limited(found: Found[]): Found[] {
  const counts = new Map<string, number>();
  const seen = new Set<string>();
  return found.filter(({ code, detail }) => {
    const key = `${code} ${detail}`;
    if (seen.has(key)) return false;
    seen.add(key);
    counts.set(code, (counts.get(code) ?? 0) + 1);
    return counts.get(code)! <= MOST_NAMED;
  });
}

const shown = (address: string): string => (address.length > 200 ? `${address.slice(0, 200)}…` : address);

function linkFindings(href: string): Found[] {
  const address = href.trim();
  // These addresses lead nowhere only in a preview.
  if (address === '#' || /^#./.test(address)) return [];
  if (address === '' || /^https?:\/*$/i.test(address)) return [{ code: 'empty_link', detail: null }];
  if (!/^(https?:\/\/|mailto:|tel:|sms:)/i.test(address)) return [{ code: 'unusual_link', detail: shown(address) }];
  return isLocal(address) ? [{ code: 'local_link', detail: shown(address) }] : [];
}

function pictureFindings(src: string, alt: string | undefined): Found[] {
  const address = shown(src.trim());
  return [
    ...(/^http:\/\//i.test(address) ? [{ code: 'insecure_picture' as const, detail: address }] : []),
    ...(isLocal(address) ? [{ code: 'local_link' as const, detail: address }] : []),
    ...(alt === undefined || alt.trim() === '' ? [{ code: 'picture_without_text' as const, detail: address }] : []),
  ];
}

const PRIVATE_HOST =
  /^(localhost|.*\.(localhost|local|internal|test)|127\..*|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|\[::1\])$/;

function isLocal(address: string): boolean {
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return false;
  return PRIVATE_HOST.test(new URL(address).hostname);
}

/** Whether the readable text of an e-mail has very few words; does not look at its pictures. */
export function hasFewWords(text: string): boolean {
  return (text.match(/\p{L}{2,}/gu) ?? []).length < FEW_WORDS;
}

export function hasManyCapitals(text: string, { letters, share }: { letters: number; share: number }): boolean {
  const all = text.match(/\p{L}/gu)?.length ?? 0;
  return all >= letters && (text.match(/\p{Lu}/gu)?.length ?? 0) > share * all;
}
